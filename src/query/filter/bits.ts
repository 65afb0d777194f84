// $bitsAllSet and similar operators: bit positions of numbers (two's complement, sign-extended) and
// of binary data (little-endian, zero-extended).

import { fail } from '../../base/errors.js'
import { work } from '../../base/work/work-budget.js'
import { fieldsOf } from '../../value/elements.js'
import { integerOf, numberOf } from '../../value/numbers.js'
import { shellText } from '../../value/shell.js'
import { bsonType, readInt32, type Value } from '../../value/value.js'
import type { FieldOperator } from './field-operator.js'
import { truncated } from './integers.js'
import type { ValueTest } from './node.js'

/** The sign bit of a 64-bit number; higher bits repeat it. */
const signBit = 63
/** That of a 32-bit number. */
const shortSignBit = 31
/** Work units of the bits of a number that is no int32: 0.2 µs. */
const bigUnits = 2

export const bitsOperators: readonly FieldOperator[] = (
  [
    ['bitsAllSet', true, true],
    ['bitsAllClear', true, false],
    ['bitsAnySet', false, true],
    ['bitsAnyClear', false, false],
  ] as const
).map(([op, isAll, wanted]) => ({
  name: `$${op}`,
  compile: (operand, { path }) => {
    const test = bitsTest(positionsOf(`$${op}`, operand), isAll, wanted)
    return { op, path, value: operand, reach: 'each', test }
  },
}))

function bitsTest(positions: readonly number[], isAll: boolean, wanted: boolean): ValueTest {
  return (value) => {
    const isSet = value === undefined ? undefined : bitsOf(value)
    if (isSet === undefined) return false
    return isAll
      ? positions.every((position) => isSet(position) === wanted)
      : positions.some((position) => isSet(position) === wanted)
  }
}

/** A function that reads a value's bits; undefined if the type has none. */
function bitsOf(value: Value): ((position: number) => boolean) | undefined {
  if (value.type === bsonType.binary) {
    const length = readInt32(value.bytes, value.start)
    return (position) => {
      const at = position >> 3
      if (at >= length) return false
      return (((value.bytes[value.start + 5 + at] ?? 0) >> (position & 7)) & 1) === 1
    }
  }
  if (value.type === bsonType.int32) {
    const number = readInt32(value.bytes, value.start)
    return (position) => ((number >> Math.min(position, shortSignBit)) & 1) === 1
  }
  const whole = value.isNumber ? wholeNumber(value) : undefined
  work.spend(bigUnits)
  if (whole === undefined) return undefined
  return (position) => ((whole >> BigInt(Math.min(position, signBit))) & 1n) === 1n
}

/** A number without a fraction that fits 64 bits. */
function wholeNumber(value: Value): bigint | undefined {
  if (value.type !== bsonType.int64 && !Number.isInteger(numberOf(value))) return undefined
  return truncated(value)
}

function positionsOf(name: string, operand: Value): number[] {
  if (operand.type === bsonType.array) {
    return [...fieldsOf(operand)].map(([at, value]) => positionOf(at, value))
  }
  if (operand.type === bsonType.binary) {
    const isSet = bitsOf(operand)
    const length = readInt32(operand.bytes, operand.start) * 8
    return Array.from({ length }, (_, position) => position).filter((at) => isSet?.(at) === true)
  }
  if (!operand.isNumber) {
    const text = `${name} takes an Array, a number, or a BinData but received`
    throw fail('BadValue', `${text}: ${name}: ${shellText(operand)}`)
  }
  const shown = `${name}: ${shellText(operand)}`
  const whole = wholeNumber(operand)
  if (whole === undefined) throw fail('FailedToParse', `${whyNotWhole(operand)}: ${shown}`)
  if (whole < 0n) throw fail('FailedToParse', `Expected a non-negative number in: ${shown}`)
  return Array.from({ length: signBit }, (_, position) => position).filter(
    (position) => ((whole >> BigInt(position)) & 1n) === 1n,
  )
}

/** One of `[1, 5]`. */
function positionOf(at: string, value: Value): number {
  const shown = `${at}: ${shellText(value)}`
  const refuse = (why: string): Error =>
    fail('BadValue', `Failed to parse bit position. ${why}: ${shown}`)
  if (!value.isNumber) throw refuse('Expected a number in')
  const position = integerOf(value)
  if (position === undefined) throw refuse(whyNotWhole(value))
  if (position > 0x7fffffff || position < -0x80000000) {
    throw refuse('Cannot represent as a 32-bit integer')
  }
  if (position < 0) throw refuse('Expected a non-negative number in')
  return position
}

function whyNotWhole(value: Value): string {
  const number = numberOf(value)
  if (Number.isNaN(number)) return 'Expected an integer, but found NaN in'
  const isLarge = Number.isInteger(number) || !Number.isFinite(number)
  return isLarge ? 'Cannot represent as a 64-bit integer' : 'Expected an integer'
}
