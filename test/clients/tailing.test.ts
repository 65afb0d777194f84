// Tailing cursors of the real Node driver, both majors, and of pymongo: they see what comes, as it
// comes, and go on over many getMores.

import * as driver7 from 'mongodb'
import * as driver6 from 'mongodb6'
import t from 'tap'
import { openApi } from '../support/http-client.js'
import { startGateway } from '../support/live-gateway.js'
import { runPymongo } from '../support/pymongo.js'

interface Row {
  readonly _id: number
  readonly kind: string
}

// The two majors agree in what is used here; their declarations do not know each other.
const majors: readonly [string, typeof driver7][] = [
  ['driver 7', driver7],
  ['driver 6', driver6 as unknown as typeof driver7],
]

for (const [major, driver] of majors) {
  t.test(`${major}: a tailing cursor iterates over what is inserted meanwhile`, async (t) => {
    const { uri } = await startGateway(t)
    const client = await driver.MongoClient.connect(uri)
    t.teardown(() => client.close())
    const db = client.db('main')
    const log = await db.createCollection<Row>('log', { capped: true, size: 100_000, max: 50 })
    t.equal((await db.command({ collStats: 'log' })).capped, true)
    await log.insertMany([
      { _id: 1, kind: 'a' },
      { _id: 2, kind: 'b' },
    ])
    const cursor = log.find({ kind: 'a' }, { tailable: true, awaitData: true, maxAwaitTimeMS: 50 })
    t.same(await cursor.next(), { _id: 1, kind: 'a' })
    for (let _id = 3; _id < 40; _id += 2) {
      const next = cursor.next()
      await log.insertMany([
        { _id, kind: 'b' },
        { _id: _id + 1, kind: 'a' },
      ])
      t.same(await next, { _id: _id + 1, kind: 'a' })
    }
    await cursor.close()
    const left = await log.find().toArray()
    t.equal(left.length, 40)
    t.equal(left[0]?._id, 1)
  })

  t.test(`${major}: a tailing cursor ends with its collection`, async (t) => {
    const { uri } = await startGateway(t)
    const client = await driver.MongoClient.connect(uri)
    t.teardown(() => client.close())
    const db = client.db('main')
    const log = await db.createCollection<Row>('log', { capped: true, size: 100_000 })
    await log.insertOne({ _id: 1, kind: 'a' })
    const cursor = log.find({}, { tailable: true, awaitData: true, maxAwaitTimeMS: 60_000 })
    await cursor.next()
    const ended = t.rejects(cursor.next(), { code: 175 })
    await log.drop()
    await ended
    await t.rejects(
      db
        .collection('plain')
        .insertOne({})
        .then(() => db.collection('plain').find({}, { tailable: true }).toArray()),
      { code: 2 },
    )
  })
}

/** Numbers of the operations that wait in a getMore. */
async function waitingGetMores(client: driver7.MongoClient): Promise<number> {
  const { inprog } = await client.db('admin').command({ currentOp: 1 })
  return inprog.filter(({ op }: { op: string }) => op === 'getmore').length
}

t.test('what comes over HTTP wakes a tailing cursor, and HTTP tells of the bounds', async (t) => {
  const { uri, url, key } = await startGateway(t)
  const client = await driver7.MongoClient.connect(uri)
  t.teardown(() => client.close())
  const db = client.db('main')
  const log = await db.createCollection<Row>('log', { capped: true, size: 100_000, max: 2 })
  const api = openApi(url, key)
  await api.post('log/insertOne', { document: { _id: 9, kind: 'a' } })
  const cursor = log.find({}, { tailable: true, awaitData: true, maxAwaitTimeMS: 60_000 })
  t.equal((await cursor.next())?._id, 9)
  const next = cursor.next()
  while ((await waitingGetMores(client)) === 0);
  await api.post('log/insertMany', { documents: [{ _id: 2, kind: 'b' }] })
  t.equal((await next)?._id, 2)
  await cursor.close()
  await api.post('log/insertOne', { document: { _id: 5, kind: 'c' } })
  const { json } = await api.post('log/find', {})
  t.same(
    (json.cursor as { firstBatch: Row[] }).firstBatch.map(({ _id }) => _id),
    [2, 5],
  )
  const stats = await api.get('log/stats')
  t.match(stats.json, { documentCount: 2, indexCount: 1, capped: true, maxDocuments: 2 })
})

t.test(
  'a client that goes frees its cursor; a stop does not wait for those that wait',
  async (t) => {
    const gateway = await startGateway(t)
    const watcher = await driver7.MongoClient.connect(gateway.uri)
    t.teardown(() => watcher.close())
    const db = watcher.db('main')
    const log = await db.createCollection<Row>('log', { capped: true, size: 100_000 })
    await log.insertOne({ _id: 1, kind: 'a' })
    const begin = async () => {
      const client = await driver7.MongoClient.connect(gateway.uri)
      const options = { tailable: true, awaitData: true, maxAwaitTimeMS: 600_000 }
      const cursor = client.db('main').collection<Row>('log').find({}, options)
      await cursor.next()
      const ended = t.rejects(cursor.next())
      while ((await waitingGetMores(watcher)) === 0);
      return { client, ended }
    }
    const first = await begin()
    await first.client.close(true)
    await first.ended
    while ((await waitingGetMores(watcher)) > 0);
    const second = await begin()
    await gateway.close()
    await second.ended
    await second.client.close()
  },
)

const script = `
import sys, threading
from pymongo import MongoClient, CursorType
client = MongoClient(sys.argv[1])
log = client['py'].create_collection('log', capped=True, size=100000, max=1000)
assert client['py']['log'].options() == {'capped': True, 'size': 100096, 'max': 1000}
log.insert_one({'_id': 0})
def write():
    for i in range(1, 100):
        log.insert_one({'_id': i})
writer = threading.Thread(target=write)
cursor = log.find(cursor_type=CursorType.TAILABLE_AWAIT).max_await_time_ms(100)
seen = [cursor.next()['_id']]
writer.start()
while cursor.alive and len(seen) < 100:
    for row in cursor:
        seen.append(row['_id'])
writer.join()
assert seen == list(range(100)), seen
plain = log.find(cursor_type=CursorType.TAILABLE)
assert len(list(plain)) == 100
assert plain.alive
client.close()
print('fine')
`

t.test('pymongo: a tailing cursor sees every insert once, in order', (t) => runPymongo(t, script))
