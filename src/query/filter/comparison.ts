// Tests of one value against the operand of $eq, $lt … $in. Numbers compare across types, other
// types only among themselves (type bracketing). null matches missing, and NaN equals only itself.

import type { Collation } from '../../value/collation/collation.js'
import { compareValues, equalValues, typeClass } from '../../value/compare.js'
import { hashKey } from '../../value/key.js'
import { bsonType, doubleOf, readInt32, type Value } from '../../value/value.js'
import { mayMatch, type Regex, regexMatches } from '../regex.js'
import type { LongList } from './long-lists.js'
import type { ComparisonName, ValueTest } from './node.js'

function isNaNValue(value: Value): boolean {
  if (value.type === bsonType.double) return Number.isNaN(doubleOf(value))
  // Decimal128: combination field 11111 (with or without the signalling bit).
  return (
    value.type === bsonType.decimal128 && ((value.bytes[value.start + 15] ?? 0) & 0x7c) === 0x7c
  )
}

function equalityTest(operand: Value, collation?: Collation): ValueTest {
  if (operand.isNullish) return (value) => value === undefined || value.isNullish
  if (operand.type === bsonType.int32) {
    const number = readInt32(operand.bytes, operand.start)
    return (value) =>
      value !== undefined &&
      (value.type === bsonType.int32
        ? readInt32(value.bytes, value.start) === number
        : equalValues(value, operand))
  }
  return (value) => value !== undefined && equalValues(value, operand, collation)
}

/** The result of each operator for an order. */
const decides: Readonly<Record<Exclude<ComparisonName, 'eq'>, (order: number) => boolean>> = {
  lt: (order) => order < 0,
  lte: (order) => order <= 0,
  gt: (order) => order > 0,
  gte: (order) => order >= 0,
}

export function comparisonTest(
  name: ComparisonName,
  operand: Value,
  collation?: Collation,
): ValueTest {
  if (name === 'eq') return equalityTest(operand, collation)
  const allowsEqual = name === 'lte' || name === 'gte'
  if (operand.isNullish || isNaNValue(operand)) {
    return allowsEqual ? equalityTest(operand) : () => false
  }
  const decide = decides[name]
  if (operand.type === bsonType.minKey || operand.type === bsonType.maxKey) {
    // MinKey and MaxKey compare with every type; missing counts as null.
    const missing = decide(operand.type === bsonType.minKey ? 1 : -1)
    return (value) => (value === undefined ? missing : decide(compareValues(value, operand)))
  }
  const bracket = typeClass(operand.type)
  const isNumber = operand.isNumber
  return (value) =>
    value !== undefined &&
    typeClass(value.type) === bracket &&
    decide(compareValues(value, operand, collation)) &&
    !(isNumber && isNaNValue(value))
}

/** Up to this many operands of $in are compared one by one; more use a hash. */
const linearOperandsMax = 6

export function membershipTest(
  values: readonly Value[],
  regexes: readonly Regex[],
  collation?: Collation,
): ValueTest {
  const acceptsMissing = values.some((value) => value.isNullish)
  const concrete = values.filter((value) => !value.isNullish)
  let isMember: ((value: Value) => boolean) | undefined
  return (value) => {
    if (value === undefined || value.isNullish) return acceptsMissing
    // Built for the first value, because a plan with exact bounds tests none.
    isMember ??=
      concrete.length > linearOperandsMax
        ? setTest(concrete, collation)
        : anyTest(concrete, collation)
    if (isMember(value)) return true
    if (!mayMatch(value)) return false
    for (let i = 0; i < regexes.length; i++) {
      if (regexMatches(regexes[i] as Regex, value)) return true
    }
    return false
  }
}

/** Membership in a list that was read ahead. */
export function listTest({ members, kinds, hasNull }: LongList): ValueTest {
  return (value) => {
    if (value === undefined || value.isNullish) return hasNull
    return kinds.has(typeClass(value.type)) && members.has(value)
  }
}

function anyTest(
  values: readonly Value[],
  collation: Collation | undefined,
): (value: Value) => boolean {
  const tests = values.map((value) => equalityTest(value, collation))
  return (value) => {
    for (let i = 0; i < tests.length; i++) if ((tests[i] as ValueTest)(value)) return true
    return false
  }
}

function setTest(
  values: readonly Value[],
  collation: Collation | undefined,
): (value: Value) => boolean {
  const keys = new Set<string | number>()
  // In particular, an array is hashed as a whole only if an operand is an array.
  const kinds = new Set(values.map(({ type }) => typeClass(type)))
  for (const value of values) keys.add(hashKey(value, collation))
  return (value) => kinds.has(typeClass(value.type)) && keys.has(hashKey(value, collation))
}
