// The result of `/health`. It is cheap enough for a request each second, and uses no I/O that could
// hang.

import type { Clock } from '../../../base/clock.js'
import type { ChainHealth } from '../../../chain/open.js'
import { Totals } from '../../../engine/collection/catalog/totals.js'
import type { Awaitable, Count, Store } from '../../../store/store.js'

interface HealthOptions {
  readonly store: Store
  readonly chain: { health(): ChainHealth }
  readonly clock: Clock
  readonly version: string
  readonly httpPort: number
  /** Ports of the other protocols; 0 if disabled. */
  readonly ports: () => { readonly wire: number; readonly redis: number; readonly sql: number }
}

/**
 * Returns the Health object as JSON text; `degraded` while the store refuses writes or cannot be
 * read. An unreachable chain is reported but does not degrade: sessions and the operator's key work
 * without it.
 */
export function openHealth(options: HealthOptions): () => Awaitable<string> {
  const { store, chain, clock, version, httpPort, ports } = options
  const startedMs = clock.elapsed()
  const totals = new Totals(store, clock)
  const answer = (count: Count | undefined): string => {
    const { type, refusing, groups, log, backup } = store.stats()
    const { wire: wirePort, redis: redisPort, sql: sqlPort } = ports()
    const server = { httpPort, wirePort, redisPort, sqlPort }
    const status = refusing === undefined && count !== undefined ? 'ok' : 'degraded'
    const uptime = Math.floor((clock.elapsed() - startedMs) / 1000)
    const storage = {
      type,
      connected: count !== undefined,
      keyCount: count?.documents ?? 0,
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
    try {
      const count = totals.read()
      return count instanceof Promise ? count.then(answer, () => answer(undefined)) : answer(count)
    } catch {
      return answer(undefined)
    }
  }
}
