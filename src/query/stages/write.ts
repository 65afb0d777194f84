// $out and $merge: the plans of writing stages. This file has the pure parts: the target, the
// fields by which results match stored documents, and the action for each case.

import { fail } from '../../base/errors.js'
import { elementsOf, fieldsOf } from '../../value/elements.js'
import { bsonType, stringOf, stringValue, type Value } from '../../value/value.js'
import { location, typeName, valueText } from '../expressions/operator.js'
import { requirePath } from '../projection-spec.js'
import type { MergePlan, StageRow, WriteTarget } from './stage.js'
import { given, namedBy, type PipelineCollection, plainStage, type Reach } from './stage-facts.js'

const matchedActions = ['replace', 'keepExisting', 'merge', 'fail'] as const
const unmatchedActions = ['insert', 'discard', 'fail'] as const

function outTarget(spec: Value): WriteTarget {
  if (spec.type === bsonType.string) return { db: undefined, collection: stringOf(spec) }
  if (spec.type === bsonType.object) return placeOf('$out', spec, 'timeseries')
  throw location(
    16990,
    `$out only supports a string or object argument, but found ${typeName(spec)}`,
  )
}

/** `{db, coll}`; the default database is the pipeline's. */
function placeOf(name: string, spec: Value, other?: string): WriteTarget {
  const given = new Map(fieldsOf(spec))
  for (const [field, value] of given) {
    if (field === other) continue
    if (field !== 'db' && field !== 'coll') {
      throw location(40415, `BSON field '${name}.${field}' is an unknown field.`)
    }
    if (value.type !== bsonType.string) {
      const found = typeName(value)
      const where = `BSON field '${name}.${field}'`
      const text = `${where} is the wrong type '${found}', expected type 'string'`
      throw fail('TypeMismatch', text)
    }
  }
  const coll = given.get('coll')
  if (coll === undefined) {
    throw location(40414, `BSON field '${name}.coll' is missing but a required field`)
  }
  const db = given.get('db')
  return { db: db === undefined ? undefined : stringOf(db), collection: stringOf(coll) }
}

/** The option of `{$out: {timeseries}}`. */
function seriesOfOut(spec: Value): Value | undefined {
  if (spec.type !== bsonType.object) return undefined
  return new Map(fieldsOf(spec)).get('timeseries')
}

const mergeOptions = ['into', 'on', 'let', 'whenMatched', 'whenNotMatched']

function compileMerge(spec: Value): MergePlan {
  const options = new Map<string, Value>()
  if (spec.type === bsonType.string) options.set('into', spec)
  else if (spec.type === bsonType.object)
    for (const [name, value] of fieldsOf(spec)) options.set(name, value)
  else
    throw location(51182, `$merge only supports a string or object argument, not ${typeName(spec)}`)
  for (const name of options.keys()) {
    if (mergeOptions.includes(name)) continue
    throw location(40415, `BSON field '$merge.${name}' is an unknown field.`)
  }
  const into = options.get('into')
  if (into === undefined) {
    throw location(40414, "BSON field '$merge.into' is missing but a required field")
  }
  const whenMatched = matchedOf(options.get('whenMatched'))
  const variables = options.get('let')
  if (variables !== undefined && variables.type !== bsonType.object) {
    throw fail(
      'TypeMismatch',
      `BSON field '$merge.let' must be an object, not ${typeName(variables)}`,
    )
  }
  if (variables !== undefined && typeof whenMatched === 'string') {
    throw location(51199, "Cannot use 'let' variables with 'whenMatched' that is not a pipeline")
  }
  return {
    kind: 'merge',
    name: '$merge',
    spec,
    target: intoOf(into),
    on: onOf(options.get('on')),
    variables,
    whenMatched,
    whenNotMatched: unmatchedOf(options.get('whenNotMatched')),
  }
}

function intoOf(value: Value): WriteTarget {
  if (value.type === bsonType.string) return { db: undefined, collection: stringOf(value) }
  if (value.type === bsonType.object) return placeOf('$merge.into', value)
  throw location(
    51178,
    `$merge 'into' field must be either a string or an object, not ${typeName(value)}`,
  )
}

function onOf(value: Value | undefined): readonly string[] | undefined {
  if (value === undefined) return undefined
  const elements = value.type === bsonType.array ? elementsOf(value) : [value]
  if (elements.length === 0) {
    throw location(51187, 'If explicitly specifying $merge on, must include at least one field')
  }
  const paths = elements.map((element) => {
    if (element.type !== bsonType.string) {
      const where = value.type === bsonType.array ? 'array element' : 'field'
      throw location(51134, `$merge 'on' ${where} must be a string, not ${typeName(element)}`)
    }
    requirePath(stringOf(element))
    return stringOf(element)
  })
  if (new Set(paths).size === paths.length) return paths
  throw location(31465, "Found a duplicate field in $merge 'on'")
}

function matchedOf(value: Value | undefined): MergePlan['whenMatched'] {
  if (value?.type === bsonType.array) return value
  return actionOf('whenMatched', matchedActions, value ?? stringValue('merge'))
}

function unmatchedOf(value: Value | undefined): MergePlan['whenNotMatched'] {
  return actionOf('whenNotMatched', unmatchedActions, value ?? stringValue('insert'))
}

function actionOf<const T extends readonly string[]>(
  name: string,
  actions: T,
  value: Value,
): T[number] {
  const text = value.type === bsonType.string ? stringOf(value) : undefined
  const action = actions.find((each) => each === text)
  if (action !== undefined) return action
  throw fail(
    'BadValue',
    `Enumeration value ${valueText(value)} for field '$merge.${name}' is not a valid value.`,
  )
}

const writingStage = { ...plainStage, place: 'last', within: [] } as const

function written(
  target: Value | undefined,
  use: Pick<PipelineCollection, 'isRuled' | 'readsTarget'>,
): Reach {
  return { collections: namedBy(target, { privilege: 'write', ...use }), pipelines: [] }
}

/** For $merge: whether it uses fields other than `_id`, or a pipeline over the stored document. */
function comparesTarget(whenMatched: Value | undefined, on: Value | undefined): boolean {
  if (whenMatched?.type === bsonType.array) return true
  const names = on?.type === bsonType.array ? elementsOf(on) : on === undefined ? [] : [on]
  return names.some((name) => name.type !== bsonType.string || stringOf(name) !== '_id')
}

export const writeStages: readonly StageRow[] = [
  {
    ...writingStage,
    name: '$out',
    reach: (spec) => {
      const isRuled = seriesOfOut(spec) !== undefined
      return written(spec, isRuled ? { isRuled } : {})
    },
    compile: (spec) => {
      const target = outTarget(spec)
      return [{ kind: 'out', name: '$out', spec, target, timeSeries: seriesOfOut(spec) }]
    },
  },
  {
    ...writingStage,
    name: '$merge',
    reach: (spec) => {
      const into = spec.type === bsonType.object ? given(spec, 'into') : spec
      const readsTarget = comparesTarget(given(spec, 'whenMatched'), given(spec, 'on'))
      return written(into, readsTarget ? { readsTarget } : {})
    },
    compile: (spec) => [compileMerge(spec)],
  },
]
