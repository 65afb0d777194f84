// Arithmetic: sums and products with the promotion rules of value/numbers.ts, dates in
// milliseconds, and functions of one number. null and missing give null; other types are errors.

import { fail } from '../../base/errors.js'
import {
  addNumbers,
  divideNumbers,
  int64Max,
  int64Min,
  integerOf,
  modNumbers,
  multiplyNumbers,
  numberOf,
  subtractNumbers,
  wholeOf,
} from '../../value/numbers.js'
import {
  bigintOf,
  bsonType,
  dateValue,
  doubleValue,
  int32Value,
  int64Value,
  nullValue,
  type Value,
} from '../../value/value.js'
import { functionOperators } from './functions.js'
import { NumberSum } from './number-sum.js'
import { binary, isNullish, type OperatorRow, type Result, typeName, variadic } from './operator.js'

function add(values: readonly Result[]): Value {
  const [first, second] = values
  if (values.length === 2 && first?.isNumber === true && second?.isNumber === true) {
    return addNumbers(first, second)
  }
  const sum = new NumberSum()
  let date: Value | undefined
  for (const value of values) {
    if (isNullish(value)) return nullValue
    if (value.type === bsonType.date) {
      if (date !== undefined) {
        throw fail('Location16612', 'only one date allowed in an $add expression')
      }
      date = value
    } else if (value.isNumber) {
      sum.add(value)
    } else {
      throw fail('TypeMismatch', `$add only supports numeric or date types, not ${typeName(value)}`)
    }
  }
  return date === undefined ? sum.total() : shiftDate(date, sum.total(), 1n, '$add')
}

/** Adds milliseconds to a date; fractions are rounded. */
function shiftDate(date: Value, amount: Value, sign: bigint, name: string): Value {
  const shifted = bigintOf(date) + sign * millisecondsOf(amount, name)
  if (shifted < int64Min || shifted > int64Max) throw fail('Overflow', `date overflow in ${name}`)
  return dateValue(shifted)
}

function millisecondsOf(amount: Value, name: string): bigint {
  if (amount.type === bsonType.int64) return bigintOf(amount)
  const n = numberOf(amount)
  if (!(Math.abs(n) < 2 ** 63)) throw fail('Overflow', `date overflow in ${name}`)
  return BigInt(Math.sign(n) * Math.round(Math.abs(n)))
}

function subtract(left: Result, right: Result): Value {
  if (isNullish(left) || isNullish(right)) return nullValue
  if (left.isNumber && right.isNumber) return subtractNumbers(left, right)
  if (left.type === bsonType.date) {
    if (right.type === bsonType.date) {
      const difference = bigintOf(left) - bigintOf(right)
      if (difference < int64Min || difference > int64Max) {
        throw fail('Overflow', 'overflow in $subtract')
      }
      return int64Value(difference)
    }
    if (right.isNumber) return shiftDate(left, right, -1n, '$subtract')
  }
  throw fail('TypeMismatch', `can't $subtract ${typeName(right)} from ${typeName(left)}`)
}

function multiply(values: readonly Result[]): Value {
  let product: Value | undefined
  let isSmall = true
  for (const value of values) {
    if (isNullish(value)) return nullValue
    if (!value.isNumber) {
      throw fail('TypeMismatch', `$multiply only supports numeric types, not ${typeName(value)}`)
    }
    isSmall &&= value.type === bsonType.int32
    product = product === undefined ? value : multiplyNumbers(product, value)
  }
  if (product === undefined) return int32Value(1)
  const whole = isSmall && product.type === bsonType.int64 ? integerOf(product) : undefined
  return whole !== undefined && whole === (whole | 0) ? int32Value(whole) : product
}

function divide(left: Result, right: Result): Value {
  if (isNullish(left) || isNullish(right)) return nullValue
  if (!left.isNumber || !right.isNumber) {
    throw fail(
      'TypeMismatch',
      `$divide only supports numeric types, not ${typeName(left)} and ${typeName(right)}`,
    )
  }
  return divideNumbers(left, right)
}

function mod(left: Result, right: Result): Value {
  if (isNullish(left) || isNullish(right)) return nullValue
  if (!left.isNumber || !right.isNumber) {
    throw fail(
      'Location16611',
      `$mod only supports numeric types, not ${typeName(left)} and ${typeName(right)}`,
    )
  }
  return modNumbers(left, right)
}

function bitwise(
  name: string,
  identity: bigint,
  apply: (a: bigint, b: bigint) => bigint,
): OperatorRow {
  return variadic(name, (values) => {
    let total = identity
    let isLong = false
    for (const value of values) {
      if (isNullish(value)) return nullValue
      if (value.type !== bsonType.int32 && value.type !== bsonType.int64) {
        throw fail('TypeMismatch', `${name} only supports int and long operands.`)
      }
      isLong ||= value.type === bsonType.int64
      total = apply(total, BigInt.asIntN(64, wholeOf(value)))
    }
    return isLong ? int64Value(total) : int32Value(Number(total))
  })
}

/** Numbers of [0, 1) from a new seed per command: suitable for samples, not for secrets. */
export class RandomNumber {
  private state: number

  constructor(seed: number) {
    this.state = seed
  }

  evaluate(): Value {
    return doubleValue(this.next())
  }

  /** 32 bits of splitmix; a double needs two calls for its 53 bits. */
  private next(): number {
    return (this.word() * 2 ** 21 + (this.word() >>> 11)) / 2 ** 53
  }

  private word(): number {
    this.state = (this.state + 0x9e3779b9) | 0
    let z = this.state
    z = Math.imul(z ^ (z >>> 16), 0x21f0aaad)
    z = Math.imul(z ^ (z >>> 15), 0x735a2d97)
    return (z ^ (z >>> 15)) >>> 0
  }
}

const randRow: OperatorRow = {
  name: '$rand',
  readsRoot: false,
  arity: [0, 0],
  compile: (operand, scope) => {
    const isEmpty = operand.bytes[operand.start] === 5
    if ((operand.type !== bsonType.object && operand.type !== bsonType.array) || !isEmpty) {
      throw fail('Location3040501', '$rand does not currently accept arguments')
    }
    return new RandomNumber(scope.seed())
  },
}

export const arithmeticOperators: readonly OperatorRow[] = [
  variadic('$add', add),
  binary('$subtract', subtract),
  variadic('$multiply', multiply),
  binary('$divide', divide),
  binary('$mod', mod),
  bitwise('$bitAnd', -1n, (a, b) => a & b),
  bitwise('$bitOr', 0n, (a, b) => a | b),
  bitwise('$bitXor', 0n, (a, b) => a ^ b),
  randRow,
  ...functionOperators,
]
