// $bucketAuto: sorts documents by a value and divides them into buckets of about equal size. Equal
// values stay together, so there may be fewer buckets than requested. A granularity rounds
// boundaries to preferred numbers.

import { stepDocumentsMax } from '../../../base/limits/engine.js'
import { work } from '../../../base/work/work-budget.js'
import { compareValues } from '../../../value/compare.js'
import { fieldsOf } from '../../../value/elements.js'
import { encodeKey } from '../../../value/key.js'
import { numberOf, toDecimal } from '../../../value/numbers.js'
import {
  bsonType,
  type Document,
  documentValue,
  doubleValue,
  nullValue,
  stringOf,
  type Value,
} from '../../../value/value.js'
import { writeDocument } from '../../../value/writer.js'
import { jobThen } from '../../detached.js'
import { type Accumulator, bytesOfStates, resultsInTurns } from '../../expressions/accumulator.js'
import {
  copyOf,
  type Env,
  type Expression,
  int32Of,
  location,
  type Result,
  typeName,
  valueText,
} from '../../expressions/operator.js'
import { memoryOnly, requireMemory, type Workspace } from '../../spill.js'
import { SortingTransform } from '../sorting.js'
import type { Emit, Finishing, StageCompiler, StagePlan, StageRow } from '../stage.js'
import { plainStage } from '../stage-facts.js'
import { outputFields, requireGroupBy } from './bucket.js'
import { type Granularity, granularities } from './granularity.js'
import type { GroupField } from './group.js'

interface BucketAutoPlan {
  readonly groupBy: Expression
  readonly buckets: number
  readonly fields: readonly GroupField[]
  readonly granularity: Granularity | undefined
}

interface Bucket {
  min: Value
  max: Value
  readonly states: readonly Accumulator[]
}

class BucketAuto extends SortingTransform {
  /** Memory of the open bucket's states. */
  private stateBytes = 0
  private inputs: readonly Result[] = []

  constructor(
    private readonly plan: BucketAutoPlan,
    private readonly env: Env,
    private readonly groupEnv: Env,
    private readonly workspace: Workspace,
  ) {
    super({ name: '$bucketAuto', workspace })
  }

  override get bytesHeld(): number {
    return super.bytesHeld + this.stateBytes
  }

  push(document: Document): void {
    const value = this.groupValue(document)
    if (this.plan.granularity !== undefined) requireRoundable(value)
    this.sorted.push(document, encodeKey(value, false, this.env.collation))
  }

  override *finish(emit: Emit): Finishing {
    const { buckets } = this.plan
    const size = Math.max(1, Math.round(this.sorted.count / buckets))
    let bucket: Bucket | undefined
    let inBucket = 0
    let made = 0
    let taken = 0
    yield* this.sorted.settle()
    for (const document of this.sorted.drain()) {
      let value: Value
      try {
        value = this.evaluate(document)
      } catch (error) {
        value = yield* jobThen(error, () => this.evaluate(document))
      }
      const isFull = inBucket >= size && made < buckets
      if (bucket === undefined || (isFull && this.isBeyond(bucket, value))) {
        if (bucket !== undefined) emit(yield* this.closed(bucket, value))
        bucket = this.opened(value, bucket)
        inBucket = 0
        made++
      }
      this.add(bucket, value)
      inBucket++
      if (++taken % stepDocumentsMax === 0 || work.isDue) yield
    }
    if (bucket !== undefined) emit(yield* this.closed(bucket, undefined))
  }

  /** The group value; missing becomes null, as in $group. */
  private groupValue(document: Document): Value {
    this.env.root = documentValue(document)
    return this.plan.groupBy.evaluate(this.env) ?? nullValue
  }

  /**
   * Whether a value begins the next bucket; a bucket includes everything below a rounded boundary,
   * and all values equal to its largest: 0 is its own boundary.
   */
  private isBeyond({ max }: Bucket, value: Value): boolean {
    const { granularity } = this.plan
    if (compareValues(value, max, this.env.collation) <= 0) return false
    return (
      granularity === undefined ||
      compareValues(
        value,
        rounded(max, (n) => granularity.roundUp(n)),
      ) >= 0
    )
  }

  /** Evaluates all inputs of a document before any is used; returns its group value. */
  private evaluate(document: Document): Value {
    const value = this.groupValue(document)
    this.inputs = this.plan.fields.map(({ plan }) => plan.input.evaluate(this.env))
    return value
  }

  private opened(value: Value, before: Bucket | undefined): Bucket {
    const { fields, granularity } = this.plan
    const states = fields.map(({ plan }) => plan.create(this.groupEnv))
    this.stateBytes = bytesOfStates(states)
    const own = copyOf(value)
    const least = granularity === undefined ? own : rounded(own, (n) => granularity.roundDown(n))
    const min = granularity !== undefined && before !== undefined ? before.max : least
    return { min, max: own, states }
  }

  private add(bucket: Bucket, value: Value): void {
    if (compareValues(value, bucket.max, this.env.collation) !== 0) bucket.max = copyOf(value)
    for (const [i, input] of this.inputs.entries()) {
      const state = bucket.states[i] as Accumulator
      const before = state.bytesHeld
      state.add(input)
      this.stateBytes += state.bytesHeld - before
    }
    requireMemory('$bucketAuto', this.sorted.bytesHeld + this.stateBytes, this.workspace)
  }

  /** The bucket's document; `next` is the smallest value of the next bucket. */
  private *closed(bucket: Bucket, next: Value | undefined): Generator<undefined, Document, void> {
    const { granularity, fields } = this.plan
    if (granularity !== undefined) bucket.max = boundary(granularity, bucket.max, next)
    else if (next !== undefined) bucket.max = copyOf(next)
    const results = yield* resultsInTurns(bucket.states)
    return writeDocument((writer) => {
      writer.openDocument('_id').value('min', bucket.min).value('max', bucket.max).close()
      for (const [i, { name }] of fields.entries()) writer.value(name, results[i] as Value)
    })
  }
}

/** The rounded end of a bucket. After a bucket of zeros it is the next bucket's rounded start. */
function boundary(granularity: Granularity, max: Value, next: Value | undefined): Value {
  if (next !== undefined && numberOf(max) === 0) {
    return rounded(next, (n) => granularity.roundDown(n))
  }
  return rounded(max, (n) => granularity.roundUp(n))
}

function rounded(value: Value, round: (n: number) => number): Value {
  const n = numberOf(value)
  const result = round(n)
  if (result === n) return value
  const double = doubleValue(result)
  return value.type === bsonType.decimal128 ? toDecimal(double) : double
}

function requireRoundable(value: Value): void {
  const only = "$bucketAuto can specify a 'granularity' with numeric boundaries only, but found"
  if (!value.isNumber) throw location(40258, `${only} a value with type: ${typeName(value)}`)
  const n = numberOf(value)
  if (Number.isNaN(n)) throw location(40259, `${only} a NaN`)
  if (n < 0) throw location(40260, `${only} a negative value`)
}

const options = ['groupBy', 'buckets', 'output', 'granularity']

function compileBucketAuto(spec: Value, compiler: StageCompiler): StagePlan[] {
  if (spec.type !== bsonType.object) {
    const found = typeName(spec)
    const text = `The argument to $bucketAuto must be an object, but found type: ${found}.`
    throw location(40240, text)
  }
  const given = new Map(fieldsOf(spec))
  for (const name of given.keys()) {
    if (options.includes(name)) continue
    throw location(40245, `Unrecognized option to $bucketAuto: ${name}.`)
  }
  const groupBy = given.get('groupBy')
  const count = given.get('buckets')
  if (groupBy !== undefined) requireGroupBy('$bucketAuto', 40239, groupBy)
  const buckets = count === undefined ? 0 : bucketsOf(count)
  const fields = outputFields('$bucketAuto', 40244, given.get('output'), compiler)
  const granularity = granularityOf(given.get('granularity'))
  if (groupBy === undefined || count === undefined) {
    throw location(40246, "$bucketAuto requires 'groupBy' and 'buckets' to be specified.")
  }
  const plan = { groupBy: compiler.input(groupBy), buckets, fields, granularity }
  const create = (workspace = memoryOnly): BucketAuto =>
    new BucketAuto(plan, compiler.environment(), compiler.environment(), workspace)
  return [{ kind: 'transform', name: '$bucketAuto', spec, create }]
}

function bucketsOf(value: Value): number {
  const what = "The $bucketAuto 'buckets' field must be"
  if (!value.isNumber) {
    throw location(40241, `${what} a numeric value, but found type: ${typeName(value)}.`)
  }
  const buckets = int32Of(value)
  const shown = valueText(value)
  if (buckets === undefined) {
    throw location(40242, `${what} representable as a 32-bit integer, but found ${shown}.`)
  }
  if (buckets > 0) return buckets
  throw location(40243, `${what} greater than 0, but found: ${shown}.`)
}

function granularityOf(value: Value | undefined): Granularity | undefined {
  if (value === undefined) return undefined
  if (value.type !== bsonType.string) {
    const found = typeName(value)
    const text = `The $bucketAuto 'granularity' field must be a string, but found type: ${found}.`
    throw location(40261, text)
  }
  const granularity = granularities.get(stringOf(value))
  if (granularity !== undefined) return granularity
  throw location(40257, `Unknown rounding granularity '${stringOf(value)}'`)
}

export const bucketAutoStage: StageRow = {
  ...plainStage,
  name: '$bucketAuto',
  compile: compileBucketAuto,
}
