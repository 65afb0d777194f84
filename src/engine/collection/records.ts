// The format of a record: a kind byte and the document, or a kind byte and the head of a large
// document in chunks. (docs/design/transactions.md, rule 13)

import { type Bytes, equalBytes } from '../../base/bytes/bytes.js'
import { crc32c } from '../../base/bytes/crc32c.js'
import { Slice } from '../../base/bytes/slice.js'
import { assert, fail } from '../../base/errors.js'
import { room } from '../../base/heap/slab.js'
import { chunkBytes, inlineValueBytesMax } from '../../base/limits/store.js'
import type { Program, ReadTx, Tx } from '../../store/store.js'
import { Elements } from '../../value/elements.js'
import type { Document } from '../../value/value.js'
import { chunkKey, type ValueId } from '../background/garbage.js'
import type { NamespaceId } from '../types.js'

const recordKind = { inline: 1, chunked: 2 } as const

/** kind u8, namespace u32, value number u64, document length u32. */
const headBytes = 17
/** Each chunk starts with the CRC-32C of the rest: pages of a store may have no checksum. */
const chunkHeadBytes = 4
/** Chunks read in one step: 1 MiB, to bound the memory of a paused reader. */
const chunksPerStep = 8
/** At most the bytes of a key's field before its value, and of the length that the value states. */
const fieldHeadBytesMax = 32

/** A record's reference to chunks. */
export interface ChunkedHead {
  readonly value: ValueId
  /** Bytes of the document. */
  readonly length: number
}

/** Whether a document is too large to be stored inline. */
export function needsChunks(document: Document): boolean {
  return document.length + 1 > inlineValueBytesMax
}

export function inlineRecord(document: Document): Bytes {
  const record = room(document.length + 1)
  record[0] = recordKind.inline
  record.set(document, 1)
  return record
}

export function chunkedRecord(head: ChunkedHead): Bytes {
  const record = new Uint8Array(headBytes)
  record[0] = recordKind.chunked
  const view = new DataView(record.buffer)
  view.setUint32(1, head.value.namespace)
  view.setBigUint64(5, BigInt(head.value.number))
  view.setUint32(13, head.length)
  return record
}

/** The head of a chunked record; undefined for an inline document. */
export function headOf(record: Bytes): ChunkedHead | undefined {
  if (record[0] !== recordKind.chunked) return undefined
  const view = new DataView(record.buffer, record.byteOffset, record.length)
  const namespace = view.getUint32(1) as NamespaceId
  return {
    value: { namespace, number: Number(view.getBigUint64(5)) },
    length: view.getUint32(13),
  }
}

/** Inline records are read without a generator. */
export function isWhole(record: Bytes): boolean {
  return headOf(record) === undefined
}

/** The document of an inline record: a view of it. */
export function bodyOf(record: Bytes): Document {
  return record.subarray(1)
}

/** The document of a record: a view of it, or assembled from its chunks. */
export function* documentOfRecord(tx: ReadTx, record: Bytes): Program<Document> {
  const head = headOf(record)
  if (head !== undefined) {
    const wait = tx.reply?.expects(head.length, mayWait(tx))
    if (wait !== undefined) yield* tx.elsewhere(wait)
    return yield* readChunks(tx, head, 0, partsOf(head.length))
  }
  assert(record[0] === recordKind.inline, 'a record is of a known kind')
  return record.subarray(1)
}

/** A read program waits; a write program throws NoReplyRoom if its sweep waits and reruns it. */
export function mayWait(tx: ReadTx | Tx): boolean {
  return !('scanOwn' in tx) || tx.isRunAgain === true
}

/**
 * Like documentOfRecord, but of a large document it reads only the first chunk and the last two;
 * zeros replace the rest. That covers the fields around one long value, and uses little memory.
 */
export function* endsOfRecord(tx: ReadTx, record: Bytes): Program<Document> {
  const head = headOf(record)
  if (head === undefined) return yield* documentOfRecord(tx, record)
  const document = new Uint8Array(head.length)
  const parts = partsOf(head.length)
  const read = [...new Set([0, Math.max(0, parts - 2), parts - 1])]
  const chunks = yield* tx.getMany(read.map((part) => chunkKey(head.value, part)))
  chunks.forEach((chunk, i) => {
    const part = read[i] as number
    placeChunk(document, part * chunkBytes, chunk, chunkLength(head, part))
  })
  return document
}

/**
 * Like endsOfRecord, for the document of a key, but only the first chunk if the long value is the
 * last one. Its end is known then, and is behind the bytes that are returned.
 */
export function* beginningOfRecord(tx: ReadTx, record: Bytes): Program<Document> {
  const head = headOf(record)
  if (head === undefined) return yield* documentOfRecord(tx, record)
  const beginning = yield* readChunks(tx, head, 0, 1)
  if (endsInValue(beginning, head.length)) return beginning
  return yield* endsOfRecord(tx, record)
}

/** Whether the last value of a key's document of so many bytes begins in its first chunk. */
function endsInValue(beginning: Bytes, length: number): boolean {
  const elements = new Elements(beginning)
  while (elements.valueEnd + fieldHeadBytesMax <= beginning.length && elements.next());
  return elements.valueEnd === length - 1
}

/** The bytes of a large document from one position to another (exclusive). */
export function* partOfDocument(
  tx: ReadTx,
  head: ChunkedHead,
  from: number,
  to: number,
): Program<Slice> {
  const first = Math.floor(from / chunkBytes)
  const bytes = yield* readChunks(tx, head, first, partsOf(to))
  const before = first * chunkBytes
  return new Slice(bytes, from - before, to - before)
}

/** Whether a record holds this document inline, byte for byte. */
export function isRecordOf(record: Bytes, document: Document): boolean {
  if (record.length !== document.length + 1 || record[0] !== recordKind.inline) return false
  return equalBytes(record.subarray(1), document)
}

/** Number of chunks of a document. */
export function partsOf(length: number): number {
  return Math.ceil(length / chunkBytes)
}

/** The stored form of one part of a document. */
export function chunkOf(document: Document, part: number): Bytes {
  const from = part * chunkBytes
  const to = Math.min(from + chunkBytes, document.length)
  const chunk = new Uint8Array(chunkHeadBytes + to - from)
  chunk.set(document.subarray(from, to), chunkHeadBytes)
  new DataView(chunk.buffer).setUint32(0, crc32c(document, from, to))
  return chunk
}

/** The chunks of a document from one to another (exclusive), at least one. */
function* readChunks(tx: ReadTx, head: ChunkedHead, begin: number, end: number): Program<Document> {
  const before = begin * chunkBytes
  const bytes = new Uint8Array(Math.min(end * chunkBytes, head.length) - before)
  for (let first = begin; first < end; first += chunksPerStep) {
    const keys: Bytes[] = []
    for (let part = first; part < Math.min(first + chunksPerStep, end); part++) {
      keys.push(chunkKey(head.value, part))
    }
    const chunks = yield* tx.getMany(keys)
    chunks.forEach((chunk, offset) => {
      const part = first + offset
      placeChunk(bytes, part * chunkBytes - before, chunk, chunkLength(head, part))
    })
  }
  return bytes
}

/** Bytes of the document in one of its chunks. */
function chunkLength(head: ChunkedHead, part: number): number {
  return Math.min(chunkBytes, head.length - part * chunkBytes)
}

function placeChunk(bytes: Bytes, at: number, chunk: Bytes | undefined, length: number): void {
  // Chunks outlive their record for longer than a read may keep one state (garbage-job.ts).
  if (chunk === undefined) {
    throw fail('SnapshotTooOld', 'a large document was replaced while it was being read')
  }
  const stored = new DataView(chunk.buffer, chunk.byteOffset, chunk.length).getUint32(0)
  const isWhole = chunk.length === length + chunkHeadBytes
  if (!isWhole || crc32c(chunk, chunkHeadBytes) !== stored) {
    throw fail('ChecksumMismatch', 'a part of a large document is damaged in the store')
  }
  bytes.set(chunk.subarray(chunkHeadBytes), at)
}
