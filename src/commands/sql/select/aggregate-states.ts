// The states of aggregates: each takes one value per row, and can be written to disk and restored.
// Without values, counts are 0 and all others NULL. Lists have a file of their own.

import {
  type Accumulator,
  arraysInTurns,
  KeptValues,
  mapOverheadBytes,
  mapStateBytes,
  requireListMemory,
  resultInTurns,
  type ValuesInTurns,
} from '../../../query/expressions/accumulator.js'
import { NumberSum } from '../../../query/expressions/number-sum.js'
import { decimalFromString } from '../../../value/decimal.js'
import { elementsOf } from '../../../value/elements.js'
import { equalityKey } from '../../../value/key.js'
import { addNumbers, divideNumbers, toDecimal } from '../../../value/numbers.js'
import {
  boolOf,
  boolValue,
  bsonType,
  doubleOf,
  doubleValue,
  int64Value,
  nullValue,
  type Value,
} from '../../../value/value.js'
import { writeArray } from '../../../value/writer.js'
import { isInfinite } from '../expression/arithmetic.js'
import { typeNameOf } from '../expression/cast.js'
import { evaluationError, evaluationState, outOfRange } from '../expression/evaluation-error.js'

/** Memory of a count, of a truth, and of a sum beside its numbers. */
const countBytes = 40
const truthBytes = 48
const sumBytes = 32

export class CountState implements Accumulator {
  readonly bytesHeld = countBytes
  private count = 0

  add(value: Value | undefined): void {
    if (value !== undefined) this.count++
  }

  result(): Value {
    return int64Value(BigInt(this.count))
  }

  saved(): [Value] {
    return [doubleValue(this.count)]
  }

  absorb(saved: Value): void {
    this.count += doubleOf(saved)
  }
}

/** SUM and AVG: whole numbers never become doubles. */
export class SumState implements Accumulator {
  private hasInfinite = false
  private readonly sum = new NumberSum()

  constructor(private readonly isAverage: boolean) {}

  get bytesHeld(): number {
    return sumBytes + this.sum.bytesHeld
  }

  add(value: Value | undefined): void {
    if (value === undefined) return
    if (!this.sum.add(value)) throw noSuchAggregate(this.isAverage ? 'avg' : 'sum', value)
    if (this.sum.mayBeInfinite && isInfinite(value)) this.hasInfinite = true
  }

  result(): Value {
    const { count } = this.sum
    if (count === 0) return nullValue
    const total = this.total()
    if (isInfinite(total) && !this.hasInfinite) throw outOfRange('value out of range: overflow')
    return this.isAverage ? divideNumbers(total, int64Value(BigInt(count))) : total
  }

  private total(): Value {
    const { whole, double, decimal } = this.sum.parts()
    if (decimal !== undefined) {
      const exact = addNumbers(decimal, decimalOfWhole(whole))
      return double === undefined ? exact : addNumbers(exact, toDecimal(doubleValue(double)))
    }
    if (double !== undefined) return doubleValue(double + Number(whole))
    return isLong(whole) ? int64Value(whole) : decimalOfWhole(whole)
  }

  saved(): [Value] {
    return [writeArray([boolValue(this.hasInfinite), this.sum.save()])]
  }

  absorb(saved: Value): void {
    const [hasInfinite, sum] = elementsOf(saved)
    if (hasInfinite !== undefined) this.hasInfinite ||= boolOf(hasInfinite)
    if (sum !== undefined) this.sum.absorb(sum)
  }
}

function isLong(whole: bigint): boolean {
  return BigInt.asIntN(64, whole) === whole
}

function decimalOfWhole(whole: bigint): Value {
  return decimalFromString(String(whole), true)
}

/** BOOL_AND and BOOL_OR: one `decisive` value decides. */
export class TruthState implements Accumulator {
  readonly bytesHeld = truthBytes
  private found: boolean | undefined

  constructor(
    private readonly name: string,
    private readonly decisive: boolean,
  ) {}

  add(value: Value | undefined): void {
    if (value === undefined || value.isNullish) return
    if (value.type !== bsonType.bool) throw noSuchAggregate(this.name, value)
    if (this.found !== this.decisive) this.found = boolOf(value)
  }

  result(): Value {
    return this.found === undefined ? nullValue : boolValue(this.found)
  }

  saved(): [Value] {
    return [this.result()]
  }

  absorb(saved: Value): void {
    this.add(saved)
  }
}

/** For DISTINCT: passes each value to `inner` once. */
export class DistinctState implements Accumulator {
  private keyBytes = 0
  private readonly values = new Map<string, Value>()
  private readonly kept = new KeptValues()

  constructor(
    private readonly name: string,
    private readonly inner: Accumulator,
  ) {}

  get bytesHeld(): number {
    return this.ownBytes + this.inner.bytesHeld
  }

  private get ownBytes(): number {
    return mapStateBytes + this.kept.bytesHeld + this.keyBytes
  }

  add(value: Value | undefined): void {
    if (value === undefined) return
    const key = equalityKey(value)
    if (this.values.has(key)) return
    const own = this.kept.copy(value)
    this.values.set(key, own)
    this.keyBytes += mapOverheadBytes + key.length
    requireListMemory(this.name, this.ownBytes)
    this.inner.add(own)
  }

  result(): Value | undefined {
    return this.inner.result()
  }

  resultInTurns(): Generator<undefined, Value, void> {
    return resultInTurns(this.inner)
  }

  saved(): ValuesInTurns {
    return arraysInTurns(this.values.values())
  }

  absorb(saved: Value): void {
    for (const value of elementsOf(saved)) this.add(value)
  }
}

function noSuchAggregate(name: string, value: Value): Error {
  const message = `function ${name}(${typeNameOf(value)}) does not exist`
  return evaluationError(evaluationState.undefinedFunction, message)
}
