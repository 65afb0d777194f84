// The stored bytes of a key: its record plus its members' records, of which it measures a sample
// and estimates the rest.

import { concatBytes } from '../../../base/bytes/bytes.js'
import { scanEntriesMax } from '../../../base/limits/engine.js'
import type { Program } from '../../../store/store.js'
import { membersRange } from '../../background/garbage.js'
import type { Keyspace } from '../keyspace.js'
import type { Key } from './key.js'

/** Records for each member, by type; a sorted set has a few more for its blocks. */
const recordsEach = { string: 0, list: 1, set: 2, zset: 2, hash: 2 } as const

/** The bytes of an existing key; measures `samples` of its members. */
export function* keyBytes(ks: Keyspace, key: Key, samples: number): Program<number> {
  const { head, stored, record, type } = key
  const own = record.length + (stored?.length ?? 0)
  if (head === undefined) return own
  const records = head.count * recordsEach[type ?? 'string']
  let { start } = membersRange(head.id)
  const { end } = membersRange(head.id)
  let measured = 0
  let bytes = 0
  while (measured < samples) {
    const limit = Math.min(samples - measured, scanEntriesMax)
    const entries = yield* ks.entries({ start, end }, limit)
    for (const { key, value } of entries) bytes += key.length + value.length
    measured += entries.length
    const last = entries.at(-1)
    if (last === undefined || entries.length < limit) return own + bytes
    start = concatBytes(last.key, Uint8Array.of(0))
  }
  return own + Math.round((bytes / measured) * records)
}
