// The catalog: which collections exist, under which ids. A descriptor is one record of class 0x01,
// found by name in the transaction that uses it. Ids come from a counter record and are never used
// twice, so that a rename moves nothing and a drop leaves only ranges behind.
// (docs/design/storage.md, "Key space"; docs/design/transactions.md, rule 6)

import { type Bytes, concatBytes, textOf, utf8 } from '../../base/bytes.js'
import { assert, fail, type GatewayError } from '../../base/errors.js'
import { databaseNameBytesMax, namespaceBytesMax, scanEntriesMax } from '../../base/limits.js'
import { keyClass } from '../../store/layout.js'
import type { KeyRange, Program, ReadTx, Tx } from '../../store/store.js'
import type { Document } from '../../value/value.js'
import { discardIndex, discardKeyspace, discardNamespace } from '../background/garbage.js'
import { collationOf } from '../index/index-options.js'
import { initialIndexes } from '../index/initial-indexes.js'
import type {
  Access,
  Guarded,
  IndexDescriptor,
  IndexId,
  MembersId,
  Namespace,
  NamespaceId,
  PrivacyMode,
} from '../types.js'
import { cappedOf } from './capped-options.js'
import { emptyHead, headKey, isSequenced, putHead } from './capped-order.js'
import { countOf, giveBackIndexes, giveBackSpace, moveSpace } from './counters.js'
import {
  decodeAccess,
  decodeNamespace,
  emptyDocument,
  encodeAccess,
  encodeNamespace,
  graphPrefix,
  payerOf,
} from './descriptors.js'
import { timeSeriesOf } from './time-series-options.js'
import { validationOf } from './validation.js'
import { definitionIn } from './view-options.js'

/** Second byte of a catalog key. */
const kind = { counter: 0x00, namespace: 0x01, database: 0x02, reserved: 0x03 } as const

const nextIdKey = Uint8Array.of(keyClass.catalog, kind.counter, 0x01)
const nextValueKey = Uint8Array.of(keyClass.catalog, kind.counter, 0x02)
const nextMembersKey = Uint8Array.of(keyClass.catalog, kind.counter, 0x03)
const u32Max = 0xffff_ffff

export interface CreateOptions {
  /** EIP-55 address, or null where an operator makes it. */
  readonly owner: string | null
  /** The service user that makes it, `name@database`: no wallet can claim it. */
  readonly madeBy?: string
  readonly mode: PrivacyMode
  /** Milliseconds since 1970. */
  readonly now: number
  /** 16 bytes. */
  readonly uuid: Bytes
  /** What listCollections echoes. */
  readonly options: Document
}

/**
 * The collection of that name in this transaction; undefined where there is none. `throughView`: it
 * is a view that reads it.
 */
export function* findNamespace(
  tx: ReadTx & Guarded,
  db: string,
  name: string,
  throughView = false,
): Program<Namespace | undefined> {
  tx.permits?.(db, name, throughView)
  const bytes = yield* tx.get(namespaceKey(db, name))
  return bytes === undefined ? undefined : decodeNamespace(db, name, bytes)
}

/** What has the name of a collection now that this command, or a view for it, found before. */
export function findAgain(
  tx: ReadTx & Guarded,
  { db, name }: Namespace,
): Program<Namespace | undefined> {
  return findNamespace(tx, db, name, true)
}

/** The collection of that id, wherever a rename has put it. Reads the whole catalog: for jobs. */
export function* findNamespaceById(tx: ReadTx, id: NamespaceId): Program<Namespace | undefined> {
  const all = yield* listNamespaces(tx)
  return all.find((ns) => ns.id === id)
}

/**
 * Makes an empty collection; under a name that is reserved it belongs to whom the name is kept for.
 * Throws NamespaceExists, InvalidNamespace (bad or server's own name) and DatabaseDifferCase.
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

/** As createNamespace, also under a name that is the server's own. */
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
    access: reserved ?? accessOf(options),
    indexes: yield* makeIndexes(tx, options.options),
    options: options.options,
    ...(collation === undefined ? {} : { collation }),
    ...(capped === undefined ? {} : { capped }),
    ...(timeSeries === undefined ? {} : { timeSeries }),
    ...validationOf(options.options),
    ...definitionIn(options.options),
  }
  tx.creating?.(payerOf(ns.access), name)
  tx.put(namespaceKey(db, name), encodeNamespace(ns))
  return ns
}

function accessOf({ owner, mode, madeBy }: CreateOptions): Access {
  if (madeBy === undefined) return { owner, mode, roles: {} }
  return { owner, mode, roles: {}, isSettled: true, madeBy }
}

/** The indexes that a collection has from the beginning. */
function* makeIndexes(tx: Tx, options: Document): Program<IndexDescriptor[]> {
  const indexes: IndexDescriptor[] = []
  for (const index of initialIndexes(options)) {
    indexes.push(index((yield* allocateId(tx)) as IndexId))
  }
  return indexes
}

/** The collection, made if missing. Throws as createNamespace, but for NamespaceExists. */
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
 * Puts a changed descriptor and answers it as the catalog now has it, its version raised. `ns` must
 * have been made from what this program has read.
 */
export function saveNamespace(tx: Tx, ns: Namespace): Namespace {
  const saved = { ...ns, version: ns.version + 1 }
  tx.put(namespaceKey(ns.db, ns.name), encodeNamespace(saved))
  return saved
}

/**
 * Removes the collection; its contents become garbage that a job deletes behind. Its name stays
 * reserved for its owner, with mode and roles, unless it is released. A key-value database and the
 * collection of the channels are there for ever: dropped, they are empty and without indexes.
 */
export function* dropNamespace(tx: Tx & Guarded, ns: Namespace, released = false): Program<void> {
  for (const index of ns.indexes) discardIndex(tx, index.id)
  if (ns.keyspace === true) {
    yield* giveBackIndexes(tx, ns.access, ns.indexes)
    yield* emptyKeyspace(tx, { ...ns, indexes: [], options: emptyDocument })
    return
  }
  yield* giveBackSpace(tx, ns)
  discardNamespace(tx, ns.id)
  if (isSequenced(ns)) tx.remove(headKey(ns.id))
  if (ns.isPermanent === true) {
    const id = (yield* allocateId(tx)) as NamespaceId
    saveNamespace(tx, { ...ns, id, indexes: [] })
    return
  }
  tx.remove(namespaceKey(ns.db, ns.name))
  tx.dropping?.(payerOf(ns.access), ns.name)
  if (ns.access.owner !== null && !released) reserve(tx, ns.db, ns.name, ns.access)
  yield* releaseDatabase(tx, ns.db)
}

/** Whose the name of a dropped collection is; undefined where it is free, or in use. */
export function* findReserved(tx: ReadTx, db: string, name: string): Program<Access | undefined> {
  const bytes = yield* tx.get(reservedKey(db, name))
  return bytes === undefined ? undefined : decodeAccess(bytes)
}

/** The names that are reserved, by their keys, from `start` on; at most scanEntriesMax. */
export function* scanReserved(tx: ReadTx, start?: Bytes): Program<Reserved[]> {
  const from = start ?? Uint8Array.of(keyClass.catalog, kind.reserved)
  const end = Uint8Array.of(keyClass.catalog, kind.reserved + 1)
  const entries = yield* tx.scan({ start: from, end }, scanEntriesMax)
  return entries.map(({ key, value }) => {
    const [db, name] = nameOfKey(key)
    return { key, db, name, value }
  })
}

export interface Reserved {
  readonly key: Bytes
  readonly db: string
  readonly name: string
  /** What decodeAccess reads. */
  readonly value: Bytes
}

/** Keeps a name that is not in use for its owner. */
export function reserve(tx: Tx, db: string, name: string, access: Access): void {
  tx.put(reservedKey(db, name), encodeAccess(access))
}

/** Lets everybody have the name. */
export function release(tx: Tx, db: string, name: string): void {
  tx.remove(reservedKey(db, name))
}

/** Empties a key-value database at once; its indexes, owner and mode stay. */
export function* emptyKeyspace(tx: Tx, ns: Namespace): Program<Namespace> {
  yield* giveBackSpace(tx, ns)
  discardKeyspace(tx, ns.id)
  const indexes: IndexDescriptor[] = []
  for (const index of ns.indexes) {
    discardIndex(tx, index.id)
    const id = (yield* allocateId(tx)) as typeof index.id
    const multikey = index.multikey.map(() => false)
    indexes.push({ ...index, id, multikey, inexact: false })
  }
  return saveNamespace(tx, { ...ns, id: (yield* allocateId(tx)) as NamespaceId, indexes })
}

/**
 * Gives a collection another name, perhaps in another database; contents, indexes, access and uuid
 * stay. Throws IllegalOperation, NamespaceExists (unless `dropTarget`), InvalidNamespace.
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
    yield* dropNamespace(tx, target, true)
  }
  const access = target === undefined ? yield* accessUnder(tx, db, name, ns) : ns.access
  // What is written beside the place that it takes was not counted until now.
  if (ns.name.startsWith(replacementPrefix)) tx.creating?.(payerOf(access), name)
  yield* moveSpace(tx, ns, access)
  tx.remove(namespaceKey(ns.db, ns.name))
  yield* claimDatabase(tx, db)
  const renamed = saveNamespace(tx, { ...ns, db, name, access })
  if (ns.db !== db) yield* releaseDatabase(tx, ns.db)
  return renamed
}

/** Throws IllegalOperation for a collection that is there for ever, under its name. */
export function requireMovable(ns: Namespace): void {
  if (isFixed(ns)) throw fail('IllegalOperation', 'a key-value database keeps its name')
}

/** What a collection's access is under a name that may be reserved: for another, it is his. */
function* accessUnder(tx: Tx, db: string, name: string, ns: Namespace): Program<Access> {
  const reserved = yield* findReserved(tx, db, name)
  if (reserved === undefined) return ns.access
  release(tx, db, name)
  return reserved.owner === ns.access.owner ? ns.access : reserved
}

/** Whether its name and its owner are settled from the first start. */
function isFixed({ keyspace, isPermanent }: Namespace): boolean {
  return keyspace === true || isPermanent === true
}

/** Every collection, or those of one database, by database and name in byte order. */
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

/** As listNamespaces, without key-value databases that hold nothing: those nobody has made. */
export function* shownNamespaces(tx: ReadTx & Guarded, db?: string): Program<Namespace[]> {
  const shown: Namespace[] = []
  for (const ns of yield* listNamespaces(tx, db)) if (yield* isShown(tx, ns)) shown.push(ns)
  return shown
}

/** Names of collections that are written beside those whose place they will take. */
export const replacementPrefix = 'system.replacement.'

/** Whether listings show the collection. */
export function* isShown(tx: ReadTx, ns: Namespace): Program<boolean> {
  if (ns.name.startsWith(replacementPrefix)) return false
  const hasOwnIndexes = ns.indexes.length > 0 && ns.access.isGraph !== true
  if (!isFixed(ns) || hasOwnIndexes) return true
  return (yield* countOf(tx, ns)).documents > 0
}

/** A fresh id for a collection or an index; the two share the numbers. */
export function* allocateId(tx: Tx): Program<number> {
  const id = yield* takeNumber(tx, nextIdKey)
  assert(id <= u32Max, 'ids fit 32 bits')
  return id
}

/** A fresh number for a chunked value. */
export function* allocateValueNumber(tx: Tx): Program<number> {
  return yield* takeNumber(tx, nextValueKey)
}

/** A fresh id for the members of a container. */
export function* allocateMembersId(tx: Tx): Program<MembersId> {
  return (yield* takeNumber(tx, nextMembersKey)) as MembersId
}

function* takeNumber(tx: Tx, key: Bytes): Program<number> {
  const stored = yield* tx.get(key)
  const number = stored === undefined ? 1 : Number(viewOf(stored).getBigUint64(0))
  const next = new Uint8Array(8)
  viewOf(next).setBigUint64(0, BigInt(number + 1))
  tx.put(key, next)
  return number
}

function viewOf(bytes: Bytes): DataView {
  return new DataView(bytes.buffer, bytes.byteOffset, bytes.length)
}

/** Letters, digits, _ and - alone: what nearly all names are made of, and no rule is against. */
function isPlain(name: string): boolean {
  return /^[\w-]+$/.test(name)
}

/** Whether a name may stand in a command at all; throws InvalidNamespace. */
export function checkNamespaceName(db: string, name: string): void {
  checkDatabaseName(db)
  if (databaseNameBytesMax + 1 + name.length <= namespaceBytesMax && isPlain(name)) return
  if (name === '') throw fail('InvalidNamespace', `Invalid namespace specified '${db}.'`)
  if (name.startsWith('.')) {
    throw fail('InvalidNamespace', `Collection names cannot start with '.': ${name}`)
  }
  if (name.includes('\0')) {
    throw fail('InvalidNamespace', 'namespaces cannot have embedded null characters')
  }
  if (name.includes('$')) throw fail('InvalidNamespace', `Invalid collection name: ${name}`)
  if (Buffer.byteLength(db) + 1 + Buffer.byteLength(name) > namespaceBytesMax) {
    throw fail(
      'InvalidNamespace',
      `Fully qualified namespace is too long. Namespace: ${db}.${name} Max: ${namespaceBytesMax}`,
    )
  }
}

/** Throws InvalidNamespace for what cannot name a database. */
export function checkDatabaseName(db: string): void {
  if (db.length <= databaseNameBytesMax && isPlain(db)) return
  const length = Buffer.byteLength(db)
  if (length === 0 || length > databaseNameBytesMax || /[/\\. "$\0]/.test(db)) {
    throw fail('InvalidNamespace', `Invalid database name: '${db}'`)
  }
}

const reservedDatabases: ReadonlySet<string> = new Set(['admin', 'config', 'local'])

/** Names that exist for the server alone (docs/rights.md, "Names"). */
export function requireWritableName(db: string, name: string): void {
  if (reservedDatabases.has(db)) {
    throw fail('InvalidNamespace', `database '${db}' is reserved: cannot write to ${db}.${name}`)
  }
  if (name.startsWith('system.')) {
    throw fail('InvalidNamespace', `Invalid system namespace: ${db}.${name}`)
  }
  if (name.startsWith('_') || name.startsWith(graphPrefix)) throw reservedName(db, name)
}

/** The refusal to write under a name that is the server's. */
export function reservedName(db: string, name: string): GatewayError {
  return fail('InvalidNamespace', `collection name is reserved: ${db}.${name}`)
}

/** Records the database's spelling with its first collection: two that differ in case cannot be. */
function* claimDatabase(tx: Tx, db: string): Program<void> {
  const key = databaseKey(db)
  const stored = yield* tx.get(key)
  if (stored === undefined) {
    tx.put(key, utf8(db))
    return
  }
  const spelled = textOf(stored)
  if (spelled === db) return
  throw fail(
    'DatabaseDifferCase',
    `db already exists with different case already have: [${spelled}] trying to create [${db}]`,
  )
}

function* releaseDatabase(tx: Tx, db: string): Program<void> {
  const left = yield* tx.scanOwn(listRange(db), 1)
  if (left.length === 0) tx.remove(databaseKey(db))
}

function databaseKey(db: string): Bytes {
  return concatBytes(Uint8Array.of(keyClass.catalog, kind.database), utf8(db.toLowerCase()))
}

/** The catalog key of a collection. */
export function namespaceKey(db: string, name: string): Bytes {
  return nameKey(kind.namespace, db, name)
}

function reservedKey(db: string, name: string): Bytes {
  return nameKey(kind.reserved, db, name)
}

function nameKey(ofKind: number, db: string, name: string): Bytes {
  const text = `${db}\0${name}`
  const key = new Uint8Array(2 + text.length)
  key[0] = keyClass.catalog
  key[1] = ofKind
  for (let i = 0; i < text.length; i++) {
    const code = text.charCodeAt(i)
    // Names are short and nearly all ASCII: a native call would cost more than the loop.
    if (code > 0x7f) return concatBytes(key.subarray(0, 2), utf8(text))
    key[i + 2] = code
  }
  return key
}

function nameOfKey(key: Bytes): [db: string, name: string] {
  const middle = key.indexOf(0, 2)
  return [textOf(key, 2, middle), textOf(key, middle + 1)]
}

function listRange(db: string | undefined): KeyRange {
  const prefix = Uint8Array.of(keyClass.catalog, kind.namespace)
  if (db === undefined) return { start: prefix, end: Uint8Array.of(keyClass.catalog, 0x02) }
  const name = utf8(db)
  return {
    start: concatBytes(prefix, name, Uint8Array.of(0)),
    end: concatBytes(prefix, name, Uint8Array.of(1)),
  }
}
