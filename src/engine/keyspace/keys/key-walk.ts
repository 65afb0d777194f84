// Walks the keys of a database in steps, for SCAN, KEYS and RANDOMKEY. The position is the part of
// a record key after the database's id, so it survives a flush and a swap. A common prefix of all
// wanted names narrows the walk.

import { type Bytes, compareBytes, concatBytes, prefixEnd } from '../../../base/bytes/bytes.js'
import { scanEntriesMax } from '../../../base/limits/engine.js'
import { recordKeyPrefixBytes } from '../../../base/limits/store.js'
import { keyClass } from '../../../store/layout.js'
import type { KeyRange, Program } from '../../../store/store.js'
import { idRange } from '../../background/garbage.js'
import type { Keyspace } from '../keyspace.js'
import type { Key } from './key.js'
import { binaryType, textType } from './key-name.js'

/** class u8, namespace u32. */
export const placeStart = 5

interface WalkStep {
  readonly keys: readonly Key[]
  /** Documents read, including those of expired keys. */
  readonly seen: number
  /** Where to continue; undefined at the end. */
  readonly place: Bytes | undefined
}

/** Keys after a place (undefined: from the start) whose names may begin with `prefix`. */
export function* walkKeys(
  ks: Keyspace,
  prefix: Bytes,
  place: Bytes | undefined,
  limit: number,
): Program<WalkStep> {
  const { start: head } = idRange(keyClass.record, ks.ns.id)
  const after = place === undefined ? undefined : concatBytes(head, place, zero)
  const keys: Key[] = []
  let seen = 0
  for (const { start, end } of rangesOf(ks, prefix)) {
    let from = after !== undefined && compareBytes(after, start) > 0 ? after : start
    while (compareBytes(from, end) < 0) {
      const most = Math.min(limit - seen, scanEntriesMax)
      const found = yield* ks.scan({ start: from, end }, most)
      for (const key of found.keys) keys.push(key)
      seen += found.seen
      if (found.last === undefined) break
      if (seen >= limit) return { keys, seen, place: found.last.subarray(placeStart) }
      from = concatBytes(found.last, zero)
    }
  }
  return { keys, seen, place: undefined }
}

const zero = Uint8Array.of(0)

/** Text names are ordered by their bytes, others by their length, so all others are read. */
function rangesOf({ ns }: Keyspace, prefix: Bytes): KeyRange[] {
  const all = idRange(keyClass.record, ns.id)
  let length = 0
  while (length < prefix.length && isPlain(prefix[length] as number)) length++
  // The key of a long name contains only its prefix.
  const known = prefix.subarray(0, Math.min(length, recordKeyPrefixBytes - 1))
  if (known.length === 0) return [all]
  const text = concatBytes(all.start, Uint8Array.of(textType), known)
  const binary = concatBytes(all.start, Uint8Array.of(binaryType))
  return [
    { start: text, end: prefixEnd(text) },
    { start: binary, end: prefixEnd(binary) },
  ]
}

/** Whether a byte is stored unescaped in a record key, in text and binary names alike. */
function isPlain(byte: number): boolean {
  return byte > 1 && byte < 0x80
}
