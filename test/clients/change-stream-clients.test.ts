// Change streams by clients of other makers: pymongo's and mongosh's watch, with a resume behind
// each event, and a stream that goes on after the server was restarted.

import { execFile } from 'node:child_process'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { MongoClient } from 'mongodb'
import t from 'tap'
import { startGateway } from '../support/live-gateway.js'
import { runPymongo } from '../support/pymongo.js'
import { mongoshScript } from '../support/tools.js'

const run = promisify(execFile)

t.test('pymongo watches and resumes', async (t) => {
  await runPymongo(
    t,
    `
import sys
from pymongo import MongoClient
client = MongoClient(sys.argv[1])
rows = client['py']['rows']
rows.insert_one({'_id': 0})
with rows.watch(full_document='updateLookup') as stream:
    rows.insert_one({'_id': 1, 'n': 1})
    rows.update_one({'_id': 1}, {'$set': {'n': 2}})
    rows.replace_one({'_id': 1}, {'n': 3})
    rows.delete_one({'_id': 1})
    events = [next(stream) for _ in range(4)]
kinds = [event['operationType'] for event in events]
assert kinds == ['insert', 'update', 'replace', 'delete'], kinds
assert events[1]['updateDescription']['updatedFields'] == {'n': 2}, events[1]
assert events[1]['fullDocument'] is None, events[1]
for i, event in enumerate(events):
    assert event['_id']['_data'].startswith('82'), event
    with rows.watch(resume_after=event['_id']) as rest:
        again = [rest.try_next() for _ in range(3 - i)]
        assert [one['_id'] for one in again] == [one['_id'] for one in events[i + 1:]]
with client.watch([{'$match': {'operationType': 'drop'}}]) as whole:
    token = whole.resume_token
    rows.drop()
    assert next(whole)['ns'] == {'db': 'py', 'coll': 'rows'}
    assert whole.resume_token['_data'] > token['_data']
with client.start_session() as session:
    kept = client['py']['kept']
    with client['py'].watch() as stream:
        with session.start_transaction():
            kept.insert_one({'_id': 1}, session=session)
            kept.insert_one({'_id': 2}, session=session)
        one, other = next(stream), next(stream)
        assert one['txnNumber'] == other['txnNumber'], one
        assert one['lsid']['id'] == session.session_id['id'], one
print('fine')
`,
  )
})

t.test('mongosh watches', async (t) => {
  const { uri } = await startGateway(t)
  const script = `
    db.rows.insertOne({ _id: 0 })
    const stream = db.rows.watch([{ $match: { operationType: 'insert' } }])
    stream.tryNext()
    db.rows.insertMany([{ _id: 1 }, { _id: 2 }])
    print(stream.next().documentKey._id, stream.next().documentKey._id)

    stream.close()
  `
  const args = [await mongoshScript(), '--quiet', '--norc', uri, '--eval', script]
  const { stdout } = await run(process.execPath, args, { timeout: 120_000 })
  t.match(stdout, '1 2')
})

t.test('a token goes on after a restart', async (t) => {
  const folder = await mkdtemp(join(tmpdir(), 'sigil-tokens-'))
  t.teardown(() => rm(folder, { recursive: true, force: true }))
  const environment = { STORE: `lmdb:${folder}` }
  const first = await startGateway({ teardown: () => undefined }, environment)
  const before = await MongoClient.connect(first.uri)
  const rows = before.db('main').collection<{ _id: number }>('rows')
  const stream = rows.watch()
  await stream.tryNext()
  await rows.insertMany([{ _id: 1 }, { _id: 2 }])
  const event = await stream.next()
  const mark = stream.resumeToken
  await rows.insertOne({ _id: 3 })
  await stream.close()
  await before.close()
  await first.close()
  const { uri } = await startGateway(t, environment)
  const client = await MongoClient.connect(uri)
  t.teardown(() => client.close())
  const again = client.db('main').collection<{ _id: number }>('rows')
  await again.insertOne({ _id: 4 })
  for (const token of [event._id, mark]) {
    const resumed = again.watch([], { resumeAfter: token })
    const keys: unknown[] = []
    while (keys.length < 3) {
      const next = await resumed.next()
      keys.push('documentKey' in next ? next.documentKey?._id : undefined)
    }
    t.same(keys, [2, 3, 4])
    await resumed.close()
  }
})
