// A whole gateway on free ports, with time that stands still and randomness from a seed: what it
// answers depends on nothing but what it is asked.

import '../record/neutral-machine.js'
import type { Clock, Random } from '../../src/base/clock.js'
import { silentLog } from '../../src/base/log.js'
import { readSettings } from '../../src/base/settings.js'
import { type Gateway, openGateway } from '../../src/gateway/gateway.js'
import { seededRandom } from './seeded-random.js'

/** The operator's key of these gateways: no secret, since they live in tests only. */
export const testKey = `svc_op_${'0123456789abcdef'.repeat(4)}`

interface FixedOptions {
  readonly seed: number
  /** What the clock says all the time, milliseconds since 1970. */
  readonly nowMs: number
  /** Of the gateway, instead of the numbers that follow from the seed. */
  readonly random?: Random
  /** Further settings. */
  readonly settings?: Readonly<Record<string, string>>
}

export const fixedStart = { seed: 20_260_101, nowMs: Date.UTC(2026, 0, 1) } as const

function fixedClock(nowMs: number): Clock {
  return { now: () => nowMs, elapsed: () => 0 }
}

export function fixedRandom(seed: number): Random {
  const next = seededRandom(seed)
  return { bytes: (count) => Uint8Array.from({ length: count }, () => Math.floor(next() * 256)) }
}

/** The same bytes whenever so many are asked for: what else is drawn, and when, changes nothing. */
export const steadyRandom: Random = {
  bytes: (count) => Uint8Array.from({ length: count }, (_, i) => (i * 37 + count) & 0xff),
}

/** Over a memory store unless `settings` says otherwise. */
export function openFixedGateway(options: FixedOptions): Promise<Gateway> {
  const settings = readSettings({
    STORE: 'memory:',
    WIRE_PORT: '0',
    REDIS_PORT: '0',
    SQL_PORT: '0',
    HTTP_PORT: '0',
    API_KEY: testKey,
    // Else they would be made, and every number drawn after them be another than was recorded.
    SESSION_KEYS: `k1:${'ab'.repeat(32)}`,
    ...options.settings,
  })
  return openGateway({
    settings,
    clock: fixedClock(options.nowMs),
    random: options.random ?? fixedRandom(options.seed),
    log: silentLog,
    version: '0.0.0',
  })
}
