// A gateway over a data folder with time, randomness and ports of the machine, for the tests that
// cut the power of a first start and for what examines its folder afterwards.

import { systemClock, systemRandom } from '../../../src/base/clock.js'
import { silentLog } from '../../../src/base/log.js'
import { readSettings } from '../../../src/base/settings.js'
import { type Gateway, openGateway } from '../../../src/gateway/gateway.js'

export function firstStart(folder: string): Promise<Gateway> {
  const settings = readSettings({
    STORE: `lmdb:${folder}`,
    DURABILITY: 'commit',
    ...{ WIRE_PORT: '0', REDIS_PORT: '0', SQL_PORT: '0', HTTP_PORT: '0' },
  })
  return openGateway({
    ...{ settings, clock: systemClock, random: systemRandom, log: silentLog },
    version: '0.0.0-test',
  })
}
