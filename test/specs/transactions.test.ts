// The public unified tests of transactions, with the official driver against two whole Sigils over
// one store, which say that they are routers. Data: ../shared/specs, see test/support/specs.ts.

import { MongoClient } from 'mongodb'
import t from 'tap'
import { startGateway } from '../support/live-gateway.js'
import { openSharedStores } from '../support/shared-store.js'
import { failingTransactions } from './failing-transactions.js'
import { filesIn, runFiles } from './running.js'

/** Of 287; the others ask for another version or a replica set. */
const testsRun = 278

const files = filesIn(['transactions', 'transactions-convenient-api'])

t.test('the unified tests hold', { skip: files.length === 0 }, async (t) => {
  const clients = new Map<string, MongoClient>()
  const uris: string[] = []
  for (const store of openSharedStores(2)) {
    const { uri, ports } = await startGateway(t, { TEST_COMMANDS: '1' }, { store })
    const client = await MongoClient.connect(uri)
    t.teardown(() => client.close())
    clients.set(`127.0.0.1:${ports.wire}`, client)
    uris.push(uri)
  }
  const [uri = '', client = new MongoClient(uri)] = [uris[0], [...clients.values()][0]]
  const uriOfAll = uri.replace(/@[^/]+/, `@${[...clients.keys()].join()}`)
  const server = { uri, uriOfAll, client, clients }
  await runFiles(t, server, files, { failing: failingTransactions, testsRun })
})
