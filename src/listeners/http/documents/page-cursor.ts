// The cursor of a list: the position where the last page ended, signed against forgery, and bound
// to its list. The server keeps no state; rights are checked again for each page. `<base64url
// BSON>.<base64url HMAC-SHA-256>` (docs/http.md, "Lists")

import { createHash, createHmac, timingSafeEqual } from 'node:crypto'
import type { Bytes } from '../../../base/bytes/bytes.js'
import { fail } from '../../../base/errors.js'
import { pageCursorCharsMax } from '../../../base/limits/http.js'
import { elementsOf, field } from '../../../value/elements.js'
import { binaryValue, bsonType, type Value } from '../../../value/value.js'
import { writeArray, writeDocument } from '../../../value/writer.js'

const scopeBytes = 16

/** The identity of a list in few bytes: a cursor of one list is invalid for others. */
export function scopeOf(parts: readonly string[]): Buffer {
  return createHash('sha256').update(JSON.stringify(parts)).digest().subarray(0, scopeBytes)
}

/** Throws BadValue if the values are too long for a URL. */
export function sealCursor(key: Bytes, scope: Bytes, values: readonly Value[]): string {
  const content = writeDocument((writer) => {
    writer.value('s', binaryValue(0, scope)).value('k', writeArray(values))
  })
  const text = Buffer.from(content).toString('base64url')
  const cursor = `${text}.${signature(key, text).toString('base64url')}`
  if (cursor.length <= pageCursorCharsMax) return cursor
  throw fail('BadValue', 'the page ends with values too long for a cursor: sort by other fields')
}

/** The sealed values. Throws BadValue for any other text, and for a cursor of another list. */
export function openCursor(key: Bytes, scope: Buffer, cursor: string): readonly Value[] {
  const [text = '', signed = '', more] = cursor.split('.')
  const given = Buffer.from(signed, 'base64url')
  const wanted = signature(key, text)
  const isOurs =
    cursor.length <= pageCursorCharsMax &&
    more === undefined &&
    given.length === wanted.length &&
    timingSafeEqual(given, wanted)
  if (!isOurs) throw fail('BadValue', 'the cursor is not valid')
  const content = Buffer.from(text, 'base64url')
  const of = field(content, 's')
  const values = field(content, 'k')
  // Four bytes of length and one of subtype precede the payload of binary data.
  const isSame = of !== undefined && scope.equals(of.bytes.subarray(of.start + 5, of.end))
  if (!isSame || values?.type !== bsonType.array) {
    throw fail('BadValue', 'the cursor is of another list: filter and sort must stay the same')
  }
  return elementsOf(values)
}

function signature(key: Bytes, text: string): Buffer {
  return createHmac('sha256', key).update(text).digest()
}
