// $facet: several pipelines over the same documents, compiled here. The engine pushes each document
// into all of them, so the input is read once and not kept.

import { fieldsOf } from '../../../value/elements.js'
import { bsonType, type Value } from '../../../value/value.js'
import { location, typeName } from '../../expressions/operator.js'
import { requireFieldName } from '../../expressions/variable.js'
import type { PipelineRules, StageCompiler, StagePlan, StageRow } from '../stage.js'

/** Stages that read a collection or write, which is not possible inside $facet. */
const outside = new Set([
  ...['$changeStream', '$collStats', '$currentOp', '$documents', '$facet', '$geoNear'],
  ...['$indexStats', '$listLocalSessions', '$listSessions', '$merge', '$out', '$planCacheStats'],
])

const rules: PipelineRules = {
  allows: (name) => !outside.has(name),
  refuse: (name) => location(40600, `${name} is not allowed to be used within a $facet stage`),
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

export const facetStage: StageRow = { name: '$facet', compile: compileFacet }
