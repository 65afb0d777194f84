// The type of a column of documents, chosen by the values of its first rows: documents have types
// one by one, rows of this protocol have them by column. (docs/sql.md, "Types of columns")

import { bsonType, type Value } from '../../value/value.js'
import type { PgTypeName } from './types.js'

/** What has been seen of a column: bits of `kind`. */
export type ColumnKinds = number

const kind = {
  text: 1,
  int4: 2,
  int8: 4,
  float8: 8,
  numeric: 16,
  bool: 32,
  timestamptz: 64,
  bytea: 128,
  /** Documents, arrays, and what only JSON can show. */
  nested: 256,
} as const

const numbers = kind.int4 | kind.int8 | kind.float8 | kind.numeric

const single = new Map<ColumnKinds, PgTypeName>([
  [kind.text, 'text'],
  [kind.int4, 'int4'],
  [kind.int8, 'int8'],
  [kind.float8, 'float8'],
  [kind.numeric, 'numeric'],
  [kind.bool, 'bool'],
  [kind.timestamptz, 'timestamptz'],
  [kind.bytea, 'bytea'],
  [kind.nested, 'jsonb'],
])

/** `seen` and the kind of one more value; a null says nothing. Begin with 0. */
export function seeValue(seen: ColumnKinds, v: Value): ColumnKinds {
  return seen | kindOf(v.type)
}

/**
 * The narrowest type that holds all that was seen without another value of it: numbers widen
 * (int8 and float8 to numeric), other mixtures are jsonb where one is nested, else text; so is a
 * column of nulls.
 */
export function typeOfKinds(seen: ColumnKinds): PgTypeName {
  const only = single.get(seen)
  if (only !== undefined) return only
  if (seen !== 0 && (seen & ~numbers) === 0) {
    if (seen === (kind.int4 | kind.int8)) return 'int8'
    return seen === (kind.int4 | kind.float8) ? 'float8' : 'numeric'
  }
  return (seen & kind.nested) === 0 ? 'text' : 'jsonb'
}

function kindOf(type: number): ColumnKinds {
  switch (type) {
    case bsonType.null:
    case bsonType.undefined:
      return 0
    case bsonType.string:
    case bsonType.symbol:
    case bsonType.code:
    case bsonType.objectId:
      return kind.text
    case bsonType.int32:
      return kind.int4
    case bsonType.int64:
      return kind.int8
    case bsonType.double:
      return kind.float8
    case bsonType.decimal128:
      return kind.numeric
    case bsonType.bool:
      return kind.bool
    case bsonType.date:
      return kind.timestamptz
    case bsonType.binary:
      return kind.bytea
    default:
      return kind.nested
  }
}
