// Appends records of changes to the change log, in the program that makes the change. Callers check
// `ns.recorded` first, so collections without a watcher pay nothing. (docs/design/changes.md)

import type { Bytes } from '../../base/bytes/bytes.js'
import { room } from '../../base/heap/slab.js'
import { keyClass } from '../../store/layout.js'
import type { Program, Tx } from '../../store/store.js'
import { equalValues } from '../../value/compare.js'
import { field, fieldsOf } from '../../value/elements.js'
import {
  binaryValue,
  bsonType,
  type Document,
  documentValue,
  type Value,
  writeInt32,
} from '../../value/value.js'
import { type DocumentWriter, writeArray, writeDocument } from '../../value/writer.js'
import { holdChunks, holdValue, idRange } from '../background/garbage.js'
import { countOf } from '../collection/counters.js'
import { listedIdIndex } from '../collection/kinds/clustered.js'
import { headOf, inlineRecord } from '../collection/records.js'
import type { Guarded, Namespace, SessionTransaction } from '../types.js'
import { appendChange, type ChangeKind, encodeChange, kindByteOf } from './change-record.js'
import { updateDescription } from './difference.js'

const uuidSubtype = 4
const genericSubtype = 0

/** `stored` is the record of the collection: the document, or the head of its chunks. */
export function recordInsert(tx: Tx, ns: Namespace, document: Document, stored: Bytes): void {
  appendChange(tx, insertRecord(headOfChange(tx, ns), field(document, '_id') as Value, stored))
}

/** The fields that all records of a collection in a program begin with; the last one is kept. */
function headOfChange(tx: Tx & Guarded, ns: Namespace): Bytes {
  const { now, transaction } = tx
  const kept = lastHead?.ns === ns ? lastHead : undefined
  if (kept?.now === now && kept?.transaction === transaction && kept) return kept.bytes
  const body = writeDocument((out) => writeHead(out, tx, ns))
  const bytes = body.subarray(lengthBytes, -1)
  lastHead = { ns, now, transaction, bytes }
  return bytes
}

interface Head {
  readonly ns: Namespace
  readonly now: number | undefined
  readonly transaction: SessionTransaction | undefined
  readonly bytes: Bytes
}

let lastHead: Head | undefined

const lengthBytes = 4
/** `k` with `_id`, and the binary value `o`: types, names, lengths, subtype and ends. */
const keyElementBytes = 3 + lengthBytes + 5 + 1
const storedElementBytes = 3 + lengthBytes + 1

/** As encodeChange of an insert, written in place: loads insert many documents at once. */
function insertRecord(head: Bytes, id: Value, stored: Bytes): Bytes {
  const idBytes = id.end - id.start
  const keyBytes = keyElementBytes + idBytes
  const total = lengthBytes + head.length + keyBytes + storedElementBytes + stored.length + 1
  const out = room(total + 1)
  out[0] = kindByteOf('insert')
  writeInt32(out, 1, total)
  let at = 1 + lengthBytes
  out.set(head, at)
  at = writeName(out, at + head.length, bsonType.object, 0x6b)
  writeInt32(out, at, keyBytes - 3)
  at += lengthBytes
  out[at] = id.type
  out.set(idElementName, at + 1)
  at += 5
  out.set(id.bytes.subarray(id.start, id.end), at)
  at += idBytes
  out[at] = 0
  at = writeName(out, at + 1, bsonType.binary, 0x6f)
  writeInt32(out, at, stored.length)
  out[at + lengthBytes] = genericSubtype
  out.set(stored, at + lengthBytes + 1)
  out[total] = 0
  return out
}

/** `_id` and its end. */
const idElementName = Uint8Array.of(0x5f, 0x69, 0x64, 0)

/** Type and name of one letter; returns where the value begins. */
function writeName(out: Bytes, at: number, type: number, letter: number): number {
  out[at] = type
  out[at + 1] = letter
  out[at + 2] = 0
  return at + 3
}

/** `held` is the record of the old document if it was in chunks: the log keeps these. */
export function recordReplacement(
  tx: Tx,
  ns: Namespace,
  { before, after, isWhole }: Replaced,
  stored: Bytes,
  held: Bytes | undefined,
): void {
  append(
    tx,
    isWhole ? 'replace' : 'update',
    ns,
    (out) => {
      writeKey(out, before)
      if (isWhole) writeStored(out, 'o', stored)
      else out.document('u', updateDescription(before, after))
      if (ns.hasImages === true) {
        writeStored(out, 'b', held ?? inlineRecord(before))
        if (!isWhole) writeStored(out, 'a', stored)
      }
      writeHeld(tx, out, held)
    },
    heldBytesOf(held),
  )
}

interface Replaced {
  readonly before: Document
  readonly after: Document
  /** The client sent the whole new document. */
  readonly isWhole: boolean
}

export function recordRemoval(
  tx: Tx,
  ns: Namespace,
  before: Document,
  held: Bytes | undefined,
): void {
  append(
    tx,
    'delete',
    ns,
    (out) => {
      writeKey(out, before)
      if (ns.hasImages === true) writeStored(out, 'b', held ?? inlineRecord(before))
      writeHeld(tx, out, held)
    },
    heldBytesOf(held),
  )
}

export function recordCreation(tx: Tx, ns: Namespace): void {
  append(tx, 'create', ns, (out) => {
    out.openDocument('x')
    if (ns.view === undefined) out.document('idIndex', listedIdIndex(ns))
    copyFields(out, ns.options)
    out.close()
  })
}

export function recordDrop(tx: Tx, ns: Namespace): void {
  append(tx, 'drop', ns)
}

/** `specs`: of the indexes that are ready now, or gone. */
export function recordIndexes(
  tx: Tx,
  kind: 'createIndexes' | 'dropIndexes',
  ns: Namespace,
  specs: readonly Document[],
): void {
  if (ns.recorded !== true || specs.length === 0) return
  append(tx, kind, ns, (out) => {
    out
      .openDocument('x')
      .value('indexes', writeArray(specs.map(documentValue)))
      .close()
  })
}

/** A change by collMod; `index` is what it asks of an index. */
export function recordModification(
  tx: Tx,
  before: Namespace,
  after: Namespace,
  index: Document | undefined,
): void {
  if (after.recorded !== true) return
  append(tx, 'modify', after, (out) => {
    out.openDocument('x')
    if (index !== undefined) out.document('index', index)
    for (const [name, value] of fieldsOf(documentValue(after.options))) {
      const old = field(before.options, name)
      if (old === undefined || !equalValues(old, value)) out.value(name, value)
    }
    out.close()
    out.openDocument('s').openDocument('collectionOptions')
    out.binary('uuid', uuidSubtype, before.uuid)
    copyFields(out, before.options)
    out.close().close()
  })
}

function copyFields(out: DocumentWriter, document: Document): void {
  for (const [name, value] of fieldsOf(documentValue(document))) out.value(name, value)
}

/** All documents are gone at once: as after a drop, and the collection goes on. */
export function recordEmptying(tx: Tx, ns: Namespace): void {
  recordDrop(tx, ns)
  recordCreation(tx, ns)
}

/** Behind the drops of its collections. */
export function recordDropDatabase(tx: Tx & Guarded, db: string): void {
  const { now } = tx
  const record = encodeChange('dropDatabase', (out) => {
    out.string('d', db).string('c', '')
    if (now !== undefined) out.date('w', now)
  })
  appendChange(tx, record)
}

export function recordRename(
  tx: Tx,
  from: Namespace,
  to: Pick<Namespace, 'db' | 'name'>,
  dropped: Namespace | undefined,
): void {
  append(tx, 'rename', from, (out) => {
    out.openDocument('t').string('d', to.db).string('c', to.name)
    if (dropped !== undefined) out.value('i', binaryValue(uuidSubtype, dropped.uuid))
    out.close()
  })
}

/** Two key-value databases change their contents: three renames, by a name that is not in use. */
export function recordSwap(tx: Tx, a: Namespace, b: Namespace): void {
  if (a.recorded !== true && b.recorded !== true) return
  const aside = { ...a, name: `${a.name}.swapped` }
  recordRename(tx, a, aside, undefined)
  recordRename(tx, b, a, undefined)
  recordRename(tx, aside, b, undefined)
}

function append(
  tx: Tx & Guarded,
  kind: ChangeKind,
  ns: Namespace,
  fill?: (out: DocumentWriter) => void,
  heldBytes = 0,
): void {
  const record = encodeChange(kind, (out) => {
    writeHead(out, tx, ns)
    fill?.(out)
  })
  appendChange(tx, record, heldBytes)
}

function writeHead(out: DocumentWriter, { now, transaction }: Guarded, ns: Namespace): void {
  out.string('d', ns.db).string('c', ns.name)
  out.value('i', binaryValue(uuidSubtype, ns.uuid))
  if (now !== undefined) out.date('w', now)
  if (transaction !== undefined) {
    out.document('l', transaction.lsid).int64('n', transaction.txnNumber)
  }
  if (ns.view !== undefined) out.bool('v', true)
}

/** The chunks of an old document belong to the log now. */
function writeHeld(tx: Tx, out: DocumentWriter, held: Bytes | undefined): void {
  const head = held === undefined ? undefined : headOf(held)
  if (held === undefined || head === undefined) return
  holdValue(tx, head.value)
  writeStored(out, 'h', held)
}

function heldBytesOf(held: Bytes | undefined): number {
  return held === undefined ? 0 : (headOf(held)?.length ?? 0)
}

/**
 * Before the contents of a recorded collection are discarded: if some are in chunks, the log keeps
 * these, since its records refer to them. Returns whether it does.
 */
export function* keepChunks(tx: Tx, ns: Namespace): Program<boolean> {
  if (ns.recorded !== true) return false
  const [chunk] = yield* tx.scanOwn(idRange(keyClass.chunk, ns.id), 1)
  if (chunk === undefined) return false
  const { bytes } = yield* countOf(tx, ns)
  holdChunks(tx, ns.id)
  append(tx, 'hold', ns, (out) => out.int64('g', ns.id).int64('z', bytes), bytes)
  return true
}

function writeKey(out: DocumentWriter, document: Document): void {
  out.openDocument('k').value('_id', field(document, '_id') as Value)
  out.close()
}

function writeStored(out: DocumentWriter, name: string, stored: Bytes): void {
  out.binary(name, genericSubtype, stored)
}
