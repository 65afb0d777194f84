// $bucket: groups documents by the range of a value. It is a group by the lower boundary of the
// range, sorted by it. Boundaries are constants, so a range is found by binary search.

import type { Collation } from '../../../value/collation/collation.js'
import { compareValues, typeClass } from '../../../value/compare.js'
import { elementsOf, fieldsOf } from '../../../value/elements.js'
import {
  bsonType,
  documentValue,
  stringOf,
  undefinedValue,
  type Value,
} from '../../../value/value.js'
import { writeDocument } from '../../../value/writer.js'
import {
  Constant,
  type Env,
  type Expression,
  location,
  type Result,
  typeName,
  valueText,
} from '../../expressions/operator.js'
import { compileSort } from '../../sort.js'
import { sortPlan } from '../sort.js'
import type { StageCompiler, StagePlan, StageRow } from '../stage.js'
import { plainStage } from '../stage-facts.js'
import { accumulatorOf, countField, type GroupField, groupPlan } from './group.js'

/** Evaluates to the lower boundary of a value's range. */
class BucketOf implements Expression {
  constructor(
    private readonly groupBy: Expression,
    private readonly boundaries: readonly Value[],
    private readonly fallback: Value | undefined,
  ) {}

  evaluate(env: Env): Result {
    const value = this.groupBy.evaluate(env) ?? undefinedValue
    const found = this.boundaryOf(value, env.collation) ?? this.fallback
    if (found !== undefined) return found
    throw location(
      40066,
      '$switch could not find a matching branch for an input, and no default was specified.',
    )
  }

  private boundaryOf(value: Value, collation: Collation | undefined): Value | undefined {
    const { boundaries } = this
    let low = 0
    let high = boundaries.length
    while (low < high) {
      const middle = (low + high) >> 1
      if (compareValues(boundaries[middle] as Value, value, collation) <= 0) low = middle + 1
      else high = middle
    }
    return low === boundaries.length ? undefined : boundaries[low - 1]
  }
}

interface BucketOptions {
  readonly groupBy: Value
  readonly boundaries: readonly Value[]
  readonly fallback: Value | undefined
  readonly output: Value | undefined
}

function compileBucket(spec: Value, compiler: StageCompiler): StagePlan[] {
  const { groupBy, boundaries, fallback, output } = optionsOf(spec, compiler)
  const id = new BucketOf(compiler.input(groupBy), boundaries, fallback)
  requireOneId(output)
  const fields = outputFields('$bucket', 40196, output, compiler)
  const order = writeDocument((writer) => writer.int32('_id', 1))
  return [
    groupPlan('$bucket', spec, id, fields, compiler),
    sortPlan(documentValue(order), compileSort(order, compiler.context.collation)),
  ]
}

/** The group behind the stage has an `_id` already: the lower boundary. */
function requireOneId(output: Value | undefined): void {
  if (output?.type !== bsonType.object) return
  for (const [name] of fieldsOf(output)) {
    if (name === '_id') throw location(15948, "a group's _id may only be specified once")
  }
}

function optionsOf(spec: Value, compiler: StageCompiler): BucketOptions {
  if (spec.type !== bsonType.object) {
    const found = typeName(spec)
    throw location(40201, `Argument to $bucket stage must be an object, but found type: ${found}.`)
  }
  const given = new Map(fieldsOf(spec))
  for (const name of given.keys()) {
    if (['groupBy', 'boundaries', 'default', 'output'].includes(name)) continue
    throw location(40197, `Unrecognized option to $bucket: ${name}.`)
  }
  const groupBy = given.get('groupBy')
  const list = given.get('boundaries')
  if (groupBy !== undefined) requireGroupBy('$bucket', 40202, groupBy)
  const boundaries = list === undefined ? [] : boundariesOf(list, compiler)
  const fallback = defaultOf(given.get('default'), compiler)
  if (groupBy === undefined || list === undefined) {
    throw location(40198, "$bucket requires 'groupBy' and 'boundaries' to be specified.")
  }
  requireOutside(fallback, boundaries, compiler.context.collation)
  return { groupBy, boundaries, fallback, output: given.get('output') }
}

/** Throws unless the value is a path or an object, the forms of an expression. */
export function requireGroupBy(name: string, code: number, value: Value): void {
  const isPath = value.type === bsonType.string && stringOf(value).startsWith('$')
  if (isPath || value.type === bsonType.object) return
  throw location(
    code,
    `The ${name} 'groupBy' field must be defined as a $-prefixed path or an expression, but ` +
      `found: ${valueText(value)}.`,
  )
}

function boundariesOf(list: Value, compiler: StageCompiler): Value[] {
  if (list.type !== bsonType.array) {
    throw location(
      40200,
      `The $bucket 'boundaries' field must be an array, but found type: ${typeName(list)}.`,
    )
  }
  const boundaries = elementsOf(list).map((element) => {
    const constant = constantOf(element, compiler)
    if (constant !== undefined) return constant
    throw location(
      40191,
      "The $bucket 'boundaries' field must be an array of constant values, but found value: " +
        `${valueText(element)}.`,
    )
  })
  if (boundaries.length < 2) {
    throw location(
      40192,
      "The $bucket 'boundaries' field must have at least 2 values, but found " +
        `${boundaries.length} value(s).`,
    )
  }
  for (let i = 1; i < boundaries.length; i++) {
    requireAscending(boundaries[i - 1] as Value, boundaries[i] as Value, i, compiler)
  }
  return boundaries
}

function requireAscending(
  lower: Value,
  upper: Value,
  at: number,
  { context }: StageCompiler,
): void {
  if (typeClass(lower.type) !== typeClass(upper.type)) {
    throw location(
      40193,
      "All values in the 'boundaries' option to $bucket must have the same type. Found " +
        `conflicting types ${typeName(lower)} and ${typeName(upper)}.`,
    )
  }
  if (compareValues(lower, upper, context.collation) < 0) return
  throw location(
    40194,
    `The 'boundaries' option to $bucket must be sorted, but elements ${at - 1} and ${at} are not ` +
      `in ascending order (${valueText(lower)} is not less than ${valueText(upper)}).`,
  )
}

function defaultOf(value: Value | undefined, compiler: StageCompiler): Value | undefined {
  if (value === undefined) return undefined
  const constant = constantOf(value, compiler)
  if (constant !== undefined) return constant
  throw location(
    40195,
    `The $bucket 'default' field must be a constant, but found: ${valueText(value)}.`,
  )
}

/** The value of a constant expression, else undefined. */
function constantOf(value: Value, compiler: StageCompiler): Value | undefined {
  const compiled = compiler.scope.compile(value)
  return compiled instanceof Constant ? compiled.evaluate() : undefined
}

/** A default within the boundaries would be the same as a bucket's own id. */
function requireOutside(
  fallback: Value | undefined,
  boundaries: readonly Value[],
  collation: Collation | undefined,
): void {
  const [first] = boundaries
  const last = boundaries.at(-1)
  if (fallback === undefined || first === undefined || last === undefined) return
  const isBelow = compareValues(fallback, first, collation) < 0
  if (isBelow || compareValues(fallback, last, collation) >= 0) return
  throw location(
    40199,
    "The $bucket 'default' field must be less than the lowest boundary or greater than or equal " +
      'to the highest boundary.',
  )
}

/** The accumulators of an `output` option; by default a count. */
export function outputFields(
  name: string,
  code: number,
  output: Value | undefined,
  compiler: StageCompiler,
): GroupField[] {
  if (output === undefined) return [countField(compiler)]
  if (output.type !== bsonType.object) {
    const found = typeName(output)
    throw location(code, `The ${name} 'output' field must be an object, but found type: ${found}.`)
  }
  return [...fieldsOf(output)].map(([field, value]) => ({
    name: field,
    plan: accumulatorOf(field, value, compiler),
  }))
}

export const bucketStage: StageRow = { ...plainStage, name: '$bucket', compile: compileBucket }
