// The Health object of the API document: cheap enough to be asked every second, and it never asks
// anything that may be away.

import type { Clock } from '../../base/clock.js'
import { totalDocuments } from '../../engine/totals.js'
import type { Awaitable, Store } from '../../store/store.js'

export interface HealthOptions {
  readonly store: Store
  readonly clock: Clock
  readonly version: string
  readonly httpPort: number
  readonly wirePort: number
}

/** Answers the Health object as JSON text; `degraded` while the store refuses writes. */
export function openHealth(options: HealthOptions): () => Awaitable<string> {
  const { store, clock, version, httpPort, wirePort } = options
  const startedMs = clock.elapsed()
  const server = { httpPort, wirePort }
  const answer = (keyCount: number): string => {
    const { type, refusing, groups, log, backup } = store.stats()
    const status = refusing === undefined ? 'ok' : 'degraded'
    const uptime = Math.floor((clock.elapsed() - startedMs) / 1000)
    const storage = {
      type,
      connected: true,
      keyCount,
      ...(refusing === undefined ? {} : { refusing }),
      ...(groups === undefined ? {} : { groups }),
      ...(log === undefined ? {} : { log }),
      ...(backup === undefined ? {} : { backup }),
    }
    return JSON.stringify({ status, uptime, version, storage, server, ok: 1 })
  }
  return () => {
    const count = store.read(totalDocuments)
    return typeof count === 'number' ? answer(count) : count.then(answer)
  }
}
