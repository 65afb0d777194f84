// Arrays as sets: order and repetition are ignored, and numbers are equal across types. As in
// MongoDB, results are sorted by value.

import { work } from '../../base/work/work-budget.js'
import { elementUnits, setBytesPerUnit, valueUnits } from '../../base/work/work-figures.js'
import type { Collation } from '../../value/collation/collation.js'
import { Elements, elementsOf } from '../../value/elements.js'
import { hashKey } from '../../value/key.js'
import { sortValues } from '../../value/sort-values.js'
import {
  boolValue,
  bsonType,
  falseValue,
  nullValue,
  trueValue,
  type Value,
} from '../../value/value.js'
import { writeArray } from '../../value/writer.js'
import {
  binary,
  type Env,
  isNullish,
  isTruthy,
  location,
  type OperatorRow,
  type Result,
  typeName,
  unary,
  variadic,
} from './operator.js'

/** Values by their keys. */
type ValueSet = Map<string | number, Value>

/**
 * Each byte of a text is hashed. Counted here and not by `hashKey`, because what is refused here is
 * computed in a thread, whole: the set of a long $in is made once, and serves every document.
 */
function keyOf(value: Value, collation: Collation | undefined): string | number {
  if (value.type === bsonType.string) work.spend((value.end - value.start) / setBytesPerUnit)
  return hashKey(value, collation)
}

/** The distinct elements of an array, the first of equal ones. */
function setOf(array: Value, env: Env): ValueSet {
  const set: ValueSet = new Map()
  addTo(set, array, env)
  return set
}

function addTo(set: ValueSet, array: Value, { collation }: Env): void {
  const elements = new Elements(array.bytes, array.start)
  while (elements.next()) {
    const value = elements.value()
    const key = keyOf(value, collation)
    if (!set.has(key)) set.set(key, value)
  }
}

function ordered(set: ValueSet, { collation }: Env): Value {
  return writeArray(sortValues([...set.values()], collation))
}

function union(arrays: readonly Result[], env: Env): Value {
  const set: ValueSet = new Map()
  for (const array of arrays) {
    if (isNullish(array)) return nullValue
    if (array.type !== bsonType.array) {
      throw location(
        17043,
        `All operands of $setUnion must be arrays. One argument is of type: ${typeName(array)}`,
      )
    }
    addTo(set, array, env)
  }
  return ordered(set, env)
}

function intersection(arrays: readonly Result[], env: Env): Value {
  let common: ValueSet | undefined
  for (const array of arrays) {
    if (isNullish(array)) return nullValue
    if (array.type !== bsonType.array) {
      throw location(
        17047,
        'All operands of $setIntersection must be arrays. One argument is of type: ' +
          typeName(array),
      )
    }
    const set = setOf(array, env)
    if (common === undefined) common = set
    else {
      work.spend(common.size * valueUnits)
      for (const key of common.keys()) if (!set.has(key)) common.delete(key)
    }
  }
  return ordered(common ?? new Map(), env)
}

function difference(left: Result, right: Result, env: Env): Value {
  if (isNullish(left) || isNullish(right)) return nullValue
  requireArrays('$setDifference', left, right, [17048, 17049])
  const excluded = setOf(right, env)
  const kept: Value[] = []
  for (const value of elementsOf(left)) {
    const key = keyOf(value, env.collation)
    if (excluded.has(key)) continue
    excluded.set(key, value)
    kept.push(value)
  }
  return writeArray(kept)
}

function isSubset(left: Result, right: Result, env: Env): Value {
  requireArrays('$setIsSubset', left, right, [17046, 17042])
  const whole = setOf(right as Value, env)
  const elements = new Elements((left as Value).bytes, (left as Value).start)
  while (elements.next()) {
    if (!whole.has(keyOf(elements.value(), env.collation))) return falseValue
  }
  return trueValue
}

function requireArrays(
  name: string,
  left: Result,
  right: Result,
  codes: readonly [number, number],
): void {
  for (const [i, value] of [left, right].entries()) {
    if (value?.type === bsonType.array) continue
    throw location(
      codes[i] as number,
      `both operands of ${name} must be arrays. ${i === 0 ? 'First' : 'Second'} argument ` +
        `is of type: ${typeName(value)}`,
    )
  }
}

function equals(arrays: readonly Result[], env: Env): Value {
  if (arrays.length < 2) {
    throw location(17045, `$setEquals needs at least two arguments had: ${arrays.length}`)
  }
  let first: ValueSet | undefined
  let areEqual = true
  for (const [i, array] of arrays.entries()) {
    if (array?.type !== bsonType.array) {
      throw location(
        17044,
        `All operands of $setEquals must be arrays. ${i + 1}-th argument is of type: ` +
          typeName(array),
      )
    }
    const set = setOf(array, env)
    first ??= set
    const known = first
    work.spend(set.size * valueUnits)
    areEqual &&= set.size === known.size && [...set.keys()].every((key) => known.has(key))
  }
  return boolValue(areEqual)
}

/** $anyElementTrue and $allElementsTrue: the search ends at the first element equal to `endsAt`. */
function quantifier(name: string, code: number, endsAt: boolean): OperatorRow {
  return unary(name, (array) => {
    if (array?.type !== bsonType.array) {
      throw location(code, `${name}'s argument must be an array, but is ${typeName(array)}`)
    }
    const elements = new Elements(array.bytes, array.start)
    while (elements.next()) {
      work.spend(elementUnits * 2)
      if (isTruthy(elements.value()) === endsAt) return boolValue(endsAt)
    }
    return boolValue(!endsAt)
  })
}

export const setOperators: readonly OperatorRow[] = [
  variadic('$setUnion', union),
  variadic('$setIntersection', intersection),
  binary('$setDifference', difference),
  binary('$setIsSubset', isSubset),
  variadic('$setEquals', equals),
  quantifier('$anyElementTrue', 17041, true),
  quantifier('$allElementsTrue', 17040, false),
]
