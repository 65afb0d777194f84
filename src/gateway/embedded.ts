// The module behind `import { openSigil } from 'sigil-db'`: a whole Sigil inside a Node process,
// for tests of applications and programs with their own store. Its types name no other file of
// Sigil, which keeps the public interface small.

import { systemClock, systemRandom } from '../base/clock.js'
import { openLog } from '../base/log.js'
import { readSettings } from '../base/settings.js'
import { version } from '../base/version.js'
import { loadGateway } from './load-gateway.js'

export interface Sigil {
  /** The ports of the listeners; 0 for a disabled protocol. */
  readonly ports: {
    readonly http: number
    readonly wire: number
    readonly redis: number
    readonly sql: number
  }
  /** The operator's key if this start made one. It is not shown again. */
  readonly operatorKey: string | undefined
  /** Notes for the operator about this start, one sentence each. */
  readonly notes: readonly string[]
  /** Refuses new work, finishes running work, closes everything; within seven seconds. */
  close(): Promise<void>
}

/**
 * Opens a Sigil. `settings` are those of docs/settings.md, by name; the environment and sigil.json
 * are not read. Without `STORE` the data is in `./data`; `memory:` keeps it in memory. Port `'0'`
 * picks a free one. Rejects with one error that names the problem, and leaves nothing open.
 */
export async function openSigil(settings: Readonly<Record<string, string>> = {}): Promise<Sigil> {
  const read = readSettings(settings)
  const gateway = await loadGateway().openGateway({
    settings: read,
    log: openLog(read.LOG_LEVEL),
    version,
    clock: systemClock,
    random: systemRandom,
  })
  const { ports, madeKey, notes } = gateway
  const { http, wire, redis, sql } = ports
  return {
    ports: { http, wire, redis, sql },
    operatorKey: madeKey,
    notes: [...notes],
    close: () => gateway.close(),
  }
}
