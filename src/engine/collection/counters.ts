// Counters of stored data: documents of a collection, entries of an index, other data of a
// collection, and the sum for each owner. Programs add to them without reading, so an owner's sum
// changes in the transaction that changes the data. (docs/design/storage.md, "Counts")

import { type Bytes, concatBytes, keyAfter, textOf, utf8 } from '../../base/bytes/bytes.js'
import { idKey, keyClass, ownersId } from '../../store/layout.js'
import { zeroCount } from '../../store/programs/counters.js'
import type { Count, Program, ReadTx, Tx } from '../../store/store.js'
import type { Access, IndexDescriptor, Namespace } from '../types.js'
import { payerOf } from './catalog/descriptors.js'

/** The counter of a collection (documents, BSON bytes) or an index (entries, their bytes). */
export function countKey(id: number): Bytes {
  const known = countKeys.get(id)
  if (known !== undefined) return known
  const key = idKey(keyClass.count, id)
  if (countKeys.size >= keysMax) countKeys.clear()
  countKeys.set(id, key)
  return key
}

/** One array for each counter: a program finds it fastest by the array that it used before. */
const countKeys = new Map<number, Bytes>()
const usageKeys = new Map<string, Bytes>()
const keysMax = 1_000

/** Counter of a key-value database: bytes of expiry entries and members of large containers. */
export function besideKey(id: number): Bytes {
  return idKey(keyClass.count, id, besideTail)
}

const besideTail = Uint8Array.of(1)

/** The sum of all bytes that an owner's collections hold. */
export function usageKey(owner: string): Bytes {
  const known = usageKeys.get(owner)
  if (known !== undefined) return known
  const key = idKey(keyClass.count, ownersId, utf8(owner))
  if (usageKeys.size >= keysMax) usageKeys.clear()
  usageKeys.set(owner, key)
  return key
}

/** Whether a key is an owner's sum. */
export function isUsageKey(key: Bytes): boolean {
  // A mark before the owner means a counter of collections (holdings.ts).
  if (key[0] !== keyClass.count || key.length <= 5 || (key[5] as number) < 0x20) return false
  return key[1] === 0 && key[2] === 0 && key[3] === 0 && key[4] === 0
}

/** Adds to an owner's sum; the operator has none. */
function addUsage(tx: Tx, access: Access, bytes: number): void {
  if (bytes === 0) return
  const payer = payerOf(access)
  if (payer !== null) tx.add(usageKey(payer), 0, bytes)
}

/** Adds documents and their bytes to a collection, and to its owner's sum. */
export function addDocuments(tx: Tx, ns: Namespace, documents: number, bytes: number): void {
  tx.add(countKey(ns.id), documents, bytes)
  addUsage(tx, ns.access, bytes)
}

/** Adds to the other data of a key-value database, and to its owner's sum. */
export function addBeside(tx: Tx, ns: Pick<Namespace, 'id' | 'access'>, bytes: number): void {
  if (bytes === 0) return
  tx.add(besideKey(ns.id), 0, bytes)
  addUsage(tx, ns.access, bytes)
}

/** Adds entries and their bytes to an index, and to the sum of its collection's owner. */
export function addEntries(
  tx: Tx,
  access: Access,
  index: IndexDescriptor,
  entries: number,
  bytes: number,
): void {
  tx.add(countKey(index.id), entries, bytes)
  addUsage(tx, access, bytes)
}

/** Documents and BSON bytes of a collection, exact. */
export function* countOf(tx: ReadTx, ns: Namespace): Program<Count> {
  return yield* tx.count(countKey(ns.id))
}

/** Bytes of an owner's collections, including index entries and members. */
export function* usageOf(tx: ReadTx, owner: string): Program<number> {
  return (yield* tx.count(usageKey(owner))).bytes
}

/** Owners with a sum, in byte order, behind `after`; at most `most`. */
export function* ownersAfter(tx: ReadTx, after: string, most: number): Program<string[]> {
  // Behind the marks of the other counters of owners, such as those of collections.
  const start = after === '' ? idKey(keyClass.count, ownersId, firstLetter) : usageKey(after)
  const end = idKey(keyClass.count, ownersId + 1)
  const entries = yield* tx.scan({ start: after === '' ? start : keyAfter(start), end }, most)
  return entries.map(({ key }) => textOf(key, usageKeyHead))
}

const firstLetter = Uint8Array.of(0x20)
/** Bytes before the owner in the key of a sum. */
const usageKeyHead = 5

/** Bytes of a collection as counted in its owner's sum. */
export function* spaceOf(tx: ReadTx, ns: Namespace): Program<number> {
  const own = (yield* tx.count(countKey(ns.id))).bytes
  const beside = ns.keyspace === true ? yield* tx.count(besideKey(ns.id)) : zeroCount
  return own + beside.bytes + (yield* indexSpaceOf(tx, ns.indexes))
}

function* indexSpaceOf(tx: ReadTx, indexes: readonly IndexDescriptor[]): Program<number> {
  let bytes = 0
  for (const index of indexes) bytes += (yield* tx.count(countKey(index.id))).bytes
  return bytes
}

/**
 * Returns the space of a dropped collection to its owner's quota before the data is deleted.
 * Returns the bytes without indexes, for the waste counter.
 */
export function* giveBackSpace(tx: Tx, ns: Namespace): Program<number> {
  if (payerOf(ns.access) === null) return 0
  const bytes = yield* spaceOf(tx, ns)
  addUsage(tx, ns.access, -bytes)
  return bytes - (yield* indexSpaceOf(tx, ns.indexes))
}

/** Like giveBackSpace, for some indexes. */
export function* giveBackIndexes(
  tx: Tx,
  access: Access,
  indexes: readonly IndexDescriptor[],
): Program<void> {
  if (payerOf(access) !== null) addUsage(tx, access, -(yield* indexSpaceOf(tx, indexes)))
}

/** Moves the bytes of a collection to its new owner's sum. */
export function* moveSpace(tx: Tx, ns: Namespace, to: Access): Program<void> {
  if (payerOf(ns.access) === payerOf(to)) return
  const bytes = yield* spaceOf(tx, ns)
  addUsage(tx, ns.access, -bytes)
  addUsage(tx, to, bytes)
}

/** Key of the record that the sums are complete; folders of earlier versions lack it. */
const usageCountedKey = Uint8Array.of(keyClass.catalog, 0x00, 0x06)

export function* usageCounted(tx: ReadTx): Program<Counted> {
  return readCounted(yield* tx.get(usageCountedKey))
}

/** Progress of creating sums in a folder of an earlier version; it survives a crash. */
export interface Counted {
  readonly isDone: boolean
  /** Catalog key of the next page; undefined means the first. */
  readonly next: Bytes | undefined
}

const done = 1
const under = 2

export function readCounted(stored: Bytes | undefined): Counted {
  const next = stored?.[0] === under ? stored.subarray(1) : undefined
  return { isDone: stored?.[0] === done, next }
}

export function countedBytes(next: Bytes | undefined): Bytes {
  return next === undefined ? Uint8Array.of(done) : concatBytes(Uint8Array.of(under), next)
}

/**
 * Adds a page of collections to the sums of a folder that has none yet, from their counters; `next`
 * is the page after it. Runs at start, before any write.
 */
export function* countUsage(tx: Tx, namespaces: readonly Namespace[], next?: Bytes): Program<void> {
  for (const ns of namespaces) {
    if (payerOf(ns.access) !== null) addUsage(tx, ns.access, yield* spaceOf(tx, ns))
  }
  tx.put(usageCountedKey, countedBytes(next))
}
