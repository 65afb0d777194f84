// Expiry records (class 0x05) in order of time, so the expiry job reads only due keys. Every change
// of a key's expiry moves its record, so due keys can be counted. (docs/design/storage.md, "Key
// space"; docs/design/transactions.md, rule 14)

import type { Bytes } from '../../../base/bytes/bytes.js'
import { keyClass } from '../../../store/layout.js'
import type { KeyRange, Tx } from '../../../store/store.js'
import { never } from './key.js'

const headBytes = 9
const twoTo32 = 4294967296
const present = Uint8Array.of(1)

/** A due key. */
export interface Due {
  readonly key: Bytes
  /** Milliseconds since 1970. */
  readonly at: number
  /** The record key of the document. */
  readonly record: Bytes
}

/** Key: due u64, then the record key without its class. Times before 1970 count as 1970. */
export function expiryKey(at: number, record: Bytes): Bytes {
  const key = new Uint8Array(headBytes + record.length - 1)
  writeHead(key, at)
  key.set(record.subarray(1), headBytes)
  return key
}

/** The range of all keys due at `now`. */
export function dueRange(now: number): KeyRange {
  const end = new Uint8Array(headBytes)
  writeHead(end, now + 1)
  return { start: Uint8Array.of(keyClass.expiry), end }
}

export function dueOf(key: Bytes): Due {
  const view = new DataView(key.buffer, key.byteOffset, key.length)
  const at = view.getUint32(1) * twoTo32 + view.getUint32(5)
  const record = new Uint8Array(key.length - headBytes + 1)
  record[0] = keyClass.record
  record.set(key.subarray(headBytes), 1)
  return { key, at, record }
}

/** The namespace id in a record key. */
export function namespaceOfRecord(record: Bytes): number {
  return new DataView(record.buffer, record.byteOffset).getUint32(1)
}

/** Moves the expiry record of a key; `never` means no record. */
export function moveExpiry(tx: Tx, record: Bytes, from: number, to: number): void {
  if (from === to) return
  if (from !== never) tx.remove(expiryKey(from, record))
  if (to !== never) tx.put(expiryKey(to, record), present)
}

/** Growth of the expiry records by this change, bytes. */
export function expiryGrowth(record: Bytes, from: number, to: number): number {
  return (Number(to !== never) - Number(from !== never)) * (headBytes + record.length)
}

function writeHead(key: Bytes, at: number): void {
  const due = Math.max(at, 0)
  const view = new DataView(key.buffer, key.byteOffset, key.length)
  key[0] = keyClass.expiry
  view.setUint32(1, Math.floor(due / twoTo32))
  view.setUint32(5, due % twoTo32)
}
