// Readiness: the store is open, the listeners are bound, and no stop has begun. An unreachable
// chain, or a store that refuses writes, counts as degraded but stays ready: sessions, the
// operator's key and reads work without them.

import { fail } from '../../../base/errors.js'
import type { ChainHealth } from '../../../chain/open.js'
import { countHomes } from '../../../engine/collection/catalog/databases.js'
import type { Awaitable, Store } from '../../../store/store.js'

export interface ReadinessOptions {
  readonly store: Store
  readonly chain: { health(): ChainHealth }
  /** By name, whether each is bound; without disabled listeners. */
  readonly listeners: () => Readonly<Record<string, boolean>>
  /** A stop of the server has begun. */
  readonly isDraining: () => boolean
}

/** The body of 200, as JSON text. Throws, or rejects with, the error for a 503. */
export function readiness(options: ReadinessOptions): Awaitable<string> {
  if (options.isDraining()) throw fail('ShutdownInProgress', 'The server is shutting down')
  const listeners = options.listeners()
  const unbound = Object.keys(listeners).filter((name) => listeners[name] !== true)
  if (unbound.length > 0) {
    throw fail('HostUnreachable', `not bound: ${unbound.join(', ')}`, { reason: 'LISTENERS' })
  }
  const looked = options.store.read(countHomes)
  return looked instanceof Promise ? looked.then(() => answer(options)) : answer(options)
}

function answer({ store, chain, listeners }: ReadinessOptions): string {
  const { refusing } = store.stats()
  const { ok, mode } = chain.health()
  const degraded = [...(refusing === undefined ? [] : ['storage']), ...(ok ? [] : ['chain'])]
  return JSON.stringify({
    status: degraded.length === 0 ? 'ready' : 'degraded',
    degraded,
    storage: { open: true, ...(refusing === undefined ? {} : { refusing }) },
    listeners: listeners(),
    chain: { mode, ok },
    draining: false,
    ok: 1,
  })
}
