// The public unified tests of the document protocol, as a driver's own suite would run them: the
// official driver against a whole Sigil. Data: ../shared/specs, see test/support/specs.ts.

import { MongoClient } from 'mongodb'
import t from 'tap'
import { startGateway } from '../support/live-gateway.js'
import { failing } from './failing.js'
import { filesIn, runFiles } from './running.js'

/** Of 517; the others ask for another version or a replica set, and are told by reason. */
const testsRun = 359

const files = filesIn(['crud', 'collection-management', 'index-management'])

t.test('the unified tests hold', { skip: files.length === 0 }, async (t) => {
  const { uri } = await startGateway(t, { TEST_COMMANDS: '1' })
  const client = await MongoClient.connect(uri)
  t.teardown(() => client.close())
  await runFiles(t, { uri, client }, files, { failing, testsRun })
})

t.test('what the driver does not send, a command does', async (t) => {
  const { uri } = await startGateway(t)
  const client = await MongoClient.connect(uri)
  t.teardown(() => client.close())
  const db = client.db('main')
  const option = { bypassDocumentValidation: false }
  const inserted = await db.command({ insert: 'rows', documents: [{ _id: null }], ...option })
  t.match(inserted, { n: 1, ok: 1 })
  const update = { update: { $set: { x: 1 } }, new: true }
  const query = { _id: { $type: 'null' } }
  t.match(await db.command({ findAndModify: 'rows', query, ...update, ...option }), {
    value: { _id: null, x: 1 },
  })
})
