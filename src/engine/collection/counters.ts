// Counters of what is stored: documents of a collection, entries of an index, what a collection has
// beside its documents, and the sum of an owner's. Programs add to them and do not read them, so
// that an owner's sum moves in the transaction that changes it.
// (docs/design/storage.md, "Counts")

import { type Bytes, concatBytes, utf8 } from '../../base/bytes/bytes.js'
import { idKey, keyClass } from '../../store/layout.js'
import { zeroCount } from '../../store/programs/counters.js'
import type { Count, Program, ReadTx, Tx } from '../../store/store.js'
import type { Access, IndexDescriptor, Namespace } from '../types.js'
import { payerOf } from './catalog/descriptors.js'

/** The counter of a collection (documents, BSON bytes) or an index (entries, their bytes). */
export function countKey(id: number): Bytes {
  return idKey(keyClass.count, id)
}

/** Of a key-value database: expiry entries and members of large containers, in bytes. */
export function besideKey(id: number): Bytes {
  return idKey(keyClass.count, id, besideTail)
}

const besideTail = Uint8Array.of(1)

/** No collection has this id: sums of owners stand under it. */
export const ownersId = 0

/** The sum of all bytes that an owner's collections hold. */
export function usageKey(owner: string): Bytes {
  const known = usageKeys.get(owner)
  if (known !== undefined) return known
  const key = idKey(keyClass.count, ownersId, utf8(owner))
  if (usageKeys.size >= usageKeysMax) usageKeys.clear()
  usageKeys.set(owner, key)
  return key
}

/** One array an owner: the store finds a counter fastest by the array that it was given last. */
const usageKeys = new Map<string, Bytes>()
const usageKeysMax = 1_000

/** Whether a key is that of an owner's sum. */
export function isUsageKey(key: Bytes): boolean {
  // A mark before the owner: it counts collections (holdings.ts).
  if (key[0] !== keyClass.count || key.length <= 5 || (key[5] as number) < 0x20) return false
  return key[1] === 0 && key[2] === 0 && key[3] === 0 && key[4] === 0
}

/** Adds to an owner's sum; what the operator owns has none. */
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

/** Adds to what a key-value database has beside its documents, and to its owner's sum. */
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

/** Bytes that an owner's collections hold, their index entries and members among them. */
export function* usageOf(tx: ReadTx, owner: string): Program<number> {
  return (yield* tx.count(usageKey(owner))).bytes
}

/** Bytes of a collection as its owner's sum has them. */
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
 * A collection is given up: its owner has the room back, though deletion goes on behind. Answers
 * the bytes, of indexes without, as waste counts them.
 */
export function* giveBackSpace(tx: Tx, ns: Namespace): Program<number> {
  if (payerOf(ns.access) === null) return 0
  const bytes = yield* spaceOf(tx, ns)
  addUsage(tx, ns.access, -bytes)
  return bytes - (yield* indexSpaceOf(tx, ns.indexes))
}

/** As giveBackSpace, of some indexes. */
export function* giveBackIndexes(
  tx: Tx,
  access: Access,
  indexes: readonly IndexDescriptor[],
): Program<void> {
  if (payerOf(access) !== null) addUsage(tx, access, -(yield* indexSpaceOf(tx, indexes)))
}

/** A collection gets another access: with another owner its bytes are counted as that one's. */
export function* moveSpace(tx: Tx, ns: Namespace, to: Access): Program<void> {
  if (payerOf(ns.access) === payerOf(to)) return
  const bytes = yield* spaceOf(tx, ns)
  addUsage(tx, ns.access, -bytes)
  addUsage(tx, to, bytes)
}

/** Where the sums are known to be complete: a folder of before has none. */
const usageCountedKey = Uint8Array.of(keyClass.catalog, 0x00, 0x06)

export function* usageCounted(tx: ReadTx): Program<Counted> {
  return readCounted(yield* tx.get(usageCountedKey))
}

/** How far sums have been made of a folder of before: a crash in between forgets no page. */
export interface Counted {
  readonly isDone: boolean
  /** The catalog key of the next page; undefined: the first. */
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
 * Makes the sums of a folder that has none yet, from the counters of its collections: of a page of
 * them, behind which `next` follows. For the start, before anything is written.
 */
export function* countUsage(tx: Tx, namespaces: readonly Namespace[], next?: Bytes): Program<void> {
  for (const ns of namespaces) {
    if (payerOf(ns.access) !== null) addUsage(tx, ns.access, yield* spaceOf(tx, ns))
  }
  tx.put(usageCountedKey, countedBytes(next))
}
