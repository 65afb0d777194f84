// Query conditions for the values after a position in a sorted list. Range operators of filters
// stay within one type, and nothing is less than null. So the sort order is spelled out type by
// type, or compared by expressions, which have one order for all values.

import { bsonType, doubleOf, undefinedValue, type Value } from '../../../value/value.js'

export interface SortField {
  readonly name: string
  readonly direction: 1 | -1
}

type Plain = Readonly<Record<string, unknown>>

/** Types in sort order; those in one row sort among each other. */
const typeRows: readonly (readonly number[])[] = [
  [bsonType.minKey],
  [bsonType.undefined],
  [bsonType.null],
  [bsonType.double, bsonType.int32, bsonType.int64, bsonType.decimal128],
  [bsonType.string, bsonType.symbol],
  [bsonType.object],
  [bsonType.array],
  [bsonType.binary],
  [bsonType.objectId],
  [bsonType.bool],
  [bsonType.date],
  [bsonType.timestamp],
  [bsonType.regex],
  [bsonType.dbPointer],
  [bsonType.code],
  [bsonType.codeWithScope],
  [bsonType.maxKey],
]

/** Whether `$gt` and `$lt` cover all other values of its type. */
function isRanged(value: Value): boolean {
  if (value.type === bsonType.double) return !Number.isNaN(doubleOf(value))
  return [
    bsonType.int32,
    bsonType.int64,
    bsonType.string,
    bsonType.objectId,
    bsonType.date,
    bsonType.object,
  ].includes(value.type as never)
}

/**
 * Filters on `_id` for the values after a position, in order: those of its type, served by an
 * index, then those of later types. One expression for a rare type.
 */
export function idsAfter(value: Value, direction: 1 | -1): readonly Plain[] {
  if (!isRanged(value)) return [after([{ name: '_id', direction }], [value])]
  const row = typeRows.findIndex((types) => types.includes(value.type))
  const isNumber = row === 3
  const later = direction === 1 ? typeRows.slice(row + 1) : typeRows.slice(0, row)
  // Filters write the type of MinKey as a signed byte.
  const types = later.flat().map((type) => (type === bsonType.minKey ? -1 : type))
  const rest = { _id: { $type: types } }
  if (direction === 1) return [{ _id: { $gt: value } }, rest]
  const lower = { _id: { $lt: value } }
  // No number is less than NaN, which sorts before all numbers.
  return isNumber ? [lower, { $or: [{ _id: Number.NaN }, rest] }] : [lower, rest]
}

/** The filter for all documents after these values in the sort order. */
export function after(sort: readonly SortField[], values: readonly Value[]): Plain {
  const ways = sort.map(({ direction }, i) => {
    const compare = direction === 1 ? '$gt' : '$lt'
    const same = sort.slice(0, i).map((before, j) => ({
      $eq: [sortKey(before), { $literal: values[j] }],
    }))
    return {
      $and: [...same, { [compare]: [sortKey(sort[i] as SortField), { $literal: values[i] }] }],
    }
  })
  return { $expr: { $or: ways } }
}

/**
 * The value by which a document sorts in a field: null if missing, the least or greatest element of
 * an array, and undefined, which is less than null, for an empty array.
 */
export function sortKey({ name, direction }: SortField): unknown {
  if (name === '_id') return '$_id'
  const ordered = { $sortArray: { input: '$$value', sortBy: direction } }
  const ofArray = {
    $cond: [
      { $eq: [{ $size: '$$value' }, 0] },
      { $literal: undefinedValue },
      { $arrayElemAt: [ordered, 0] },
    ],
  }
  return {
    $let: {
      vars: { value: { $ifNull: [`$${name}`, null] } },
      in: { $cond: [{ $isArray: ['$$value'] }, ofArray, '$$value'] },
    },
  }
}
