// Maps strings, fields, members and elements to document values: UTF-8 text is a BSON string, other
// bytes are binary. Numbers written by document clients are read as their text.

import { Slice } from '../../../base/bytes/slice.js'
import { assert } from '../../../base/errors.js'
import { room } from '../../../base/heap/slab.js'
import { field } from '../../../value/elements.js'
import { numberOf } from '../../../value/numbers.js'
import { bigintOf, bsonType, type Document, Value, writeInt32 } from '../../../value/value.js'

/** The bytes of a value; undefined if it is not a scalar. */
export function scalarOf(value: Value): Slice | undefined {
  const { type, bytes, start, end } = value
  switch (type) {
    case bsonType.string:
      return new Slice(bytes, start + 4, end - 1)
    case bsonType.binary:
      return new Slice(bytes, start + 5, end)
    case bsonType.int32:
    case bsonType.double:
      return Slice.ofText(String(numberOf(value)))
    case bsonType.int64:
      return Slice.ofText(String(bigintOf(value)))
    default:
      return undefined
  }
}

/** The name of a key: the `_id` of its document. */
export function nameOfDocument(document: Document): Slice {
  const id = field(document, '_id')
  const name = id === undefined ? undefined : scalarOf(id)
  assert(name !== undefined, 'the document of a key has its name')
  return name
}

/** Whether a document client may write it as a scalar. */
export function isScalar(value: Value): boolean {
  switch (value.type) {
    case bsonType.string:
    case bsonType.int32:
    case bsonType.int64:
      return true
    case bsonType.double:
      return Number.isFinite(numberOf(value))
    case bsonType.binary:
      return value.bytes[value.start + 4] === 0
    default:
      return false
  }
}

/** Text as a BSON string, other bytes as binary. */
export function scalarValue(slice: Slice): Value {
  const { bytes, start, end, length } = slice
  const payload = room(length + 5)
  const isText = slice.isText()
  writeInt32(payload, 0, isText ? length + 1 : length)
  payload.set(bytes.subarray(start, end), isText ? 4 : 5)
  return new Value(isText ? bsonType.string : bsonType.binary, payload, 0, payload.length)
}
