// Arithmetic as in SQL. Whole numbers are exact and never wrap; their division truncates toward
// zero. A result that no type can hold is an error instead of infinity. (PostgreSQL 17, 9.3)

import { decodeDecimal, encodeDecimal } from '../../../value/decimal.js'
import {
  addIntegers,
  divideNumbers,
  exactOf,
  int64Max,
  int64Min,
  isZero,
  modNumbers,
  multiplyIntegers,
  numberOf,
  subtractIntegers,
  wholeOf,
} from '../../../value/numbers.js'
import {
  bsonType,
  doubleOf,
  doubleValue,
  int32Value,
  int64Value,
  type Value,
} from '../../../value/value.js'
import { evaluationError, evaluationState, outOfRange } from './evaluation-error.js'

/** Their results and errors depend on the types of their operands. */
export const arithmeticOperators: ReadonlySet<string> = new Set(['+', '-', '*', '/', '%', '^'])

export function isWhole({ type }: Value): boolean {
  return type === bsonType.int32 || type === bsonType.int64
}

/** The narrowest type for a whole number; int64 if `isLong`. Throws 22003 beyond int64. */
export function wholeValue(n: bigint, isLong = false): Value {
  if (n < int64Min || n > int64Max) throw outOfRange('bigint out of range')
  if (!isLong && n >= -0x80000000n && n <= 0x7fffffffn) return int32Value(Number(n))
  return int64Value(n)
}

/** `+ - * / % ^` of two numbers. Throws 22003, 22012, 2201F. */
export function calculate(operator: string, left: Value, right: Value): Value {
  switch (operator) {
    case '+':
      return held(inLong(addIntegers(left, right)), left, right)
    case '-':
      return held(inLong(subtractIntegers(left, right)), left, right)
    case '*':
      return held(inLong(multiplyIntegers(left, right)), left, right)
    case '/':
      return divide(left, right)
    case '%':
      if (isZero(right)) throw divisionByZero()
      return modNumbers(left, right)
    default:
      return power(left, right)
  }
}

/** Throws 22003 for a whole number beyond int64. */
function inLong(result: Value | undefined): Value {
  if (result === undefined) throw outOfRange('bigint out of range')
  return result
}

function divide(left: Value, right: Value): Value {
  if (isZero(right)) throw divisionByZero()
  if (!isWhole(left) || !isWhole(right)) return held(divideNumbers(left, right), left, right)
  const isLong = left.type === bsonType.int64 || right.type === bsonType.int64
  return wholeValue(wholeOf(left) / wholeOf(right), isLong)
}

/** Computed in doubles for all operands, because decimals have no exact powers in general. */
function power(left: Value, right: Value): Value {
  const [base, exponent] = [numberOf(left), numberOf(right)]
  if (base === 0 && exponent < 0) {
    throw evaluationError(evaluationState.badPower, 'zero raised to a negative power is undefined')
  }
  if (base < 0 && Number.isFinite(base) && Number.isFinite(exponent) && exponent % 1 !== 0) {
    throw evaluationError(
      evaluationState.badPower,
      'a negative number raised to a non-integer power yields a complex result',
    )
  }
  return held(doubleValue(base ** exponent), left, right)
}

/** Throws 22003 if finite operands gave an infinity. */
function held(result: Value, left: Value, right: Value): Value {
  if (isInfinite(result) && !isInfinite(left) && !isInfinite(right)) {
    throw outOfRange('value out of range: overflow')
  }
  return result
}

export function isInfinite(value: Value): boolean {
  if (value.type === bsonType.double) return Math.abs(doubleOf(value)) === Number.POSITIVE_INFINITY
  if (value.type !== bsonType.decimal128) return false
  return decodeDecimal(value.bytes, value.start).kind === 'infinity'
}

/** `-x` */
export function negate(value: Value): Value {
  if (value.type === bsonType.double) return doubleValue(-doubleOf(value))
  if (value.type === bsonType.decimal128) {
    const exact = exactOf(value)
    const isFlat = exact.kind === 'finite' && exact.coefficient === 0n
    return isFlat ? value : encodeDecimal({ ...exact, negative: !exact.negative })
  }
  return wholeValue(-wholeOf(value), value.type === bsonType.int64)
}

/** 22012 */
function divisionByZero(): Error {
  return evaluationError(evaluationState.divisionByZero, 'division by zero')
}
