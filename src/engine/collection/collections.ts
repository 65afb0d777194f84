// Documents of a collection. A change updates record, index entries and counts in one transaction.
// It checks for duplicates before any put, so a refused document leaves no trace.
// (docs/design/storage.md, "Key space"; docs/design/transactions.md, rules 8 and 13)

import { createHash } from 'node:crypto'
import type { Bytes } from '../../base/bytes/bytes.js'
import { fail, hasKind } from '../../base/errors.js'
import { NoReplyRoom } from '../../base/heap/reply-room.js'
import { Unwinding } from '../../base/heap/unwinding.js'
import { cappedEvictionsMax } from '../../base/limits/documents.js'
import { stagingRunsMax } from '../../base/limits/engine.js'
import { recordKeyBytesMax, recordKeyPrefixBytes } from '../../base/limits/store.js'
import { work } from '../../base/work/work-budget.js'
import { idKeyEnd, keyClass } from '../../store/layout.js'
import { addCounts, zeroCount } from '../../store/programs/counters.js'
import type { Count, Program, ReadTx, Tx } from '../../store/store.js'
import { readPhase, type Sweep, writePhase } from '../../store/sweep.js'
import { equalValues } from '../../value/compare.js'
import { Elements, field, idName } from '../../value/elements.js'
import { KeyWriter } from '../../value/key.js'
import {
  bsonType,
  type Document,
  objectIdValue,
  stringValue,
  type Value,
} from '../../value/value.js'
import { DocumentWriter } from '../../value/writer.js'
import { discardValue } from '../background/garbage.js'
import { wasteOf } from '../background/waste.js'
import { recordInsert, recordRemoval, recordReplacement } from '../changes/record-changes.js'
import {
  type Change,
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
} from '../index/entries.js'
import { entriesOf, entryHeadBytes } from '../index/index-keys.js'
import { checkKeyDocument, isExpired, keyChanged } from '../keyspace/keys/guard.js'
import type { ObservedStore } from '../observed-store.js'
import type { Guarded, Namespace } from '../types.js'
import { findNamespace } from './catalog/catalog.js'
import { addDocuments, countOf } from './counters.js'
import type { Capped } from './kinds/capped-options.js'
import {
  type CappedNamespace,
  isCapped,
  isOver,
  nextSequence,
  putHead,
  readHead,
  requireFits,
  sequenceKey,
  sequenceOf,
} from './kinds/capped-order.js'
import { requireMeasurement } from './kinds/time-series.js'
import { MemberChanges } from './member-changes.js'
import { documentOfRecord, headOf, needsChunks } from './records.js'
import { checkId, checkSize } from './shape.js'
import { discardUnused, recordOf, requireStaged, Staged, StagingNeeded } from './staging.js'
import { checkDocument } from './validation.js'

/** Oldest documents of a capped collection that one eviction reads at once. */
const cappedEvictionPage = 16

const writer = new KeyWriter()

/**
 * The store key of the document with that `_id`, in a collection that is not capped. A long key is
 * a prefix and a SHA-256.
 */
export function recordKey(ns: Namespace, id: Value): Bytes {
  const key = writer.reset().u8(keyClass.record).u32(ns.id).value(id, false, ns.collation).finish()
  if (key.length <= entryHeadBytes + recordKeyBytesMax) return key
  const hash = createHash('sha256').update(key.subarray(entryHeadBytes)).digest()
  const prefix = key.subarray(0, entryHeadBytes + recordKeyPrefixBytes)
  return writer.reset().bytes(prefix).bytes(hash).finish()
}

/** Like recordKey, for a string `_id` in a collection without a collation. */
export function textKey(ns: Namespace, id: string): Bytes {
  const key = writer.reset().u8(keyClass.record).u32(ns.id).string(id).finish()
  const isLong = key.length > entryHeadBytes + recordKeyBytesMax
  return isLong ? recordKey(ns, stringValue(id)) : key
}

/** Whether several ids may share a record key, so that the stored `_id` must be compared. */
export function isHashedKey(key: Bytes): boolean {
  return key.length === entryHeadBytes + recordKeyBytesMax
}

/** The document under a record key; undefined if there is none. */
export function* getDocument(
  tx: ReadTx,
  _ns: Namespace,
  key: Bytes,
): Program<Document | undefined> {
  const record = yield* tx.get(key)
  return record === undefined ? undefined : yield* documentOfRecord(tx, record)
}

/** The document with that `_id`, verified against the stored one; not for capped collections. */
export function* findById(tx: ReadTx, ns: Namespace, id: Value): Program<Document | undefined> {
  const key = recordKey(ns, id)
  const document = yield* getDocument(tx, ns, key)
  if (document === undefined || !isHashedKey(key)) return document
  const stored = field(document, '_id')
  return stored !== undefined && equalValues(stored, id, ns.collation) ? document : undefined
}

/**
 * Inserts a document that has passed `withId`. `staged` comes from stagedWrite; without it,
 * documents above inlineValueBytesMax are refused. Throws DuplicateKey (with keyPattern and
 * keyValue) and CannotIndexParallelArrays before any put. If the buffer refuses a put
 * (TransactionTooLarge), the program must end.
 */
export function* insertDocument(
  tx: Tx,
  ns: Namespace,
  document: Document,
  staged?: Staged,
): Program<void> {
  if (isCapped(ns)) return yield* appendDocument(tx, ns, document, staged)
  if (ns.timeSeries !== undefined) return yield* addMeasurement(tx, ns, document, staged)
  const key = recordKey(ns, idOf(document))
  if (ns.keyspace === true) yield* admitKey(tx, ns, key, document)
  yield* insertRecord(tx, ns, key, document, staged)
  if (ns.keyspace === true) keyChanged(tx, ns, key, undefined, document)
}

/** Appends a document, and evicts the oldest ones that no longer fit. */
function* appendDocument(
  tx: Tx,
  ns: CappedNamespace,
  document: Document,
  staged: Staged | undefined,
): Program<void> {
  requireFits(ns.capped, document.length)
  const head = yield* readHead(tx, ns)
  const key = sequenceKey(ns.id, head.next)
  yield* insertRecord(tx, ns, key, document, staged)
  const appended = addCounts(appendedBy.get(tx) ?? zeroCount, {
    documents: 1,
    bytes: document.length,
  })
  appendedBy.set(tx, appended)
  try {
    const { first, isDone } = yield* evict(tx, ns, { first: head.first, end: key }, zeroCount)
    if (!isDone && staged !== undefined) throw new RoomNeeded(ns, appended)
    putHead(tx, ns.id, { first, next: nextSequence(head) })
  } catch (error) {
    const isAlone = appended.documents === 1 && staged !== undefined
    throw isAlone && hasKind(error, 'TransactionTooLarge') ? new RoomNeeded(ns, appended) : error
  }
}

/** Appends a measurement. Throws BadValue if it has no time. */
function* addMeasurement(
  tx: Tx,
  ns: Namespace,
  document: Document,
  staged: Staged | undefined,
): Program<void> {
  if (ns.timeSeries !== undefined) requireMeasurement(ns.timeSeries, document)
  const head = yield* readHead(tx, ns)
  yield* insertRecord(tx, ns, sequenceKey(ns.id, head.next), document, staged)
  putHead(tx, ns.id, { first: head.first, next: nextSequence(head) })
}

/** What each running program has appended: the space that a rerun needs. */
const appendedBy = new WeakMap<Tx, Count>()

/** Where the search for the oldest documents begins. */
interface Oldest {
  readonly first: number
  readonly end: Bytes
}

interface Evicted {
  /** No document has a smaller number. */
  readonly first: number
  /** Whether the remaining documents fit. */
  readonly isDone: boolean
}

/** Removes the oldest documents until `more` fits, or until the limit of one step. */
function* evict(tx: Tx, ns: CappedNamespace, oldest: Oldest, more: Count): Program<Evicted> {
  let { documents, bytes } = addCounts(yield* countOf(tx, ns), more)
  let { first } = oldest
  const { capped } = ns
  for (let removed = 0; isOver(capped, documents, bytes); ) {
    if (removed >= cappedEvictionsMax) return { first, isDone: false }
    const limit = pageOf(capped, documents)
    const start = sequenceKey(ns.id, first)
    const page = yield* tx.scanOwn({ start, end: oldest.end }, limit)
    for (const { key, value } of page) {
      if (!isOver(capped, documents, bytes) || removed >= cappedEvictionsMax) break
      const document = yield* documentOfRecord(tx, value)
      removed += 1 + (yield* removeRecord(tx, ns, key, document))
      documents--
      bytes -= document.length
      first = (sequenceOf(key) ?? first) + 1
    }
    if (page.length < limit) break
  }
  return { first, isDone: true }
}

/**
 * How many of the oldest documents to read: the excess number, or a page if bytes are the limit.
 */
function pageOf({ documentsMax }: Capped, documents: number): number {
  const tooMany = documentsMax === undefined ? 0 : documents - documentsMax
  return Math.max(1, Math.min(tooMany, cappedEvictionPage))
}

/**
 * Thrown by a program that would have to evict more than its limit. A sweep first makes room for
 * everything it has appended, none of which is refused for another reason.
 */
class RoomNeeded extends Unwinding {
  constructor(
    private readonly ns: Namespace,
    private readonly appended: Count,
  ) {
    super('old documents have to go first')
  }

  *make(): Sweep<void> {
    while (yield* writePhase((tx) => this.step(tx)));
  }

  /** Returns whether more must be removed. */
  private *step(tx: Tx): Program<boolean> {
    const ns = yield* findNamespace(tx, this.ns.db, this.ns.name)
    if (ns === undefined || ns.id !== this.ns.id || !isCapped(ns)) return false
    const head = yield* readHead(tx, ns)
    const oldest = { first: head.first, end: idKeyEnd(keyClass.record, ns.id) }
    const { first, isDone } = yield* evict(tx, ns, oldest, this.appended)
    putHead(tx, ns.id, { first, next: head.next })
    return !isDone
  }
}

/** Like insertDocument, for any document; `key` is its record key. */
export function* insertRecord(
  tx: Tx,
  ns: Namespace,
  key: Bytes,
  document: Document,
  staged?: Staged,
): Program<void> {
  if (ns.validation !== undefined) checkDocument(tx, ns, ns.validation, document)
  const kept = keptEntries(ns, document, key)
  if (hasUniqueKeys(kept)) yield* refuseDuplicates(tx, ns, document, key, kept, true)
  else if ((yield* tx.get(key)) !== undefined) throw duplicateId(ns, document)
  const record = recordOf(tx, ns.id, document, staged)
  if (needsMarks(kept, kept)) yield* markIndexes(tx, ns, kept, kept)
  tx.put(key, record)
  for (const { index, keys } of kept) putEntries(tx, ns.access, index, keys, key)
  addDocuments(tx, ns, 1, document.length)
  if (ns.recorded === true) recordInsert(tx, ns, document, record)
}

/**
 * Replaces `before`, the stored document under `key`, by `after`; their `_id`s are equal. Writes
 * only entries that differ. `isWhole`: the client sent the whole new document, which change streams
 * show as a replacement. Throws like insertDocument.
 */
export function* replaceDocument(
  tx: Tx,
  ns: Namespace,
  key: Bytes,
  before: Document,
  after: Document,
  staged?: Staged,
  isWhole = false,
): Program<void> {
  if (ns.keyspace === true) checkKeyDocument(after, before)
  if (ns.timeSeries !== undefined) requireMeasurement(ns.timeSeries, after)
  yield* replaceRecord(tx, ns, key, before, after, staged, isWhole)
  if (ns.keyspace === true) keyChanged(tx, ns, key, before, after)
}

const noChanges: readonly Change[] = []

/** Like replaceDocument, for any document. */
export function* replaceRecord(
  tx: Tx,
  ns: Namespace,
  key: Bytes,
  before: Document,
  after: Document,
  staged?: Staged,
  isWhole = false,
): Program<void> {
  if (ns.validation !== undefined) checkDocument(tx, ns, ns.validation, after, before)
  const changes = ns.indexes.length === 0 ? noChanges : yield* changesOf(tx, ns, key, before, after)
  const record = recordOf(tx, ns.id, after, staged)
  const held = needsChunks(before) ? yield* discardChunks(tx, ns, key) : undefined
  tx.put(key, record)
  for (const { index, added, removed } of changes) {
    yield* removeEntries(tx, ns.access, index, removed, key)
    putEntries(tx, ns.access, index, added, key)
  }
  if (after.length !== before.length) addDocuments(tx, ns, 0, after.length - before.length)
  if (ns.recorded === true) recordReplacement(tx, ns, { before, after, isWhole }, record, held)
}

/** The entry changes of replacing `before` by `after`; not put yet. */
function* changesOf(
  tx: Tx,
  ns: Namespace,
  key: Bytes,
  before: Document,
  after: Document,
): Program<readonly Change[]> {
  const old = work.unrefused(() => keptEntries(ns, before, key))
  const kept = keptEntries(ns, after, key)
  const changes = kept.map((entries, i) => changeOf(entries, old[i]?.keys ?? []))
  const added = changes.map(({ index, added }) => ({ index, keys: added }))
  if (hasUniqueKeys(added)) yield* refuseDuplicates(tx, ns, after, key, added, false)
  if (needsMarks(kept, added)) yield* markIndexes(tx, ns, kept, added)
  return changes
}

/** Removes the document stored under `key`. */
export function* removeDocument(
  tx: Tx,
  ns: Namespace,
  key: Bytes,
  before: Document,
): Program<void> {
  yield* removeRecord(tx, ns, key, before)
  if (ns.keyspace === true) keyChanged(tx, ns, key, before, undefined)
}

/**
 * Like removeDocument, but the caller removes a key's members and expiry. Returns the number of
 * entries.
 */
export function* removeRecord(
  tx: Tx,
  ns: Namespace,
  key: Bytes,
  before: Document,
): Program<number> {
  const held = needsChunks(before) ? yield* discardChunks(tx, ns, key) : undefined
  tx.remove(key)
  let entries = 0
  for (const index of ns.indexes) {
    const { keys } = work.unrefused(() => entriesOf(index, before, key))
    yield* removeEntries(tx, ns.access, index, keys, key)
    entries += keys.length
  }
  addDocuments(tx, ns, -1, -before.length)
  if (ns.recorded === true) recordRemoval(tx, ns, before, held)
  return entries
}

/**
 * The document in stored form: `_id` first, created with `makeId` (12 bytes) if missing. If
 * `serverTime` is given, it replaces each top-level Timestamp(0, 0) except `_id`. Returns the same
 * bytes if nothing changes. Throws InvalidIdField, DollarPrefixedFieldName, BadValue (two `_id`s),
 * BSONObjectTooLarge.
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
    if (elements.nameIs(idName)) {
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
 * Runs a write program that may put documents of any size; it passes `staged` to insertDocument and
 * replaceDocument. The program runs again whenever a large document had to be staged first. If it
 * fails, or no longer needs a staged value, nothing is left behind. With `store`, staged members
 * whose source others change meanwhile can be brought up to date.
 */
export function* stagedWrite<T>(
  program: (tx: Tx, staged: Staged) => Program<T>,
  store?: ObservedStore,
): Sweep<T> {
  const others = store && MemberChanges.of(store)
  const staged = new Staged(others)
  try {
    // The limit prevents endless staging of a document that clients change before every rerun.
    for (let run = 0; run < stagingRunsMax; run++) {
      try {
        return yield* writePhase((tx) => withStaged(tx, staged, program))
      } catch (error) {
        if (error instanceof RoomNeeded) yield* error.make()
        else if (error instanceof StagingNeeded) yield* error.stage(staged)
        else if (error instanceof NoReplyRoom) yield* readPhase((tx) => replyRoom(tx, error.bytes))
        else throw error
      }
    }
    throw fail('WriteConflict', 'a large document kept changing while it was being written')
  } finally {
    others?.end()
    if (staged.isUsed) yield* writePhase((tx) => discardUnused(tx, staged))
  }
}

function* withStaged<T>(
  tx: Tx,
  staged: Staged,
  program: (tx: Tx, staged: Staged) => Program<T>,
): Program<T> {
  if (staged.isUsed) yield* requireStaged(tx, staged)
  tx.isRunAgain = true
  return yield* program(tx, staged)
}

/** Waits until a reply may hold so many bytes. */
function* replyRoom(tx: ReadTx, bytes: number): Program<void> {
  const wait = tx.reply?.expects(bytes, true)
  if (wait !== undefined) yield* tx.elsewhere(wait)
}

/** Validates a key document that a client inserts; an expired key in its place is removed. */
function* admitKey(tx: Tx & Guarded, ns: Namespace, key: Bytes, document: Document): Program<void> {
  checkKeyDocument(document)
  if (tx.now === undefined) return
  const before = yield* getDocument(tx, ns, key)
  if (before !== undefined && isExpired(before, tx.now)) yield* removeDocument(tx, ns, key, before)
}

/**
 * Discards the chunks of a large document before its removal. In a recorded collection the change
 * log takes them over: the record is returned, for the log.
 */
function* discardChunks(
  tx: Tx,
  { access, recorded }: Namespace,
  key: Bytes,
): Program<Bytes | undefined> {
  const record = yield* tx.get(key)
  const head = record === undefined ? undefined : headOf(record)
  if (head === undefined) return undefined
  if (recorded === true) return record
  discardValue(tx, head.value, wasteOf(access, head.length))
  return undefined
}

function rebuild(document: Document, id: Value, serverTime: (() => Value) | undefined): Document {
  const writer = new DocumentWriter()
  writer.value('_id', id)
  if (serverTime === undefined) return writer.elementsBut(document, idName).finish()
  const elements = new Elements(document)
  while (elements.next()) {
    if (elements.nameIs(idName)) continue
    if (isEmptyTimestamp(elements)) {
      writer.value(elements.name(), serverTime())
    } else writer.element(document, elements.start, elements.valueEnd)
  }
  return writer.finish()
}

function isEmptyTimestamp(elements: Elements): boolean {
  if (elements.type !== bsonType.timestamp) return false
  return elements
    .value()
    .payload()
    .every((byte) => byte === 0)
}
