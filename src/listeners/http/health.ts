// The Health object of the API document: cheap enough to be asked every second, and it never asks
// anything that may be away.

import type { Clock } from '../../base/clock.js'
import type { ChainHealth } from '../../chain/open.js'
import { totalDocuments } from '../../engine/totals.js'
import type { Awaitable, Store } from '../../store/store.js'

export interface HealthOptions {
  readonly store: Store
  readonly chain: { health(): ChainHealth }
  readonly clock: Clock
  readonly version: string
  readonly httpPort: number
  readonly wirePort: number
}

/**
 * Answers the Health object as JSON text; `degraded` while the store refuses writes. A chain that
 * is away is told of and degrades nothing: sessions and the operator's key need none.
 */
export function openHealth(options: HealthOptions): () => Awaitable<string> {
  const { store, chain, clock, version, httpPort, wirePort } = options
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
    return JSON.stringify({
      status,
      uptime,
      version,
      storage,
      server,
      chain: chain.health(),
      ok: 1,
    })
  }
  return () => {
    const count = store.read(totalDocuments)
    return typeof count === 'number' ? answer(count) : count.then(answer)
  }
}
