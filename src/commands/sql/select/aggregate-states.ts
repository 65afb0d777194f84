// The states of aggregates: each takes one value per row, and can be written to disk and restored.
// Only lists include NULL. Without values, counts are 0 and all others NULL.

import { fail } from '../../../base/errors.js'
import { documentBytesMax } from '../../../base/limits/documents.js'
import { sqlSortedListBytesMax } from '../../../base/limits/sql.js'
import {
  type Accumulator,
  bytesOf,
  requireListMemory,
} from '../../../query/expressions/accumulator.js'
import { NumberSum } from '../../../query/expressions/number-sum.js'
import { compareValues } from '../../../value/compare.js'
import { decimalFromString } from '../../../value/decimal.js'
import { elementsOf } from '../../../value/elements.js'
import { equalityKey } from '../../../value/key.js'
import { addNumbers, divideNumbers, numberOf, toDecimal } from '../../../value/numbers.js'
import {
  boolOf,
  boolValue,
  bsonType,
  doubleOf,
  doubleValue,
  int64Value,
  nullValue,
  stringOf,
  stringValue,
  type Value,
} from '../../../value/value.js'
import { writeArray } from '../../../value/writer.js'
import { isInfinite, isWhole, wholeOf } from '../expression/arithmetic.js'
import { typeNameOf } from '../expression/cast.js'
import { evaluationError, evaluationState, outOfRange } from '../expression/evaluation-error.js'
import { textForm } from '../expression/texts/text-form.js'

export class CountState implements Accumulator {
  readonly bytesHeld = 0
  private count = 0

  add(value: Value | undefined): void {
    if (value !== undefined) this.count++
  }

  result(): Value {
    return int64Value(BigInt(this.count))
  }

  save(): Value {
    return doubleValue(this.count)
  }

  absorb(saved: Value): void {
    this.count += doubleOf(saved)
  }
}

/** Sums whole numbers exactly, and doubles and decimals beside them. */
export class SumState implements Accumulator {
  readonly bytesHeld = 0
  private count = 0
  private small = 0
  private large = 0n
  private hasInfinite = false
  private readonly doubles = new NumberSum()
  private readonly decimals = new NumberSum()

  constructor(private readonly isAverage: boolean) {}

  add(value: Value | undefined): void {
    if (value === undefined) return
    if (!value.isNumber) throw noSuchAggregate(this.isAverage ? 'avg' : 'sum', value)
    this.count++
    if (isWhole(value)) this.addWhole(value)
    else if (value.type === bsonType.double) this.doubles.add(value)
    else this.decimals.add(value.detach())
    if (isInfinite(value)) this.hasInfinite = true
  }

  private addWhole(value: Value): void {
    const sum = this.small + numberOf(value)
    if (Number.isSafeInteger(sum)) this.small = sum
    else this.large += wholeOf(value)
  }

  result(): Value {
    if (this.count === 0) return nullValue
    const total = this.total()
    if (isInfinite(total) && !this.hasInfinite) throw outOfRange('value out of range: overflow')
    return this.isAverage ? divideNumbers(total, int64Value(BigInt(this.count))) : total
  }

  private total(): Value {
    const whole = this.large + BigInt(this.small)
    if (this.decimals.count > 0) {
      const exact = addNumbers(this.decimals.total(), decimalOfWhole(whole))
      if (this.doubles.count === 0) return exact
      return addNumbers(exact, toDecimal(this.doubles.total()))
    }
    if (this.doubles.count > 0) return addNumbers(this.doubles.total(), doubleValue(Number(whole)))
    return isLong(whole) ? int64Value(whole) : decimalOfWhole(whole)
  }

  save(): Value {
    const whole = String(this.large + BigInt(this.small))
    return writeArray([
      doubleValue(this.count),
      stringValue(whole),
      boolValue(this.hasInfinite),
      this.doubles.save(),
      this.decimals.save(),
    ])
  }

  absorb(saved: Value): void {
    const [count, whole, hasInfinite, doubles, decimals] = elementsOf(saved)
    if (count !== undefined) this.count += doubleOf(count)
    if (whole !== undefined) this.large += BigInt(stringOf(whole))
    if (hasInfinite !== undefined) this.hasInfinite ||= boolOf(hasInfinite)
    if (doubles !== undefined) this.doubles.absorb(doubles)
    if (decimals !== undefined) this.decimals.absorb(decimals)
  }
}

function isLong(whole: bigint): boolean {
  return BigInt.asIntN(64, whole) === whole
}

function decimalOfWhole(whole: bigint): Value {
  return decimalFromString(String(whole), true)
}

/** MIN (sign 1) and MAX (-1), in document order. */
export class ExtremeState implements Accumulator {
  bytesHeld = 0
  private best: Value | undefined

  constructor(private readonly sign: 1 | -1) {}

  add(value: Value | undefined): void {
    if (value === undefined || value.isNullish) return
    if (this.best !== undefined && this.sign * compareValues(value, this.best) >= 0) return
    this.best = value.detach()
    this.bytesHeld = bytesOf(this.best)
  }

  result(): Value {
    return this.best ?? nullValue
  }

  save(): Value {
    return this.result()
  }

  absorb(saved: Value): void {
    this.add(saved)
  }
}

/** BOOL_AND and BOOL_OR: one `decisive` value decides. */
export class TruthState implements Accumulator {
  readonly bytesHeld = 0
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

  save(): Value {
    return this.result()
  }

  absorb(saved: Value): void {
    this.add(saved)
  }
}

/** For DISTINCT: passes each value to `inner` once. */
export class DistinctState implements Accumulator {
  bytesHeld = 0
  private readonly values = new Map<string, Value>()

  constructor(
    private readonly name: string,
    private readonly inner: Accumulator,
  ) {}

  add(value: Value | undefined): void {
    if (value === undefined) return
    const key = equalityKey(value)
    if (this.values.has(key)) return
    const own = value.detach()
    this.values.set(key, own)
    this.bytesHeld += key.length + bytesOf(own)
    requireListMemory(this.name, this.bytesHeld)
    this.inner.add(own)
  }

  result(): Value | undefined {
    return this.inner.result()
  }

  save(): Value {
    return writeArray(this.values.values())
  }

  absorb(saved: Value): void {
    for (const value of elementsOf(saved)) this.add(value)
  }
}

/** Aggregates that build a list keep all values of a group. */
abstract class ListState implements Accumulator {
  bytesHeld = 0
  protected readonly rows: Value[] = []

  constructor(
    protected readonly name: string,
    private readonly isSorted: boolean,
  ) {}

  add(row: Value | undefined): void {
    if (row === undefined) return
    const own = row.detach()
    this.rows.push(own)
    this.bytesHeld += bytesOf(own)
    // A sort cannot pause, so a sorted list has a smaller bound.
    const bytesMax = this.isSorted ? sqlSortedListBytesMax : documentBytesMax
    if (this.bytesHeld <= bytesMax) return
    const text = `${this.name} is of more than ${bytesMax} bytes in one group`
    throw fail('ExceededMemoryLimit', text, { sqlState: evaluationState.tooMuchMemory })
  }

  result(): Value {
    return this.rows.length === 0 ? nullValue : this.listed()
  }

  save(): Value {
    return writeArray(this.rows)
  }

  absorb(saved: Value): void {
    for (const row of elementsOf(saved)) this.add(row)
  }

  protected abstract listed(): Value
}

/** ARRAY_AGG and JSON_AGG without ORDER BY or DISTINCT; DISTINCT sorts by value. */
export class ValuesState extends ListState {
  constructor(
    name: string,
    private readonly isDistinct: boolean,
  ) {
    super(name, isDistinct)
  }

  protected listed(): Value {
    if (this.isDistinct) this.rows.sort(compareValues)
    return writeArray(this.rows)
  }
}

/** STRING_AGG, and lists with ORDER BY: rows of [value, separator, sort key]. */
export class RowsState extends ListState {
  /** Whether the order is that of the values or of separate keys. */
  constructor(
    name: string,
    private readonly order: 'none' | 'value' | 'key',
  ) {
    super(name, order !== 'none')
  }

  protected listed(): Value {
    const rows = this.rows.map((row) => elementsOf(row))
    if (this.order === 'key') rows.sort(([, , a], [, , b]) => compareKeys(a, b))
    if (this.order === 'value') rows.sort(([a], [b]) => compareOptional(a, b))
    if (this.name !== 'string_agg') return writeArray(rows.map(([value = nullValue]) => value))
    let text = ''
    for (const [i, [value, separator]] of rows.entries()) {
      if (value === undefined || separator === undefined) continue
      const between = i === 0 || separator.isNullish ? '' : textForm(separator)
      text += between + textForm(value)
    }
    return stringValue(text)
  }
}

function compareOptional(a: Value | undefined, b: Value | undefined): number {
  return compareValues(a ?? nullValue, b ?? nullValue)
}

function compareKeys(a: Value | undefined, b: Value | undefined): number {
  if (a === undefined || b === undefined) return 0
  return Buffer.compare(bodyOf(a), bodyOf(b))
}

/** The bytes of a binary value, without its length and subtype. */
function bodyOf(value: Value): Uint8Array {
  return value.bytes.subarray(value.start + 5, value.end)
}

function noSuchAggregate(name: string, value: Value): Error {
  const message = `function ${name}(${typeNameOf(value)}) does not exist`
  return evaluationError(evaluationState.undefinedFunction, message)
}
