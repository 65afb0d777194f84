// Rounding to decimal places, halves away from zero, as SQL's exact numbers do. Doubles are rounded
// by their shortest digits, so that 2.675 rounds as it is printed.

import {
  decimalFromString,
  digitsOf,
  type Exact,
  encodeDecimal,
  exactToString,
  finiteExact,
  truncDecimal,
} from '../../../value/decimal.js'
import { exactOf, numberOf } from '../../../value/numbers.js'
import { bsonType, doubleOf, doubleValue, type Value } from '../../../value/value.js'
import { isWhole, wholeValue } from './arithmetic.js'

export type Direction = 'nearest' | 'zero' | 'down' | 'up'

/** The exact number of a value; for a double that of its shortest digits. */
export function shownExact(value: Value): Exact {
  if (value.type !== bsonType.double || !Number.isFinite(doubleOf(value))) return exactOf(value)
  const [mantissa = '', power = '0'] = Math.abs(doubleOf(value)).toExponential().split('e')
  const [whole = '', fraction = ''] = mantissa.split('.')
  return finiteExact(doubleOf(value) < 0, BigInt(whole + fraction), Number(power) - fraction.length)
}

/** Maximum of places either way: beyond the exponents of every type. */
const placesMax = 6200

/** `exact` with at most `places` decimal places; negative places round tens. */
export function roundExact(exact: Exact, places: number, direction: Direction): Exact {
  const bounded = Math.max(-placesMax, Math.min(placesMax, places))
  if (exact.kind !== 'finite' || exact.exponent >= -bounded) return exact
  const cut = -bounded - exact.exponent
  const { negative, coefficient } = exact
  if (cut > digitsOf(coefficient) + 1) {
    const isUp = coefficient !== 0n && raises(direction, negative)
    return finiteExact(negative, isUp ? 1n : 0n, -bounded)
  }
  const unit = 10n ** BigInt(cut)
  const rest = coefficient % unit
  const isHalf = direction === 'nearest' && rest * 2n >= unit
  const isUp = isHalf || (rest !== 0n && raises(direction, negative))
  return finiteExact(negative, coefficient / unit + (isUp ? 1n : 0n), -bounded)
}

/** Whether the digits that are cut off increase the magnitude. */
function raises(direction: Direction, isNegative: boolean): boolean {
  return direction === (isNegative ? 'down' : 'up')
}

/** Rounds a value; keeps its type. */
export function roundValue(value: Value, places: number, direction: Direction): Value {
  if (isWhole(value) && places >= 0) return value
  if (value.type === bsonType.double && !Number.isFinite(doubleOf(value))) return value
  const rounded = roundExact(shownExact(value), places, direction)
  if (rounded === undefined || rounded.kind !== 'finite') return value
  if (value.type === bsonType.decimal128) return encodeDecimal(rounded)
  if (value.type === bsonType.double) return doubleValue(Number(exactToString(rounded)))
  return wholeValue(bigintOfExact(rounded), value.type === bsonType.int64)
}

/** For a finite number without a fraction. */
export function bigintOfExact(exact: Exact): bigint {
  const { coefficient, exponent, negative } = truncDecimal(exact)
  const size = coefficient * 10n ** BigInt(Math.max(exponent, 0))
  return negative ? -size : size
}

/** A number as a decimal; a double by its shortest digits. */
export function decimalOf(value: Value): Value {
  return value.type === bsonType.double
    ? decimalFromString(exactToString(shownExact(value)), true)
    : encodeDecimal(exactOf(value))
}

/** A whole double; halves go to the even one. */
export function evenDouble(value: Value): Value {
  const n = numberOf(value)
  const below = Math.floor(n)
  const isUp = n - below > 0.5 || (n - below === 0.5 && below % 2 !== 0)
  const even = isUp ? below + 1 : below
  return doubleValue(even === 0 && n < 0 ? -0 : even)
}
