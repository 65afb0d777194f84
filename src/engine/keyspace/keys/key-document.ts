// Builds the documents of keys: `{_id, type, value, expiresAt}`. Strings, the most common type, are
// written directly into their stored record, without a writer.

import { isUtf8 } from 'node:buffer'
import type { Bytes } from '../../../base/bytes/bytes.js'
import type { Slice } from '../../../base/bytes/slice.js'
import { room } from '../../../base/heap/slab.js'
import { Elements } from '../../../value/elements.js'
import { bsonType, type Document, writeInt32 } from '../../../value/value.js'
import { DocumentWriter } from '../../../value/writer.js'
import { scalarValue } from '../strings/scalar.js'
import { type KeyType, never } from './key.js'

/** Kind of a record that holds its document (records.ts). */
export const inlineKind = 1

export const stringTypeElement = Buffer.from('\x02type\0\x07\0\0\0string\0', 'latin1')
/** Element names with their terminating zero. */
export const idName = Buffer.from('_id\0', 'latin1')
export const valueName = Buffer.from('value\0', 'latin1')
const dateElement = Buffer.from('\x09expiresAt\0', 'latin1')
const twoTo32 = 4294967296
/** Up to this size, bytes are copied in a loop. */
const loopBytesMax = 96

/** Sizes around name and value: kind, length, `_id` and `value` with their headers, the end. */
const idHeadBytes = 9
const valueHeadBytes = 11
const fixedBytes = 1 + 4 + idHeadBytes + 1 + stringTypeElement.length + valueHeadBytes + 1 + 1

/** Document size of a string without expiry, bytes. */
export function plainStringBytes(nameBytes: number, valueBytes: number): number {
  return fixedBytes - 1 + nameBytes + valueBytes
}

/** Record size of the same string: a kind byte and the document. */
export function plainRecordBytes(nameBytes: number, valueBytes: number): number {
  return fixedBytes + nameBytes + valueBytes
}

/** The record of a string key: kind and document. */
export function stringRecord(name: Slice, value: Slice, expiresAt: number): Bytes {
  const expiryBytes = expiresAt === never ? 0 : dateElement.length + 8
  const length = fixedBytes + name.length + value.length + expiryBytes
  const record = room(length)
  let at = writeBeginning(record, 0, length, name, value)
  if (expiresAt !== never) {
    for (let i = 0; i < dateElement.length; i++) record[at++] = dateElement[i] as number
    const high = Math.floor(expiresAt / twoTo32)
    writeInt32(record, at, expiresAt - high * twoTo32)
    writeInt32(record, at + 4, high)
    at += 8
  }
  record[at] = 0
  return record
}

/** Like stringRecord, for a string without expiry (`plainRecordBytes` long), written in place. */
export function writeStringRecord(record: Bytes, at: number, name: Slice, value: Slice): void {
  const length = plainRecordBytes(name.length, value.length)
  record[writeBeginning(record, at, length, name, value)] = 0
}

/** Writes everything except the expiry and the end; returns the offset for those. */
function writeBeginning(
  record: Bytes,
  from: number,
  length: number,
  name: Slice,
  value: Slice,
): number {
  record[from] = inlineKind
  writeInt32(record, from + 1, length - 1)
  let at = writeScalar(record, from + 5, idName, name)
  for (let i = 0; i < stringTypeElement.length; i++) record[at++] = stringTypeElement[i] as number
  return writeScalar(record, at, valueName, value)
}

/**
 * Writes one element: UTF-8 text as a string with its final zero, other bytes as binary with a
 * subtype. Both have the same size.
 */
function writeScalar(record: Bytes, from: number, name: Bytes, value: Slice): number {
  const { bytes, start, end } = value
  const length = end - start
  let at = from + 1
  for (let i = 0; i < name.length; i++) record[at++] = name[i] as number
  const isText = copyText(record, at + 4, value)
  record[from] = isText ? bsonType.string : bsonType.binary
  writeInt32(record, at, isText ? length + 1 : length)
  if (isText) {
    record[at + 4 + length] = 0
    return at + 5 + length
  }
  record[at + 4] = 0
  record.set(bytes.subarray(start, end), at + 5)
  return at + 5 + length
}

/** Copies the bytes and returns whether they are UTF-8. */
function copyText(record: Bytes, to: number, { bytes, start, end }: Slice): boolean {
  if (end - start > loopBytesMax) {
    const view = bytes.subarray(start, end)
    record.set(view, to)
    return isUtf8(view)
  }
  let seen = 0
  for (let at = start, i = to; at < end; at++, i++) {
    const byte = bytes[at] as number
    record[i] = byte
    seen |= byte
  }
  return seen < 0x80 || isUtf8(bytes.subarray(start, end))
}

/** A writer with `_id` and `type` written; the caller writes `value`. */
export function beginKeyDocument(name: Slice, type: KeyType): DocumentWriter {
  return new DocumentWriter().value('_id', scalarValue(name)).string('type', type)
}

/** Ends the document, with its expiry if it has one. */
export function endKeyDocument(writer: DocumentWriter, expiresAt: number): Bytes {
  if (expiresAt !== never) writer.date('expiresAt', expiresAt)
  return writer.finish()
}

/** Up to this size, documents are copied in a loop. */
const recordLoopMax = 48

/** The record of an inline document. */
export function recordOf(document: Document): Bytes {
  const { length } = document
  const record = room(length + 1)
  record[0] = 1
  if (length > recordLoopMax) record.set(document, 1)
  else for (let i = 0; i < length; i++) record[i + 1] = document[i] as number
  return record
}

/** Copies all elements except `expiresAt`. */
export function copyButTime(writer: DocumentWriter, document: Document): void {
  const elements = new Elements(document)
  while (elements.next()) {
    if (elements.nameEnd - elements.nameStart === 9) continue
    writer.element(document, elements.start, elements.valueEnd)
  }
}

/** Copies only the element `value`. */
export function copyValue(writer: DocumentWriter, document: Document): void {
  const elements = new Elements(document)
  while (elements.next()) {
    if (elements.nameEnd - elements.nameStart !== 5) continue
    writer.element(document, elements.start, elements.valueEnd)
  }
}
