// The public unified tests of sessions, snapshot reads and retried reads, with the official driver
// against a whole Sigil. Data: ../shared/specs, see test/support/specs.ts.

import { MongoClient } from 'mongodb'
import t from 'tap'
import { startGateway } from '../support/live-gateway.js'
import { failingSessions } from './failing-sessions.js'
import { filesIn, runFiles } from './running.js'

/** The others ask for another version or a replica set. */
const testsRun = 409

const files = filesIn(['sessions', 'retryable-reads'])

t.test('the unified tests hold', { skip: files.length === 0 }, async (t) => {
  const { uri } = await startGateway(t, { TEST_COMMANDS: '1' })
  const client = await MongoClient.connect(uri)
  t.teardown(() => client.close())
  await runFiles(t, { uri, client }, files, { failing: failingSessions, testsRun })
})
