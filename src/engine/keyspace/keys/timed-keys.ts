// Counts the keys with an expiry in each database and their mean time left, for INFO. It reads a
// bounded part of the expiry class, soonest first.

import { scanEntriesMax } from '../../../base/limits/engine.js'
import { keyClass } from '../../../store/layout.js'
import type { Program, ReadTx } from '../../../store/store.js'
import { dueOf, dueRange, namespaceOfRecord } from './expiry.js'

/** Keys that INFO reads for `expires` and `avg_ttl`: about 10 ms. */
const timedKeysCountedMax = 10_000

interface TimedKeys {
  count: number
  /** Sum of their remaining times, milliseconds. */
  leftMs: number
}

/** By namespace id, without expired keys. */
export function* timedKeys(tx: ReadTx, now: number): Program<ReadonlyMap<number, TimedKeys>> {
  const found = new Map<number, TimedKeys>()
  let { end: start } = dueRange(now)
  const end = Uint8Array.of(keyClass.expiry + 1)
  for (let seen = 0; seen < timedKeysCountedMax; ) {
    const entries = yield* tx.scan({ start, end }, scanEntriesMax)
    for (const { key } of entries) {
      const { at, record } = dueOf(key)
      const id = namespaceOfRecord(record)
      const timed = found.get(id) ?? { count: 0, leftMs: 0 }
      found.set(id, timed)
      timed.count++
      timed.leftMs += at - now
    }
    const last = entries.at(-1)
    if (last === undefined || entries.length < scanEntriesMax) break
    seen += entries.length
    start = new Uint8Array(last.key.length + 1)
    start.set(last.key)
  }
  return found
}
