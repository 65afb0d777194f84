// How many collections and graphs an owner has, beside the sum of their bytes: a counter that moves
// in the transaction that makes or drops one, so that a quota costs the same beside a million homes
// of others. (docs/design/storage.md, "Counts")

import { type Bytes, utf8 } from '../../../base/bytes/bytes.js'
import { idKey, keyClass } from '../../../store/layout.js'
import type { Program, ReadTx, Tx } from '../../../store/store.js'
import type { Access, Guarded, Held, Namespace } from '../../types.js'
import { type Counted, countedBytes, ownersId, readCounted } from '../counters.js'
import { isGraphPart, payerOf } from './descriptors.js'
import { channelsName, keyspaceIndex } from './homes.js'

/** Names of collections that are written beside those whose place they will take. */
export const replacementPrefix = 'system.replacement.'

/** Before the owner's name; a sum of bytes has an address or a user's name there. */
export const heldMark = 1

/** What an owner has; of a counter, collections stand as documents and graphs as bytes. */
interface Holding {
  readonly collections: number
  readonly graphs: number
}

/** What a collection counts as; a graph, which is several, by the one that has its nodes. */
export function countedAs(name: string): Held | undefined {
  if (name.startsWith(replacementPrefix)) return undefined
  // They are there for a wallet from the beginning.
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

/** Throws QuotaExceeded where the caller may not make one more of that name for the owner. */
export function* requireHolding(tx: ReadTx & Guarded, access: Access, name: string): Program<void> {
  const payer = payerOf(access)
  const held = countedAs(name)
  if (tx.creating === undefined || payer === null || held === undefined) return
  tx.creating(held, (yield* holdingOf(tx, payer))[held])
}

/** A collection is made (1) or dropped (-1). */
export function addHolding(tx: Tx, { name, access }: NamedAccess, by: 1 | -1): void {
  const payer = payerOf(access)
  const held = countedAs(name)
  if (payer === null || held === undefined) return
  tx.add(heldKey(payer), held === 'collections' ? by : 0, held === 'graphs' ? by : 0)
}

type NamedAccess = Pick<Namespace, 'name' | 'access'>

/** A collection gets another name or access. */
export function moveHolding(tx: Tx, from: NamedAccess, to: NamedAccess): void {
  addHolding(tx, from, -1)
  addHolding(tx, to, 1)
}

/** Where they are known to be complete: a folder of before has none. */
const heldCountedKey = Uint8Array.of(keyClass.catalog, 0x00, 0x07)

export function* heldCounted(tx: ReadTx): Program<Counted> {
  return readCounted(yield* tx.get(heldCountedKey))
}

/** Counts a page of the collections of a folder that has no such counters yet; as countUsage. */
export function* countHoldings(
  tx: Tx,
  namespaces: readonly Namespace[],
  next?: Bytes,
): Program<void> {
  for (const ns of namespaces) addHolding(tx, ns, 1)
  tx.put(heldCountedKey, countedBytes(next))
}
