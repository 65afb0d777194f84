// Counts the collections and graphs of an owner, beside the sum of their bytes. The counter changes
// in the transaction that creates or drops one, so a quota check costs the same with a million
// homes. (docs/design/storage.md, "Counts")

import { type Bytes, utf8 } from '../../../base/bytes/bytes.js'
import { idKey, keyClass, ownersId } from '../../../store/layout.js'
import type { Program, ReadTx, Tx } from '../../../store/store.js'
import type { Access, Guarded, Held, Namespace } from '../../types.js'
import { type Counted, countedBytes, readCounted } from '../counters.js'
import { isGraphPart, payerOf } from './descriptors.js'
import { channelsName, keyspaceIndex } from './homes.js'

/** Prefix of collections that are built to replace others. */
export const replacementPrefix = 'system.replacement.'

/** Mark before the owner's name. In the key of a byte sum, the address or user name is here. */
export const heldMark = 1

/** The holdings of an owner; a counter stores collections as documents and graphs as bytes. */
interface Holding {
  readonly collections: number
  readonly graphs: number
}

/**
 * What a collection counts as. A graph has several collections; only the one with its nodes counts.
 */
export function countedAs(name: string): Held | undefined {
  if (name.startsWith(replacementPrefix)) return undefined
  // These exist for every wallet from the beginning.
  if (keyspaceIndex(name) !== undefined || name === channelsName) return undefined
  if (!isGraphPart(name)) return 'collections'
  return name.endsWith('.nodes') ? 'graphs' : undefined
}

function heldKey(owner: string): Bytes {
  return idKey(keyClass.count, ownersId, Uint8Array.of(heldMark, ...utf8(owner)))
}

export function* holdingOf(tx: ReadTx, owner: string): Program<Holding> {
  const { documents: collections, bytes: graphs } = yield* tx.count(heldKey(owner))
  return { collections, graphs }
}

/** Throws QuotaExceeded if the owner may not have one more collection or graph. */
export function* requireHolding(tx: ReadTx & Guarded, access: Access, name: string): Program<void> {
  const payer = payerOf(access)
  const held = countedAs(name)
  if (tx.creating === undefined || payer === null || held === undefined) return
  tx.creating(held, (yield* holdingOf(tx, payer))[held])
}

/** Counts a created (1) or dropped (-1) collection. */
export function addHolding(tx: Tx, { name, access }: NamedAccess, by: 1 | -1): void {
  const payer = payerOf(access)
  const held = countedAs(name)
  if (payer === null || held === undefined) return
  tx.add(heldKey(payer), held === 'collections' ? by : 0, held === 'graphs' ? by : 0)
}

type NamedAccess = Pick<Namespace, 'name' | 'access'>

/** Updates the counts for a new name or access. */
export function moveHolding(tx: Tx, from: NamedAccess, to: NamedAccess): void {
  addHolding(tx, from, -1)
  addHolding(tx, to, 1)
}

/** Key of the record that the counters are complete; folders of earlier versions lack it. */
const heldCountedKey = Uint8Array.of(keyClass.catalog, 0x00, 0x07)

export function* heldCounted(tx: ReadTx): Program<Counted> {
  return readCounted(yield* tx.get(heldCountedKey))
}

/** Counts a page of collections in a folder without these counters; like countUsage. */
export function* countHoldings(
  tx: Tx,
  namespaces: readonly Namespace[],
  next?: Bytes,
): Program<void> {
  for (const ns of namespaces) addHolding(tx, ns, 1)
  tx.put(heldCountedKey, countedBytes(next))
}
