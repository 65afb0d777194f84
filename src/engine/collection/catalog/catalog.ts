// The catalog: which collections exist, under which ids. A descriptor is one record of class 0x01,
// read by name in the transaction that uses it. Ids come from a counter and are never reused, so a
// rename moves no data and a drop only leaves ranges to delete. (docs/design/storage.md, "Key
// space"; docs/design/transactions.md, rule 6)

import { type Bytes, concatBytes } from '../../../base/bytes/bytes.js'
import { fail } from '../../../base/errors.js'
import { scanEntriesMax } from '../../../base/limits/engine.js'
import type { Program, ReadTx, Tx } from '../../../store/store.js'
import type { Document } from '../../../value/value.js'
import { discardKeyspace, discardNamespace } from '../../background/garbage.js'
import { noWaste, wasteOf } from '../../background/waste.js'
import {
  keepChunks,
  recordCreation,
  recordDrop,
  recordEmptying,
  recordRename,
} from '../../changes/record-changes.js'
import { isCovered } from '../../changes/recording.js'
import { collationOf } from '../../index/index-options.js'
import { initialIndexes } from '../../index/initial-indexes.js'
import type {
  Access,
  Guarded,
  IndexDescriptor,
  IndexId,
  Namespace,
  NamespaceId,
  PrivacyMode,
} from '../../types.js'
import { countOf, giveBackIndexes, giveBackSpace, moveSpace } from '../counters.js'
import { giveUpIndex } from '../given-up.js'
import { cappedOf } from '../kinds/capped-options.js'
import { emptyHead, headKey, isSequenced, putHead } from '../kinds/capped-order.js'
import { missingTables } from '../kinds/collation-tables.js'
import { imagesOf } from '../kinds/image-options.js'
import { timeSeriesOf } from '../kinds/time-series-options.js'
import { definitionIn } from '../kinds/view-options.js'
import { validationOf } from '../validation.js'
import { allocateId, takeId } from './catalog-ids.js'
import { nameOfId, putIndex, removeId, removeIndex, removeReach } from './catalog-index.js'
import { listRange, nameOfKey, namespaceKey, reservedKey } from './catalog-keys.js'
import { claimDatabase, releaseDatabase } from './databases.js'
import { decodeNamespace, emptyDocument, encodeNamespace } from './descriptors.js'
import { addHolding, moveHolding, replacementPrefix, requireHolding } from './holdings.js'
import { accessIn, keyspaceIndex, requireOwnSpace } from './homes.js'
import { checkNamespaceName, requireWritableName } from './names.js'
import { findReserved, release, reserve } from './reservations.js'

export interface CreateOptions {
  /** EIP-55 address, or null if the operator creates it. */
  readonly owner: string | null
  /** The service user that creates it, `name@database`; no wallet can claim it. */
  readonly madeBy?: string
  readonly mode: PrivacyMode
  /** Milliseconds since 1970. */
  readonly now: number
  /** 16 bytes. */
  readonly uuid: Bytes
  /** What listCollections echoes. */
  readonly options: Document
}

/** The collection of that name; undefined if there is none. `throughView`: a view reads it. */
export function* findNamespace(
  tx: ReadTx & Guarded,
  db: string,
  name: string,
  throughView = false,
): Program<Namespace | undefined> {
  tx.permits?.(db, name, throughView)
  const bytes = yield* tx.get(namespaceKey(db, name))
  if (bytes === undefined) return undefined
  const ns = decodeNamespace(db, name, bytes)
  const missing = missingTables(ns)
  if (missing !== undefined) yield* tx.elsewhere(missing)
  return ns
}

/** The current collection of a name that this command, or a view for it, found before. */
export function findAgain(
  tx: ReadTx & Guarded,
  { db, name }: Namespace,
): Program<Namespace | undefined> {
  return findNamespace(tx, db, name, true)
}

/** The collection with that id, even after a rename. */
export function* findNamespaceById(tx: ReadTx, id: number): Program<Namespace | undefined> {
  const found = yield* nameOfId(tx, id)
  if (found === undefined) return undefined
  const bytes = yield* tx.get(namespaceKey(found.db, found.name))
  if (bytes === undefined) return undefined
  const ns = decodeNamespace(found.db, found.name, bytes)
  if (ns.id !== id) return undefined
  const missing = missingTables(ns)
  if (missing !== undefined) yield* tx.elsewhere(missing)
  return ns
}

/**
 * Creates an empty collection; a reserved name gives it to the holder. Throws NamespaceExists,
 * InvalidNamespace (invalid or internal name) and DatabaseDifferCase.
 */
export function* createNamespace(
  tx: Tx & Guarded,
  db: string,
  name: string,
  options: CreateOptions,
): Program<Namespace> {
  checkNamespaceName(db, name)
  requireWritableName(db, name)
  return yield* createAnyNamespace(tx, db, name, options)
}

/** Like createNamespace, but also allows internal names. */
export function* createAnyNamespace(
  tx: Tx & Guarded,
  db: string,
  name: string,
  options: CreateOptions,
): Program<Namespace> {
  const existing = yield* findNamespace(tx, db, name)
  if (existing !== undefined) {
    const what = existing.view === undefined ? 'Collection' : 'A view'
    throw fail('NamespaceExists', `${what} already exists. NS: ${db}.${name}`)
  }
  yield* claimDatabase(tx, db)
  const reserved = yield* findReserved(tx, db, name)
  if (reserved !== undefined) tx.remove(reservedKey(db, name))
  const id = (yield* allocateId(tx)) as NamespaceId
  requireOwnSpace(db, name, options.owner)
  const keyspace = isKeyspace(name, options.options)
  const capped = cappedOf(options.options)
  const collation = collationOf(options.options)
  const timeSeries = timeSeriesOf(options.options)
  if (capped !== undefined || timeSeries !== undefined) putHead(tx, id, emptyHead)
  const ns: Namespace = {
    id,
    db,
    name,
    version: 1,
    createdAt: Math.floor(options.now / 1000),
    uuid: options.uuid,
    access: reserved ?? accessIn(db, newAccess(options, keyspace)),
    indexes: yield* makeIndexes(tx, options.options),
    options: options.options,
    ...(collation === undefined ? {} : { collation }),
    ...(capped === undefined ? {} : { capped }),
    ...(timeSeries === undefined ? {} : { timeSeries }),
    ...validationOf(options.options),
    ...definitionIn(options.options),
    ...(keyspace ? { keyspace } : {}),
    ...((yield* isCovered(tx, db, name)) ? { recorded: true } : {}),
    ...imagesOf(options.options),
  }
  yield* requireHolding(tx, ns.access, name)
  addHolding(tx, ns, 1)
  putNamespace(tx, ns)
  if (ns.recorded === true) recordCreation(tx, ns)
  return ns
}

function newAccess({ owner, mode, madeBy }: CreateOptions, isKeyspace: boolean): Access {
  const made = madeBy === undefined ? {} : { isSettled: true as const, madeBy }
  // Keys are private until the owner changes that: DEFAULT_PRIVACY applies to documents.
  if (isKeyspace) return { owner, mode: 'private', roles: {}, isSettled: true, ...made }
  return { owner, mode, roles: {}, ...made }
}

/**
 * Whether the name is that of a key-value database. Throws InvalidOptions if the options do not
 * allow one.
 */
function isKeyspace(name: string, options: Document): boolean {
  if (keyspaceIndex(name) === undefined) return false
  const isOther = [cappedOf(options), timeSeriesOf(options), definitionIn(options).view]
  if (isOther.every((each) => each === undefined)) return true
  throw fail('InvalidOptions', `'${name}' is the name of a key-value database`)
}

function putNamespace(tx: Tx, ns: Namespace): void {
  tx.put(namespaceKey(ns.db, ns.name), encodeNamespace(ns))
  putIndex(tx, ns)
}

/** Creates the initial indexes of a collection. */
function* makeIndexes(tx: Tx, options: Document): Program<IndexDescriptor[]> {
  const indexes: IndexDescriptor[] = []
  for (const index of initialIndexes(options)) {
    indexes.push(index((yield* allocateId(tx)) as IndexId))
  }
  return indexes
}

/** The collection, created if missing. Throws like createNamespace, except NamespaceExists. */
export function* ensureNamespace(
  tx: Tx & Guarded,
  db: string,
  name: string,
  options: CreateOptions,
): Program<Namespace> {
  const existing = yield* findNamespace(tx, db, name)
  return existing ?? (yield* createNamespace(tx, db, name, options))
}

/**
 * Puts a changed descriptor and returns it as stored, with a raised version. `ns` must derive from
 * what this program has read.
 */
export function saveNamespace(tx: Tx, ns: Namespace): Namespace {
  const saved = { ...ns, version: ns.version + 1 }
  putNamespace(tx, saved)
  return saved
}

/** Like saveNamespace, with a new access; removes the previous access from listings. */
export function* saveAccess(tx: Tx, ns: Namespace, access: Access): Program<Namespace> {
  yield* moveSpace(tx, ns, access)
  removeReach(tx, ns, ns.access)
  moveHolding(tx, ns, { name: ns.name, access })
  return saveNamespace(tx, { ...ns, access })
}

/**
 * Removes the collection; a job deletes its contents later. Unless `released`, its name stays
 * reserved with owner, mode and roles. Permanent collections are emptied and lose their indexes.
 * Unless `told`, the caller records the change in the change log.
 */
export function* dropNamespace(
  tx: Tx & Guarded,
  ns: Namespace,
  released = false,
  told = true,
): Program<void> {
  for (const index of ns.indexes) yield* giveUpIndex(tx, ns.access, index.id)
  if (ns.keyspace === true && ns.isPermanent === true) {
    yield* giveBackIndexes(tx, ns.access, ns.indexes)
    yield* emptyKeyspace(tx, { ...ns, indexes: [], options: emptyDocument })
    return
  }
  if (ns.recorded === true && told) recordDrop(tx, ns)
  const keepsChunks = yield* keepChunks(tx, ns)
  const waste = wasteOf(ns.access, yield* giveBackSpace(tx, ns))
  if (ns.keyspace === true) discardKeyspace(tx, ns.id, waste, keepsChunks)
  else discardNamespace(tx, ns.id, waste, keepsChunks)
  removeIndex(tx, ns)
  if (isSequenced(ns)) tx.remove(headKey(ns.id))
  if (ns.isPermanent === true) {
    const id = (yield* allocateId(tx)) as NamespaceId
    saveNamespace(tx, { ...ns, id, indexes: [] })
    return
  }
  tx.remove(namespaceKey(ns.db, ns.name))
  addHolding(tx, ns, -1)
  if (ns.access.owner !== null && !released) reserve(tx, ns.db, ns.name, ns.access)
  yield* releaseDatabase(tx, ns.db)
}

/** Removes the record of an empty key-value database. */
export function* removeKeyspace(tx: Tx, ns: Namespace): Program<void> {
  tx.remove(namespaceKey(ns.db, ns.name))
  removeIndex(tx, ns)
  discardKeyspace(tx, ns.id, noWaste, yield* keepChunks(tx, ns))
  yield* releaseDatabase(tx, ns.db)
}

/** Empties a key-value database at once; its indexes, owner and mode stay. */
export function* emptyKeyspace(tx: Tx, ns: Namespace): Program<Namespace> {
  if (ns.recorded === true) recordEmptying(tx, ns)
  const keepsChunks = yield* keepChunks(tx, ns)
  discardKeyspace(tx, ns.id, wasteOf(ns.access, yield* giveBackSpace(tx, ns)), keepsChunks)
  removeId(tx, ns.id)
  const indexes: IndexDescriptor[] = []
  for (const index of ns.indexes) {
    yield* giveUpIndex(tx, ns.access, index.id)
    const id = (yield* allocateId(tx)) as typeof index.id
    const multikey = index.multikey.map(() => false)
    indexes.push({ ...index, id, multikey, inexact: false })
  }
  return saveNamespace(tx, { ...ns, id: (yield* allocateId(tx)) as NamespaceId, indexes })
}

/**
 * Renames a collection, perhaps into another database; contents, indexes, access and uuid stay.
 * Throws IllegalOperation, NamespaceExists (unless `dropTarget`), InvalidNamespace.
 */
export function* renameNamespace(
  tx: Tx & Guarded,
  ns: Namespace,
  db: string,
  name: string,
  dropTarget: boolean,
): Program<Namespace> {
  checkNamespaceName(db, name)
  requireWritableName(db, name)
  if (ns.db === db && ns.name === name) {
    throw fail('IllegalOperation', "Can't rename a collection to itself")
  }
  const target = yield* findNamespace(tx, db, name)
  requireMovable(ns)
  if (target !== undefined) requireMovable(target)
  if (target !== undefined) {
    if (!dropTarget) throw fail('NamespaceExists', 'target namespace exists')
    yield* dropNamespace(tx, target, true, false)
  }
  const kept = target === undefined ? yield* accessUnder(tx, db, name, ns) : ns.access
  const access = accessIn(db, kept)
  // A replacement collection is counted only when it takes its final name.
  if (ns.name.startsWith(replacementPrefix)) yield* requireHolding(tx, access, name)
  moveHolding(tx, ns, { name, access })
  yield* moveSpace(tx, ns, access)
  tx.remove(namespaceKey(ns.db, ns.name))
  removeIndex(tx, ns)
  yield* claimDatabase(tx, db)
  const renamed = yield* saveRenamed(tx, ns, { ...ns, db, name, access }, target)
  if (ns.db !== db) yield* releaseDatabase(tx, ns.db)
  return renamed
}

/** Puts the collection under its new name, and records that: whether it is recorded may change. */
function* saveRenamed(
  tx: Tx,
  from: Namespace,
  to: Namespace,
  dropped: Namespace | undefined,
): Program<Namespace> {
  const { recorded, ...rest } = to
  const isRecorded = to.hasImages === true || (yield* isCovered(tx, to.db, to.name))
  const renamed = saveNamespace(tx, isRecorded ? { ...rest, recorded: true } : rest)
  if (isRecorded || recorded === true) recordRename(tx, from, renamed, dropped)
  return renamed
}

/** Moves a collection into a home, under its name, which is free there; contents and uuid stay. */
export function* moveNamespace(tx: Tx, ns: Namespace, db: string): Program<Namespace> {
  tx.remove(namespaceKey(ns.db, ns.name))
  removeIndex(tx, ns)
  yield* claimDatabase(tx, db)
  const access = accessIn(db, ns.access)
  moveHolding(tx, ns, { name: ns.name, access })
  return yield* saveRenamed(tx, ns, { ...ns, db, access }, undefined)
}

/** Throws IllegalOperation for a permanent collection, which keeps its name. */
export function requireMovable(ns: Namespace): void {
  if (isFixed(ns)) throw fail('IllegalOperation', 'a key-value database keeps its name')
}

/**
 * The access of a collection under a name that may be reserved: the holder of a reservation owns
 * it.
 */
function* accessUnder(tx: Tx, db: string, name: string, ns: Namespace): Program<Access> {
  const reserved = yield* findReserved(tx, db, name)
  if (reserved === undefined) return ns.access
  release(tx, db, name)
  return reserved.owner === ns.access.owner ? ns.access : reserved
}

/** Whether name and owner are fixed from the first start. */
function isFixed({ keyspace, isPermanent }: Namespace): boolean {
  return keyspace === true || isPermanent === true
}

/** All collections, or those of one database, by name in byte order. */
export function* listNamespaces(tx: ReadTx & Guarded, db?: string): Program<Namespace[]> {
  const found: Namespace[] = []
  let { start, end } = listRange(db)
  for (;;) {
    const entries = yield* tx.scan({ start, end }, scanEntriesMax)
    for (const { key, value } of entries) {
      const [ofDb, name] = nameOfKey(key)
      found.push(decodeNamespace(ofDb, name, value))
    }
    const last = entries.at(-1)
    if (last === undefined || entries.length < scanEntriesMax) return found
    start = concatBytes(last.key, Uint8Array.of(0))
  }
}

/** At most `limit` collections from a catalog key on, each with its key; in a write program. */
export function* namespacesFrom(
  tx: Tx,
  from: Bytes | undefined,
  limit: number,
): Program<{ key: Bytes; ns: Namespace }[]> {
  const { start, end } = listRange(undefined)
  const entries = yield* tx.scanOwn({ start: from ?? start, end }, limit)
  return entries.map(({ key, value }) => {
    const [db, name] = nameOfKey(key)
    return { key, ns: decodeNamespace(db, name, value) }
  })
}

/** Like listNamespaces, without empty key-value databases, which do not count as created. */
export function* shownNamespaces(tx: ReadTx & Guarded, db?: string): Program<Namespace[]> {
  return yield* showable(tx, yield* listNamespaces(tx, db))
}

/** The collections that listings show. */
function* showable(tx: ReadTx, all: readonly Namespace[]): Program<Namespace[]> {
  const shown: Namespace[] = []
  for (const ns of all) if (yield* isShown(tx, ns)) shown.push(ns)
  return shown
}

/** Whether listings show the collection. */
export function* isShown(tx: ReadTx, ns: Namespace): Program<boolean> {
  if (ns.name.startsWith(replacementPrefix)) return false
  const hasOwnIndexes = ns.indexes.length > 0 && ns.access.isGraph !== true
  if (!isFixed(ns) || hasOwnIndexes) return true
  return (yield* countOf(tx, ns)).documents > 0
}

/**
 * Puts the descriptor of a key-value database whose first keys used an id from foreseeId. `last` is
 * the last id used this way.
 */
export function* putForeseen(
  tx: Tx,
  ns: Namespace,
  last: number,
  makingHome?: Guarded['makingHome'],
): Program<void> {
  yield* claimDatabase(tx, ns.db, makingHome)
  tx.remove(reservedKey(ns.db, ns.name))
  takeId(tx, ns.id, last)
  putNamespace(tx, ns)
}
