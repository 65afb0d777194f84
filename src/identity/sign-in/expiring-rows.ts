// Expiring rows of the identity class: sessions and nonces. Each has an entry ordered by its
// expiry, so the expired ones are one range.

import { type Bytes, concatBytes } from '../../base/bytes/bytes.js'
import { keyClass } from '../../store/layout.js'
import type { Program, Tx } from '../../store/store.js'
import type { Document } from '../../value/value.js'

export const expiringKind = 0x23
const endBytes = 8
const headBytes = 2 + endBytes
/** The value of an entry: its key has all information. */
const present = Uint8Array.of(1)

/** Puts a row that expires at `expires`, milliseconds since 1970. */
export function putExpiring(tx: Tx, key: Bytes, value: Document, expires: number): void {
  tx.put(key, value)
  putExpiringEntry(tx, key, expires)
}

/** The entry of a row that the caller puts itself. */
export function putExpiringEntry(tx: Tx, key: Bytes, expires: number): void {
  tx.put(entryKey(key, expires), present)
}

/** Removes a row before it expires. */
export function removeExpiring(tx: Tx, key: Bytes, expires: number): void {
  tx.remove(key)
  tx.remove(entryKey(key, expires))
}

/** Removes expired rows, at most `limit`; returns how many. */
export function* sweepExpired(tx: Tx, now: number, limit: number): Program<number> {
  const range = { start: endKey(0), end: endKey(now + 1) }
  const entries = yield* tx.scan(range, limit)
  for (const { key } of entries) {
    tx.remove(key.subarray(headBytes))
    tx.remove(key)
  }
  return entries.length
}

function entryKey(key: Bytes, expires: number): Bytes {
  return concatBytes(endKey(expires), key)
}

function endKey(expires: number): Bytes {
  const head = new Uint8Array(headBytes)
  head.set([keyClass.identity, expiringKind])
  new DataView(head.buffer).setBigUint64(2, BigInt(expires))
  return head
}
