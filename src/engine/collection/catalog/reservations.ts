// Reserved names: those of dropped collections stay with their owner, mode and roles until the
// owner releases them, so that no other wallet takes over a name that clients trust.
// (docs/rights.md)

import type { Bytes } from '../../../base/bytes/bytes.js'
import { scanEntriesMax } from '../../../base/limits/engine.js'
import { keyClass } from '../../../store/layout.js'
import type { Program, ReadTx, Tx } from '../../../store/store.js'
import type { Access } from '../../types.js'
import { kind, nameOfKey, reservedKey } from './catalog-keys.js'
import { decodeAccess, encodeAccess } from './descriptors.js'
import { homeAccess } from './homes.js'

/** The access reserved for the name of a dropped collection; undefined if it is free or in use. */
export function* findReserved(tx: ReadTx, db: string, name: string): Program<Access | undefined> {
  const bytes = yield* tx.get(reservedKey(db, name))
  return bytes === undefined ? undefined : decodeAccess(bytes)
}

/**
 * The access of a missing collection: that of its reservation. In a home all names belong to the
 * wallet, so that another wallet cannot probe which exist.
 */
export function* accessOfMissing(
  tx: ReadTx,
  db: string,
  name: string,
): Program<Access | undefined> {
  return (yield* findReserved(tx, db, name)) ?? homeAccess(db)
}

/** Reserved names in key order, from `start` on; at most scanEntriesMax. */
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

/** Reserves an unused name for its owner. */
export function reserve(tx: Tx, db: string, name: string, access: Access): void {
  tx.put(reservedKey(db, name), encodeAccess(access))
}

/** Removes the reservation of a name. */
export function release(tx: Tx, db: string, name: string): void {
  tx.remove(reservedKey(db, name))
}
