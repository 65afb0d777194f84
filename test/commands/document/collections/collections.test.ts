// Making, listing, renaming and dropping collections and their indexes, over every store.

import { Binary, Long } from 'bson'
import t from 'tap'
import { eachRoom, type Reply } from '../../../support/command-room.js'

const ageIndex = { key: { age: 1 }, name: 'age_1' }

await eachRoom(t, 'create makes an empty collection once', async (t, room) => {
  t.same(await room.run({ create: 'c' }), { ok: 1 })
  t.same(await room.run({ create: 'c' }), { ok: 1 }, 'with the same options it is there')
  const other = { create: 'c', capped: true, size: 4096 }
  t.same(await room.fails(other), [48, 'Collection already exists. NS: test.c'])
  t.equal((await room.run({ count: 'c' })).n, 0)
})

await eachRoom(
  t,
  'options that would have to be enforced are refused',
  async (t, room) => {
    const code = async (options: object) => (await room.fails({ create: 'c', ...options }))[0]
    t.equal(await code({ size: 1000 }), 72)
    const clusteredIndex = { key: { _id: 1 }, unique: true }
    t.equal(await code({ clusteredIndex, expireAfterSeconds: 1 }), 115)
    t.equal(await code({ collation: { locale: 'xx' } }), 2)
    t.equal(await code({ unknown: 1 }), 40415)
    const harmless = { validator: {}, changeStreamPreAndPostImages: { enabled: false } }
    t.equal((await room.run({ create: 'c', ...harmless })).ok, 1)
  },
  { kinds: ['memory'] },
)

await eachRoom(t, "listCollections answers in the peer's shape", async (t, room) => {
  await room.run({ create: 'b' })
  await room.insert('a', { _id: 1 })
  const listed = await room.drain({ listCollections: 1, cursor: {} })
  t.same(
    listed.map(({ name }) => name),
    ['a', 'b'],
  )
  t.match(listed[0], {
    name: 'a',
    type: 'collection',
    options: {},
    info: { readOnly: false },
    idIndex: { v: 2, key: { _id: 1 }, name: '_id_' },
  })
  t.ok(listed[0]?.info.uuid instanceof Binary || listed[0]?.info.uuid !== undefined)
  t.same(await room.drain({ listCollections: 1, nameOnly: true }), [
    { name: 'a', type: 'collection' },
    { name: 'b', type: 'collection' },
  ])
  const { cursor } = await room.run({ listCollections: 1 })
  t.equal(cursor.ns, 'test.$cmd.listCollections')
})

await eachRoom(t, 'listCollections filters and pages', async (t, room) => {
  for (const name of ['a', 'b', 'cc']) await room.run({ create: name })
  const names = async (filter: object) =>
    (await room.drain({ listCollections: 1, filter })).map(({ name }) => name)
  t.same(await names({ name: 'b' }), ['b'])
  t.same(await names({ name: 'x' }), [])
  t.same(await names({ name: { $in: ['a', 'cc'] } }), ['a', 'cc'])
  t.same(await names({ 'options.capped': true }), [])
  t.equal((await room.drain({ listCollections: 1, cursor: { batchSize: 1 } })).length, 3)
})

await eachRoom(t, 'drop answers what went, and nothing for what was missing', async (t, room) => {
  await room.insert('c', { _id: 1 })
  await room.run({ createIndexes: 'c', indexes: [ageIndex] })
  t.same(await room.run({ drop: 'c' }), { nIndexesWas: 2, ns: 'test.c', ok: 1 })
  t.same(await room.run({ drop: 'c' }), { ok: 1 })
  t.same(await room.all('c'), [])
})

await eachRoom(t, 'dropDatabase drops its own collections alone', async (t, room) => {
  for (let i = 0; i < 60; i++) await room.run({ create: `c${i}` })
  await room.run({ create: 'kept' }, 'other')
  t.same(await room.run({ dropDatabase: 1 }), { dropped: 'test', ok: 1 })
  t.same(await room.run({ dropDatabase: 1 }), { ok: 1 })
  t.same(await room.drain({ listCollections: 1 }), [])
  t.equal((await room.drain({ listCollections: 1 }, 'other')).length, 1)
  t.equal((await room.fails({ dropDatabase: 1 }, 'admin'))[0], 20)
})

await eachRoom(t, 'renameCollection moves the name and nothing else', async (t, room) => {
  await room.insert('c', { _id: 1, age: 5 })
  await room.run({ createIndexes: 'c', indexes: [ageIndex] })
  const rename = (to: string, more = {}) =>
    room.run({ renameCollection: 'test.c', to, ...more }, 'admin')
  t.same(await rename('test.d'), { ok: 1 })
  t.same(await room.all('d', { age: 5 }), [{ _id: 1, age: 5 }])
  t.same(await room.all('c'), [])
  t.equal((await room.drain({ listIndexes: 'd' })).length, 2)
})

await eachRoom(t, 'a rename needs a source and a free target', async (t, room) => {
  await room.insert('c', { _id: 1 })
  await room.insert('d', { _id: 2 })
  const fails = (from: string, to: string, more = {}) =>
    room.fails({ renameCollection: from, to, ...more }, 'admin')
  t.equal((await fails('test.x', 'test.y'))[0], 26)
  t.equal((await fails('test.c', 'test.c'))[0], 20)
  t.equal((await fails('test.c', 'test.d'))[0], 48)
  t.equal((await fails('test', 'test.d'))[0], 73)
  t.equal((await room.fails({ renameCollection: 'test.c', to: 'test.e' }))[0], 13)
  const dropTarget = { renameCollection: 'test.c', to: 'test.d', dropTarget: true }
  t.equal((await room.run(dropTarget, 'admin')).ok, 1)
  t.same(await room.all('d'), [{ _id: 1 }])
})

await eachRoom(t, 'listDatabases sums what each holds', async (t, room) => {
  await room.insert('c', { _id: 1 })
  await room.run({ create: 'empty' }, 'other')
  const { databases, totalSize } = await room.run({ listDatabases: 1 }, 'admin')
  t.same(
    databases.map(({ name }: Reply) => name),
    ['admin', 'config', 'local', 'other', 'test'],
  )
  const [admin, , , other, own] = databases
  t.match(admin, { sizeOnDisk: 0, empty: true })
  t.match(own, { empty: false })
  t.ok(own.sizeOnDisk > 0)
  t.equal(totalSize, other.sizeOnDisk + own.sizeOnDisk)
  const only = await room.run(
    { listDatabases: 1, nameOnly: true, filter: { name: /^te/ } },
    'admin',
  )
  t.same(only, { databases: [{ name: 'test' }], ok: 1 })
})

await eachRoom(t, 'createIndexes counts before and after', async (t, room) => {
  t.same(await room.run({ createIndexes: 'c', indexes: [ageIndex] }), {
    numIndexesBefore: 1,
    numIndexesAfter: 2,
    createdCollectionAutomatically: true,
    ok: 1,
  })
  t.match(await room.run({ createIndexes: 'c', indexes: [ageIndex] }), {
    numIndexesBefore: 2,
    numIndexesAfter: 2,
    note: 'all indexes already exist',
  })
  t.same(await room.drain({ listIndexes: 'c' }), [
    { v: 2, key: { _id: 1 }, name: '_id_' },
    { v: 2, key: { age: 1 }, name: 'age_1' },
  ])
})

await eachRoom(
  t,
  'an index over documents that are there is ready when answered',
  async (t, room) => {
    await room.insert('c', ...Array.from({ length: 120 }, (_, _id) => ({ _id, age: _id % 10 })))
    await room.run({ createIndexes: 'c', indexes: [ageIndex] })
    t.equal((await room.run({ count: 'c', query: { age: 3 }, hint: 'age_1' })).n, 12)
  },
)

await eachRoom(t, 'a unique index over duplicates is not made', async (t, room) => {
  await room.insert('c', { _id: 1, age: 5 }, { _id: 2, age: 5 })
  const unique = { createIndexes: 'c', indexes: [{ ...ageIndex, unique: true }] }
  t.equal((await room.fails(unique))[0], 11000)
  t.equal((await room.drain({ listIndexes: 'c' })).length, 1)
})

await eachRoom(t, 'index specifications are checked', async (t, room) => {
  const code = async (...indexes: object[]) =>
    (await room.fails({ createIndexes: 'c', indexes }))[0]
  t.equal(await code(), 2)
  t.equal(await code({ key: { a: 1 } }), 9)
  t.equal(await code({ key: { a: 0 }, name: 'a' }), 67)
  t.equal(await code({ key: { a: 'text' }, name: 'a' }), 67)
  t.equal(await code({ key: { a: 1 }, name: 'a', foo: 1 }), 197)
  await room.run({ createIndexes: 'c', indexes: [ageIndex] })
  t.equal(await code({ ...ageIndex, name: 'other' }), 85)
  t.equal(await code({ key: { b: 1 }, name: 'age_1' }), 86)
})

await eachRoom(t, 'dropIndexes takes a name, a key, names or a star', async (t, room) => {
  const indexes = ['a', 'b', 'c', 'd'].map((path) => ({ key: { [path]: 1 }, name: `${path}_1` }))
  await room.run({ createIndexes: 'c', indexes })
  const drop = (index: unknown) => room.run({ dropIndexes: 'c', index })
  t.same(await drop('a_1'), { nIndexesWas: 5, ok: 1 })
  t.same(await drop({ b: 1 }), { nIndexesWas: 4, ok: 1 })
  t.same(await drop(['c_1']), { nIndexesWas: 3, ok: 1 })
  t.same(await drop('*'), { nIndexesWas: 2, ok: 1 })
  t.equal((await room.drain({ listIndexes: 'c' })).length, 1)
  const fails = async (index: unknown) => (await room.fails({ dropIndexes: 'c', index }))[0]
  t.equal(await fails('a_1'), 27)
  t.equal(await fails('_id_'), 72)
  t.equal((await room.fails({ dropIndexes: 'missing', index: '*' }))[0], 26)
  t.equal((await room.fails({ listIndexes: 'missing' }))[0], 26)
})

await eachRoom(t, 'stats count documents, bytes and entries', async (t, room) => {
  await room.insert('c', ...Array.from({ length: 10 }, (_, _id) => ({ _id, age: _id })))
  await room.run({ createIndexes: 'c', indexes: [ageIndex] })
  const stats = await room.run({ collStats: 'c' })
  t.match(stats, { ns: 'test.c', count: 10, nindexes: 2, capped: false, scaleFactor: 1 })
  t.ok(stats.size > 0 && stats.avgObjSize === Math.floor(stats.size / 10))
  t.ok(stats.indexSizes.age_1 > 0)
  t.equal(stats.totalSize, stats.storageSize + stats.totalIndexSize)
  const database = await room.run({ dbStats: 1 })
  t.match(database, { db: 'test', collections: 1, objects: 10, indexes: 2, dataSize: stats.size })
  t.match(await room.run({ collStats: 'missing' }), { count: 0, size: 0, nindexes: 0 })
  t.equal((await room.fails({ collStats: 'c', scale: 0 }))[0], 51024)
  // A scale is an int32: MongoDB cuts larger numbers, and rounds none.
  const largest = 2 ** 31 - 1
  const pipeline = [{ $collStats: { storageStats: { scale: Long.MAX_VALUE } } }]
  for (const scale of [Long.fromString('9007199254740993'), Long.MAX_VALUE, 1e300]) {
    t.match(await room.run({ collStats: 'c', scale }), { size: 0, scaleFactor: largest })
    t.match(await room.run({ dbStats: 1, scale }), { dataSize: 0, scaleFactor: largest })
  }
  const { cursor } = await room.run({ aggregate: 'c', pipeline, cursor: {} })
  t.match(cursor.firstBatch, [{ storageStats: { scaleFactor: largest } }])
  t.match((await room.fails({ collStats: 'c', scale: -1e300 }))[1], "actual value '-2147483648'")
})

await eachRoom(t, "HTTP's figures have counts and the indexes as listed", async (t, room) => {
  await room.insert('c', { _id: 1, age: 3 })
  await room.run({ createIndexes: 'c', indexes: [ageIndex] })
  const stats = await room.run({ collectionStats: 'c' })
  t.match(stats, { documentCount: 1, indexCount: 2 })
  t.same(
    stats.indexes.map(({ name }: Reply) => name),
    ['_id_', 'age_1'],
  )
  t.equal((await room.fails({ collectionStats: 'missing' }))[0], 26)
})

await eachRoom(t, 'validate finds a sound collection sound', async (t, room) => {
  await room.insert('c', { _id: 1, age: [1, 2] }, { _id: 2 })
  await room.run({ createIndexes: 'c', indexes: [ageIndex] })
  t.match(await room.run({ validate: 'c' }), {
    ns: 'test.c',
    nInvalidDocuments: 0,
    nrecords: 2,
    nIndexes: 2,
    keysPerIndex: { _id_: 2, age_1: 3 },
    indexDetails: { age_1: { valid: true } },
    valid: true,
    warnings: [],
    errors: [],
  })
  t.equal((await room.fails({ validate: 'missing' }))[0], 26)
  t.equal((await room.fails({ validate: 'c', repair: true }))[0], 115)
})
