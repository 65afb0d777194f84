// Decimal128 (IEEE 754-2008, binary integer significand): decoding, encoding, text and arithmetic
// with 34 digits, half to even. Computed with bigints: decimals are rare, and exactness is why they
// are used.

import { type Bytes, bufferOf } from '../base/bytes/bytes.js'
import { fail } from '../base/errors.js'
import { decimalCharsMax } from '../base/limits/documents.js'
import { bsonType, Value } from './value.js'

/** Digits of a significand, and the limits of its exponent. */
const digitsMax = 34
const exponentMin = -6176
const exponentMax = 6111
const significandEnd = 10n ** 34n

/**
 * An exact number: `coefficient * 10^exponent`, signed. Its precision is unlimited, because doubles
 * and int64 are compared with decimals through it.
 */
export interface Exact {
  readonly kind: 'finite' | 'infinity' | 'nan'
  readonly negative: boolean
  readonly coefficient: bigint
  readonly exponent: number
}

export const nanExact: Exact = { kind: 'nan', negative: false, coefficient: 0n, exponent: 0 }

export function infinityExact(negative: boolean): Exact {
  return { kind: 'infinity', negative, coefficient: 0n, exponent: 0 }
}

export function finiteExact(negative: boolean, coefficient: bigint, exponent: number): Exact {
  return { kind: 'finite', negative, coefficient, exponent }
}

/** Decodes the 16 bytes at `start`; a significand above 34 digits counts as zero (IEEE 754). */
export function decodeDecimal(bytes: Bytes, start: number): Exact {
  const buffer = bufferOf(bytes)
  const low = buffer.readBigUInt64LE(start)
  const high = buffer.readBigUInt64LE(start + 8)
  const negative = high >> 63n === 1n
  const combination = Number((high >> 58n) & 0x1fn)
  if (combination === 0x1f) return nanExact
  if (combination === 0x1e) return infinityExact(negative)
  if (combination >= 0x18) {
    return finiteExact(negative, 0n, Number((high >> 47n) & 0x3fffn) + exponentMin)
  }
  const exponent = Number((high >> 49n) & 0x3fffn) + exponentMin
  const coefficient = ((high & 0x1ffffffffffffn) << 64n) | low
  return finiteExact(negative, coefficient < significandEnd ? coefficient : 0n, exponent)
}

/** Encodes a number, rounding it half to even to 34 digits and clamping its exponent. */
export function encodeDecimal(exact: Exact): Value {
  const bytes = new Uint8Array(16)
  const view = new DataView(bytes.buffer)
  const { kind, negative, coefficient, exponent } = exact.kind === 'finite' ? fit(exact) : exact
  const sign = negative ? 1n << 63n : 0n
  if (kind === 'finite') {
    view.setBigUint64(0, coefficient & 0xffffffffffffffffn, true)
    view.setBigUint64(
      8,
      sign | (BigInt(exponent - exponentMin) << 49n) | (coefficient >> 64n),
      true,
    )
  } else {
    view.setBigUint64(8, kind === 'nan' ? 0x7c00000000000000n : sign | 0x7800000000000000n, true)
  }
  return new Value(bsonType.decimal128, bytes, 0, 16)
}

/** The number as a Decimal128: rounded, exponent in range, or infinite. */
function fit(exact: Exact): Exact {
  const { negative } = exact
  let { coefficient, exponent } = exact
  const excess = Math.max(digitsOf(coefficient) - digitsMax, exponentMin - exponent, 0)
  if (excess > 0) {
    coefficient = shiftRight(coefficient, excess)
    exponent += excess
    if (coefficient === significandEnd) {
      coefficient /= 10n
      exponent++
    }
  }
  if (exponent > exponentMax) {
    if (coefficient === 0n) return finiteExact(negative, 0n, exponentMax)
    const pad = exponent - exponentMax
    if (digitsOf(coefficient) + pad > digitsMax) return infinityExact(negative)
    return finiteExact(negative, coefficient * 10n ** BigInt(pad), exponentMax)
  }
  return finiteExact(negative, coefficient, exponent)
}

/** `coefficient / 10^places`, half to even. */
function shiftRight(coefficient: bigint, places: number): bigint {
  if (places > digitsOf(coefficient)) return 0n
  const divisor = 10n ** BigInt(places)
  return roundedQuotient(coefficient, divisor)
}

/** Quotient of non-negative numbers, half to even. */
function roundedQuotient(dividend: bigint, divisor: bigint): bigint {
  const quotient = dividend / divisor
  const twice = (dividend % divisor) * 2n
  const up = twice > divisor || (twice === divisor && (quotient & 1n) === 1n)
  return up ? quotient + 1n : quotient
}

/** Decimal digits of a non-negative number; zero has one. */
export function digitsOf(coefficient: bigint): number {
  return coefficient.toString().length
}

const decimalText = /^([+-]?)(?:(\d+)(?:\.(\d*))?|\.(\d+))(?:[eE]([+-]?\d+))?$/
const infinityText = /^([+-]?)(?:inf|infinity)$/i
const nanText = /^[+-]?nan$/i
/** Maximum digits of an exponent in text: beyond every Decimal128, and still exact as a number. */
const exponentDigitsMax = 15

/**
 * Parses a Decimal128 such as `-12.50E+3`, `Infinity` or `NaN`. Without `rounding`, a number that
 * 34 digits cannot represent exactly is refused, as Extended JSON requires. Throws BadValue.
 */
export function decimalFromString(text: string, rounding = false): Value {
  if (text.length > decimalCharsMax) throw fail('BadValue', `not a decimal number: ${quoted(text)}`)
  const infinite = infinityText.exec(text)
  if (infinite !== null) return encodeDecimal(infinityExact(infinite[1] === '-'))
  if (nanText.test(text)) return encodeDecimal(nanExact)
  const match = decimalText.exec(text)
  if (match === null) throw fail('BadValue', `not a decimal number: ${quoted(text)}`)
  const whole = match[2] ?? ''
  const fraction = match[3] ?? match[4] ?? ''
  const power = match[5] ?? '0'
  const exponent = power.length > exponentDigitsMax ? cutExponent(power) : Number(power)
  const parsed = finiteExact(match[1] === '-', BigInt(whole + fraction), exponent - fraction.length)
  const fitted = fit(parsed)
  if (!rounding && (fitted.kind === 'infinity' || compareExact(parsed, fitted) !== 0)) {
    throw fail('BadValue', `not exact as a Decimal128: ${quoted(text)}`)
  }
  return encodeDecimal(fitted)
}

function cutExponent(power: string): number {
  const digits = power.replace(/^[+-]?0*/, '')
  const size = digits.length > exponentDigitsMax ? 10 ** exponentDigitsMax : Number(digits)
  return power.startsWith('-') ? -size : size
}

function quoted(text: string): string {
  return JSON.stringify(text.length > 60 ? `${text.slice(0, 60)}…` : text)
}

/** The specification's text: plain while the exponent is small, else scientific. */
export function decimalToString(value: Value): string {
  return exactToString(decodeDecimal(value.bytes, value.start))
}

export function exactToString(exact: Exact): string {
  if (exact.kind === 'nan') return 'NaN'
  const sign = exact.negative ? '-' : ''
  if (exact.kind === 'infinity') return `${sign}Infinity`
  const digits = exact.coefficient.toString()
  const { exponent } = exact
  const scientific = exponent + digits.length - 1
  if (exponent > 0 || scientific < -6) {
    const fraction = digits.length > 1 ? `.${digits.slice(1)}` : ''
    return `${sign}${digits[0]}${fraction}E${scientific < 0 ? '' : '+'}${scientific}`
  }
  if (exponent === 0) return sign + digits
  const padded = digits.padStart(1 - exponent, '0')
  return `${sign}${padded.slice(0, exponent)}.${padded.slice(exponent)}`
}

/** Compares two numbers by value: NaN first and equal to itself, -0 equal to 0. */
export function compareExact(a: Exact, b: Exact): number {
  const aRank = rankOf(a)
  const bRank = rankOf(b)
  if (aRank !== bRank) return aRank - bRank
  if (aRank === ranks.negative) return -compareMagnitudes(a, b)
  return aRank === ranks.positive ? compareMagnitudes(a, b) : 0
}

const ranks = { nan: 0, lowest: 1, negative: 2, zero: 3, positive: 4, highest: 5 } as const

function rankOf(exact: Exact): number {
  if (exact.kind === 'nan') return ranks.nan
  if (exact.kind === 'infinity') return exact.negative ? ranks.lowest : ranks.highest
  if (exact.coefficient === 0n) return ranks.zero
  return exact.negative ? ranks.negative : ranks.positive
}

/** Both are finite and nonzero. Compares the place of the leading digit first, to avoid scaling. */
function compareMagnitudes(a: Exact, b: Exact): number {
  const byPlace = digitsOf(a.coefficient) + a.exponent - (digitsOf(b.coefficient) + b.exponent)
  if (byPlace !== 0) return byPlace
  const shift = a.exponent - b.exponent
  const left = shift > 0 ? a.coefficient * 10n ** BigInt(shift) : a.coefficient
  const right = shift < 0 ? b.coefficient * 10n ** BigInt(-shift) : b.coefficient
  return left < right ? -1 : left > right ? 1 : 0
}

export function addDecimals(a: Exact, b: Exact): Exact {
  if (a.kind === 'nan' || b.kind === 'nan') return nanExact
  if (a.kind === 'infinity') {
    return b.kind === 'infinity' && a.negative !== b.negative ? nanExact : a
  }
  if (b.kind === 'infinity') return b
  const exponent = Math.min(a.exponent, b.exponent)
  const near = withinReach(a, b)
  if (near !== undefined) return near
  const sum = scaled(a, exponent) + scaled(b, exponent)
  const negative = sum === 0n ? a.negative && b.negative : sum < 0n
  return fit(finiteExact(negative, sum < 0n ? -sum : sum, exponent))
}

export function subtractDecimals(a: Exact, b: Exact): Exact {
  return addDecimals(a, { ...b, negative: !b.negative })
}

function scaled(exact: Exact, exponent: number): bigint {
  const size = exact.coefficient * 10n ** BigInt(exact.exponent - exponent)
  return exact.negative ? -size : size
}

/**
 * For a sum whose smaller part is entirely below the 34 digits of the larger: the larger part,
 * extended so that a final digit 1 represents the rest for rounding.
 */
function withinReach(a: Exact, b: Exact): Exact | undefined {
  if (a.coefficient === 0n || b.coefficient === 0n) return undefined
  const [large, small] = compareMagnitudes(a, b) >= 0 ? [a, b] : [b, a]
  const gap =
    digitsOf(large.coefficient) + large.exponent - (digitsOf(small.coefficient) + small.exponent)
  if (gap <= digitsMax * 2 + 4) return undefined
  const pad = digitsMax + 3
  const nudge = large.negative === small.negative ? 1n : -1n
  return fit(
    finiteExact(
      large.negative,
      large.coefficient * 10n ** BigInt(pad) + nudge,
      large.exponent - pad,
    ),
  )
}

export function multiplyDecimals(a: Exact, b: Exact): Exact {
  if (a.kind === 'nan' || b.kind === 'nan') return nanExact
  const negative = a.negative !== b.negative
  if (a.kind === 'infinity' || b.kind === 'infinity') {
    const other = a.kind === 'infinity' ? b : a
    const isZero = other.kind === 'finite' && other.coefficient === 0n
    return isZero ? nanExact : infinityExact(negative)
  }
  return fit(finiteExact(negative, a.coefficient * b.coefficient, a.exponent + b.exponent))
}

/** Division by zero gives an infinity, 0/0 gives NaN; callers refuse zero first if required. */
export function divideDecimals(a: Exact, b: Exact): Exact {
  if (a.kind === 'nan' || b.kind === 'nan') return nanExact
  const negative = a.negative !== b.negative
  if (a.kind === 'infinity') return b.kind === 'infinity' ? nanExact : infinityExact(negative)
  if (b.kind === 'infinity') return finiteExact(negative, 0n, exponentMin)
  const ideal = a.exponent - b.exponent
  if (b.coefficient === 0n) return a.coefficient === 0n ? nanExact : infinityExact(negative)
  if (a.coefficient === 0n) return fit(finiteExact(negative, 0n, ideal))
  const places = Math.max(0, digitsMax + 2 + digitsOf(b.coefficient) - digitsOf(a.coefficient))
  const dividend = a.coefficient * 10n ** BigInt(places)
  let quotient = dividend / b.coefficient
  let exponent = ideal - places
  if (dividend % b.coefficient !== 0n) {
    // One more nonzero digit represents the endless rest for rounding.
    return fit(finiteExact(negative, quotient * 10n + 1n, exponent - 1))
  }
  while (exponent < ideal && quotient % 10n === 0n) {
    quotient /= 10n
    exponent++
  }
  return fit(finiteExact(negative, quotient, exponent))
}

/** Remainder of a division truncated toward zero, with the dividend's sign. */
export function modDecimals(a: Exact, b: Exact): Exact {
  if (a.kind !== 'finite' || b.kind === 'nan') return nanExact
  if (b.kind === 'infinity') return a
  if (b.coefficient === 0n) return nanExact
  const exponent = Math.min(a.exponent, b.exponent)
  const divisor = b.coefficient * 10n ** BigInt(b.exponent - exponent)
  const dividend = a.coefficient * 10n ** BigInt(a.exponent - exponent)
  return fit(finiteExact(a.negative, dividend % divisor, exponent))
}

/** Rounded half to even to `places` digits after the point; negative places round tens. */
export function roundDecimal(exact: Exact, places: number): Exact {
  if (exact.kind !== 'finite' || exact.exponent >= -places) return exact
  const coefficient = shiftRight(exact.coefficient, -places - exact.exponent)
  return fit(finiteExact(exact.negative, coefficient, -places))
}

/** The whole part toward zero, exponent 0 or above. */
export function truncDecimal(exact: Exact): Exact {
  if (exact.kind !== 'finite' || exact.exponent >= 0) return exact
  const places = -exact.exponent
  if (places > digitsOf(exact.coefficient)) return finiteExact(exact.negative, 0n, 0)
  return finiteExact(exact.negative, exact.coefficient / 10n ** BigInt(places), 0)
}

/** Rounded half to even to `digits` significant digits, none added. */
export function roundToDigits(exact: Exact, digits: number): Exact {
  if (exact.kind !== 'finite') return exact
  const excess = digitsOf(exact.coefficient) - digits
  if (excess <= 0) return exact
  const coefficient = shiftRight(exact.coefficient, excess)
  const exponent = exact.exponent + excess
  if (digitsOf(coefficient) > digits) {
    return finiteExact(exact.negative, coefficient / 10n, exponent + 1)
  }
  return finiteExact(exact.negative, coefficient, exponent)
}
