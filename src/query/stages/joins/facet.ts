// $facet: several pipelines over the same documents, compiled here. The engine pushes each document
// into all of them, so the input is read once and not kept.

import { fieldsOf } from '../../../value/elements.js'
import { bsonType, type Value } from '../../../value/value.js'
import { location, typeName } from '../../expressions/operator.js'
import { requireFieldName } from '../../expressions/variable.js'
import type { PipelineRules, StageCompiler, StagePlan, StageRow } from '../stage.js'
import { plainStage } from '../stage-facts.js'

const rules: PipelineRules = {
  only: {
    kind: 'facet',
    refuse: (name) => location(40600, `${name} is not allowed to be used within a $facet stage`),
  },
}

function compileFacet(spec: Value, compiler: StageCompiler): StagePlan[] {
  const given = spec.type === bsonType.object ? [...fieldsOf(spec)] : []
  if (given.length === 0) {
    throw location(40169, 'the $facet specification must be a non-empty object')
  }
  const facets = given.map(([name, pipeline]) => {
    requireFieldName(name)
    if (name.includes('.')) {
      throw location(
        16412,
        "FieldPath field names may not contain '.'. Consider using $getField or $setField.",
      )
    }
    if (pipeline.type !== bsonType.array) {
      const found = typeName(pipeline)
      throw location(40170, `arguments to $facet must be arrays, ${name} is type ${found}`)
    }
    return { name, stages: compiler.compile(pipeline, compiler.context, rules) }
  })
  return [{ kind: 'facet', name: '$facet', spec, facets }]
}

export const facetStage: StageRow = {
  ...plainStage,
  within: ['union', 'view'],
  name: '$facet',
  // Every nested pipeline runs, also those with equal names.
  reach: (spec) => ({
    collections: [],
    pipelines: spec.type === bsonType.object ? [...fieldsOf(spec)].map(([, nested]) => nested) : [],
  }),
  compile: compileFacet,
}
