// Converts PostgreSQL's numeric to and from stored decimals. Its text has no exponent, and its
// binary form has digits of base 10,000. Doubles print as `float8` does.
// Source: PostgreSQL 17, numeric_send, numeric_recv and float8out.

import type { Bytes } from '../../base/bytes/bytes.js'
import type { GatewayError } from '../../base/errors.js'
import {
  digitsOf,
  type Exact,
  encodeDecimal,
  finiteExact,
  infinityExact,
  nanExact,
} from '../../value/decimal.js'
import type { Value } from '../../value/value.js'
import { BodyReader } from './body-reader.js'
import { pgError, pgState } from './pg-error.js'

const digitsMax = 34
/** Groups of four digits that 34 digits may span. */
const groupsMax = 10
const sign = { positive: 0, negative: 0x4000, nan: 0xc000, infinity: 0xd000, lowest: 0xf000 }
/** Bounds of a decimal's exponent, and of the weights outside which it is out of range. */
const exponentMin = -6176
const exponentMax = 6111

/** `-12.50`; there is no negative zero. */
export function numericText(exact: Exact): string {
  if (exact.kind === 'nan') return 'NaN'
  if (exact.kind === 'infinity') return exact.negative ? '-Infinity' : 'Infinity'
  const { coefficient, exponent } = exact
  const minus = exact.negative && coefficient > 0n ? '-' : ''
  const digits = coefficient.toString()
  if (exponent >= 0) return coefficient === 0n ? '0' : minus + digits + '0'.repeat(exponent)
  const padded = digits.padStart(1 - exponent, '0')
  return `${minus}${padded.slice(0, exponent)}.${padded.slice(exponent)}`
}

export function numericBinary(exact: Exact): Bytes {
  if (exact.kind === 'nan') return header(0, 0, sign.nan, 0)
  if (exact.kind === 'infinity') {
    return header(0, 0, exact.negative ? sign.lowest : sign.infinity, 0)
  }
  const scale = Math.max(0, -exact.exponent)
  if (exact.coefficient === 0n) return header(0, 0, sign.positive, scale)
  // Makes the exponent a multiple of four, and with it the number of digits.
  const shift = ((exact.exponent % 4) + 4) % 4
  const lowest = (exact.exponent - shift) / 4
  let digits = exact.coefficient.toString() + '0'.repeat(shift)
  digits = digits.padStart(4 * Math.ceil(digits.length / 4), '0')
  let groups = digits.length / 4
  const weight = groups + lowest - 1
  while (digits.slice(4 * groups - 4, 4 * groups) === '0000') groups--
  const bytes = header(groups, weight, exact.negative ? sign.negative : sign.positive, scale)
  for (let i = 0; i < groups; i++) {
    writeUint16(bytes, 8 + 2 * i, Number(digits.slice(4 * i, 4 * i + 4)))
  }
  return bytes
}

function header(groups: number, weight: number, signWord: number, scale: number): Bytes {
  const bytes = new Uint8Array(8 + 2 * groups)
  for (const [i, word] of [groups, weight, signWord, scale].entries()) {
    writeUint16(bytes, 2 * i, word)
  }
  return bytes
}

function writeUint16(bytes: Bytes, at: number, value: number): void {
  bytes[at] = value >> 8
  bytes[at + 1] = value
}

/** The decimal of a binary numeric: 22P03 if malformed, 22003 above 34 digits. */
export function numericFromBinary(bytes: Bytes): Value {
  const reader = new BodyReader(bytes, () => badNumeric('invalid length in external "numeric"'))
  const count = reader.uint16()
  const weight = reader.int16()
  const signWord = reader.uint16()
  const scale = reader.uint16()
  const groups: number[] = []
  for (let i = 0; i < count; i++) {
    const group = reader.uint16()
    if (group > 9999) throw badNumeric('invalid digit in external "numeric" value')
    groups.push(group)
  }
  reader.end()
  if (signWord === sign.nan) return encodeDecimal(nanExact)
  if (signWord === sign.infinity) return encodeDecimal(infinityExact(false))
  if (signWord === sign.lowest) return encodeDecimal(infinityExact(true))
  if (signWord !== sign.positive && signWord !== sign.negative) {
    throw badNumeric('invalid sign in external "numeric" value')
  }
  return finite(groups, weight, signWord === sign.negative, scale)
}

function finite(groups: number[], weight: number, isNegative: boolean, scale: number): Value {
  let exponent = 4 * (weight - groups.length + 1)
  while (groups.at(-1) === 0) {
    groups.pop()
    exponent += 4
  }
  const first = groups.findIndex((group) => group > 0)
  const kept = first < 0 ? [] : groups.slice(first)
  if (kept.length > groupsMax) throw outOfRange()
  let coefficient = kept.reduce((sum, group) => sum * 10_000n + BigInt(group), 0n)
  if (coefficient === 0n) exponent = -scale
  // Keeps as many decimal places as sent, if the digits suffice.
  while (coefficient > 0n && coefficient % 10n === 0n) {
    coefficient /= 10n
    exponent++
  }
  const places = Math.min(exponent + scale, digitsMax - digitsOf(coefficient))
  if (coefficient > 0n && places > 0) {
    coefficient *= 10n ** BigInt(places)
    exponent -= places
  }
  const isIn = exponent >= exponentMin && exponent <= exponentMax
  if (!isIn || digitsOf(coefficient) > digitsMax) throw outOfRange()
  return encodeDecimal(finiteExact(isNegative && coefficient > 0n, coefficient, exponent))
}

function badNumeric(message: string): GatewayError {
  return pgError(pgState.badBinary, message)
}

function outOfRange(): GatewayError {
  return pgError(pgState.outOfRange, 'value is out of range for type numeric: 34 digits are kept')
}

/** The first exponents that are written with `e`. */
const float8Digits = 15
const float4Digits = 6

/** The shortest text that parses to the same double: `0.1`, `1e+15`, `-0`, `NaN`, `Infinity`. */
export function float8Text(n: number): string {
  return floatText(n, Math.abs(n).toExponential(), float8Digits)
}

/** The shortest text that parses to the same single-precision number. */
export function float4Text(n: number): string {
  const single = Math.fround(n)
  const size = Math.abs(single)
  for (let digits = 0; digits < 8; digits++) {
    const shorter = size.toExponential(digits)
    if (Math.fround(Number(shorter)) === size) return floatText(single, shorter, float4Digits)
  }
  return floatText(single, size.toExponential(8), float4Digits)
}

/** `scientific` is the size of `n` as it is to be shown. */
function floatText(n: number, scientific: string, digitsFrom: number): string {
  if (!Number.isFinite(n)) return String(n)
  const minus = n < 0 || Object.is(n, -0) ? '-' : ''
  const [mantissa = '', power = ''] = scientific.split('e')
  const exponent = Number(power)
  const digits = mantissa.replace('.', '')
  if (exponent < -4 || exponent >= digitsFrom) {
    const fraction = digits.length > 1 ? `.${digits.slice(1)}` : ''
    const places = String(Math.abs(exponent)).padStart(2, '0')
    return `${minus}${digits[0]}${fraction}e${exponent < 0 ? '-' : '+'}${places}`
  }
  if (exponent < 0) return `${minus}0.${'0'.repeat(-exponent - 1)}${digits}`
  const whole = digits.slice(0, exponent + 1).padEnd(exponent + 1, '0')
  const fraction = digits.slice(exponent + 1)
  return minus + (fraction === '' ? whole : `${whole}.${fraction}`)
}
