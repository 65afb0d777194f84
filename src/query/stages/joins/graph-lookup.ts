// $graphLookup: the plan of a search from document to document. This file has the pure parts: the
// start values of a document, the filter of a round, and the values that found documents lead to.

import { fail } from '../../../base/errors.js'
import { elementsOf, fieldsOf } from '../../../value/elements.js'
import { integerOf, numberOf } from '../../../value/numbers.js'
import { type FieldPath, parsePath, walkPath } from '../../../value/path.js'
import {
  bsonType,
  type Document,
  documentOf,
  documentValue,
  int64Value,
  nullValue,
  stringOf,
  type Value,
} from '../../../value/value.js'
import { writeArray } from '../../../value/writer.js'
import { location, type Result, typeName } from '../../expressions/operator.js'
import { compileFilter } from '../../filter.js'
import { requirePath } from '../../projection-spec.js'
import { joinEffect } from '../effects.js'
import { FieldSetter } from '../setter.js'
import type { GraphLookupPlan, StageCompiler, StagePlan, StageRow } from '../stage.js'
import { given, joinReach, plainStage } from '../stage-facts.js'
import { allOf, anyOfFilter } from './lookup-filter.js'

const required = ['from', 'as', 'startWith', 'connectFromField', 'connectToField']
const texts = new Set(['from', 'as', 'connectFromField', 'connectToField', 'depthField'])

interface Options {
  readonly from: string
  readonly as: string
  readonly startWith: Value
  readonly connectFrom: string
  readonly connectTo: string
  readonly depthField: string | undefined
  readonly maxDepth: number
  readonly restriction: Document | undefined
}

function compileGraphLookup(spec: Value, compiler: StageCompiler): StagePlan[] {
  const options = optionsOf(spec)
  const { from, as, connectTo, depthField, maxDepth, restriction } = options
  const { context } = compiler
  if (restriction !== undefined) compileFilter(restriction, context)
  const start = compiler.input(options.startWith)
  const env = compiler.environment()
  const connectFrom = parsePath(options.connectFrom)
  const depth = depthField === undefined ? undefined : new FieldSetter(depthField, context)
  const result = new FieldSetter(as, context)
  const plan: GraphLookupPlan = {
    kind: 'graphLookup',
    name: '$graphLookup',
    spec,
    from,
    throughView: context.throughView === true,
    maxDepth,
    startOf: (document) => {
      env.root = documentValue(document)
      return spread(start.evaluate(env))
    },
    filterOf: (values) => {
      const reached = anyOfFilter(connectTo, values)
      return allOf(restriction === undefined ? [reached] : [reached, restriction])
    },
    leadsTo: (found) => valuesAt(found, connectFrom),
    withDepth: (found, rounds) =>
      depth === undefined ? found : depth.set(found, int64Value(BigInt(rounds))),
    joined: (document, found) => result.set(document, writeArray(found.map(documentValue))),
  }
  return [plan]
}

/**
 * The elements of an array, or the one value. Missing becomes null, which matches null and missing.
 */
function spread(value: Result): Value[] {
  if (value?.type === bsonType.array) return elementsOf(value)
  return [value ?? nullValue]
}

/** Unlike in $lookup, a document without the field leads to no others. */
function valuesAt(document: Document, path: FieldPath): Value[] {
  const values: Value[] = []
  walkPath(document, path, (leaf) => {
    if (leaf?.type === bsonType.array) values.push(...elementsOf(leaf))
    else if (leaf !== undefined) values.push(leaf)
    return false
  })
  return values
}

function optionsOf(spec: Value): Options {
  if (spec.type !== bsonType.object) {
    const found = typeName(spec)
    const text = `the $graphLookup stage specification must be an object, but found ${found}`
    throw fail('FailedToParse', text)
  }
  const given = new Map<string, Value>()
  for (const [name, value] of fieldsOf(spec)) {
    requireOption(name, value)
    given.set(name, value)
  }
  const isWhole = required.every((name) => given.has(name))
  if (!isWhole) {
    throw location(
      40105,
      "$graphLookup requires 'from', 'as', 'startWith', 'connectFromField', and 'connectToField' " +
        'to be specified.',
    )
  }
  const text = (name: string): string => stringOf(given.get(name) as Value)
  for (const name of ['as', 'connectFromField', 'connectToField']) requirePath(text(name))
  const restriction = given.get('restrictSearchWithMatch')
  const depth = given.get('maxDepth')
  return {
    from: text('from'),
    as: text('as'),
    startWith: given.get('startWith') as Value,
    connectFrom: text('connectFromField'),
    connectTo: text('connectToField'),
    depthField: given.has('depthField') ? text('depthField') : undefined,
    maxDepth: depth === undefined ? Number.POSITIVE_INFINITY : maxDepthOf(depth),
    restriction: restriction === undefined ? undefined : documentOf(restriction),
  }
}

function requireOption(name: string, value: Value): void {
  if (texts.has(name)) {
    if (value.type === bsonType.string) return
    throw location(40103, `expected string as argument for ${name}, found: ${typeName(value)}`)
  }
  if (name === 'restrictSearchWithMatch') {
    if (value.type === bsonType.object) return
    throw location(
      40185,
      "$graphLookup argument 'restrictSearchWithMatch' must be an object, is type " +
        typeName(value),
    )
  }
  if (name === 'startWith' || name === 'maxDepth') return
  throw location(40104, `Unknown argument to $graphLookup: ${name}`)
}

function maxDepthOf(value: Value): number {
  if (!value.isNumber) {
    throw location(40100, `maxDepth requires numeric argument, found ${typeName(value)}`)
  }
  if (numberOf(value) < 0) {
    throw location(40101, 'maxDepth requires a nonnegative argument, found a negative one')
  }
  const depth = integerOf(value)
  if (depth !== undefined) return depth
  throw location(40102, 'maxDepth could not be represented as a long long')
}

export const graphLookupStage: StageRow = {
  ...plainStage,
  name: '$graphLookup',
  effect: ({ spec }) => joinEffect(spec),
  reach: (spec) => joinReach(spec, given(spec, 'from')),
  compile: compileGraphLookup,
}
