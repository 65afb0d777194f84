// A process that has one registration relayed and says how far it is: what a test kills in between.
// Arguments: the folder of the store, then the settings as JSON. Prints `ready`, then `done`.

import { systemClock } from '../../src/base/clock.js'
import { silentLog } from '../../src/base/log.js'
import { readSettings } from '../../src/base/settings.js'
import { openChain } from '../../src/chain/open.js'
import { openLmdbStore } from '../../src/store/lmdb.js'
import { materialFor, registerBySigning } from './chain-room.js'
import { testWallet } from './wallet.js'

const [path = '', environment = '{}'] = process.argv.slice(2)
const store = await openLmdbStore({
  ...{ path, durability: 'interval', clock: systemClock, log: silentLog },
})
const settings = readSettings(JSON.parse(environment) as Record<string, string>)
const chain = openChain({
  ...{ settings, folder: undefined, store, clock: systemClock, log: silentLog },
})
await chain.registry.ready()
process.stdout.write('ready\n')
await registerBySigning(chain.registry, testWallet('killed'), materialFor('killed'))
process.stdout.write('done\n')
