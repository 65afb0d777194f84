// The total order of BSON values across types. Filters, sorts, unique keys and $group depend on it,
// and key.ts must agree with it byte for byte. Source: MongoDB manual, Comparison/Sort Order.

import { type Bytes, textOf } from '../base/bytes/bytes.js'
import { work } from '../base/work/work-budget.js'
import { bytesPerUnit, elementUnits } from '../base/work/work-figures.js'
import type { Collation } from './collation/collation.js'
import { Elements } from './elements.js'
import { compareNumbers } from './numbers.js'
import { bsonType, readInt32, type Value } from './value.js'

/** Type classes in their order; numbers share one, strings and symbols share one. */
const typeClasses = {
  minKey: 1,
  undefined: 2,
  null: 3,
  number: 4,
  string: 5,
  object: 6,
  array: 7,
  binary: 8,
  objectId: 9,
  bool: 10,
  date: 11,
  timestamp: 12,
  regex: 13,
  dbPointer: 14,
  code: 15,
  codeWithScope: 16,
  maxKey: 17,
} as const

const classOfType = new Uint8Array(256)
for (const [name, ordinal] of Object.entries(typeClasses)) {
  if (name in bsonType) classOfType[bsonType[name as keyof typeof bsonType]] = ordinal
}
classOfType[bsonType.double] = typeClasses.number
classOfType[bsonType.int32] = typeClasses.number
classOfType[bsonType.int64] = typeClasses.number
classOfType[bsonType.decimal128] = typeClasses.number
classOfType[bsonType.symbol] = typeClasses.string

/** The place of a type's class in the order of types. */
export function typeClass(type: number): number {
  return classOfType[type] ?? 0
}

/**
 * Negative, 0 or positive as `a` sorts before, with or after `b`. The caller handles missing
 * values.
 */
export function compareValues(a: Value, b: Value, collation?: Collation): number {
  if (a.type === bsonType.int32 && b.type === bsonType.int32) {
    return order(readInt32(a.bytes, a.start), readInt32(b.bytes, b.start))
  }
  const { type, bytes, start, end } = b
  return compareParts(a.type, a.bytes, a.start, a.end, type, bytes, start, end, collation)
}

/** 1 equals 1.0 and NumberDecimal("1.00"); objects are equal only with the same field order. */
export function equalValues(a: Value, b: Value, collation?: Collation): boolean {
  return compareValues(a, b, collation) === 0
}

/** Whether an element of the value's class equals it, read in place. */
function elementEquals(
  { type, valueStart, valueEnd }: Elements,
  bytes: Bytes,
  value: Value,
  collation: Collation | undefined,
): boolean {
  const { start, end } = value
  const isText = type === bsonType.string && value.type === bsonType.string
  if (isText && collation === undefined && valueEnd - valueStart !== end - start) return false
  work.spend(pairUnits)
  return (
    compareParts(
      type,
      bytes,
      valueStart,
      valueEnd,
      value.type,
      value.bytes,
      start,
      end,
      collation,
    ) === 0
  )
}

/** Elements skipped between two updates of the work budget. */
const countedTogether = 256

/** The position of the first element from `from` to `to` (exclusive) equal to a value, or -1. */
export function positionOf(
  array: Value,
  value: Value,
  collation?: Collation,
  from = 0,
  to = Number.POSITIVE_INFINITY,
): number {
  const { bytes } = array
  const elements = new Elements(bytes, array.start)
  const kind = classOfType[value.type]
  const isInt32 = value.type === bsonType.int32
  const number = isInt32 ? readInt32(value.bytes, value.start) : 0
  for (let i = 0; i < to && elements.next(); i++) {
    if (i % countedTogether === 0) work.spend(countedTogether * elementUnits)
    const { type } = elements
    if (classOfType[type] !== kind || i < from) continue
    if (isInt32 && type === bsonType.int32) {
      if (readInt32(bytes, elements.valueStart) === number) return i
    } else if (elementEquals(elements, bytes, value, collation)) return i
  }
  return -1
}

/** Whether type and payload are identical: then an update counts as no change. */
export function sameBytes(a: Value, b: Value): boolean {
  if (a.type !== b.type) return false
  return compareRanges(a.bytes, a.start, a.end, b.bytes, b.start, b.end) === 0
}

function compareParts(
  aType: number,
  a: Bytes,
  aStart: number,
  aEnd: number,
  bType: number,
  b: Bytes,
  bStart: number,
  bEnd: number,
  collation: Collation | undefined,
): number {
  const kind = classOfType[aType] ?? 0
  const byClass = kind - (classOfType[bType] ?? 0)
  if (byClass !== 0) return byClass
  switch (kind) {
    case typeClasses.number:
      return compareNumbers(aType, a, aStart, bType, b, bStart)
    case typeClasses.string:
      if (collation !== undefined) {
        work.spend(1 + (aEnd - aStart + bEnd - bStart) / collatedBytesPerUnit)
        const left = textOf(a, aStart + 4, aEnd - 1)
        return collation.compare(left, textOf(b, bStart + 4, bEnd - 1))
      }
      return compareRanges(a, aStart + 4, aEnd - 1, b, bStart + 4, bEnd - 1)
    case typeClasses.code:
      return compareRanges(a, aStart + 4, aEnd - 1, b, bStart + 4, bEnd - 1)
    case typeClasses.object:
      return compareElements(a, aStart, b, bStart, true, collation)
    case typeClasses.array:
      return compareElements(a, aStart, b, bStart, false, collation)
    case typeClasses.binary:
    case typeClasses.dbPointer:
      return aEnd - aStart - (bEnd - bStart) || compareRanges(a, aStart, aEnd, b, bStart, bEnd)
    case typeClasses.objectId:
    case typeClasses.bool:
    case typeClasses.regex:
      return compareRanges(a, aStart, aEnd, b, bStart, bEnd)
    case typeClasses.date:
      return compareHalves(readInt32(a, aStart + 4), readInt32(b, bStart + 4), a, aStart, b, bStart)
    case typeClasses.timestamp:
      return compareHalves(
        readInt32(a, aStart + 4) >>> 0,
        readInt32(b, bStart + 4) >>> 0,
        a,
        aStart,
        b,
        bStart,
      )
    case typeClasses.codeWithScope:
      return compareScoped(a, aStart, b, bStart, collation)
    default:
      return 0
  }
}

/**
 * Compares elements in pairs: type class, then name (of objects), then value; fewer elements sort
 * first. Both are known to have the same bytes up to `sameTo` of `a`.
 */
function compareElements(
  a: Bytes,
  aStart: number,
  b: Bytes,
  bStart: number,
  isObject: boolean,
  collation: Collation | undefined,
  sameTo = 0,
): number {
  const left = new Elements(a, aStart)
  const right = new Elements(b, bStart)
  const aEnd = aStart + readInt32(a, aStart)
  const shared = Math.min(aEnd - aStart, readInt32(b, bStart))
  let differsAt = sameTo
  if (shared >= skippedBytesMin) {
    if (sameTo <= left.valueEnd) {
      differsAt = left.valueEnd + sharedBytes(a, left.valueEnd, b, right.valueEnd, aStart + shared)
    }
    if (differsAt >= aEnd && shared === readInt32(b, bStart)) return 0
    skipTo(a, differsAt, left, right)
  }
  for (;;) {
    const hasLeft = left.next()
    const hasRight = right.next()
    if (!hasLeft || !hasRight) return Number(hasLeft) - Number(hasRight)
    work.spend(pairUnits)
    const byClass = (classOfType[left.type] ?? 0) - (classOfType[right.type] ?? 0)
    if (byClass !== 0) return byClass
    if (isObject) {
      const byName = compareRanges(
        a,
        left.nameStart,
        left.nameEnd,
        b,
        right.nameStart,
        right.nameEnd,
      )
      if (byName !== 0) return byName
    }
    const nested = classOfType[left.type]
    if (nested === typeClasses.object || nested === typeClasses.array) {
      const isInner = nested === typeClasses.object
      const { valueStart } = left
      const inner = right.valueStart
      const order = compareElements(a, valueStart, b, inner, isInner, collation, differsAt)
      if (order !== 0) return order
      continue
    }
    const byValue = compareParts(
      left.type,
      a,
      left.valueStart,
      left.valueEnd,
      right.type,
      b,
      right.valueStart,
      right.valueEnd,
      collation,
    )
    if (byValue !== 0) return byValue
  }
}

/** Documents and arrays from this size on are compared by their bytes first. */
const skippedBytesMin = 1_024
/** Bytes compared at once: few at first, because most documents differ early. */
const firstBlockBytes = 256
const blockBytesMax = 65_536

/** How many bytes from the starts are the same, up to `aEnd`. */
function sharedBytes(a: Bytes, aStart: number, b: Bytes, bStart: number, aEnd: number): number {
  const toB = bStart - aStart
  let at = aStart
  let block = firstBlockBytes
  while (at < aEnd) {
    const to = Math.min(at + block, aEnd)
    if (compareNative.call(a as Buffer, b, at + toB, to + toB, at, to) !== 0) break
    at = to
    block = Math.min(block * 4, blockBytesMax)
  }
  while (at < aEnd && a[at] === b[at + toB]) at++
  work.spend((at - aStart) / bytesPerUnit)
  return at - aStart
}

/** Passes the elements that end before `differsAt`, which are equal. */
function skipTo(a: Bytes, differsAt: number, left: Elements, right: Elements): void {
  const toB = right.valueEnd - left.valueEnd
  const before = new Elements(a, left.valueEnd - Elements.headBytes)
  let count = 0
  while (before.next() && before.valueEnd <= differsAt) {
    left.valueEnd = before.valueEnd
    if (++count % countedTogether === 0) work.spend(countedTogether * elementUnits)
  }
  right.valueEnd = left.valueEnd + toB
}

/** Compares code, then scope. */
function compareScoped(
  a: Bytes,
  aStart: number,
  b: Bytes,
  bStart: number,
  collation: Collation | undefined,
): number {
  const aScope = aStart + 8 + readInt32(a, aStart + 4)
  const bScope = bStart + 8 + readInt32(b, bStart + 4)
  return (
    compareRanges(a, aStart + 8, aScope - 1, b, bStart + 8, bScope - 1) ||
    compareElements(a, aScope, b, bScope, true, collation)
  )
}

/** Compares 64-bit numbers by the given upper halves, then by the lower halves at the starts. */
function compareHalves(
  aHigh: number,
  bHigh: number,
  a: Bytes,
  aStart: number,
  b: Bytes,
  bStart: number,
): number {
  return order(aHigh, bHigh) || order(readInt32(a, aStart) >>> 0, readInt32(b, bStart) >>> 0)
}

/** Work units to compare two elements: 0.05 µs. */
const pairUnits = 0.5
/** Bytes of text that a collation compares in one work unit. */
const collatedBytesPerUnit = 4
const compareNative = Buffer.prototype.compare
/** Above this size, a native comparison pays off. */
const nativeBytesMin = 48

function compareRanges(
  a: Bytes,
  aStart: number,
  aEnd: number,
  b: Bytes,
  bStart: number,
  bEnd: number,
): number {
  const aLength = aEnd - aStart
  const bLength = bEnd - bStart
  const shared = Math.min(aLength, bLength)
  if (shared >= nativeBytesMin) {
    if (shared > bytesPerUnit) work.spend(shared / bytesPerUnit)
    // Without views of both, which cost as much again and are garbage.
    return compareNative.call(a as Buffer, b, bStart, bEnd, aStart, aEnd)
  }
  for (let i = 0; i < shared; i++) {
    const difference = (a[aStart + i] ?? 0) - (b[bStart + i] ?? 0)
    if (difference !== 0) return difference
  }
  return aLength - bLength
}

function order(a: number, b: number): number {
  return a < b ? -1 : a > b ? 1 : 0
}
