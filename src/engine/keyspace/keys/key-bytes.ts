// How many bytes a key takes in the store: its record, and its members' records where it has any,
// of which some are measured and the others reckoned to be like them.

import { concatBytes } from '../../../base/bytes/bytes.js'
import { scanEntriesMax } from '../../../base/limits.js'
import type { Program } from '../../../store/store.js'
import { membersRange } from '../../background/garbage.js'
import type { Keyspace } from '../keyspace.js'
import type { Key } from './key.js'

/** Records of a member of each type; a few more count the places of a sorted set. */
const recordsEach = { string: 0, list: 1, set: 2, zset: 2, hash: 2 } as const

/** Of a key that exists; `samples` of its members are measured. */
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
