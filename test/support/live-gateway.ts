// A whole Sigil inside the test's process, with the machine's clock and randomness: memory store
// unless told otherwise, free ports, and an end when the test ends.

import { systemClock, systemRandom } from '../../src/base/clock.js'
import { silentLog } from '../../src/base/log.js'
import { readSettings } from '../../src/base/settings.js'
import { type Gateway, type GatewayOptions, openGateway } from '../../src/gateway/gateway.js'
import { testKey } from './gateway.js'
import { sharedAddress } from './shared-stores.js'
import { isOnPostgres } from './store-kinds.js'

export interface LiveGateway extends Gateway {
  readonly key: string
  /** `http://127.0.0.1:<port>` */
  readonly url: string
  /** Connection string of the operator. */
  readonly uri: string
}

interface Ending {
  teardown(end: () => Promise<void>): unknown
}

/** `environment` are settings; `parts` replaces the clock, the randomness or the log. */
export async function startGateway(
  t: Ending,
  environment: Readonly<Record<string, string>> = {},
  parts: Partial<GatewayOptions> = {},
): Promise<LiveGateway> {
  const settings = readSettings({
    STORE: isOnPostgres ? await sharedAddress(t) : 'memory:',
    API_KEY: testKey,
    HTTP_PORT: '0',
    WIRE_PORT: '0',
    REDIS_PORT: '0',
    SQL_PORT: '0',
    ...environment,
  })
  const gateway = await openGateway({
    settings,
    clock: systemClock,
    random: systemRandom,
    log: silentLog,
    version: '0.0.0-test',
    ...parts,
  })
  t.teardown(() => gateway.close())
  const { http, wire } = gateway.ports
  return {
    ...gateway,
    key: testKey,
    url: `http://127.0.0.1:${http}`,
    uri: `mongodb://operator:${testKey}@127.0.0.1:${wire}/main`,
  }
}
