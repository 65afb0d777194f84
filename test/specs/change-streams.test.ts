// The public unified tests of change streams, with the official driver against a whole Sigil: as a
// router, and for the file that asks for one, as a replica set. Data: ../shared/specs, see
// test/support/specs.ts.

import { MongoClient } from 'mongodb'
import t from 'tap'
import { startGateway } from '../support/live-gateway.js'
import { failingChangeStreams } from './failing-change-streams.js'
import { filesIn, runFiles } from './running.js'

/** The others ask for another version or topology. */
const testsRun = { router: 44, 'replica-set:rs0': 22 } as const

const files = filesIn(['change-streams'])
const [ofReplicaSets, ofRouters] = [true, false].map((isOne) =>
  files.filter(({ name }) => (name === 'change-streams/change-streams') === isOne),
) as [typeof files, typeof files]

t.test('the unified tests hold for a router', { skip: files.length === 0 }, async (t) => {
  const { uri } = await startGateway(t, { TEST_COMMANDS: '1', TOPOLOGY: 'router' })
  const client = await MongoClient.connect(uri)
  t.teardown(() => client.close())
  const options = { failing: failingChangeStreams.router, testsRun: testsRun.router }
  await runFiles(t, { uri, client }, ofRouters, options)
})

t.test('the others hold for a replica set', { skip: files.length === 0 }, async (t) => {
  const topology = 'replica-set:rs0'
  const gateway = await startGateway(t, { TEST_COMMANDS: '1', TOPOLOGY: topology })
  const uri = `${gateway.uri}?directConnection=true`
  const client = await MongoClient.connect(uri)
  t.teardown(() => client.close())
  const options = { failing: failingChangeStreams.replicaSet, testsRun: testsRun[topology] }
  await runFiles(t, { uri, client }, ofReplicaSets, options)
})
