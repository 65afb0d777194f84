// Sets of values as ranges of encoded keys, used for bounds. An interval has values for explain and
// bytes for the scan. All operations use the bytes, whose order is that of the values
// (docs/design/storage.md, "Keys of values").

import { type Bytes, compareBytes, equalBytes, prefixEnd } from '../../base/bytes/bytes.js'
import type { Collation } from '../../value/collation/collation.js'
import { encodeKey } from '../../value/key.js'
import { numberOf } from '../../value/numbers.js'
import {
  bsonType,
  doubleValue,
  maxKeyValue,
  minKeyValue,
  nullValue,
  stringOf,
  stringValue,
  undefinedValue,
  Value,
} from '../../value/value.js'
import { writeArray, writeDocument } from '../../value/writer.js'
import { compareKeys, sortByStart } from './key-order.js'

/** One end of an interval. */
interface Bound {
  readonly value: Value
  readonly inclusive: boolean
  /** Ascending encoding of the value, or only of its class if it represents a class. */
  readonly key: Bytes
}

/**
 * All values from `low` to `high`; encoded, the keys from `start` (included) to `end` (excluded).
 */
export class Interval {
  readonly start: Bytes
  /** Made when it is asked for: of many points, few plans need it. */
  private madeEnd: Bytes | undefined

  constructor(
    readonly low: Bound,
    readonly high: Bound,
  ) {
    this.start = low.inclusive ? low.key : prefixEnd(low.key)
  }

  get end(): Bytes {
    const { high } = this
    this.madeEnd ??= high.inclusive ? prefixEnd(high.key) : high.key
    return this.madeEnd
  }

  /** Exactly one value. */
  get isPoint(): boolean {
    const { low, high } = this
    return (
      low.inclusive && high.inclusive && (low.key === high.key || equalBytes(low.key, high.key))
    )
  }

  /** Whether the interval contains no value. */
  get isEmpty(): boolean {
    return compareBytes(this.start, this.end) >= 0
  }

  get isFull(): boolean {
    return this.low.value.type === bsonType.minKey && this.high.value.type === bsonType.maxKey
      ? this.low.inclusive && this.high.inclusive
      : false
  }

  /** `start` and `end` for a descending field: all bytes inverted. */
  descending(): { start: Bytes; end: Bytes } {
    const { low, high } = this
    const lowKey = inverted(low.key)
    const highKey = inverted(high.key)
    return {
      start: high.inclusive ? highKey : prefixEnd(highKey),
      end: low.inclusive ? prefixEnd(lowKey) : lowKey,
    }
  }
}

function inverted(bytes: Bytes): Bytes {
  return bytes.map((byte) => ~byte)
}

export function bound(value: Value, inclusive: boolean, collation?: Collation): Bound {
  return { value, inclusive, key: encodeKey(value, false, collation) }
}

/** The interval that contains only `value`. */
export function point(value: Value, collation?: Collation): Interval {
  const end = bound(value, true, collation)
  return new Interval(end, end)
}

/** Every value. */
export const fullInterval = new Interval(bound(minKeyValue, true), bound(maxKeyValue, true))

/** The keys of a missing field, null and undefined. */
export const nullIntervals: readonly Interval[] = [point(undefinedValue), point(nullValue)]

const emptyArray = writeArray([])
const arrayClass = encodeKey(writeArray([nullValue])).subarray(0, 1)
const emptyObject = writeDocument(() => {})
const dateMin = new Value(bsonType.date, Uint8Array.of(0, 0, 0, 0, 0, 0, 0, 0x80), 0, 8)
const dateMax = new Value(
  bsonType.date,
  Uint8Array.of(255, 255, 255, 255, 255, 255, 255, 0x7f),
  0,
  8,
)
const emptyString = new Value(bsonType.string, Uint8Array.of(1, 0, 0, 0, 0), 0, 5)

function repeated(type: number, byte: number, length: number): Value {
  return new Value(type, new Uint8Array(length).fill(byte), 0, length)
}

interface Bracket {
  readonly low: Bound
  readonly high: Bound
}

const closed = (low: Value, high: Value): Bracket => ({
  low: bound(low, true),
  high: bound(high, true),
})

const objectLow = bound(new Value(bsonType.object, emptyObject, 0, emptyObject.length), true)
const numbers = closed(doubleValue(-Infinity), doubleValue(Infinity))
const strings: Bracket = { low: bound(emptyString, true), high: { ...objectLow, inclusive: false } }

/** The limits of a comparison with a value of a type (type bracketing); NaN is outside. */
const brackets = new Map<number, Bracket>([
  [bsonType.double, numbers],
  [bsonType.int32, numbers],
  [bsonType.int64, numbers],
  [bsonType.decimal128, numbers],
  [bsonType.string, strings],
  [bsonType.symbol, strings],
  [
    bsonType.object,
    // An empty array has a lower key, so objects end at the class of arrays.
    { low: objectLow, high: { value: emptyArray, inclusive: false, key: arrayClass } },
  ],
  [
    bsonType.objectId,
    closed(repeated(bsonType.objectId, 0, 12), repeated(bsonType.objectId, 0xff, 12)),
  ],
  [
    bsonType.binary,
    {
      low: bound(new Value(bsonType.binary, new Uint8Array(5), 0, 5), true),
      high: bound(repeated(bsonType.objectId, 0, 12), false),
    },
  ],
  [bsonType.bool, closed(repeated(bsonType.bool, 0, 1), repeated(bsonType.bool, 1, 1))],
  [bsonType.date, closed(dateMin, dateMax)],
  [
    bsonType.timestamp,
    closed(repeated(bsonType.timestamp, 0, 8), repeated(bsonType.timestamp, 0xff, 8)),
  ],
])

/** The limits for comparisons with a value of this type; undefined if there are no bounds. */
export function bracketOf(type: number): Bracket | undefined {
  return brackets.get(type)
}

/** All strings that begin with `prefix`; `key` is its key without the end byte. */
export function stringInterval(prefix: Value, key: Bytes): Interval {
  const end = prefixEnd(key)
  return new Interval(
    { value: prefix, inclusive: true, key },
    { value: stringValue(successorText(stringOf(prefix))), inclusive: false, key: end },
  )
}

/** The end of a prefix as explain shows it: "abd" for "abc". */
function successorText(text: string): string {
  const last = text.codePointAt(text.length - 1) ?? 0
  return text.slice(0, -1) + String.fromCodePoint(last + 1)
}

export function isNotANumber(value: Value): boolean {
  return value.isNumber && Number.isNaN(numberOf(value))
}

function later(a: Bytes, b: Bytes): boolean {
  return compareKeys(a, b) > 0
}

function overlap(a: Interval, b: Interval): Interval | undefined {
  const first = later(a.start, b.start) ? a : b
  const last = later(a.end, b.end) ? b : a
  if (!later(last.end, first.start)) return undefined
  return first === last ? first : new Interval(first.low, last.high)
}

/** Values in both lists; lists and result are sorted and disjoint. */
export function intersect(a: readonly Interval[], b: readonly Interval[]): Interval[] {
  const both: Interval[] = []
  let i = 0
  let j = 0
  while (i < a.length && j < b.length) {
    const left = a[i] as Interval
    const right = b[j] as Interval
    const common = overlap(left, right)
    if (common !== undefined) both.push(common)
    if (later(left.end, right.end)) j++
    else i++
  }
  return both
}

/** Whether `next`, which does not start before, begins behind the end of `last`. */
function areApart(last: Interval, next: Interval): boolean {
  // The key of a value is never the beginning of another one.
  if (last.isPoint && next.isPoint) return later(next.start, last.start)
  return !later(last.end, next.start)
}

/**
 * Values in any list, sorted and disjoint. Adjacent intervals stay separate, so points stay points.
 */
export function union(intervals: readonly Interval[]): Interval[] {
  const sorted = [...intervals]
  sortByStart(sorted)
  const merged: Interval[] = []
  for (const next of sorted) {
    const last = merged.at(-1)
    if (last === undefined || areApart(last, next)) merged.push(next)
    else if (later(next.end, last.end))
      merged[merged.length - 1] = new Interval(last.low, next.high)
  }
  return merged
}
