// What comes after a place in a sorted list, as conditions of queries. Range operators of filters
// stay within one type, and nothing is less than null to them: so what an order passes through is
// spelled out type by type, or compared by expressions, which know one order of all values.

import { bsonType, doubleOf, undefinedValue, type Value } from '../../../value/value.js'

export interface SortField {
  readonly name: string
  readonly direction: 1 | -1
}

type Plain = Readonly<Record<string, unknown>>

/** Types in the order that values sort; those in one row sort among each other. */
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

/** Whether `$gt` and `$lt` say all of what lies beside the value within its type. */
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
 * Filters on `_id` for what comes after a value, in the order to be asked: those of its type, which
 * an index serves from the place on, then those of later types. One expression where the type is
 * of a rare kind.
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
  // No number is less than NaN, which sorts before all of them.
  return isNumber ? [lower, { $or: [{ _id: Number.NaN }, rest] }] : [lower, rest]
}

/** The filter for all that comes after the values in the order of the fields. */
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
 * What a document sorts by in a field: null where it is missing, of an array the least element or
 * the greatest, and undefined, which is less than null, of an empty one.
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
