// Capped collections over every store: order of insertion, bounds, what is refused, and what other
// commands make of them.

import { Long } from 'bson'
import t from 'tap'
import { checkStore } from '../../../../src/engine/check/check.js'
import { emptyDocument } from '../../../../src/engine/collection/catalog/descriptors.js'
import { SpaceTable } from '../../../../src/engine/keyspace/spaces.js'
import { type CommandRoom, eachRoom, type Reply } from '../../../support/command-room.js'

const make = (room: CommandRoom, options: Record<string, unknown> = {}): Promise<Reply> =>
  room.run({ create: 'c', capped: true, size: 4_096, ...options })

/** The `_id`s in natural order. */
async function ids(room: CommandRoom, command: Record<string, unknown> = {}): Promise<unknown[]> {
  return (await room.drain({ find: 'c', ...command })).map(({ _id }) => _id)
}

/** A document of so many bytes in all, `_id` an int32. */
const sized = (_id: number, bytes: number) => ({ _id, text: 'x'.repeat(bytes - 25) })

await eachRoom(
  t,
  'documents come in the order of insertion, whatever their _id',
  async (t, room) => {
    await make(room)
    await room.insert('c', { _id: 'b' }, { _id: 9 }, { _id: 'a' })
    await room.insert('c', { _id: 1 })
    t.same(await ids(room), ['b', 9, 'a', 1])
    t.same(await ids(room, { sort: { $natural: -1 } }), [1, 'a', 9, 'b'])
    t.same(await ids(room, { hint: { $natural: 1 }, batchSize: 1 }), ['b', 9, 'a', 1])
    t.same(await ids(room, { hint: { $natural: -1 }, limit: 2 }), [1, 'a'])
    t.same(await ids(room, { sort: { _id: 1 } }), [1, 9, 'a', 'b'])
    t.same(await ids(room, { filter: { _id: 'a' } }), ['a'])
    t.same(await ids(room, { filter: { _id: { $gt: 1 } }, hint: '_id_' }), [9])
    t.same(await checkStore(room.store), [])
  },
)

await eachRoom(t, 'the oldest go where there are more than max', async (t, room) => {
  await make(room, { max: 3 })
  for (let _id = 1; _id <= 5; _id++) await room.insert('c', { _id })
  t.same(await ids(room), [3, 4, 5])
  await room.insert('c', ...[6, 7, 8, 9, 10].map((_id) => ({ _id })))
  t.same(await ids(room), [8, 9, 10])
  const { count, capped, max, maxSize } = await room.run({ collStats: 'c' })
  t.same({ count, capped, max, maxSize }, { count: 3, capped: true, max: 3, maxSize: 4_096 })
  t.same(await checkStore(room.store), [])
})

await eachRoom(t, 'the oldest go where they leave no room in bytes', async (t, room) => {
  await make(room)
  for (let _id = 1; _id <= 5; _id++) await room.insert('c', sized(_id, 1_000))
  t.same(await ids(room), [2, 3, 4, 5])
  await room.insert('c', sized(6, 2_500))
  t.same(await ids(room), [5, 6], 'one document may take the place of several')
  await room.insert('c', sized(7, 4_096))
  t.same(await ids(room), [7])
  const reply = await room.run({ insert: 'c', documents: [sized(8, 4_097)] })
  t.match(reply.writeErrors, [{ code: 2, errmsg: 'object to insert exceeds cappedMaxSize' }])
  t.same(await ids(room), [7])
  t.same(await checkStore(room.store), [])
})

await eachRoom(t, 'one document drives out more than a program may remove', async (t, room) => {
  await make(room, { size: 60_000 })
  const small = Array.from({ length: 1_600 }, (_, _id) => ({ _id, a: 1 }))
  await room.insert('c', ...small)
  await room.run({ createIndexes: 'c', indexes: [{ key: { a: 1 }, name: 'a_1' }] })
  await room.insert('c', sized(-1, 59_000))
  const left = await ids(room)
  t.equal(left.at(-1), -1)
  const { size } = await room.run({ collStats: 'c' })
  t.ok(size <= 60_160)
  t.equal(left.length - 1, Math.floor((60_160 - 59_000) / 21))
  t.same(await checkStore(room.store), [])
})

await eachRoom(t, 'several large documents of one command drive out thousands', async (t, room) => {
  await make(room, { size: 70_000 })
  for (let part = 0; part < 2; part++) {
    const small = Array.from({ length: 1_600 }, (_, i) => ({ _id: part * 1_600 + i }))
    await room.insert('c', ...small)
  }
  const large = [1, 2, 3].map((n) => sized(-n, 20_000))
  await room.insert('c', ...large)
  const left = await ids(room)
  t.same(left.slice(-3), [-1, -2, -3])
  t.equal(left.length, 3 + Math.floor((70_144 - 60_000) / 14), 'and no more than they have to')
  t.same(await checkStore(room.store), [])
})

await eachRoom(t, 'documents with many entries drive out others', async (t, room) => {
  await make(room, { size: 1_000_000, max: 3 })
  await room.run({ createIndexes: 'c', indexes: [{ key: { a: 1 }, name: 'a_1' }] })
  const wide = (_id: number) => ({ _id, a: Array.from({ length: 2_700 }, (_, i) => i) })
  for (let _id = 1; _id <= 5; _id++) await room.insert('c', wide(_id))
  t.same(await ids(room), [3, 4, 5])
  await room.insert('c', wide(6), wide(7))
  t.same(await ids(room), [5, 6, 7])
  t.same(await checkStore(room.store), [])
})

await eachRoom(t, 'create checks and rounds the bounds, and echoes them', async (t, room) => {
  t.same(await room.fails({ create: 'c', capped: true }), [
    72,
    "the 'size' field is required when 'capped' is true",
  ])
  t.same(await room.fails({ create: 'c', capped: true, max: 5 }), [
    72,
    "the 'size' field is required when 'capped' is true",
  ])
  t.same(await room.fails({ create: 'c', size: 5 }), [
    72,
    "the 'capped' field needs to be true when either the 'size' or 'max' fields are present",
  ])
  t.same(await room.fails({ create: 'c', capped: true, size: 0 }), [
    51024,
    "BSON field 'size' value must be >= 1, actual value '0'",
  ])
  t.same(await room.fails({ create: 'c', capped: true, size: 2 ** 51 }), [
    2,
    'size cannot exceed 1 PB',
  ])
  t.same(await room.fails({ create: 'c', capped: true, size: 1, max: 2 ** 31 }), [
    2,
    'max in a capped collection has to be < 2^31 or not set',
  ])
  await room.run({ create: 'least', capped: true, size: 1 })
  await room.run({ create: 'odd', capped: true, size: 5_000, max: 7 })
  await room.run({ create: 'plain' })
  const list = async (filter: Record<string, unknown>) =>
    (await room.drain({ listCollections: 1, filter })).map(({ name, options }) => [name, options])
  t.same(await list({ 'options.capped': true }), [
    ['least', { capped: true, size: 4_096 }],
    ['odd', { capped: true, size: 5_120, max: 7 }],
  ])
  const { capped, maxSize } = await room.run({ collStats: 'plain' })
  t.same([capped, maxSize], [false, undefined])
})

await eachRoom(t, 'documents may be updated, also to other sizes, and deleted', async (t, room) => {
  await make(room, { max: 4 })
  await room.insert('c', { _id: 1, n: 1 }, { _id: 2, n: 1 }, { _id: 3, n: 2 })
  await room.run({ update: 'c', updates: [{ q: { _id: 2 }, u: { $set: { text: 'longer' } } }] })
  await room.run({ update: 'c', updates: [{ q: {}, u: { $inc: { n: 1 } }, multi: true }] })
  t.same(await room.drain({ find: 'c' }), [
    { _id: 1, n: 2 },
    { _id: 2, n: 2, text: 'longer' },
    { _id: 3, n: 3 },
  ])
  await room.run({ delete: 'c', deletes: [{ q: { n: 2 }, limit: 1 }] })
  t.same(await ids(room), [2, 3], 'the first in natural order')
  await room.run({ delete: 'c', deletes: [{ q: { _id: 3 }, limit: 0 }] })
  await room.insert('c', { _id: 3 }, { _id: 1 })
  t.same(await ids(room), [2, 3, 1])
  await room.run({ delete: 'c', deletes: [{ q: {}, limit: 0 }] })
  t.same(await ids(room), [])
  await room.insert('c', { _id: 5 })
  t.same(await ids(room), [5])
  t.same(await checkStore(room.store), [])
})

await eachRoom(t, 'an _id comes once, also within one command', async (t, room) => {
  await make(room)
  await room.insert('c', { _id: 1 })
  const { writeErrors, n } = await room.run({
    insert: 'c',
    documents: [{ _id: 2 }, { _id: 1 }, { _id: 2 }],
    ordered: false,
  })
  t.equal(n, 1)
  t.match(writeErrors, [
    {
      index: 1,
      code: 11000,
      keyPattern: { _id: 1 },
      keyValue: { _id: 1 },
      errmsg: 'E11000 duplicate key error collection: test.c index: _id_ dup key: { _id: 1 }',
    },
    { index: 2, code: 11000 },
  ])
  const upsert = { q: { _id: 3 }, u: { $inc: { n: 1 } }, upsert: true }
  const reply = await room.run({ update: 'c', updates: [upsert, upsert, upsert] })
  t.match(reply, { n: 3, nModified: 2, upserted: [{ index: 0, _id: 3 }] })
  t.same(await room.drain({ find: 'c', filter: { _id: 3 } }), [{ _id: 3, n: 3 }])
})

await eachRoom(t, 'equal keys of an index stand in the order of insertion', async (t, room) => {
  await make(room)
  await room.run({ createIndexes: 'c', indexes: [{ key: { a: 1 }, name: 'a_1' }] })
  await room.insert('c', { _id: 3, a: 1 }, { _id: 1, a: 1 }, { _id: 2, a: 0 })
  t.same(await ids(room, { sort: { a: 1 }, hint: 'a_1' }), [2, 3, 1])
  t.same(await ids(room, { sort: { a: 1, _id: 1 }, hint: 'a_1' }), [2, 1, 3])
  const projection = { a: 1 }
  t.same(await room.drain({ find: 'c', filter: { a: 1 }, projection, hint: 'a_1' }), [
    { _id: 3, a: 1 },
    { _id: 1, a: 1 },
  ])
  t.same((await room.run({ distinct: 'c', key: '_id' })).values.sort(), [1, 2, 3])
  t.equal((await room.run({ count: 'c', query: { _id: { $gte: 2 } } })).n, 2)
})

await eachRoom(t, '_id_ is listed as everywhere, and cannot be dropped', async (t, room) => {
  await make(room)
  await room.insert('c', { _id: 1, a: 1 })
  const made = await room.run({ createIndexes: 'c', indexes: [{ key: { a: 1 }, name: 'a_1' }] })
  t.match(made, { numIndexesBefore: 1, numIndexesAfter: 2 })
  const again = await room.run({ createIndexes: 'c', indexes: [{ key: { _id: 1 }, name: '_id_' }] })
  t.match(again, { numIndexesBefore: 2, numIndexesAfter: 2 })
  const names = (await room.drain({ listIndexes: 'c' })).map(({ name }) => name)
  t.same(names, ['_id_', 'a_1'])
  t.same(await room.fails({ dropIndexes: 'c', index: '_id_' }), [72, 'cannot drop _id index'])
  const stats = await room.run({ collStats: 'c' })
  t.equal(stats.nindexes, 2)
  t.ok(stats.indexSizes._id_ > 0)
  const validated = await room.run({ validate: 'c' })
  t.match(validated, { valid: true, nIndexes: 2, keysPerIndex: { _id_: 1, a_1: 1 } })
  t.equal((await room.run({ dropIndexes: 'c', index: '*' })).nIndexesWas, 2)
  await room.insert('c', { _id: 2 })
  t.equal((await room.run({ insert: 'c', documents: [{ _id: 1 }] })).writeErrors[0].code, 11000)
  t.equal((await room.run({ drop: 'c' })).nIndexesWas, 1)
  t.same(await checkStore(room.store), [])
})

await eachRoom(t, 'what would contradict the bounds is refused', async (t, room) => {
  await make(room)
  const ttl = { key: { at: 1 }, name: 'at_1', expireAfterSeconds: 5 }
  t.same(await room.fails({ createIndexes: 'c', indexes: [ttl] }), [
    67,
    'Cannot create TTL index on a capped collection',
  ])
  await room.insert('from', { _id: 1 })
  t.same(await room.fails({ aggregate: 'from', pipeline: [{ $out: 'c' }], cursor: {} }), [
    17152,
    "namespace 'test.c' is capped so it can't be used for $out",
  ])
  await room.run({ aggregate: 'from', pipeline: [{ $merge: 'c' }], cursor: {} })
  t.same(await ids(room), [1])
})

await eachRoom(t, 'collMod changes the bounds; the next insert keeps to them', async (t, room) => {
  await make(room, { max: 5 })
  await room.insert('c', ...[1, 2, 3, 4, 5].map((_id) => ({ _id })))
  await room.run({ collMod: 'c', cappedMax: 2 })
  t.same(await ids(room), [1, 2, 3, 4, 5])
  await room.insert('c', { _id: 6 })
  t.same(await ids(room), [5, 6])
  await room.run({ collMod: 'c', cappedSize: 10_000, cappedMax: 0 })
  const [{ options }] = (await room.drain({ listCollections: 1 })) as [Reply]
  t.same(options, { capped: true, size: 10_240, max: 2 ** 31 - 1 })
  t.same(await room.fails({ collMod: 'c', cappedSize: 0 }), [
    51024,
    "BSON field 'cappedSize' value must be >= 1, actual value '0'",
  ])
  await room.run({ create: 'plain' })
  t.same(await room.fails({ collMod: 'plain', cappedMax: 5 }), [72, 'Collection must be capped.'])
  t.equal((await room.fails({ collMod: 'none', cappedMax: 5 }))[0], 26)
})

/** test/store/postgres/refused-copies.test.ts has what a shared store answers. */
const copies = { notShared: 'a copy would miss the writes of other gateways' }

await eachRoom(
  t,
  'convertToCapped keeps the newest, in order, without indexes',
  async (t, room) => {
    await room.insert('c', ...[5, 1, 4, 2, 3].map((_id) => sized(_id, 1_000)))
    await room.run({ createIndexes: 'c', indexes: [{ key: { text: 1 }, name: 'text_1' }] })
    await room.run({ convertToCapped: 'c', size: 4_096 })
    t.same(await ids(room), [2, 3, 4, 5])
    t.same(
      (await room.drain({ listIndexes: 'c' })).map(({ name }) => name),
      ['_id_'],
    )
    await room.insert('c', sized(0, 1_000))
    t.same(await ids(room), [3, 4, 5, 0])
    await room.run({ convertToCapped: 'c', size: 2_000_000 })
    await room.insert('c', sized(9, 1_000))
    t.same(await ids(room), [3, 4, 5, 0, 9])
    t.same(await room.fails({ convertToCapped: 'none', size: 5 }), [
      26,
      'source collection test.none does not exist',
    ])
    t.same(await room.fails({ convertToCapped: 'c', size: 0 }), [
      72,
      'Capped collection size must be greater than zero',
    ])
    t.same((await room.drain({ listCollections: 1 })).length, 1, 'nothing is left beside it')
    const clusteredIndex = { key: { _id: 1 }, unique: true }
    await room.run({ create: 'ordered', clusteredIndex })
    t.equal((await room.fails({ convertToCapped: 'ordered', size: 5_000 }))[0], 72)
    await room.run({ create: 'view', viewOn: 'c', pipeline: [] })
    t.equal((await room.fails({ convertToCapped: 'view', size: 5_000 }))[0], 166)
    t.equal((await room.fails({ find: 'view', tailable: true }))[0], 168)
    t.same(await checkStore(room.store), [])
  },
  copies,
)

await eachRoom(
  t,
  'a clone that is capped leaves the collection as it is',
  async (t, room) => {
    await room.insert('c', ...[1, 2, 3, 4, 5].map((_id) => sized(_id, 1_000)))
    const clone = { cloneCollectionAsCapped: 'c', toCollection: 'd', size: 4_096 }
    await room.run(clone)
    t.same(await ids(room), [1, 2, 3, 4, 5])
    t.same(await ids(room, { find: 'd' }), [2, 3, 4, 5])
    t.same(await room.fails(clone), [
      48,
      'cloneCollectionAsCapped failed - destination collection test.d already exists. ' +
        'source collection: test.c',
    ])
    t.same(await checkStore(room.store), [])
  },
  copies,
)

await eachRoom(t, 'a rename keeps the order, a drop leaves nothing', async (t, room) => {
  await make(room, { max: 2 })
  await room.insert('c', { _id: 3 }, { _id: 2 })
  await room.run({ renameCollection: 'test.c', to: 'test.d' }, 'admin')
  await room.insert('d', { _id: 1 })
  t.same(await ids(room, { find: 'd' }), [2, 1])
  await room.run({ drop: 'd' })
  await room.insert('d', { _id: 3 }, { _id: 2 }, { _id: 1 })
  t.same(await ids(room, { find: 'd' }), [1, 2, 3])
  t.same(await checkStore(room.store), [])
})

await eachRoom(t, 'concurrent inserts are all there, each once', async (t, room) => {
  await make(room, { max: 12 })
  const batches = Array.from({ length: 10 }, (_, batch) =>
    room.insert('c', { _id: batch * 2 }, { _id: batch * 2 + 1 }),
  )
  await Promise.all(batches)
  const left = await ids(room)
  t.equal(left.length, 12)
  t.equal(new Set(left).size, 12)
  t.equal((await room.run({ count: 'c' })).n, 12)
  t.same(await checkStore(room.store), [])
})

await eachRoom(t, 'a scan that writers overtake ends, and does not leave out', async (t, room) => {
  await make(room, { max: 3 })
  await room.insert('c', { _id: 1 }, { _id: 2 }, { _id: 3 })
  const { cursor } = await room.run({ find: 'c', batchSize: 1 })
  await room.insert('c', { _id: 4 })
  const { code, message } = await room.refusal({
    getMore: Long.fromNumber(cursor.id),
    collection: 'c',
  })
  t.equal(code, 136)
  t.match(message, 'CollectionScan died due to position in capped collection being deleted')
})

await eachRoom(t, 'a large document that is evicted takes its chunks with it', async (t, room) => {
  await make(room, { size: 1_000_000 })
  for (let _id = 1; _id <= 4; _id++) await room.insert('c', sized(_id, 400_000))
  t.same(await ids(room), [3, 4])
  t.same(await checkStore(room.store), [])
})

await eachRoom(t, 'a key-value database is never capped', async (t, room) => {
  const creation = { owner: null, mode: 'private', now: 0, options: emptyDocument } as const
  await room.store.write((tx) => new SpaceTable('test').ensure(tx, creation))
  t.same(await room.fails({ convertToCapped: 'kv0', size: 5_000 }), [
    20,
    'a key-value database keeps its name',
  ])
  t.equal((await room.fails({ create: 'kv0', capped: true, size: 5_000 }))[0], 48)
  t.same(await room.fails({ collMod: 'kv0', cappedMax: 5 }), [72, 'Collection must be capped.'])
  const clone = { cloneCollectionAsCapped: 'kv0', toCollection: 'kv1', size: 5_000 }
  t.equal((await room.fails(clone))[0], 48)
})

await eachRoom(
  t,
  'a key-value database does not take a capped collection over',
  async (t, room) => {
    t.equal((await room.fails({ create: 'kv0', capped: true, size: 5_000 }))[0], 72)
  },
)

await eachRoom(
  t,
  'a conversion keeps what a validator refuses, and the validator',
  async (t, room) => {
    await room.insert('c', { _id: 1 }, { _id: 2, a: 1 })
    await room.run({ collMod: 'c', validator: { a: 1 } })
    await room.run({ convertToCapped: 'c', size: 5_000 })
    t.same(await ids(room), [1, 2])
    t.equal((await room.run({ insert: 'c', documents: [{ _id: 3 }] })).writeErrors[0].code, 121)
    const [{ options }] = (await room.drain({ listCollections: 1 })) as [Reply]
    t.match(options, { capped: true, size: 5_120, validator: { a: 1 } })
    t.same(await checkStore(room.store), [])
  },
  copies,
)

await eachRoom(t, 'ids that a collation takes for one are refused', async (t, room) => {
  const collation = { locale: 'en', strength: 2 }
  await make(room, { collation, max: 2 })
  await room.insert('c', { _id: 'a' }, { _id: 'B' })
  t.equal((await room.run({ insert: 'c', documents: [{ _id: 'A' }] })).writeErrors[0].code, 11000)
  t.same(await ids(room, { filter: { _id: 'b' } }), ['B'])
  t.same(await ids(room, { filter: { _id: 'b' }, collation: { locale: 'simple' } }), [])
  await room.insert('c', { _id: 'c' })
  t.same(await ids(room, { sort: { _id: -1 } }), ['c', 'B'])
  t.same(await checkStore(room.store), [])
})

await eachRoom(
  t,
  'a conversion keeps the collation of ids',
  async (t, room) => {
    await make(room, { collation: { locale: 'en', strength: 2 }, max: 2 })
    await room.insert('c', { _id: 'B' })
    await room.run({ convertToCapped: 'c', size: 5_000 })
    t.equal((await room.run({ insert: 'c', documents: [{ _id: 'b' }] })).writeErrors[0].code, 11000)
    t.same(await checkStore(room.store), [])
  },
  copies,
)

await eachRoom(
  t,
  'explain tells of a scan in natural order, and of the index on _id',
  async (t, room) => {
    await make(room)
    await room.insert('c', { _id: 1 }, { _id: 2 })
    const plan = async (find: Record<string, unknown>) =>
      (await room.run({ explain: { find: 'c', ...find }, verbosity: 'executionStats' }))
        .queryPlanner.winningPlan
    t.match(await plan({}), { stage: 'COLLSCAN', direction: 'forward' })
    t.match(await plan({ hint: { $natural: -1 } }), { stage: 'COLLSCAN', direction: 'backward' })
    t.match(await plan({ filter: { _id: 1 } }), {
      stage: 'FETCH',
      inputStage: { stage: 'IXSCAN', indexName: '_id_' },
    })
  },
)
