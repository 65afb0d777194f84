// Rows of the identity class that end by themselves: sessions and nonces. Each has an entry ordered
// by its end, so that what is over is found by a range and never by looking at all that lives.

import { type Bytes, concatBytes } from '../../base/bytes/bytes.js'
import { keyClass } from '../../store/layout.js'
import type { Program, Tx } from '../../store/store.js'
import type { Document } from '../../value/value.js'

export const expiringKind = 0x23
const endBytes = 8
const headBytes = 2 + endBytes
/** What an entry holds: its key says all. */
const present = Uint8Array.of(1)

/** Puts a row that ends at `expires`, milliseconds since 1970. */
export function putExpiring(tx: Tx, key: Bytes, value: Document, expires: number): void {
  tx.put(key, value)
  tx.put(entryKey(key, expires), present)
}

/** Removes a row before its end. */
export function removeExpiring(tx: Tx, key: Bytes, expires: number): void {
  tx.remove(key)
  tx.remove(entryKey(key, expires))
}

/** Removes rows whose end has come, at most `limit`; answers how many. */
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
