// The key space. The first byte of a key is its class; ids are u32 big-endian. Only catalog keys
// contain names, so a rename moves nothing and a drop removes a range. (docs/design/storage.md,
// "Key space")

import type { Bytes } from '../base/bytes/bytes.js'

export const keyClass = {
  /** Store metadata: format version. Only the store writes it. */
  meta: 0x00,
  catalog: 0x01,
  record: 0x02,
  entry: 0x03,
  count: 0x04,
  expiry: 0x05,
  change: 0x06,
  chunk: 0x07,
  member: 0x08,
  /** Background work that must survive a crash: dropped ranges, staged values. */
  garbage: 0x09,
  /** API keys, sessions, nonces, whitelist and reserved names. No command can address them. */
  identity: 0x0a,
} as const

/**
 * Classes whose values carry a version and a CRC-32C (docs/design/transactions.md, rule 7). These
 * are all classes with client data except chunks, which have their own checksum
 * (engine/collection/records.ts).
 */
export function isVersioned(key: Bytes): boolean {
  return versioned[key[0] ?? 0] === 1
}

/** Whether a put of `key` adds data, in contrast to the bookkeeping of a removal. */
export function holdsData(key: Bytes): boolean {
  const first = key[0]
  return first !== keyClass.garbage && first !== keyClass.change && first !== keyClass.count
}

/** A time of the change log: seconds since 1970, and the number within that second from 1. */
export interface ClusterTime {
  readonly seconds: number
  readonly increment: number
}

/** The key of a record of the change log. */
export function changeKey({ seconds, increment }: ClusterTime): Bytes {
  const key = new Uint8Array(changeKeyBytes)
  key[0] = keyClass.change
  // Each record of the log has one: a DataView costs as much as the rest.
  for (let i = 0; i < 4; i++) {
    key[1 + i] = seconds >>> (24 - 8 * i)
    key[5 + i] = increment >>> (24 - 8 * i)
  }
  return key
}

export function changeTimeOf(key: Bytes): ClusterTime {
  const view = new DataView(key.buffer, key.byteOffset, key.length)
  return { seconds: view.getUint32(1), increment: view.getUint32(5) }
}

export function isEarlier(one: ClusterTime, other: ClusterTime): boolean {
  if (one.seconds !== other.seconds) return one.seconds < other.seconds
  return one.increment < other.increment
}

/** All records of the change log. */
export const changeRange: { readonly start: Bytes; readonly end: Bytes } = {
  start: Uint8Array.of(keyClass.change),
  end: Uint8Array.of(keyClass.change + 1),
}

const changeKeyBytes = 9

/** The id under which sums of owners are counted, beside those of collections and indexes. */
export const ownersId = 0

/** A sum of an owner: only bounds read it, so it may be as of a moment before or after. */
export function isOwnersSum(key: Bytes): boolean {
  return key[0] === keyClass.count && key[1] === 0 && key[2] === 0 && key[3] === 0 && key[4] === 0
}

const versioned = new Uint8Array(256)
for (const kind of ['catalog', 'record', 'member', 'change', 'identity'] as const) {
  versioned[keyClass[kind]] = 1
}

/** `class, id` followed by `tail`. */
export function idKey(kind: number, id: number, tail?: Bytes): Bytes {
  const key = new Uint8Array(5 + (tail?.length ?? 0))
  key[0] = kind
  key[1] = id >>> 24
  key[2] = id >>> 16
  key[3] = id >>> 8
  key[4] = id
  if (tail !== undefined) key.set(tail, 5)
  return key
}

/** The exclusive end of all keys that start with `class, id`. */
export function idKeyEnd(kind: number, id: number): Bytes {
  return id === 0xffffffff ? Uint8Array.of(kind + 1) : idKey(kind, id + 1)
}
