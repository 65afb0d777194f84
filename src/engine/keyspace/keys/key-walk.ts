// A walk over the keys of a database in pieces: what SCAN, KEYS and RANDOMKEY go by. The place
// where a walk goes on is what stands in a record key behind the database's id, so that it outlives
// a flush and a swap; what all wanted names begin with bounds the walk.

import { type Bytes, compareBytes, concatBytes, prefixEnd } from '../../../base/bytes/bytes.js'
import { recordKeyPrefixBytes, scanEntriesMax } from '../../../base/limits.js'
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
  /** Documents that were looked at: those of expired keys count too. */
  readonly seen: number
  /** Where to go on; undefined at the end. */
  readonly place: Bytes | undefined
}

/** Keys behind a place (undefined: from the start) whose names may begin with `prefix`. */
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

/** Names that are text lie by their bytes, others by their length: those are all gone through. */
function rangesOf({ ns }: Keyspace, prefix: Bytes): KeyRange[] {
  const all = idRange(keyClass.record, ns.id)
  let length = 0
  while (length < prefix.length && isPlain(prefix[length] as number)) length++
  // Of a long name only the beginning stands in its key.
  const known = prefix.subarray(0, Math.min(length, recordKeyPrefixBytes - 1))
  if (known.length === 0) return [all]
  const text = concatBytes(all.start, Uint8Array.of(textType), known)
  const binary = concatBytes(all.start, Uint8Array.of(binaryType))
  return [
    { start: text, end: prefixEnd(text) },
    { start: binary, end: prefixEnd(binary) },
  ]
}

/** Bytes that stand in a record key as they are, in a name that may or may not be text. */
function isPlain(byte: number): boolean {
  return byte > 1 && byte < 0x80
}
