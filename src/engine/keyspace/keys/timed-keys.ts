// How many keys of each database have a time, and how far away it is: INFO shows it. Read off the
// expiry class, of which a bounded part is looked at, soonest first.

import { scanEntriesMax } from '../../../base/limits.js'
import { keyClass } from '../../../store/layout.js'
import type { Program, ReadTx } from '../../../store/store.js'
import { dueOf, dueRange, namespaceOfRecord } from './expiry.js'

/** Keys with a time that INFO looks at for `expires` and `avg_ttl`: some 10 ms. */
const timedKeysCountedMax = 10_000

interface TimedKeys {
  count: number
  /** Milliseconds that they have left together. */
  leftMs: number
}

/** By namespace id; those that are due already do not count. */
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
