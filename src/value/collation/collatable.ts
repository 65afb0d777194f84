// Which values a collation may make equal to others: texts, and what may hold texts. Keys of other
// values are the same under every collation.

import { bsonType, type Value } from '../value.js'

/** Whether equality with a value depends on the collation. */
export function isCollatable({ type }: Value): boolean {
  switch (type) {
    case bsonType.string:
    case bsonType.symbol:
    case bsonType.object:
    case bsonType.array:
    case bsonType.codeWithScope:
      return true
    default:
      return false
  }
}
