// Counts the keys of a database: the collection's counter minus the documents that are expired and
// not yet deleted. The expiry class lists those, and they are few at any time.

import { scanEntriesMax } from '../../../base/limits/engine.js'
import type { Program, ReadTx } from '../../../store/store.js'
import { countOf } from '../../collection/counters.js'
import type { Namespace } from '../../types.js'
import { dueOf, dueRange, namespaceOfRecord } from './expiry.js'

/** Exact at `now`. */
export function* liveCount(tx: ReadTx, ns: Namespace, now: number): Program<number> {
  const { documents } = yield* countOf(tx, ns)
  if (documents === 0) return 0
  let due = 0
  let { start, end } = dueRange(now)
  for (;;) {
    const entries = yield* tx.scan({ start, end }, scanEntriesMax)
    for (const { key } of entries) if (namespaceOfRecord(dueOf(key).record) === ns.id) due++
    const last = entries.at(-1)
    if (last === undefined || entries.length < scanEntriesMax) return documents - due
    start = new Uint8Array(last.key.length + 1)
    start.set(last.key)
  }
}
