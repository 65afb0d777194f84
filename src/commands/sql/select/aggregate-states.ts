// The states of aggregates: each takes one value per row, and can be written to disk and restored.
// Only lists include NULL. Without values, counts are 0 and all others NULL.

import type { Bytes } from '../../../base/bytes/bytes.js'
import { fail } from '../../../base/errors.js'
import { documentBytesMax } from '../../../base/limits/documents.js'
import { sqlSortedListBytesMax } from '../../../base/limits/sql.js'
import {
  type Accumulator,
  bytesOf,
  KeptValues,
  requireListMemory,
} from '../../../query/expressions/accumulator.js'
import { NumberSum } from '../../../query/expressions/number-sum.js'
import { compareValues } from '../../../value/compare.js'
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
import { joinedTexts } from '../expression/concat.js'
import { evaluationError, evaluationState, outOfRange } from '../expression/evaluation-error.js'
import { utf8Form } from '../expression/texts/text-form.js'

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

/** SUM and AVG: whole numbers never become doubles. */
export class SumState implements Accumulator {
  readonly bytesHeld = 0
  private hasInfinite = false
  private readonly sum = new NumberSum()

  constructor(private readonly isAverage: boolean) {}

  add(value: Value | undefined): void {
    if (value === undefined) return
    const own = value.type === bsonType.decimal128 ? value.detach() : value
    if (!this.sum.add(own)) throw noSuchAggregate(this.isAverage ? 'avg' : 'sum', value)
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

  save(): Value {
    return writeArray([boolValue(this.hasInfinite), this.sum.save()])
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
  private ownBytes = 0
  private readonly values = new Map<string, Value>()
  private readonly kept = new KeptValues()

  constructor(
    private readonly name: string,
    private readonly inner: Accumulator,
  ) {}

  get bytesHeld(): number {
    return this.ownBytes + this.inner.bytesHeld
  }

  add(value: Value | undefined): void {
    if (value === undefined) return
    const key = equalityKey(value)
    if (this.values.has(key)) return
    const own = this.kept.copy(value)
    this.values.set(key, own)
    this.ownBytes += key.length + bytesOf(own)
    requireListMemory(this.name, this.ownBytes)
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
  private readonly kept = new KeptValues()

  constructor(
    protected readonly name: string,
    private readonly isSorted: boolean,
  ) {}

  add(row: Value | undefined): void {
    if (row === undefined) return
    const own = this.kept.copy(row)
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
    /** Whether the result is a text. */
    private readonly isJoined: boolean,
  ) {
    super(name, order !== 'none')
  }

  protected listed(): Value {
    if (this.isJoined && this.order === 'none') return joinedRows(this.rows)
    const rows = this.rows.map((row) => elementsOf(row))
    if (this.order === 'key') rows.sort(([, , a], [, , b]) => compareKeys(a, b))
    if (this.order === 'value') rows.sort(([a], [b]) => compareOptional(a, b))
    if (!this.isJoined) return writeArray(rows.map(([value = nullValue]) => value))
    return joinedParts(rows)
  }
}

/** STRING_AGG without an order: its rows are read one after the other. */
function joinedRows(rows: readonly Value[]): Value {
  return joinedParts(
    (function* () {
      for (const row of rows) yield elementsOf(row)
    })(),
  )
}

/** Each separator stands before its value, except the first. */
function joinedParts(rows: Iterable<readonly Value[]>): Value {
  const parts: Bytes[] = []
  let isFirst = true
  for (const [value, separator] of rows) {
    if (value === undefined || separator === undefined) continue
    if (!isFirst && !separator.isNullish) parts.push(utf8Form(separator))
    parts.push(utf8Form(value))
    isFirst = false
  }
  return joinedTexts(parts)
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
