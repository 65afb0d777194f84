// Totals over all collections, for the Health object and the metrics, read from the counters. They
// are exact while there are few collections. With very many homes, a walk is limited to a share of
// the time, so the figures may be slightly old.

import type { Clock } from '../../../base/clock.js'
import type { Awaitable, Count, Program, ReadTx, Store } from '../../../store/store.js'
import { countOf } from '../counters.js'
import { eachNamespace } from './catalog-walk.js'
import { countHomes } from './databases.js'

/**
 * A walk for `/health` and the metrics up to this time, milliseconds, runs on each request. A
 * longer one is limited to this share of the time.
 */
const totalsFreeMs = 10
const totalsShare = 0.01

/** Documents in all collections, and their BSON bytes. */
export class Totals {
  private last: Count | undefined
  private nextMs = Number.NEGATIVE_INFINITY
  private walking: Promise<Count> | undefined

  constructor(
    private readonly store: Store,
    private readonly clock: Clock,
  ) {}

  /** Throws or rejects if the store cannot be read. */
  read(): Awaitable<Count> {
    const { store, clock, last } = this
    const startedMs = clock.elapsed()
    if (last !== undefined && (this.walking !== undefined || startedMs < this.nextMs)) {
      return store.read(function* (tx) {
        yield* countHomes(tx)
        return last
      })
    }
    if (this.walking !== undefined) return this.walking
    const done = (count: Count): Count => {
      const tookMs = clock.elapsed() - startedMs
      this.nextMs = tookMs <= totalsFreeMs ? startedMs : clock.elapsed() + tookMs / totalsShare
      this.last = count
      return count
    }
    const found = store.read(totals)
    if (!(found instanceof Promise)) return done(found)
    this.walking = found.then(done).finally(() => {
      this.walking = undefined
    })
    return this.walking
  }
}

function* totals(tx: ReadTx): Program<Count> {
  let documents = 0
  let bytes = 0
  yield* eachNamespace(tx, function* (ns) {
    const count = yield* countOf(tx, ns)
    documents += count.documents
    bytes += count.bytes
  })
  return { documents, bytes }
}
