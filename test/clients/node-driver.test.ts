// The official Node driver, majors 6 and 7, unmodified and with default settings: what an
// application does in its first days.

import * as driver7 from 'mongodb'
import * as driver6 from 'mongodb6'
import t, { type Test } from 'tap'
import { startGateway } from '../support/live-gateway.js'

// The two majors agree in what is used here; their declarations do not know each other.
const majors: readonly [string, typeof driver7][] = [
  ['driver 7', driver7],
  ['driver 6', driver6 as unknown as typeof driver7],
]

type Client = driver7.MongoClient

function forEachMajor(
  name: string,
  body: (t: Test, client: Client, driver: typeof driver7, uri: string) => Promise<void>,
  options = '',
): void {
  for (const [major, driver] of majors) {
    t.test(`${major}: ${name}`, async (t) => {
      const { uri } = await startGateway(t)
      const client = await driver.MongoClient.connect(`${uri}${options}`)
      t.teardown(() => client.close())
      await body(t, client, driver, uri)
    })
  }
}

interface Row {
  _id: number
  n?: number
  tags?: string[]
}

forEachMajor('signs in, and a wrong key or user is code 18', async (t, client, driver, uri) => {
  t.match(await client.db('admin').command({ connectionStatus: 1 }), {
    authInfo: { authenticatedUsers: [{ user: 'operator' }] },
  })
  for (const wrong of [uri.replace(/f@/, 'e@'), uri.replace('operator', 'unknown')]) {
    const wrongLogin = new driver.MongoClient(wrong)
    await t.rejects(wrongLogin.connect(), { code: 18, codeName: 'AuthenticationFailed' })
    await wrongLogin.close()
  }
  const unauthenticated = await driver.MongoClient.connect(uri.replace(/\/\/.*@/, '//'))
  await t.rejects(unauthenticated.db('main').collection('a').findOne(), { code: 13 })
  await unauthenticated.close()
})

forEachMajor('writes and reads documents', async (t, client) => {
  const rows = client.db('main').collection<Row>('rows')
  t.same(await rows.insertOne({ _id: 1, n: 1 }), { acknowledged: true, insertedId: 1 })
  const many = await rows.insertMany([{ _id: 2, n: 2 }, { _id: 3, n: 3 }, { _id: 4 }])
  t.equal(many.insertedCount, 3)
  t.same(
    await rows
      .find({ n: { $gte: 2 } })
      .sort({ n: -1 })
      .toArray(),
    [
      { _id: 3, n: 3 },
      { _id: 2, n: 2 },
    ],
  )
  t.match(await rows.updateOne({ _id: 1 }, { $inc: { n: 5 } }), { modifiedCount: 1 })
  t.match(await rows.updateMany({}, { $set: { tags: ['a'] } }), { matchedCount: 4 })
  t.match(await rows.replaceOne({ _id: 4 }, { n: 9 }), { modifiedCount: 1 })
  t.same(await rows.findOne({ _id: 4 }), { _id: 4, n: 9 })
  const upsert = await rows.updateOne({ _id: 7 }, { $set: { n: 7 } }, { upsert: true })
  t.match(upsert, { upsertedCount: 1, upsertedId: 7, matchedCount: 0 })
  t.match(await rows.deleteOne({ _id: 7 }), { deletedCount: 1 })
  t.equal(await rows.countDocuments({ tags: 'a' }), 3)
  t.equal(await rows.estimatedDocumentCount(), 4)
  t.same((await rows.distinct('n')).sort(), [2, 3, 6, 9])
  t.match(await rows.deleteMany({}), { deletedCount: 4 })
})

forEachMajor('a duplicate key is told with its index, pattern and value', async (t, client) => {
  const rows = client.db('main').collection<Row>('rows')
  await rows.createIndex({ n: 1 }, { unique: true })
  await rows.insertOne({ _id: 1, n: 1 })
  await t.rejects(rows.insertOne({ _id: 2, n: 1 }), {
    code: 11000,
    message: /E11000 duplicate key error collection: main\.rows index: n_1 dup key: \{ n: 1 \}/,
    keyPattern: { n: 1 },
    keyValue: { n: 1 },
  })
  await t.rejects(rows.updateOne({ _id: 9 }, { $set: { n: 1 } }, { upsert: true }), { code: 11000 })
  const error = await rows
    .insertMany(
      [
        { _id: 3, n: 3 },
        { _id: 4, n: 1 },
        { _id: 5, n: 5 },
      ],
      { ordered: false },
    )
    .then(
      () => undefined,
      (thrown: driver7.MongoBulkWriteError) => thrown,
    )
  t.match(error, { code: 11000, result: { insertedCount: 2 } })
})

forEachMajor('bulkWrite mixes everything', async (t, client) => {
  const rows = client.db('main').collection<Row>('rows')
  const result = await rows.bulkWrite([
    { insertOne: { document: { _id: 1, n: 1 } } },
    { insertOne: { document: { _id: 2, n: 2 } } },
    { updateOne: { filter: { _id: 1 }, update: { $set: { n: 10 } } } },
    { updateMany: { filter: {}, update: { $inc: { n: 1 } } } },
    { replaceOne: { filter: { _id: 3 }, replacement: { n: 3 }, upsert: true } },
    { deleteOne: { filter: { _id: 2 } } },
  ])
  t.match(result, {
    insertedCount: 2,
    matchedCount: 3,
    modifiedCount: 3,
    upsertedCount: 1,
    deletedCount: 1,
  })
  t.same(await rows.find().sort({ _id: 1 }).toArray(), [
    { _id: 1, n: 11 },
    { _id: 3, n: 3 },
  ])
})

forEachMajor('cursors page by batchSize, and can be left', async (t, client) => {
  const rows = client.db('main').collection<Row>('rows')
  await rows.insertMany(Array.from({ length: 1000 }, (_, n) => ({ _id: n, n: n % 10 })))
  const seen: number[] = []
  for await (const row of rows.find({}, { batchSize: 7, sort: { _id: 1 } })) seen.push(row._id)
  t.same(
    seen,
    Array.from({ length: 1000 }, (_, n) => n),
  )
  const left = rows.find({}, { batchSize: 10 })
  t.equal((await left.next())?._id, 0)
  await left.close()
  t.equal((await rows.find().skip(990).limit(5).toArray()).length, 5)
  const grouped = rows.aggregate(
    [{ $group: { _id: '$n', total: { $sum: '$_id' } } }, { $sort: { _id: 1 } }],
    { batchSize: 3 },
  )
  t.equal((await grouped.toArray()).length, 10)
})

forEachMajor('findOneAnd… answer the document before or after', async (t, client) => {
  const rows = client.db('main').collection<Row>('rows')
  await rows.insertMany([
    { _id: 1, n: 1 },
    { _id: 2, n: 2 },
  ])
  t.same(await rows.findOneAndUpdate({ n: 1 }, { $inc: { n: 10 } }), { _id: 1, n: 1 })
  const after = { returnDocument: 'after', sort: { n: -1 } } as const
  t.same(await rows.findOneAndUpdate({}, { $inc: { n: 1 } }, after), { _id: 1, n: 12 })
  const upsert = { returnDocument: 'after', upsert: true } as const
  t.same(await rows.findOneAndReplace({ _id: 3 }, { n: 3 }, upsert), { _id: 3, n: 3 })
  t.same(await rows.findOneAndDelete({ _id: 3 }), { _id: 3, n: 3 })
  t.equal(await rows.findOneAndDelete({ _id: 3 }), null)
})

forEachMajor('collections and indexes are managed', async (t, client) => {
  const db = client.db('managed')
  await db.createCollection('a')
  await db.createCollection('a')
  const other = db.createCollection('a', { capped: true, size: 4096 })
  await t.rejects(other, { code: 48, codeName: 'NamespaceExists' })
  const a = db.collection('a')
  t.equal(await a.createIndex({ x: 1, y: -1 }), 'x_1_y_-1')
  t.same(await a.createIndexes([{ key: { z: 1 }, name: 'zed', unique: true }]), ['zed'])
  t.same(await a.indexes(), [
    { v: 2, key: { _id: 1 }, name: '_id_' },
    { v: 2, key: { x: 1, y: -1 }, name: 'x_1_y_-1' },
    { v: 2, key: { z: 1 }, name: 'zed', unique: true },
  ])
  await a.dropIndex('zed')
  await t.rejects(a.dropIndex('zed'), { code: 27, codeName: 'IndexNotFound' })
  t.same(
    (await db.listCollections().toArray()).map(({ name, type }) => ({ name, type })),
    [{ name: 'a', type: 'collection' }],
  )
  await a.rename('b')
  t.match(await db.stats(), { db: 'managed', collections: 1 })
  t.equal(await db.collection('b').drop(), true)
  const { databases } = await db.admin().listDatabases()
  t.notOk(databases.some(({ name }) => name === 'managed'))
  t.equal(await db.dropDatabase(), true)
})

forEachMajor('explain tells the index and what was examined', async (t, client) => {
  const rows = client.db('main').collection<Row>('rows')
  await rows.insertMany(Array.from({ length: 100 }, (_, n) => ({ _id: n, n: n % 10 })))
  await rows.createIndex({ n: 1 })
  const explained = await rows.find({ n: 3 }).explain('executionStats')
  t.match(explained, {
    queryPlanner: {
      namespace: 'main.rows',
      winningPlan: {
        stage: 'FETCH',
        inputStage: { stage: 'IXSCAN', indexName: 'n_1', indexBounds: { n: ['[3, 3]'] } },
      },
    },
    executionStats: { nReturned: 10, totalKeysExamined: 10, totalDocsExamined: 10 },
  })
  const scan = await rows.find({ tags: 'x' }).explain('queryPlanner')
  t.match(scan.queryPlanner, { winningPlan: { stage: 'COLLSCAN' } })
})

forEachMajor('unacknowledged writes happen, and nothing answers them', async (t, client) => {
  const rows = client.db('main').collection<Row>('rows')
  const silent = client.db('main').collection<Row>('rows', { writeConcern: { w: 0 } })
  for (let n = 0; n < 20; n++) await silent.insertOne({ _id: n })
  await silent.insertOne({ _id: 0 })
  await silent.deleteOne({ _id: 19 })
  while ((await rows.countDocuments()) !== 19);
  t.equal(await rows.countDocuments(), 19)
})

forEachMajor(
  'a pool of 100 connections works at once',
  async (t, client) => {
    const rows = client.db('main').collection<Row>('rows')
    const work = Array.from({ length: 1000 }, async (_, n) => {
      await rows.insertOne({ _id: n, n })
      return (await rows.findOne({ _id: n }))?.n
    })
    t.same(
      await Promise.all(work),
      Array.from({ length: 1000 }, (_, n) => n),
    )
  },
  '?maxPoolSize=100',
)

forEachMajor(
  'zlib compression is agreed on and works',
  async (t, client) => {
    const rows = client.db('main').collection<Row>('rows')
    const tags = Array.from({ length: 1000 }, (_, n) => `tag ${n}`)
    await rows.insertMany(Array.from({ length: 50 }, (_, n) => ({ _id: n, tags })))
    t.equal((await rows.find().toArray()).length, 50)
  },
  '?compressors=zlib',
)

forEachMajor('sessions can be asked for, and have transactions', async (t, client) => {
  const rows = client.db('main').collection<Row>('rows')
  await client.withSession(async (session) => {
    await rows.insertOne({ _id: 1 }, { session })
    t.same(await rows.findOne({ _id: 1 }, { session }), { _id: 1 })
    session.startTransaction()
    await rows.insertOne({ _id: 2 }, { session })
    t.equal(await rows.countDocuments(), 1)
    await session.abortTransaction()
    session.startTransaction()
    await rows.insertOne({ _id: 3 }, { session })
    await session.commitTransaction()
  })
  t.equal(await rows.countDocuments(), 2)
})

t.test('a standalone refuses transactions', async (t) => {
  const { uri } = await startGateway(t, { TOPOLOGY: 'standalone' })
  const client = await driver7.MongoClient.connect(uri)
  t.teardown(() => client.close())
  await client.withSession(async (session) => {
    session.startTransaction()
    // The driver puts words of its own in place of the server's code 20.
    await t.rejects(client.db('main').collection('rows').insertOne({}, { session }), {
      message: /retryable writes|Transaction numbers/,
    })
    await session.abortTransaction().catch(() => undefined)
  })
})

forEachMajor('BSON types come back as they went', async (t, client, driver) => {
  const { Binary, Decimal128, Long, ObjectId, Timestamp, MinKey, MaxKey, BSONRegExp } = driver
  const document = {
    _id: new ObjectId('65f0c0ffee0123456789abcd'),
    double: 1.5,
    string: 'ü😀',
    binary: new Binary(Buffer.from([1, 2, 3]), 0),
    bool: true,
    date: new Date(1_767_323_045_000),
    null: null,
    int: 7,
    timestamp: new Timestamp({ t: 1, i: 2 }),
    long: Long.fromString('9007199254740993'),
    decimal: Decimal128.fromString('1.10'),
    min: new MinKey(),
    max: new MaxKey(),
    regex: new BSONRegExp('^a', 'i'),
    nested: { b: { a: [1, [2, { c: 3 }]] }, 10: 'ten', 9: 'nine' },
  }
  const types = client.db('main').collection('types')
  await types.insertOne(document)
  const options = { promoteValues: false, bsonRegExp: true }
  const found = await types.findOne({ _id: document._id }, options)
  const { EJSON } = driver.BSON
  t.equal(EJSON.stringify(found, { relaxed: false }), EJSON.stringify(document, { relaxed: false }))
})

forEachMajor('errors have the peer’s code and words', async (t, client) => {
  const rows = client.db('main').collection('rows')
  await rows.insertOne({ a: 'x' })
  await t.rejects(rows.findOne({ a: { $foo: 1 } }), {
    code: 2,
    message: 'unknown operator: $foo',
  })
  await t.rejects(rows.updateOne({}, { $inc: { a: 1 } }), { code: 14 })
  await t.rejects(rows.aggregate([{ $nope: 1 }]).toArray(), {
    code: 40324,
    message: "Unrecognized pipeline stage name: '$nope'",
  })
  await t.rejects(client.db('main').command({ nope: 1 }), {
    code: 59,
    message: "no such command: 'nope'",
  })
  await t.rejects(rows.find().hint('none_1').toArray(), { code: 2 })
})
