// Numbers as Redis reads and prints them: strict 64-bit integers, and doubles that may be infinite
// but not padded.

import { type Bytes, textOf } from '../../../base/bytes/bytes.js'
import { Slice } from '../../../base/bytes/slice.js'
import { room } from '../../../base/heap/slab.js'

const minus = 0x2d
const zero = 0x30
/** `-9223372036854775808`. */
const int64CharsMax = 20
/** Up to this many digits, an integer is always safe. */
const safeDigitsMax = 15
/** Integers up to here are written digit by digit. */
const loopedMax = 1e15
/** Maximum length of a double (Redis: a buffer of 5 KiB). */
const floatCharsMax = 5 * 1024

/**
 * Parses a 64-bit decimal integer: no plus, spaces, leading zeros or `-0`; undefined if invalid.
 * Returns a number if that is exact.
 */
export function parseInt64(bytes: Bytes, start: number, end: number): number | bigint | undefined {
  const isNegative = bytes[start] === minus
  const from = isNegative ? start + 1 : start
  const digits = end - from
  if (digits < 1 || digits > int64CharsMax - 1) return undefined
  const first = (bytes[from] as number) - zero
  if (first === 0) return digits === 1 && !isNegative ? 0 : undefined
  let value = 0
  for (let at = from; at < end; at++) {
    const digit = (bytes[at] as number) - zero
    if (digit < 0 || digit > 9) return undefined
    value = value * 10 + digit
  }
  if (digits <= safeDigitsMax) return isNegative ? -value : value
  const exact = BigInt(textOf(bytes, start, end))
  if (BigInt.asIntN(64, exact) !== exact) return undefined
  const near = Number(exact)
  return Number.isSafeInteger(near) ? near : exact
}

const decimal = /^[+-]?(\d+\.?\d*|\.\d+)(?:[eE][+-]?\d+)?$/
const hexadecimal = /^([+-]?)0[xX]([0-9a-fA-F]+\.?[0-9a-fA-F]*|\.[0-9a-fA-F]+)(?:[pP]([+-]?\d+))?$/
const infinite = /^([+-]?)inf(?:inity)?$/i

/**
 * Parses a double, including `inf` and hexadecimal; undefined for NaN, padding, and out of range.
 */
export function parseFloat64(bytes: Bytes, start: number, end: number): number | undefined {
  if (end === start || end - start > floatCharsMax) return undefined
  const whole = parseDigits(bytes, start, end)
  if (whole !== undefined) return whole
  const text = textOf(bytes, start, end)
  const infinity = infinite.exec(text)
  if (infinity !== null) return infinityOf(infinity)
  const number = readNumber(text)
  if (number === undefined || !Number.isFinite(number.value)) return undefined
  return number.value === 0 && !number.isZero ? undefined : number.value
}

/** Fast path for most scores: digits only. */
function parseDigits(bytes: Bytes, start: number, end: number): number | undefined {
  if (end - start > safeDigitsMax) return undefined
  let value = 0
  for (let at = start; at < end; at++) {
    const digit = (bytes[at] as number) - zero
    if (digit < 0 || digit > 9) return undefined
    value = value * 10 + digit
  }
  return value
}

/** An integer in decimal. */
export function decimalOf(value: number | bigint): Slice {
  if (typeof value === 'bigint' || value < 0 || value > loopedMax) {
    return Slice.ofText(String(value))
  }
  const length = charsOf(value)
  const digits = room(length)
  let left = value
  for (let at = length - 1; at >= 0; at--) {
    const next = Math.floor(left / 10)
    digits[at] = zero + left - next * 10
    left = next
  }
  return new Slice(digits, 0, length)
}

/** Characters of an integer. */
export function charsOf(value: number | bigint): number {
  if (typeof value === 'bigint' || value < 0 || value > loopedMax) return String(value).length
  let chars = 1
  for (let bound = 10; bound <= value; bound *= 10) chars++
  return chars
}

const nul = 0
const leadingSpace = /^[ \t-\r]+/

/**
 * Parses the bound of a range: a double as Redis' C library reads it, with leading spaces, up to a
 * zero byte. Empty is 0; out of range is infinite or 0.
 */
export function parseFloatBound(bytes: Bytes, start: number, end: number): number | undefined {
  const stop = bytes.subarray(start, end).indexOf(nul)
  const text = textOf(bytes, start, stop < 0 ? end : start + stop)
  if (text === '') return 0
  const trimmed = text.replace(leadingSpace, '')
  const infinity = infinite.exec(trimmed)
  return infinity === null ? readNumber(trimmed)?.value : infinityOf(infinity)
}

function infinityOf(match: RegExpExecArray): number {
  return match[1] === '-' ? Number.NEGATIVE_INFINITY : Number.POSITIVE_INFINITY
}

/** `isZero`: the text itself is zero, not a number rounded to zero. */
function readNumber(text: string): { value: number; isZero: boolean } | undefined {
  const digits = decimal.exec(text)?.[1]
  if (digits !== undefined) return { value: Number(text), isZero: !/[1-9]/.test(digits) }
  const hex = hexadecimal.exec(text)
  if (hex === null) return undefined
  const [whole = '', fraction = ''] = (hex[2] as string).split('.')
  const mantissa = Number(BigInt(`0x${whole}${fraction}`))
  const exponent = Number(hex[3] ?? 0) - 4 * fraction.length
  // In two steps, since half of the exponent is always a finite double.
  const half = Math.trunc(Math.max(-3_000, Math.min(exponent, 3_000)) / 2)
  const rest = Math.max(-3_000, Math.min(exponent, 3_000)) - half
  const value = mantissa === 0 ? 0 : mantissa * 2 ** half * 2 ** rest
  return { value: hex[1] === '-' ? -value : value, isZero: mantissa === 0 }
}

const int64Min = -(2n ** 63n)
const int64Max = 2n ** 63n - 1n

/** The sum of two 64-bit integers; undefined if it overflows. */
export function addInt64(a: number | bigint, b: number | bigint): number | bigint | undefined {
  if (typeof a === 'number' && typeof b === 'number') {
    const sum = a + b
    if (Number.isSafeInteger(sum)) return sum
  }
  const sum = BigInt(a) + BigInt(b)
  return sum < int64Min || sum > int64Max ? undefined : sum
}
