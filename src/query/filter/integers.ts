// Whole-number operands of $size and $mod with MongoDB's errors, and truncation of any number to 64
// bits.

import { fail } from '../../base/errors.js'
import { elementsOf } from '../../value/elements.js'
import { integerOf, numberOf } from '../../value/numbers.js'
import { shellText } from '../../value/shell.js'
import { bigintOf, bsonType, type Value } from '../../value/value.js'
import type { ValueTest } from './node.js'

/** The operand of $size. */
export function sizeOperand(operand: Value): number {
  const refuse = (reason: string) =>
    fail('BadValue', `Failed to parse $size. ${reason}: $size: ${shellText(operand)}`)
  if (!operand.isNumber) throw refuse('Expected a number in')
  const number = numberOf(operand)
  if (Number.isNaN(number)) throw refuse('Expected an integer, but found NaN in')
  const size = integerOf(operand)
  if (size === undefined) {
    const isWhole = Number.isInteger(number) || !Number.isFinite(number)
    throw refuse(isWhole ? 'Cannot represent as a 64-bit integer' : 'Expected an integer')
  }
  if (size < 0) throw refuse('Expected a non-negative number in')
  return size
}

/** `[divisor, remainder]` of $mod: doubles are truncated, remainders keep the sign. */
export function modTest(operand: Value): ValueTest {
  if (operand.type !== bsonType.array) {
    throw fail('BadValue', 'malformed mod, needs to be an array')
  }
  const [divisor, remainder, ...more] = elementsOf(operand)
  if (divisor === undefined || remainder === undefined) {
    throw fail('BadValue', 'malformed mod, not enough elements')
  }
  if (more.length > 0) throw fail('BadValue', 'malformed mod, too many elements')
  if (!divisor.isNumber) throw fail('BadValue', 'malformed mod, divisor not a number')
  if (!remainder.isNumber) throw fail('BadValue', 'malformed mod, remainder not a number')
  const by = wholeOf(divisor, 'divisor')
  const rest = wholeOf(remainder, 'remainder')
  if (by === 0n) throw fail('BadValue', 'divisor cannot be 0')
  if (isSmall(by) && isSmall(rest)) return smallModTest(Number(by), Number(rest))
  return (value) => {
    const whole = value?.isNumber === true ? truncated(value) : undefined
    return whole !== undefined && whole % by === rest
  }
}

function smallModTest(by: number, rest: number): ValueTest {
  return (value) => {
    if (value === undefined || !value.isNumber) return false
    const whole = integerOf(value)
    // `=== 0` is also true for -0, the remainder of a negative number.
    if (whole !== undefined) return whole % by === rest
    const exact = truncated(value)
    return exact !== undefined && exact % BigInt(by) === BigInt(rest)
  }
}

function isSmall(n: bigint): boolean {
  return n <= BigInt(Number.MAX_SAFE_INTEGER) && n >= BigInt(Number.MIN_SAFE_INTEGER)
}

/** A number truncated to 64 bits; undefined for NaN, infinities and larger numbers. */
export function truncated(value: Value): bigint | undefined {
  if (value.type === bsonType.int64) return bigintOf(value)
  const number = Math.trunc(numberOf(value))
  if (!Number.isFinite(number) || Math.abs(number) > 2 ** 63) return undefined
  const whole = BigInt(number)
  return BigInt.asIntN(64, whole) === whole ? whole : undefined
}

function wholeOf(value: Value, role: string): bigint {
  const whole = truncated(value)
  if (whole !== undefined) return whole
  const reason = Number.isFinite(numberOf(value))
    ? 'Out of bounds coercing to integral value'
    : 'Unable to coerce NaN/Inf to integral type'
  throw fail('BadValue', `malformed mod, ${role} value is invalid :: caused by :: ${reason}`)
}
