// The fast path for strings without expiry: a write examines the old record in place, without a key
// object. It applies if the store is in this process and nothing but the record changes. Every
// other write of a string is `putString` of keyspace.ts.

import type { Bytes } from '../../../base/bytes/bytes.js'
import type { Slice } from '../../../base/bytes/slice.js'
import { inlineValueBytesMax } from '../../../base/limits/store.js'
import { bsonType, readInt32 } from '../../../value/value.js'
import {
  idName,
  inlineKind,
  plainRecordBytes,
  plainStringBytes,
  stringTypeElement,
  valueName,
  writeStringRecord,
} from '../keys/key-document.js'
import { plainKeyBytes, writePlainKey } from '../keys/key-name.js'
import type { Keyspace } from '../keyspace.js'
import { addInt64, charsOf, decimalOf, parseInt64 } from './numbers.js'

/** Kind and length of the document. */
const headBytes = 5
/** Maximum value of the fast path: with name and overhead, the record still fits inline. */
const valueBytesMax = inlineValueBytesMax / 2
/** Maximum characters of a 64-bit integer: digits and a sign. */
const integerCharsMax = 20

/**
 * Replaces a key by a string without expiry. Returns false without a change if the usual path is
 * needed.
 */
export function overwriteString(ks: Keyspace, name: Slice, value: Slice): boolean {
  if (value.length > valueBytesMax) return false
  const inPlace = ks.inPlaceOf(name)
  const keyBytes = plainKeyBytes(name)
  if (inPlace === undefined || keyBytes === 0) return false
  const bytes = plainRecordBytes(name.length, value.length)
  const write = inPlace.begin(keyBytes, bytes)
  if (!writePlainKey(write.bytes, write.keyAt, ks.ns, name)) return false
  const before = inPlace.peekUnder(bytesOfPlain)
  if (before === null) return false
  writeStringRecord(write.bytes, write.valueAt, name, value)
  ks.keepPlain(inPlace, name, bytes - 1, before)
  return true
}

/**
 * Removes a string without expiry. False if there is no key; undefined, without a change, if the
 * usual path is needed.
 */
export function removeString(ks: Keyspace, name: Slice): boolean | undefined {
  const inPlace = ks.inPlaceOf(name)
  const keyBytes = plainKeyBytes(name)
  if (inPlace === undefined || keyBytes === 0) return undefined
  const { bytes, keyAt } = inPlace.begin(keyBytes, 0)
  if (!writePlainKey(bytes, keyAt, ks.ns, name)) return undefined
  const before = inPlace.peekUnder(bytesOfPlain)
  if (typeof before === 'number') ks.dropPlain(inPlace, before)
  return before === null ? undefined : before !== undefined
}

/**
 * Adds to the integer of a key. Returns the sum, `overflow`, or undefined if the usual path is
 * needed.
 */
export function addToInteger(
  ks: Keyspace,
  name: Slice,
  amount: number | bigint,
): number | bigint | 'overflow' | undefined {
  const inPlace = ks.inPlaceOf(name)
  const keyBytes = plainKeyBytes(name)
  if (inPlace === undefined || keyBytes === 0) return undefined
  const { bytes, keyAt, valueAt } = inPlace.begin(
    keyBytes,
    plainRecordBytes(name.length, integerCharsMax),
  )
  if (!writePlainKey(bytes, keyAt, ks.ns, name)) return undefined
  const before = inPlace.peekUnder(integerOfPlain)
  if (before === null) return undefined
  const after = addInt64(before ?? 0, amount)
  if (after === undefined) return 'overflow'
  const digits = decimalOf(after)
  writeStringRecord(bytes, valueAt, name, digits)
  const length = plainStringBytes(name.length, digits.length)
  ks.keepPlain(inPlace, name, length, bytesWith(name, before), 1 + length)
  return after
}

/** Document size of a key with an integer, if there is one. */
function bytesWith(name: Slice, value: number | bigint | undefined): number | undefined {
  return value === undefined ? undefined : plainStringBytes(name.length, charsOf(value))
}

/** Document size of a plain string; null for other records. */
function bytesOfPlain(record: Bytes, start: number, end: number): number | null {
  return valueOfPlain(record, start, end) === -1 ? null : end - start - 1
}

/** The integer of a plain string; null for other records. */
function integerOfPlain(record: Bytes, start: number, end: number): number | bigint | null {
  const at = valueOfPlain(record, start, end)
  return at === -1 || record[at] !== bsonType.string
    ? null
    : (parseInt64(record, at + valueName.length + 5, end - 2) ?? null)
}

/**
 * Offset of the element `value` in a record made by `stringRecord` without expiry. -1 for others:
 * containers, keys with expiry, or a client's own layout.
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

/** The end of the element at `at` if it is text or binary, otherwise -1. */
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
