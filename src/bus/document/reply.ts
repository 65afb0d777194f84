// Reply documents. Stored documents are copied as bytes: a cursor batch is written into one
// allocation of the exact size.

import { type Bytes, bufferOf } from '../../base/bytes/bytes.js'
import type { ErrorExtra, GatewayError } from '../../base/errors.js'
import { room } from '../../base/heap/slab.js'
import { valueFrom } from '../../value/literal.js'
import {
  bsonType,
  type Document,
  documentValue,
  doubleValue,
  int32Value,
  Value,
  writeInt32,
} from '../../value/value.js'
import { type DocumentWriter, writeArray, writeDocument } from '../../value/writer.js'

/** `{…, ok: 1}`. */
export function reply(fill?: (writer: DocumentWriter) => void): Document {
  return writeDocument((writer) => {
    fill?.(writer)
    writer.double('ok', 1)
  })
}

/** `{ok: 0, errmsg, code, codeName, …}` with the error's further fields. */
export function errorReply(error: GatewayError): Document {
  return writeDocument((writer) => {
    writer.double('ok', 0).string('errmsg', error.message)
    writer.int32('code', error.code).string('codeName', error.codeName)
    writeExtra(writer, error.extra)
  })
}

/** The fields of an error beyond its code and text: keyPattern, keyValue, … */
export function writeExtra(writer: DocumentWriter, extra: ErrorExtra): void {
  for (const [name, given] of Object.entries(extra)) {
    if (given !== undefined) writer.value(name, extraValue(given))
  }
}

function extraValue(given: unknown): Value {
  if (given instanceof Value) return given
  if (given instanceof Uint8Array) return documentValue(given)
  if (Array.isArray(given)) return writeArray(given.map(extraValue))
  if (typeof given === 'number') {
    return Number.isInteger(given) && Math.abs(given) < 2 ** 31
      ? int32Value(given)
      : doubleValue(given)
  }
  return valueFrom(given)
}

const headName = 6
const twoTo32 = 4294967296
const okElement = Uint8Array.of(bsonType.double, 0x6f, 0x6b, 0, 0, 0, 0, 0, 0, 0, 0xf0, 0x3f)

/** A batch of a cursor; an `id` of 0 tells the client that the cursor is exhausted. */
interface Batch {
  readonly name: 'firstBatch' | 'nextBatch'
  readonly documents: readonly Document[]
  readonly id: number
  /** `db.collection`. */
  readonly ns: string
  /** Further fields of the reply. */
  readonly beside?: Document | undefined
}

/** `{cursor: {firstBatch: […], id: int64, ns}, ok: 1, …beside}`. */
export function cursorReply({ name, documents, id, ns, beside }: Batch): Document {
  const arrayBytes = batchBytes(documents)
  const nsBytes = byteLength(ns)
  const cursorBytes = 4 + (2 + name.length + arrayBytes) + (4 + 8) + (4 + 5 + nsBytes) + 1
  const besideBytes = beside === undefined ? 0 : beside.length - 5
  const total = 4 + (2 + headName + cursorBytes) + okElement.length + besideBytes + 1
  const out = room(total)
  writeInt32(out, 0, total)
  let at = writeName(out, 4, bsonType.object, 'cursor')
  writeInt32(out, at, cursorBytes)
  at = writeName(out, at + 4, bsonType.array, name)
  at = writeBatch(out, at, documents, arrayBytes)
  at = writeName(out, at, bsonType.int64, 'id')
  writeInt32(out, at, id)
  writeInt32(out, at + 4, Math.floor(id / twoTo32))
  at = writeName(out, at + 8, bsonType.string, 'ns')
  writeInt32(out, at, nsBytes + 1)
  at = writeText(out, at + 4, ns, nsBytes)
  out[at++] = 0
  for (let i = 0; i < okElement.length; i++) out[at++] = okElement[i] ?? 0
  if (beside !== undefined) out.set(beside.subarray(4, beside.length - 1), at)
  at += besideBytes
  out[at] = 0
  return out
}

/** Like cursorReply, of a change stream: `token` is where the stream resumes behind the batch. */
export function changeReply({ name, documents, id, ns }: Batch, token: Document): Document {
  return reply((writer) => {
    writer.openDocument('cursor').openArray(name)
    for (const document of documents) writer.pushDocument(document)
    writer.close().document('postBatchResumeToken', token)
    writer.int64('id', id).string('ns', ns).close()
  })
}

/** UTF-8 bytes of a short text. The texts here are names, nearly all ASCII. */
function byteLength(text: string): number {
  for (let i = 0; i < text.length; i++) {
    if (text.charCodeAt(i) > 0x7f) return Buffer.byteLength(text)
  }
  return text.length
}

/** Writes a text of `length` bytes and its 00. */
function writeText(out: Bytes, start: number, text: string, length: number): number {
  if (length === text.length) for (let i = 0; i < length; i++) out[start + i] = text.charCodeAt(i)
  else bufferOf(out).write(text, start)
  out[start + length] = 0
  return start + length + 1
}

function batchBytes(documents: readonly Document[]): number {
  let bytes = 5
  for (let index = 0; index < documents.length; index++) {
    bytes += 2 + digitsOf(index) + (documents[index]?.length ?? 0)
  }
  return bytes
}

function writeBatch(
  out: Bytes,
  start: number,
  documents: readonly Document[],
  arrayBytes: number,
): number {
  writeInt32(out, start, arrayBytes)
  let at = start + 4
  for (let index = 0; index < documents.length; index++) {
    const document = documents[index] as Bytes
    at = writeName(out, at, bsonType.object, String(index))
    out.set(document, at)
    at += document.length
  }
  out[at] = 0
  return at + 1
}

function writeName(out: Bytes, start: number, type: number, name: string): number {
  out[start] = type
  let at = start + 1
  for (let i = 0; i < name.length; i++) out[at++] = name.charCodeAt(i)
  out[at] = 0
  return at + 1
}

function digitsOf(index: number): number {
  let digits = 1
  for (let rest = index; rest >= 10; rest = Math.floor(rest / 10)) digits++
  return digits
}
