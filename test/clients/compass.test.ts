// What MongoDB Compass sends: at its start, when a database and a collection are opened, and for the
// preview of an update, which is a transaction. Recorded from its package mongodb-data-service 22.41.1
// against a router. A command that it expects to fail must fail in the words that it knows.

import { type Db, type Document, MongoClient } from 'mongodb'
import t, { type Test } from 'tap'
import { startGateway } from '../support/live-gateway.js'

interface Row {
  _id: number
  n: number
}

async function open(t: Test): Promise<{ admin: Db; db: Db; client: MongoClient }> {
  const { uri } = await startGateway(t)
  const client = await MongoClient.connect(uri, { appName: 'MongoDB Compass' })
  t.teardown(() => client.close())
  const db = client.db('main')
  await db.collection<Row>('rows').insertMany([1, 2].map((_id) => ({ _id, n: _id })))
  return { admin: client.db('admin'), db, client }
}

t.test('the start shows a router that is no Atlas and no imitation', async (t) => {
  const { admin, client } = await open(t)
  t.match(await admin.command({ connectionStatus: 1, showPrivileges: true }), {
    authInfo: { authenticatedUsers: [{ user: 'operator' }], authenticatedUserPrivileges: [{}] },
  })
  t.match(await admin.command({ hostInfo: 1 }), { os: {}, system: {}, extra: {} })
  t.match(await admin.command({ buildInfo: 1 }), { version: /^7\.0\./, modules: [] })
  const version = await admin.command({ getParameter: 1, featureCompatibilityVersion: 1 })
  t.match(version, { featureCompatibilityVersion: { version: '7.0' } })
  await t.rejects(admin.command({ atlasVersion: 1 }), { code: 59 })
  // Imitations are told by this text.
  await t.rejects(admin.command({ getParameter: 'foo' }), { message: 'no option found to get' })
  const local = { managedClusterType: 'atlasCliLocalDevCluster' }
  t.equal(await admin.collection('atlascli').countDocuments(local), 0)
  const { databases } = await admin.command({ listDatabases: 1 })
  t.ok(databases.some(({ name }: Document) => name === 'main'))
  t.equal((await client.db('main').admin().command({ hello: 1 })).msg, 'isdbgrid')
})

t.test('a database and a collection are opened', async (t) => {
  const { admin, db } = await open(t)
  const listed = await db.command({
    ...{ listCollections: 1, filter: { name: 'rows' }, cursor: {} },
    ...{ nameOnly: false, authorizedCollections: false },
  })
  t.match(listed.cursor.firstBatch, [{ name: 'rows', type: 'collection' }])
  t.match(await db.command({ dbStats: 1 }), { collections: 1, objects: 2, indexes: 1 })
  const run = (pipeline: Document[]) => db.collection('rows').aggregate(pipeline).toArray()
  const sum = (path: string) => ({ $sum: { $toDouble: `$storageStats.${path}` } })
  const stats = {
    ...{ _id: null, capped: { $first: '$storageStats.capped' } },
    ...{ count: { $sum: '$storageStats.count' }, size: sum('size') },
    ...{ storageSize: sum('storageSize'), nindexes: { $max: '$storageStats.nindexes' } },
  }
  t.match(await run([{ $collStats: { storageStats: {} } }, { $group: stats }]), [
    { capped: false, count: 2, nindexes: 1 },
  ])
  const sizes = [
    { $collStats: { storageStats: {} } },
    { $project: { indexSizes: { $objectToArray: '$storageStats.indexSizes' } } },
    { $unwind: '$indexSizes' },
    { $group: { _id: '$indexSizes.k', size: { $sum: { $toDouble: '$indexSizes.v' } } } },
  ]
  t.match(await run(sizes), [{ _id: '_id_', size: Number }])
  const used = { name: 1, usageHost: '$host', usageCount: '$accesses.ops', building: 1 }
  t.match(await run([{ $indexStats: {} }, { $project: used }]), [{ name: '_id_' }])
  const builds = [
    { $currentOp: { allUsers: true, localOps: false } },
    { $match: { ns: 'main.rows', active: true, 'command.createIndexes': { $exists: true } } },
  ]
  t.same(await admin.aggregate(builds).toArray(), [])
  const sharded = { _id: 'main.rows' as never, unsplittable: { $ne: true } }
  t.same(await db.client.db('config').collection('collections').find(sharded).toArray(), [])
  t.equal((await run([{ $sample: { size: 10 } }])).length, 2)
  t.equal((await db.command({ count: 'rows', maxTimeMS: 30_000 })).n, 2)
  await t.rejects(run([{ $listSearchIndexes: {} }]), /requires additional configuration/)
  const explained = { explain: { find: 'rows', filter: {} }, verbosity: 'executionStats' }
  t.match(await db.command(explained), { executionStats: { nReturned: 2 } })
})

t.test('the preview of an update is a transaction that leaves nothing', async (t) => {
  const { db, client } = await open(t)
  const rows = db.collection<Row>('rows')
  await client.withSession(async (session) => {
    session.startTransaction()
    const before = await rows.find({}, { session, sort: {}, limit: 10 }).toArray()
    const chosen = { _id: { $in: before.map(({ _id }) => _id) } }
    await rows.updateMany(chosen, { $inc: { n: 1 } }, { session })
    const after = await rows.find(chosen, { session, sort: {} }).toArray()
    t.same(
      [before, after].map((all) => all.map(({ n }) => n)),
      [
        [1, 2],
        [2, 3],
      ],
    )
    await session.abortTransaction()
  })
  t.same(
    (await rows.find().toArray()).map(({ n }) => n),
    [1, 2],
  )
})
