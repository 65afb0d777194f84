// A graph that has something to be anchored is found by the job after a restart too: what a start
// looks at in the catalog is not what the job has noted there.

import t from 'tap'
import { systemClock } from '../../../src/base/clock.js'
import { silentLog } from '../../../src/base/log.js'
import { waitingGraphs } from '../../../src/memory/graph/graph-names.js'
import { openStore } from '../../../src/store/open.js'
import { ask } from '../../support/http-client.js'
import { startGateway } from '../../support/live-gateway.js'
import { temporaryFolder } from '../../support/stores.js'

t.setTimeout(120_000)

t.test('a graph that waits for an anchor waits behind a restart', async (t) => {
  const STORE = `lmdb:${await temporaryFolder(t)}/data`
  const run = async (use: (url: string, key: string) => Promise<void>): Promise<void> => {
    const ends: (() => Promise<void>)[] = []
    const gateway = await startGateway({ teardown: (end) => ends.push(end) }, { STORE })
    await use(gateway.url, gateway.key)
    for (const end of ends) await end()
  }
  const waiting = async () => {
    const options = { durability: 'commit', clock: systemClock, log: silentLog } as const
    const store = await openStore(STORE, options)
    const { paths } = await store.read((tx) => waitingGraphs(tx, undefined, 10))
    await store.close()
    return paths
  }
  await run(async (url, key) => {
    const made = await ask(url, {
      ...{
        path: '/api/memories',
        headers: { 'x-api-key': key, 'content-type': 'application/json' },
      },
      body: JSON.stringify({ graph: 'notes', text: 'to be anchored' }),
    })
    t.equal(made.status, 201, made.text)
  })
  t.ok((await waiting()).includes('main/notes'), 'it waits')
  await run(async () => undefined)
  t.ok((await waiting()).includes('main/notes'), 'it still does')
})
