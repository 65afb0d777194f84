// Opens the store of a STORE setting. This is the only place that knows all kinds of stores, so a
// new kind is one more line here.

import type { Clock } from '../base/clock.js'
import { fail } from '../base/errors.js'
import type { Log } from '../base/log.js'
import { withoutPassword } from '../base/setting-kinds.js'
import { openLmdbStore } from './lmdb.js'
import { openMemoryStore } from './memory.js'
import { parseAddress } from './postgres/address.js'
import type { Store } from './store.js'

interface StoreOptions {
  readonly durability: 'commit' | 'interval' | 'none'
  readonly clock: Clock
  readonly log: Log
}

/**
 * `lmdb:<folder>`, `memory:` or `postgres://…`. Rejects with InvalidOptions, or the own clear error
 * of the store.
 */
export async function openStore(address: string, options: StoreOptions): Promise<Store> {
  if (address === 'memory:') return openMemoryStore(options.clock)
  const path = /^lmdb:(.+)$/.exec(address)?.[1]
  if (path !== undefined) return openLmdbStore({ path, ...options })
  const shared = parseAddress(address)
  if (shared !== undefined) {
    const { openPostgresStore } = await import('./postgres/postgres-store.js')
    return openPostgresStore({ address: shared, ...options })
  }
  const kinds = 'lmdb:<folder>, memory: or postgres://…'
  throw fail('InvalidOptions', `setting STORE=${withoutPassword(address)}: must be ${kinds}`)
}
