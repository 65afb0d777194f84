// The short way of strings without an end: what a write takes the place of is looked at where it
// lies, and no object is made of the key. It is taken where the store is at hand and nothing but
// the record is to be thought of; every other key goes the usual way (keyspace.ts).

import type { Bytes } from '../../base/bytes.js'
import { inlineValueBytesMax } from '../../base/limits.js'
import type { Slice } from '../../base/slice.js'
import { bsonType, readInt32 } from '../../value/value.js'
import { never } from './key.js'
import { inlineKind, plainStringBytes, stringRecord, stringTypeElement } from './key-document.js'
import { recordKeyOf } from './key-name.js'
import type { Keyspace } from './keyspace.js'
import { addInt64, charsOf, decimalOf, parseInt64 } from './numbers.js'

const idName = Buffer.from('_id\0', 'latin1')
const valueName = Buffer.from('value\0', 'latin1')
/** Kind and length of the document. */
const headBytes = 5
/** What the document has beside name and value is far below this. */
const valueBytesMax = inlineValueBytesMax / 2

/**
 * Makes a key hold a string without an end. False, and nothing is done, where that has to be done
 * the usual way.
 */
export function overwriteString(ks: Keyspace, name: Slice, value: Slice): boolean {
  const near = value.length > valueBytesMax ? undefined : ks.nearOf(name)
  if (near === undefined) return false
  const key = recordKeyOf(ks.ns, name)
  const before = near.look(key, bytesOfPlain)
  if (before === null) return false
  ks.putPlain(key, name, stringRecord(name, value, never), before)
  return true
}

/**
 * Takes away a string without an end. False where there is no key; undefined, and nothing is done,
 * where it has to be done the usual way.
 */
export function removeString(ks: Keyspace, name: Slice): boolean | undefined {
  const near = ks.nearOf(name)
  if (near === undefined) return undefined
  const key = recordKeyOf(ks.ns, name)
  const before = near.look(key, bytesOfPlain)
  if (typeof before === 'number') ks.removePlain(key, before)
  return before === null ? undefined : before !== undefined
}

/**
 * Adds to the integer of a key. Answers the sum, `overflow`, or undefined where it has to be done
 * the usual way.
 */
export function addToInteger(
  ks: Keyspace,
  name: Slice,
  amount: number | bigint,
): number | bigint | 'overflow' | undefined {
  const near = ks.nearOf(name)
  if (near === undefined) return undefined
  const key = recordKeyOf(ks.ns, name)
  const before = near.look(key, integerOfPlain)
  if (before === null) return undefined
  const after = addInt64(before ?? 0, amount)
  if (after === undefined) return 'overflow'
  const bytes = before === undefined ? before : plainStringBytes(name.length, charsOf(before))
  ks.putPlain(key, name, stringRecord(name, decimalOf(after), never), bytes)
  return after
}

/** Bytes of a plain string's document; null for any other record. */
function bytesOfPlain(record: Bytes, start: number, end: number): number | null {
  return valueOfPlain(record, start, end) === -1 ? null : end - start - 1
}

/** The integer of a plain string; null for any other record. */
function integerOfPlain(record: Bytes, start: number, end: number): number | bigint | null {
  const at = valueOfPlain(record, start, end)
  return at === -1 || record[at] !== bsonType.string
    ? null
    : (parseInt64(record, at + valueName.length + 5, end - 2) ?? null)
}

/**
 * Where the element `value` begins in a record as `stringRecord` makes it without an end; -1 in any
 * other: of a container, of what has an end, or that a client wrote in its own way.
 */
function valueOfPlain(record: Bytes, start: number, end: number): number {
  const idAt = start + headBytes
  if (record[start] !== inlineKind || !isAt(record, idAt + 1, idName)) return -1
  const typeAt = scalarEnd(record, idAt, idName.length)
  if (typeAt === -1 || !isAt(record, typeAt, stringTypeElement)) return -1
  const valueAt = typeAt + stringTypeElement.length
  if (!isAt(record, valueAt + 1, valueName)) return -1
  return scalarEnd(record, valueAt, valueName.length) === end - 1 ? valueAt : -1
}

/** The end of the element at `at` if it is text or binary, else -1. */
function scalarEnd(record: Bytes, at: number, nameBytes: number): number {
  const lengthAt = at + 1 + nameBytes
  const type = record[at]
  if (type === bsonType.string) return lengthAt + 4 + readInt32(record, lengthAt)
  return type === bsonType.binary ? lengthAt + 5 + readInt32(record, lengthAt) : -1
}

function isAt(record: Bytes, at: number, bytes: Bytes): boolean {
  for (let i = 0; i < bytes.length; i++) if (record[at + i] !== bytes[i]) return false
  return true
}
