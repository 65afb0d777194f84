// Numbers of the four types: read, compared by exact value across types, and computed with the
// promotion rules of aggregation (int32, int64, double, decimal: the wider one wins).

import type { Bytes } from '../base/bytes/bytes.js'
import { fail } from '../base/errors.js'
import { work } from '../base/work/work-budget.js'
import { decimalUnits } from '../base/work/work-figures.js'
import {
  addDecimals,
  compareExact,
  decodeDecimal,
  divideDecimals,
  type Exact,
  encodeDecimal,
  exactToString,
  finiteExact,
  infinityExact,
  modDecimals,
  multiplyDecimals,
  nanExact,
  roundToDigits,
  subtractDecimals,
} from './decimal.js'
import {
  bigintOf,
  bsonType,
  doubleOf,
  doubleValue,
  int32Value,
  int64Value,
  readDouble,
  readInt32,
  type Value,
} from './value.js'

const twoTo32 = 4294967296
/** The range of an int64. */
export const int64Min = -(2n ** 63n)
export const int64Max = 2n ** 63n - 1n
/** Digits kept when a double becomes a decimal, as on MongoDB. */
const doubleDigits = 15

/** An int64 rounded to a double; exact within 2^53. */
export function readInt64AsNumber(bytes: Bytes, at: number): number {
  return readInt32(bytes, at + 4) * twoTo32 + (readInt32(bytes, at) >>> 0)
}

/** Any numeric value as a double, perhaps rounded; NaN for other types. */
export function numberOf(value: Value): number {
  return readNumber(value.type, value.bytes, value.start)
}

function readNumber(type: number, bytes: Bytes, start: number): number {
  switch (type) {
    case bsonType.int32:
      return readInt32(bytes, start)
    case bsonType.int64:
      return readInt64AsNumber(bytes, start)
    case bsonType.double:
      return readDouble(bytes, start)
    case bsonType.decimal128:
      return Number(exactToString(decodeDecimal(bytes, start)))
    default:
      return Number.NaN
  }
}

/** The integer exactly equal to a numeric value, if it is within 2^53; otherwise undefined. */
export function integerOf(value: Value): number | undefined {
  const n = numberOf(value)
  if (!Number.isSafeInteger(n)) return undefined
  if (value.type === bsonType.decimal128) {
    const exact = decodeDecimal(value.bytes, value.start)
    if (compareExact(exact, exactOfNumber(n)) !== 0) return undefined
  }
  return n === 0 ? 0 : n
}

/** Compares two numbers by exact value: NaN equals NaN and sorts first, -0 equals 0. */
export function compareNumbers(
  aType: number,
  a: Bytes,
  aStart: number,
  bType: number,
  b: Bytes,
  bStart: number,
): number {
  if (aType === bsonType.decimal128 || bType === bsonType.decimal128) {
    return compareExact(exactAt(aType, a, aStart), exactAt(bType, b, bStart))
  }
  const left = readNumber(aType, a, aStart)
  const right = readNumber(bType, b, bStart)
  if (left < right) return -1
  if (left > right) return 1
  if (left === right) {
    // Rounding keeps the order, so only int64 beyond 2^53 that round to one double remain.
    if (Number.isSafeInteger(left) || !Number.isFinite(left)) return 0
    if (aType !== bsonType.int64 && bType !== bsonType.int64) return 0
    return compareExact(exactAt(aType, a, aStart), exactAt(bType, b, bStart))
  }
  return Number(Number.isNaN(right)) - Number(Number.isNaN(left))
}

/** A numeric value as an exact number. */
export function exactOf(value: Value): Exact {
  return exactAt(value.type, value.bytes, value.start)
}

function exactAt(type: number, bytes: Bytes, start: number): Exact {
  if (type === bsonType.decimal128) return decodeDecimal(bytes, start)
  if (type === bsonType.int64) {
    const high = BigInt(readInt32(bytes, start + 4))
    return exactOfBigint((high << 32n) | BigInt(readInt32(bytes, start) >>> 0))
  }
  return exactOfNumber(readNumber(type, bytes, start))
}

export function exactOfBigint(n: bigint): Exact {
  return finiteExact(n < 0n, n < 0n ? -n : n, 0)
}

const bits = new DataView(new ArrayBuffer(8))

/** A double's exact value: `m * 2^e` is `m * 5^-e * 10^e` when e is negative. */
export function exactOfNumber(n: number): Exact {
  if (Number.isNaN(n)) return nanExact
  const negative = n < 0 || Object.is(n, -0)
  if (!Number.isFinite(n)) return infinityExact(negative)
  if (Number.isInteger(n)) return finiteExact(negative, BigInt(Math.abs(n)), 0)
  bits.setFloat64(0, n)
  const word = bits.getBigUint64(0)
  const biased = Number((word >> 52n) & 0x7ffn)
  let significand = word & 0xfffffffffffffn
  if (biased > 0) significand |= 0x10000000000000n
  let exponent = Math.max(biased, 1) - 1075
  while ((significand & 1n) === 0n) {
    significand >>= 1n
    exponent++
  }
  return finiteExact(negative, significand * 5n ** BigInt(-exponent), exponent)
}

/** Any numeric value as Decimal128: integers exactly, doubles with 15 digits as on MongoDB. */
export function toDecimal(value: Value): Value {
  return value.type === bsonType.decimal128 ? value : encodeDecimal(decimalOperand(value))
}

function decimalOperand(value: Value): Exact {
  const exact = exactOf(value)
  if (value.type !== bsonType.double || exact.kind !== 'finite' || exact.coefficient === 0n) {
    return exact
  }
  const rounded = roundToDigits(exact, doubleDigits)
  const missing = doubleDigits - rounded.coefficient.toString().length
  return finiteExact(
    rounded.negative,
    rounded.coefficient * 10n ** BigInt(missing),
    rounded.exponent - missing,
  )
}

interface Operation {
  readonly doubles: (a: number, b: number) => number
  readonly bigints: (a: bigint, b: bigint) => bigint
  readonly decimals: (a: Exact, b: Exact) => Exact
}

const addition: Operation = {
  doubles: (a, b) => a + b,
  bigints: (a, b) => a + b,
  decimals: addDecimals,
}
const subtraction: Operation = {
  doubles: (a, b) => a - b,
  bigints: (a, b) => a - b,
  decimals: subtractDecimals,
}
const multiplication: Operation = {
  doubles: (a, b) => a * b,
  bigints: (a, b) => a * b,
  decimals: multiplyDecimals,
}

function onDecimals(operation: (a: Exact, b: Exact) => Exact, a: Value, b: Value): Value {
  work.spend(decimalUnits)
  return encodeDecimal(operation(decimalOperand(a), decimalOperand(b)))
}

/** Undefined if the result is an integer beyond int64. */
function compute(operation: Operation, a: Value, b: Value): Value | undefined {
  if (a.type === bsonType.decimal128 || b.type === bsonType.decimal128) {
    return onDecimals(operation.decimals, a, b)
  }
  if (a.type === bsonType.double || b.type === bsonType.double) {
    return doubleValue(operation.doubles(numberOf(a), numberOf(b)))
  }
  const isLong = a.type === bsonType.int64 || b.type === bsonType.int64
  const [left, right] = [numberOf(a), numberOf(b)]
  const result = operation.doubles(left, right)
  const isExact = Number.isSafeInteger(left) && Number.isSafeInteger(right)
  if (isExact && Number.isSafeInteger(result)) return integerValue(result, isLong)
  const exact = operation.bigints(wholeOf(a), wholeOf(b))
  return exact >= int64Min && exact <= int64Max ? int64Value(exact) : undefined
}

function integerValue(n: number, isLong: boolean): Value {
  if (!isLong && n === (n | 0)) return int32Value(n)
  return int64Value(BigInt(n))
}

/** An int32 or int64 as a bigint. */
export function wholeOf(value: Value): bigint {
  return value.type === bsonType.int64
    ? bigintOf(value)
    : BigInt(readInt32(value.bytes, value.start))
}

function computeWide(operation: Operation, a: Value, b: Value): Value {
  return compute(operation, a, b) ?? doubleValue(operation.doubles(numberOf(a), numberOf(b)))
}

/** a + b: int32 overflows to int64, int64 to double. */
export function addNumbers(a: Value, b: Value): Value {
  return computeWide(addition, a, b)
}

export function subtractNumbers(a: Value, b: Value): Value {
  return computeWide(subtraction, a, b)
}

export function multiplyNumbers(a: Value, b: Value): Value {
  return computeWide(multiplication, a, b)
}

/** For $inc and SQL: like addNumbers, but undefined if int64 overflows. */
export function addIntegers(a: Value, b: Value): Value | undefined {
  return compute(addition, a, b)
}

export function subtractIntegers(a: Value, b: Value): Value | undefined {
  return compute(subtraction, a, b)
}

/** For $mul and SQL: like multiplyNumbers, but undefined if int64 overflows. */
export function multiplyIntegers(a: Value, b: Value): Value | undefined {
  return compute(multiplication, a, b)
}

/** a / b, a double or a decimal. Throws BadValue for zero. */
export function divideNumbers(a: Value, b: Value): Value {
  if (isZero(b)) throw fail('BadValue', "can't $divide by zero")
  if (a.type === bsonType.decimal128 || b.type === bsonType.decimal128) {
    return onDecimals(divideDecimals, a, b)
  }
  return doubleValue(numberOf(a) / numberOf(b))
}

/** Remainder toward zero, with the sign of `a`. Throws Location16610 for zero. */
export function modNumbers(a: Value, b: Value): Value {
  if (isZero(b)) throw fail('Location16610', "can't $mod by zero")
  if (a.type === bsonType.decimal128 || b.type === bsonType.decimal128) {
    return onDecimals(modDecimals, a, b)
  }
  if (a.type === bsonType.double || b.type === bsonType.double) {
    return doubleValue(numberOf(a) % numberOf(b))
  }
  const isLong = a.type === bsonType.int64 || b.type === bsonType.int64
  if (isLong) return int64Value(wholeOf(a) % wholeOf(b))
  return int32Value(numberOf(a) % numberOf(b))
}

/** -0 and every decimal zero count as zero. */
export function isZero(value: Value): boolean {
  if (value.type === bsonType.double) return doubleOf(value) === 0
  if (value.type !== bsonType.decimal128) return numberOf(value) === 0
  const exact = decodeDecimal(value.bytes, value.start)
  return exact.kind === 'finite' && exact.coefficient === 0n
}
