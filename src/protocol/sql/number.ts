// Converts number texts to exact values. Integers keep their type up to int64; a number that a
// double would change is a decimal of at most 34 digits. (PostgreSQL 17, 4.1.2.6)

import { digitsOf, encodeDecimal, finiteExact } from '../../value/decimal.js'
import { doubleValue, int32Value, int64Value, type Value } from '../../value/value.js'

const int32Max = 0x7fff_ffffn
const int64Max = 0x7fff_ffff_ffff_ffffn
const decimalDigitsMax = 34
/** A number with more digits fits no type. */
const digitsMax = 1_000
/** Largest exponent of a decimal. */
const exponentMax = 6111
const exponentMin = -6176

/**
 * The value of `12`, `0.5`, `.5`, `1e3`, with the sign before it; undefined if it fits no type
 * (22003).
 */
export function readNumber(digits: string, isNegative = false): Value | undefined {
  if (digits.length > digitsMax) return undefined
  if (/^\d+$/.test(digits)) {
    const integer = BigInt(digits)
    const signed = isNegative ? -integer : integer
    if (integer <= int32Max || signed === -int32Max - 1n) return int32Value(Number(signed))
    if (integer <= int64Max || signed === -int64Max - 1n) return int64Value(signed)
  }
  return readFraction(digits, isNegative)
}

function readFraction(digits: string, isNegative: boolean): Value | undefined {
  const [mantissa = '', power = '0'] = digits.toLowerCase().split('e')
  const [whole = '', fraction = ''] = mantissa.split('.')
  if (power.length > exponentDigitsMax) return undefined
  const coefficient = BigInt(`${whole}${fraction}` || '0')
  const exponent = Number(power) - fraction.length
  const double = Number(digits)
  if (!Number.isFinite(double)) return undefined
  if (isSame(double, coefficient, exponent)) return doubleValue(isNegative ? -double : double)
  if (digitsOf(coefficient) > decimalDigitsMax) return undefined
  if (exponent > exponentMax || exponent < exponentMin) return undefined
  return encodeDecimal(finiteExact(isNegative, coefficient, exponent))
}

/** A longer exponent is out of range. */
const exponentDigitsMax = 6

/** Whether the shortest text of the double equals the written number. */
function isSame(double: number, coefficient: bigint, exponent: number): boolean {
  if (coefficient === 0n) return true
  const [mantissa = '', power = '0'] = double.toString().split('e')
  const [whole = '', fraction = ''] = mantissa.split('.')
  const shown = trimmed(BigInt(`${whole}${fraction}`), Number(power) - fraction.length)
  const meant = trimmed(coefficient, exponent)
  return shown.coefficient === meant.coefficient && shown.exponent === meant.exponent
}

function trimmed(coefficient: bigint, exponent: number): { coefficient: bigint; exponent: number } {
  let left = coefficient
  let power = exponent
  while (left !== 0n && left % 10n === 0n) {
    left /= 10n
    power++
  }
  return { coefficient: left, exponent: power }
}
