// $unionWith: the plan of the documents that another pipeline adds. The engine reads them after the
// last document of the outer pipeline.

import { fail } from '../../../base/errors.js'
import { fieldsOf } from '../../../value/elements.js'
import { bsonType, stringOf, type Value } from '../../../value/value.js'
import { writeArray } from '../../../value/writer.js'
import { location, typeName } from '../../expressions/operator.js'
import type { PipelineRules, StageCompiler, StagePlan, StageRow } from '../stage.js'
import { given, joinReach, plainStage } from '../stage-facts.js'

const rules: PipelineRules = {
  only: {
    kind: 'union',
    refuse: (name) => location(31441, `${name} is not allowed within a $unionWith's sub-pipeline`),
  },
}

function compileUnion(spec: Value, compiler: StageCompiler): StagePlan[] {
  const { from, pipeline } = optionsOf(spec)
  const stages = compiler.compile(pipeline ?? writeArray([]), compiler.context, rules)
  if (from === undefined && stages[0]?.kind !== 'documents') {
    throw fail(
      'FailedToParse',
      "$unionWith stage without explicit collection must have a pipeline with '$documents' as " +
        'first stage',
    )
  }
  const throughView = compiler.context.throughView === true
  return [{ kind: 'union', name: '$unionWith', spec, from, throughView, stages }]
}

function optionsOf(spec: Value): { from: string | undefined; pipeline: Value | undefined } {
  if (spec.type === bsonType.string) return { from: stringOf(spec), pipeline: undefined }
  if (spec.type !== bsonType.object) {
    throw fail(
      'FailedToParse',
      `the $unionWith stage specification must be an object or string, but found ${typeName(spec)}`,
    )
  }
  const options = new Map(fieldsOf(spec))
  for (const name of options.keys()) {
    if (name === 'coll' || name === 'pipeline') continue
    throw location(40415, `BSON field '$unionWith.${name}' is an unknown field.`)
  }
  const coll = options.get('coll')
  if (coll !== undefined && coll.type !== bsonType.string) {
    throw fail(
      'TypeMismatch',
      `BSON field '$unionWith.coll' is the wrong type '${typeName(coll)}', expected type 'string'`,
    )
  }
  const from = coll === undefined ? undefined : stringOf(coll)
  return { from, pipeline: options.get('pipeline') }
}

export const unionStage: StageRow = {
  ...plainStage,
  name: '$unionWith',
  reach: (spec) => joinReach(spec, spec.type === bsonType.object ? given(spec, 'coll') : spec),
  compile: compileUnion,
}
