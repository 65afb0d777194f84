// Accumulators: the rows with which $group folds its documents, and the same functions as
// expressions over an array. Kept values are copied out of their documents, so that a group holds
// only these.

import { fail } from '../base/errors.js'
import { work } from '../base/work/work-budget.js'
import { valueUnits } from '../base/work/work-figures.js'
import type { Collation } from '../value/collation/collation.js'
import { compareValues } from '../value/compare.js'
import { Elements, elementsOf } from '../value/elements.js'
import { equalityKey } from '../value/key.js'
import { numberOf } from '../value/numbers.js'
import {
  bsonType,
  doubleOf,
  doubleValue,
  int32Value,
  nullValue,
  type Value,
} from '../value/value.js'
import { writeArray } from '../value/writer.js'
import {
  type Accumulator,
  type AccumulatorRow,
  bytesOfCopy,
  KeptValues,
  ListAccumulator,
  listStateBytes,
  mapOverheadBytes,
  mapStateBytes,
  objectsInTurns,
  requireListMemory,
  type ValuesInTurns,
} from './expressions/accumulator.js'
import { NumberSum } from './expressions/number-sum.js'
import { mergeInto, objectOf } from './expressions/object.js'
import {
  Constant,
  call,
  copyOf,
  isNullish,
  location,
  type OperatorRow,
  operandsOf,
  type Result,
} from './expressions/operator.js'
import { percentileAccumulators, percentileOperators } from './expressions/percentile.js'
import { rankedAccumulators, rankedOperators } from './expressions/ranked.js'
import { scriptAccumulators } from './expressions/script.js'

/** Memory of a state of one value, while it has none, and of a deviation. */
const oneStateBytes = 96
const deviationBytes = 128

class Sum implements Accumulator {
  private readonly sum = new NumberSum()

  get bytesHeld(): number {
    return this.sum.bytesHeld
  }

  add(value: Result): void {
    if (value !== undefined) this.sum.add(value)
  }

  result(): Value {
    return this.sum.total()
  }

  saved(): [Value] {
    return [this.sum.save()]
  }

  absorb(saved: Value): void {
    this.sum.absorb(saved)
  }
}

class Average implements Accumulator {
  private readonly sum = new NumberSum()

  get bytesHeld(): number {
    return this.sum.bytesHeld
  }

  add(value: Result): void {
    if (value !== undefined) this.sum.add(value)
  }

  result(): Value {
    return this.sum.average() ?? nullValue
  }

  saved(): [Value] {
    return [this.sum.save()]
  }

  absorb(saved: Value): void {
    this.sum.absorb(saved)
  }
}

/** $min, MIN (sign 1), $max and MAX (-1); null and missing are ignored. */
export class Extreme implements Accumulator {
  bytesHeld = oneStateBytes
  private best: Value | undefined

  constructor(
    private readonly sign: 1 | -1,
    private readonly collation?: Collation | undefined,
  ) {}

  add(value: Result): void {
    if (isNullish(value)) return
    const { best, collation } = this
    if (best !== undefined && this.sign * compareValues(value, best, collation) >= 0) return
    this.best = copyOf(value)
    this.bytesHeld = oneStateBytes + bytesOfCopy(this.best)
  }

  result(): Value {
    return this.best ?? nullValue
  }

  saved(): [Value] {
    return [this.result()]
  }

  absorb(saved: Value): void {
    this.add(saved)
  }
}

/** A value with missing replaced by null. */
function listOf(value: Result): Value {
  return writeArray(value === undefined ? [] : [value])
}

class Last implements Accumulator {
  bytesHeld = oneStateBytes
  private value: Result

  add(value: Result): void {
    this.value = value === undefined ? undefined : copyOf(value)
    this.bytesHeld = oneStateBytes + (this.value === undefined ? 0 : bytesOfCopy(this.value))
  }

  result(): Result {
    return this.value
  }

  saved(): [Value] {
    return [listOf(this.value)]
  }

  absorb(saved: Value): void {
    this.add(elementsOf(saved)[0])
  }
}

class First extends Last {
  private hasValue = false

  override add(value: Result): void {
    if (this.hasValue) return
    this.hasValue = true
    super.add(value)
  }
}

class Push extends ListAccumulator {
  private readonly values: Value[] = []
  private readonly kept = new KeptValues()

  get bytesHeld(): number {
    return listStateBytes + this.kept.bytesHeld
  }

  add(value: Result): void {
    if (value === undefined) return
    this.values.push(this.kept.copy(value))
    requireListMemory('$push', this.bytesHeld)
  }

  protected elements(): Iterable<Value> {
    return this.values
  }
}

class AddToSet extends ListAccumulator {
  private keyBytes = 0
  private readonly values = new Map<string, Value>()
  private readonly kept = new KeptValues()

  constructor(private readonly collation: Collation | undefined) {
    super()
  }

  get bytesHeld(): number {
    return mapStateBytes + this.kept.bytesHeld + this.keyBytes
  }

  add(value: Result): void {
    if (value === undefined) return
    const key = equalityKey(value, this.collation)
    if (this.values.has(key)) return
    this.values.set(key, this.kept.copy(value))
    this.keyBytes += mapOverheadBytes + key.length
    requireListMemory('$addToSet', this.bytesHeld)
  }

  protected elements(): Iterable<Value> {
    return this.values.values()
  }
}

class MergeObjects implements Accumulator {
  bytesHeld = mapStateBytes
  private readonly fields = new Map<string, Value>()

  add(value: Result): void {
    const given = new Map<string, Value>()
    mergeInto(given, value)
    for (const [name, content] of given) {
      const before = this.fields.get(name)
      const copy = copyOf(content)
      this.fields.set(name, copy)
      const bytesBefore =
        before === undefined ? -name.length - mapOverheadBytes : bytesOfCopy(before)
      this.bytesHeld += bytesOfCopy(copy) - bytesBefore
    }
  }

  result(): Value {
    return objectOf(this.fields)
  }

  *resultInTurns(): Generator<undefined, Result, void> {
    let result: Result
    for (const whole of objectsInTurns(this.fields, Number.POSITIVE_INFINITY)) {
      if (whole === undefined) yield
      else result = whole
    }
    return result
  }

  saved(): ValuesInTurns {
    return objectsInTurns(this.fields)
  }

  absorb(saved: Value): void {
    this.add(saved)
  }
}

/** Welford's running variance of the numbers; `spare` is 1 for a sample. */
class Deviation implements Accumulator {
  readonly bytesHeld = deviationBytes
  private count = 0
  private mean = 0
  private squares = 0

  constructor(private readonly spare: 0 | 1) {}

  add(value: Result): void {
    if (value?.isNumber !== true) return
    const n = numberOf(value)
    this.count++
    const delta = n - this.mean
    this.mean += delta / this.count
    this.squares += delta * (n - this.mean)
  }

  result(): Value {
    const degrees = this.count - this.spare
    return degrees > 0 ? doubleValue(Math.sqrt(this.squares / degrees)) : nullValue
  }

  saved(): [Value] {
    return [writeArray([this.count, this.mean, this.squares].map(doubleValue))]
  }

  /** Merges two variances by the method of Chan, Golub and LeVeque. */
  absorb(saved: Value): void {
    const [count = 0, mean = 0, squares = 0] = elementsOf(saved).map(doubleOf)
    const whole = this.count + count
    if (count === 0) return
    const delta = mean - this.mean
    this.squares += squares + (delta * delta * this.count * count) / whole
    this.mean += (delta * count) / whole
    this.count = whole
  }
}

type Create = (collation: Collation | undefined) => Accumulator

/** Their states hold as many values as were added. */
const listing = new Set(['$push', '$addToSet', '$mergeObjects'])

/** An accumulator whose operand is one expression. */
function unaryRow(name: string, create: Create, inWindows = true): AccumulatorRow {
  const merges = !listing.has(name)
  return {
    name,
    readsRoot: false,
    inWindows,
    compile: (operand, scope) => {
      if (operand.type === bsonType.array) {
        throw location(40237, `The ${name} accumulator is a unary operator`)
      }
      const { collation } = scope.context
      return { input: scope.compile(operand), merges, create: () => create(collation) }
    },
  }
}

const countRow: AccumulatorRow = {
  name: '$count',
  readsRoot: false,
  inWindows: true,
  compile: (operand) => {
    if (operand.type !== bsonType.object || operand.bytes[operand.start] !== 5) {
      throw fail('FailedToParse', '$count takes no arguments, i.e. $count:{}')
    }
    return { input: new Constant(int32Value(1)), merges: true, create: () => new Sum() }
  },
}

/** The accumulators that $group accepts, by name. */
export const accumulators: ReadonlyMap<string, AccumulatorRow> = new Map(
  [
    unaryRow('$sum', () => new Sum()),
    unaryRow('$avg', () => new Average()),
    unaryRow('$min', (collation) => new Extreme(1, collation)),
    unaryRow('$max', (collation) => new Extreme(-1, collation)),
    unaryRow('$first', () => new First()),
    unaryRow('$last', () => new Last()),
    unaryRow('$push', () => new Push()),
    unaryRow('$addToSet', (collation) => new AddToSet(collation)),
    unaryRow('$mergeObjects', () => new MergeObjects(), false),
    unaryRow('$stdDevPop', () => new Deviation(0)),
    unaryRow('$stdDevSamp', () => new Deviation(1)),
    countRow,
    ...rankedAccumulators,
    ...percentileAccumulators,
    ...scriptAccumulators,
  ].map((row) => [row.name, row]),
)

/** The accumulator as an expression: over one array operand, or over several operands. */
function overValues(name: string, create: Create): OperatorRow {
  const arity = [0, Number.POSITIVE_INFINITY] as const
  return {
    name,
    readsRoot: false,
    arity,
    compile: (operand, scope) =>
      call(
        (values) => {
          const state = create(scope.context.collation)
          const [only] = values
          if (values.length !== 1 || only?.type !== bsonType.array) {
            for (const value of values) state.add(value)
            return state.result()
          }
          const elements = new Elements(only.bytes, only.start)
          while (elements.next()) {
            work.spend(valueUnits)
            state.add(elements.value())
          }
          return state.result()
        },
        operandsOf(name, arity, operand, scope),
      ),
  }
}

export const accumulatorOperators: readonly OperatorRow[] = [
  overValues('$sum', () => new Sum()),
  overValues('$avg', () => new Average()),
  overValues('$min', (collation) => new Extreme(1, collation)),
  overValues('$max', (collation) => new Extreme(-1, collation)),
  overValues('$stdDevPop', () => new Deviation(0)),
  overValues('$stdDevSamp', () => new Deviation(1)),
  ...rankedOperators,
  ...percentileOperators,
]
