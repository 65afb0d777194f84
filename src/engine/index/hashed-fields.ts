// Hashed fields of an index: their keys are hashes, so they serve only equality, and every match is
// verified. Arrays are refused, as on MongoDB. Sigil uses its own hash; only the bounds that
// explain prints could show the difference. Source: MongoDB manual, Hashed Indexes.

import { hash } from 'node:crypto'
import type { Bytes } from '../../base/bytes/bytes.js'
import { fail } from '../../base/errors.js'
import { field, fieldsOf } from '../../value/elements.js'
import { numberOf } from '../../value/numbers.js'
import { shellText } from '../../value/shell.js'
import { boolOf, bsonType, type Document, stringOf, Value } from '../../value/value.js'
import { point, union } from '../plan/intervals.js'
import { arePoints, HashedPoints, type Intervals, isMade, Points } from '../plan/points.js'
import type { IndexDescriptor, IndexField } from '../types.js'

const hashBytes = 8

/** Whether a key pattern's value marks its field as hashed. */
export function isHashed(direction: Value): boolean {
  return direction.type === bsonType.string && stringOf(direction) === 'hashed'
}

/** The hash of a value with this key; equal values of all types share one hash. */
export function hashOf(key: Bytes): Value {
  const digest = hash('sha256', key, 'buffer')
  return new Value(bsonType.int64, new Uint8Array(digest.subarray(0, hashBytes)), 0, hashBytes)
}

/** The hashes of points; undefined for ranges, or for values that a sparse index omits. */
export function hashedIntervals(
  list: Intervals,
  { sparse }: IndexDescriptor,
): Intervals | undefined {
  if (!arePoints(list)) return undefined
  if (list instanceof Points) {
    return sparse === true && list.list.hasNull ? undefined : new HashedPoints(list, hashOf)
  }
  if (isMade(list)) return undefined
  if (sparse === true && list.some(({ low }) => low.value.isNullish)) return undefined
  return union(list.map(({ low }) => point(hashOf(low.key))))
}

/** Throws 16766 if there is an array on the path of a hashed field. */
export function refuseArrays(fields: readonly IndexField[], multikey: readonly boolean[]): void {
  const found = fields.find(({ hashed }, i) => hashed === true && multikey[i] === true)
  if (found === undefined) return
  const text = 'hashed indexes do not currently support array values. Found array at path'
  throw fail('Location16766', `${text}: ${found.path}`)
}

/** Throws 31303, 16764 and 67 for options that an index with a hashed field cannot have. */
export function checkHashedSpec(spec: Document, key: Value): void {
  const values = [...fieldsOf(key)]
  const hashed = values.filter(([, value]) => isHashed(value)).length
  if (hashed === 0) return
  if (hashed > 1) {
    const text = `A maximum of one index field is allowed to be hashed but found ${hashed}`
    throw fail('Location31303', `${text} for 'key' ${shellText(key)}`)
  }
  if (values.some(([name]) => name === '$**' || name.endsWith('.$**'))) {
    const text = "Can't use more than one index plugin for a single index."
    throw fail('CannotCreateIndex', text)
  }
  const unique = field(spec, 'unique')
  if (unique !== undefined && isTrue(unique)) {
    const text = 'Currently hashed indexes cannot guarantee uniqueness. Use a regular index.'
    throw fail('Location16764', text)
  }
  if (field(spec, 'expireAfterSeconds') === undefined) return
  throw fail('CannotCreateIndex', "Index type 'hashed' cannot be a TTL index")
}

function isTrue(value: Value): boolean {
  return value.type === bsonType.bool ? boolOf(value) : value.isNumber && numberOf(value) !== 0
}
