// Documents of a collection: every change of one moves its record, its index entries and the counts
// in the transaction at hand, and looks for duplicates before it puts anything, so that a refused
// document leaves no trace. (facts: storage 2; 9, rules 8 and 13)

import { createHash } from 'node:crypto'
import type { Bytes } from '../base/bytes.js'
import { fail } from '../base/errors.js'
import {
  programRunsMax,
  recordKeyBytesMax,
  recordKeyPrefixBytes,
  sweepDocumentsMax,
} from '../base/limits.js'
import { keyClass } from '../store/layout.js'
import type { Program, ReadTx, Tx } from '../store/store.js'
import { type Sweep, writePhase } from '../store/sweep.js'
import { equalValues } from '../value/compare.js'
import { Elements, field } from '../value/elements.js'
import { KeyWriter } from '../value/key.js'
import { bsonType, type Document, objectIdValue, type Value } from '../value/value.js'
import { DocumentWriter } from '../value/writer.js'
import { countKey } from './catalog.js'
import {
  changeOf,
  duplicateId,
  hasUniqueKeys,
  idOf,
  keptEntries,
  markIndexes,
  needsMarks,
  putEntries,
  refuseDuplicates,
  removeEntries,
} from './entries.js'
import { discardValue } from './garbage.js'
import { entriesOf, entryHeadBytes } from './index-keys.js'
import { checkKeyDocument, isExpired, keyChanged } from './keyspace/guard.js'
import { documentOfRecord, headOf, needsChunks } from './records.js'
import { checkId, checkSize } from './shape.js'
import { discardUnused, recordOf, Staged, StagingNeeded } from './staging.js'
import type { Guarded, Namespace } from './types.js'

const writer = new KeyWriter()

/** The store key of the document with that `_id`; a long one keeps a prefix and a SHA-256. */
export function recordKey(ns: Namespace, id: Value): Bytes {
  const key = writer.reset().u8(keyClass.record).u32(ns.id).value(id).finish()
  if (key.length <= entryHeadBytes + recordKeyBytesMax) return key
  const hash = createHash('sha256').update(key.subarray(entryHeadBytes)).digest()
  const prefix = key.subarray(0, entryHeadBytes + recordKeyPrefixBytes)
  return writer.reset().bytes(prefix).bytes(hash).finish()
}

/** Whether a record key may stand for more ids than one, so that the stored `_id` decides. */
export function isHashedKey(key: Bytes): boolean {
  return key.length === entryHeadBytes + recordKeyBytesMax
}

/** The document under a record key; undefined where there is none. */
export function* getDocument(
  tx: ReadTx,
  _ns: Namespace,
  key: Bytes,
): Program<Document | undefined> {
  const record = yield* tx.get(key)
  return record === undefined ? undefined : yield* documentOfRecord(tx, record)
}

/** The document with that `_id`, compared with the stored one. */
export function* findById(tx: ReadTx, ns: Namespace, id: Value): Program<Document | undefined> {
  const key = recordKey(ns, id)
  const document = yield* getDocument(tx, ns, key)
  if (document === undefined || !isHashedKey(key)) return document
  const stored = field(document, '_id')
  return stored !== undefined && equalValues(stored, id) ? document : undefined
}

/**
 * Adds a document that has passed `withId`. `staged` is what stagedWrite hands its program; without
 * it a document of more than inlineValueBytesMax cannot be put. Throws DuplicateKey with keyPattern
 * and keyValue, and CannotIndexParallelArrays, before anything is put; what the buffer's bounds
 * refuse (TransactionTooLarge) must end the program.
 */
export function* insertDocument(
  tx: Tx,
  ns: Namespace,
  document: Document,
  staged?: Staged,
): Program<void> {
  const key = recordKey(ns, idOf(document))
  if (ns.keyspace === true) yield* admitKey(tx, ns, key, document)
  yield* insertRecord(tx, ns, key, document, staged)
  if (ns.keyspace === true) keyChanged(tx, key, undefined, document)
}

/** As insertDocument, of a document that may be anything; `key` is its record key. */
export function* insertRecord(
  tx: Tx,
  ns: Namespace,
  key: Bytes,
  document: Document,
  staged?: Staged,
): Program<void> {
  const kept = keptEntries(ns, document, key)
  if (hasUniqueKeys(kept)) yield* refuseDuplicates(tx, ns, document, key, kept, true)
  else if ((yield* tx.get(key)) !== undefined) throw duplicateId(ns, document)
  const record = recordOf(tx, ns.id, document, staged)
  if (needsMarks(kept)) yield* markIndexes(tx, ns, kept)
  tx.put(key, record)
  for (const { index, keys } of kept) putEntries(tx, index, keys, key)
  tx.add(countKey(ns.id), 1, document.length)
}

/**
 * Puts `after` in the place of `before`, which is the stored document under `key`; their `_id`s are
 * equal. Only entries that differ are written. Throws as insertDocument.
 */
export function* replaceDocument(
  tx: Tx,
  ns: Namespace,
  key: Bytes,
  before: Document,
  after: Document,
  staged?: Staged,
): Program<void> {
  if (ns.keyspace === true) checkKeyDocument(after, before)
  yield* replaceRecord(tx, ns, key, before, after, staged)
  if (ns.keyspace === true) keyChanged(tx, key, before, after)
}

/** As replaceDocument, of documents that may be anything. */
export function* replaceRecord(
  tx: Tx,
  ns: Namespace,
  key: Bytes,
  before: Document,
  after: Document,
  staged?: Staged,
): Program<void> {
  const old = keptEntries(ns, before, key)
  const kept = keptEntries(ns, after, key)
  const changes = kept.map((entries, i) => changeOf(entries, old[i]?.keys ?? []))
  const added = changes.map(({ index, added }) => ({ index, keys: added }))
  if (hasUniqueKeys(added)) yield* refuseDuplicates(tx, ns, after, key, added, false)
  const record = recordOf(tx, ns.id, after, staged)
  if (needsMarks(kept)) yield* markIndexes(tx, ns, kept)
  if (needsChunks(before)) yield* discardChunks(tx, key)
  tx.put(key, record)
  for (const { index, added, removed } of changes) {
    yield* removeEntries(tx, index, removed, key)
    putEntries(tx, index, added, key)
  }
  if (after.length !== before.length) tx.add(countKey(ns.id), 0, after.length - before.length)
}

/** Removes the document that is stored under `key`. */
export function* removeDocument(
  tx: Tx,
  ns: Namespace,
  key: Bytes,
  before: Document,
): Program<void> {
  yield* removeRecord(tx, ns, key, before)
  if (ns.keyspace === true) keyChanged(tx, key, before, undefined)
}

/** As removeDocument, leaving to the caller what belongs to a key beside its document. */
export function* removeRecord(tx: Tx, ns: Namespace, key: Bytes, before: Document): Program<void> {
  if (needsChunks(before)) yield* discardChunks(tx, key)
  tx.remove(key)
  for (const index of ns.indexes) {
    yield* removeEntries(tx, index, entriesOf(index, before, key).keys, key)
  }
  tx.add(countKey(ns.id), -1, -before.length)
}

/**
 * The document as it is stored: `_id` first, made with `makeId` (12 bytes) where it is missing, and
 * each top-level Timestamp(0, 0) but `_id` replaced by `serverTime()`, if that is given. The same
 * bytes where nothing has to change. Throws InvalidIdField, DollarPrefixedFieldName, BadValue (two
 * `_id`s), BSONObjectTooLarge.
 */
export function withId(
  document: Document,
  makeId: () => Bytes,
  serverTime?: () => Value,
): Document {
  const elements = new Elements(document)
  let id: Value | undefined
  let position = 0
  let idPosition = -1
  let isStamped = false
  for (; elements.next(); position++) {
    if (isIdName(document, elements)) {
      if (id !== undefined) {
        throw fail('BadValue', "can't have multiple _id fields in one document")
      }
      id = elements.value()
      idPosition = position
    } else if (serverTime !== undefined && isEmptyTimestamp(elements)) isStamped = true
  }
  if (id !== undefined) checkId(id)
  const isReady = idPosition === 0 && !isStamped
  const whole = isReady ? document : rebuild(document, id ?? objectIdValue(makeId()), serverTime)
  checkSize(whole)
  return whole
}

/**
 * One write program that may put documents of any size: `staged` is to be handed on to
 * insertDocument and replaceDocument. The program is run again whenever a large document had to be
 * staged first; where it ends with an error, or no longer needs what was staged, nothing is left.
 */
export function* stagedWrite<T>(program: (tx: Tx, staged: Staged) => Program<T>): Sweep<T> {
  const staged = new Staged()
  try {
    // A document that changes with every run (others keep changing it) must not stage for ever.
    for (let run = 0; run < sweepDocumentsMax + programRunsMax; run++) {
      try {
        return yield* writePhase((tx) => program(tx, staged))
      } catch (error) {
        if (!(error instanceof StagingNeeded)) throw error
        yield* error.stage(staged)
      }
    }
    throw fail('WriteConflict', 'a large document kept changing while it was being written')
  } finally {
    if (staged.isUsed) yield* writePhase((tx) => discardUnused(tx, staged))
  }
}

/** A key that a client inserts must be one; an expired one in its place is none. */
function* admitKey(tx: Tx & Guarded, ns: Namespace, key: Bytes, document: Document): Program<void> {
  checkKeyDocument(document)
  if (tx.now === undefined) return
  const before = yield* getDocument(tx, ns, key)
  if (before !== undefined && isExpired(before, tx.now)) yield* removeDocument(tx, ns, key, before)
}

/** Gives up the chunks of a large document that is about to go. */
function* discardChunks(tx: Tx, key: Bytes): Program<void> {
  const record = yield* tx.get(key)
  const head = record === undefined ? undefined : headOf(record)
  if (head !== undefined) discardValue(tx, head.value)
}

function rebuild(document: Document, id: Value, serverTime: (() => Value) | undefined): Document {
  const writer = new DocumentWriter()
  writer.value('_id', id)
  const elements = new Elements(document)
  while (elements.next()) {
    if (isIdName(document, elements)) continue
    if (serverTime !== undefined && isEmptyTimestamp(elements)) {
      writer.value(elements.name(), serverTime())
    } else writer.element(document, elements.start, elements.valueEnd)
  }
  return writer.finish()
}

function isIdName(document: Document, elements: Elements): boolean {
  const at = elements.nameStart
  return (
    elements.nameEnd - at === 3 &&
    document[at] === 0x5f &&
    document[at + 1] === 0x69 &&
    document[at + 2] === 0x64
  )
}

function isEmptyTimestamp(elements: Elements): boolean {
  if (elements.type !== bsonType.timestamp) return false
  return elements
    .value()
    .payload()
    .every((byte) => byte === 0)
}
