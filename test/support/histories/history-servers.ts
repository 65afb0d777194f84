// Servers that histories run against: one in this process over memory, two gateways over one state,
// and a process over a folder that is killed again and again and comes back on the same ports.

import type { Test } from 'tap'
import { systemClock, systemRandom } from '../../../src/base/clock.js'
import { silentLog } from '../../../src/base/log.js'
import { readSettings } from '../../../src/base/settings.js'
import { openGateway } from '../../../src/gateway/gateway.js'
import { type FixedPorts, startKilledSigil } from '../fixed-ports.js'
import { LateStore } from '../late-store.js'

export interface HistoryServers {
  /** Of each gateway; clients are spread over them. */
  readonly ports: readonly FixedPorts[]
  /** Ends it by SIGKILL and starts it again; does nothing where it is not a process. */
  restart(): Promise<void>
}

export type ServerKind = 'memory' | 'two gateways' | 'killed'

const common = { AUTH_MODE: 'off', TOPOLOGY: 'router', RATE_LIMITS: 'off' }

export function openServers(t: Test, kind: ServerKind, seed: number): Promise<HistoryServers> {
  switch (kind) {
    case 'memory':
      return openInProcess(t, [undefined])
    case 'two gateways': {
      const first = new LateStore({ seed, conflictChance: 0.1 })
      const second = new LateStore({ seed: seed + 1, conflictChance: 0.1, beside: first })
      return openInProcess(t, [first, second])
    }
    case 'killed':
      return openKilled(t)
  }
}

async function openInProcess(
  t: Test,
  stores: readonly (LateStore | undefined)[],
): Promise<HistoryServers> {
  const ports: FixedPorts[] = []
  for (const store of stores) {
    const gateway = await openGateway({
      settings: readSettings({
        ...common,
        STORE: 'memory:',
        HTTP_PORT: '0',
        WIRE_PORT: '0',
        REDIS_PORT: '0',
        SQL_PORT: '0',
      }),
      clock: systemClock,
      random: systemRandom,
      log: silentLog,
      version: '0.0.0-test',
      ...(store === undefined ? {} : { store }),
    })
    t.teardown(() => gateway.close())
    ports.push(gateway.ports)
  }
  return { ports, restart: async () => {} }
}

async function openKilled(t: Test): Promise<HistoryServers> {
  const { ports, restart } = await startKilledSigil(t, common)
  return { ports: [ports], restart }
}
