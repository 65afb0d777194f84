// The public unified tests of transactions, with the official driver against a whole Sigil that
// says it is a router. Data: ../shared/specs, see test/support/specs.ts.

import { MongoClient } from 'mongodb'
import t from 'tap'
import { startGateway } from '../support/live-gateway.js'
import { failingTransactions } from './failing-transactions.js'
import { filesIn, runFiles } from './running.js'

/** Of 287; the others ask for another version or a replica set. */
const testsRun = 278

const files = filesIn(['transactions', 'transactions-convenient-api'])

t.test('the unified tests hold', { skip: files.length === 0 }, async (t) => {
  const gateway = await startGateway(t, { TEST_COMMANDS: '1' })
  const uri = gateway.uri
  const client = await MongoClient.connect(uri)
  t.teardown(() => client.close())
  await runFiles(t, { uri, client }, files, { failing: failingTransactions, testsRun })
})
