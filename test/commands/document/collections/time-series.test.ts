// Time-series collections over every store: what create takes, what a measurement is, what may be
// changed and dropped, and what other commands make of them.

import fc from 'fast-check'
import t from 'tap'
import { systemClock } from '../../../../src/base/clock.js'
import { DocumentExpiry } from '../../../../src/engine/background/document-expiry-job.js'
import { checkStore } from '../../../../src/engine/check/check.js'
import { findNamespace } from '../../../../src/engine/collection/catalog/catalog.js'
import { truncateNamespace } from '../../../../src/engine/collection/truncate.js'
import type { Namespace } from '../../../../src/engine/types.js'
import { openMemoryStore } from '../../../../src/store/memory.js'
import { CommandRoom, eachRoom, type Reply } from '../../../support/command-room.js'
import { jobParts, ManualClock } from '../../../support/engine-room.js'
import { runs } from '../../../support/runs.js'

type Plain = Record<string, unknown>

const fields = { timeField: 'at', metaField: 'sensor' }

const make = (room: CommandRoom, options: Plain = {}): Promise<Reply> =>
  room.run({ create: 'c', timeseries: fields, ...options })

/** The moment so many seconds after a fixed one. */
const second = (n: number): Date => new Date(1_700_000_000_000 + n * 1_000)

const measured = (n: number, sensor: unknown, rest: Plain = {}) => ({
  ...{ at: second(n), sensor },
  ...rest,
})

/** The values `v` of what a find answers. */
async function values(room: CommandRoom, command: Plain = {}): Promise<unknown[]> {
  return (await room.drain({ find: 'c', ...command })).map(({ v }) => v)
}

async function fill(room: CommandRoom, options: Plain = {}): Promise<void> {
  await make(room, options)
  await room.insert(
    'c',
    { _id: 1, ...measured(3, 'a', { v: 1 }) },
    { _id: 1, ...measured(1, 'b', { v: 2 }) },
    { _id: 2, ...measured(2, 'a', { v: 3 }) },
  )
}

async function planOf(room: CommandRoom, find: Plain): Promise<Reply> {
  const { queryPlanner } = await room.run({ explain: { find: 'c', ...find } })
  return queryPlanner.winningPlan
}

await eachRoom(t, 'an _id is no key, and indexes serve time and meta', async (t, room) => {
  await fill(room)
  t.same(await values(room), [1, 2, 3], 'in the order of insertion')
  t.same(await values(room, { filter: { _id: 1 } }), [1, 2])
  t.same(await values(room, { sort: { at: -1 } }), [1, 3, 2])
  t.same(await values(room, { sort: { _id: -1, v: 1 } }), [3, 1, 2])
  t.same(await values(room, { filter: { at: { $gte: second(2) } }, sort: { at: 1 } }), [3, 1])
  t.same(await values(room, { filter: { sensor: 'a' }, sort: { at: 1 } }), [3, 1])
  t.match(await planOf(room, { filter: { at: { $gte: second(2) } } }), {
    inputStage: { stage: 'IXSCAN', keyPattern: { at: 1 } },
  })
  t.match(await planOf(room, { filter: { sensor: 'a' }, sort: { at: 1 } }), {
    stage: 'FETCH',
    inputStage: { indexName: 'sensor_1_at_1' },
  })
  t.match(await planOf(room, { filter: { _id: 1 } }), { stage: 'COLLSCAN' })
  t.equal((await room.run({ count: 'c', query: { sensor: 'a' } })).n, 2)
  t.same((await room.run({ distinct: 'c', key: '_id' })).values, [1, 2])
  t.same((await room.run({ distinct: 'c', key: 'sensor' })).values, ['a', 'b'])
  t.same(await values(room, { hint: { $natural: -1 } }), [3, 2, 1])
  t.equal((await room.refusal({ find: 'c', hint: '_id_' })).code, 2)
  t.equal((await room.refusal({ find: 'c', hint: { at: 1 } })).code, 2, 'that one was not created')
  t.same(await checkStore(room.store), [])
})

await eachRoom(t, 'a measurement has a time', async (t, room) => {
  await make(room)
  const wrong = [
    { at: 5 },
    { sensor: 'a' },
    { at: '2026-01-01' },
    { at: [second(1)] },
    { at: null },
  ]
  const documents = [...wrong, measured(1, 'a')]
  const { n, writeErrors } = await room.run({ insert: 'c', documents, ordered: false })
  t.equal(n, 1)
  const errmsg = "'at' must be present and contain a valid BSON UTC datetime value"
  t.same(
    writeErrors,
    wrong.map((_, index) => ({ index, code: 2, errmsg })),
  )
  t.equal((await room.all('c')).length, 1)
  const large = { text: 'x'.repeat(300_000) }
  await room.insert('c', ...Array.from({ length: 200 }, (_, i) => measured(i, i % 3)), {
    ...measured(7, 'x', large),
  })
  t.equal((await room.run({ count: 'c', query: { at: second(7) } })).n, 2)
  t.same(await checkStore(room.store), [])
})

await eachRoom(t, 'create keeps and lists its options', async (t, room) => {
  const listed = async () => {
    const { cursor } = await room.run({ listCollections: 1, filter: { type: 'timeseries' } })
    await room.run({ drop: 'c' })
    return cursor.firstBatch[0]
  }
  await make(room, { expireAfterSeconds: 3_600, capped: false, storageEngine: {} })
  t.strictSame(await listed(), {
    name: 'c',
    type: 'timeseries',
    options: {
      storageEngine: {},
      timeseries: { ...fields, granularity: 'seconds', bucketMaxSpanSeconds: 3_600 },
      expireAfterSeconds: 3_600,
    },
    info: { readOnly: false },
  })
  await make(room, { timeseries: { timeField: 'at', granularity: 'hours' } })
  t.match((await listed()).options.timeseries, {
    ...{ timeField: 'at', granularity: 'hours', bucketMaxSpanSeconds: 2_592_000 },
  })
  const span = { bucketMaxSpanSeconds: 60, bucketRoundingSeconds: 60 }
  await make(room, { timeseries: { timeField: 'at', ...span } })
  t.strictSame((await listed()).options.timeseries, { timeField: 'at', ...span })
})

await eachRoom(
  t,
  'create refuses as the peer does',
  async (t, room) => {
    const refused = async (options: Plain, code: number, text?: string) => {
      const error = await room.refusal({ create: 'c', timeseries: fields, ...options })
      t.equal(error.code, code, JSON.stringify(options))
      if (text !== undefined) t.equal(error.message, text)
    }
    const series = (given: Plain, code = 72, text?: string) =>
      refused({ timeseries: { ...fields, ...given } }, code, text)
    const topLevel = "must be a top-level field and not contain a '.'"
    await series({ timeField: 'a.b' }, 72, `test.c: 'timeField' ${topLevel}`)
    await series({ metaField: 'a.b' }, 72, `test.c: 'metaField' ${topLevel}`)
    await series({ metaField: '_id' }, 72, '\'metaField\' cannot be "_id"')
    await series({ metaField: 'at' }, 72, "'metaField' cannot be the same as 'timeField'")
    await series({ timeField: 'a\0b' }, 2)
    await series({ timeField: 1 }, 14)
    await series({ metaField: 1 }, 14)
    await series({ other: 1 }, 40415)
    await series({ granularity: 'days' }, 2)
    await series({ granularity: 'minutes', bucketMaxSpanSeconds: 3_600 })
    await series({ granularity: 'seconds', bucketRoundingSeconds: 60 })
    await series({ bucketMaxSpanSeconds: 60 })
    await series({ bucketMaxSpanSeconds: 60, bucketRoundingSeconds: 61 })
    await series({ bucketMaxSpanSeconds: 0, bucketRoundingSeconds: 0 }, 51024)
    await series({ bucketMaxSpanSeconds: 4e7, bucketRoundingSeconds: 4e7 }, 51024)
    await refused({ timeseries: {} }, 40414)
    await refused({ timeseries: '' }, 14)
    const beside = (name: string) => `test.c: 'timeseries' is not allowed with '${name}'`
    await refused({ capped: true, size: 100 }, 72, beside('capped'))
    await refused({ validator: {} }, 72, beside('validator'))
    await refused({ validationLevel: 'off' }, 72, beside('validationLevel'))
    await refused({ viewOn: 'x' }, 72, beside('viewOn'))
    await refused({ viewOn: 'x', pipeline: [] }, 72, beside('viewOn'))
    await refused({ clusteredIndex: true }, 72, beside('clusteredIndex'))
    await refused({ idIndex: { key: { _id: 1 } } }, 72, beside('idIndex'))
    await refused({ expireAfterSeconds: -1 }, 72)
    await refused({ expireAfterSeconds: 1e12 }, 72)
    await refused({ expireAfterSeconds: '' }, 14)
    await refused({ timeseries: undefined, expireAfterSeconds: 1 }, 72)
    await make(room)
    await refused({ expireAfterSeconds: 5 }, 48)
  },
  { kinds: ['memory'] },
)

await eachRoom(t, 'an update changes the metaField by the metaField', async (t, room) => {
  await fill(room)
  const update = async (q: Plain, u: unknown, options: Plain = { multi: true }) => {
    const reply = await room.run({ update: 'c', updates: [{ q, u, ...options }] })
    const [error] = reply.writeErrors ?? []
    return error === undefined ? reply.nModified : [error.code, error.errmsg]
  }
  const what = 'Cannot perform an update on a time-series collection'
  const rename = { $set: { sensor: { name: 'a' } } }
  t.equal(await update({ sensor: 'a' }, rename), 2)
  t.equal(await update({ 'sensor.name': 'a' }, { $rename: { 'sensor.name': 'sensor.id' } }), 2)
  t.equal(await update({ $or: [{ 'sensor.id': 'a' }, { sensor: 'b' }] }, rename), 3)
  const other = [
    72,
    'Cannot perform an update or delete on a time-series collection when querying on a field that ' +
      "is not the metaField 'sensor'",
  ]
  for (const q of [{ v: 1 }, { _id: 1 }, { $and: [{ sensor: 'a' }, { v: 1 }] }]) {
    t.same(await update(q, rename), other)
  }
  t.same(await update({ $expr: { $eq: ['$sensor', 1] } }, rename), [
    72,
    'Cannot use $expr when performing an update or delete on a time-series collection',
  ])
  const changes = [72, `${what} which updates a field that is not the metaField 'sensor'`]
  t.same(await update({}, { $set: { v: 1 } }), changes)
  t.same(await update({}, { $rename: { sensor: 'v' } }), changes)
  t.same(await update({}, [{ $set: { sensor: 1 } }]), [72, `${what} using a pipeline update`])
  const single = 'Cannot perform a non-multi update on a time-series collection'
  t.same(await update({ sensor: 'a' }, rename, {}), [72, single])
  t.same(await update({ _id: 1 }, rename, {}), [72, single], 'also by _id')
  const upsert = 'Cannot perform an upsert on a time-series collection'
  t.same(await update({ sensor: 'z' }, rename, { multi: true, upsert: true }), [72, upsert])
  await room.run({ create: 'plain', timeseries: { timeField: 'at' } })
  const error = await room.run({ update: 'plain', updates: [{ q: {}, u: rename, multi: true }] })
  t.match(error.writeErrors, [{ code: 72, errmsg: `${what} that does not have a metaField` }])
  t.match(
    [await room.refusal({ findAndModify: 'c', remove: true })],
    [{ code: 166, message: 'Namespace test.c is a timeseries collection' }],
  )
  t.equal((await room.refusal({ findAndModify: 'c', update: rename })).code, 166)
  t.same(await values(room), [1, 2, 3])
  t.same(await checkStore(room.store), [])
})

await eachRoom(t, 'deletes take any query', async (t, room) => {
  await fill(room)
  const remove = async (q: Plain, limit: number) =>
    (await room.run({ delete: 'c', deletes: [{ q, limit }] })).n
  t.equal(await remove({ _id: 1 }, 1), 1, 'one of two')
  t.equal(await remove({ v: { $gt: 5 } }, 0), 0)
  t.equal(await remove({ sensor: 'a' }, 0), 1)
  t.same(await values(room), [2])
  t.equal(await remove({ at: { $lt: second(9) } }, 0), 1)
  await room.insert('c', measured(1, 'a', { v: 9 }))
  t.same(await values(room), [9], 'numbers are not given again')
  t.same(await checkStore(room.store), [])
})

await eachRoom(t, 'indexes are those that were asked for', async (t, room) => {
  await fill(room)
  const names = async () =>
    (await room.drain({ listIndexes: 'c' })).map(({ name }) => name as string)
  const index = (key: Plain, options: Plain = {}) => ({
    createIndexes: 'c',
    indexes: [{ key, name: 'i', ...options }],
  })
  t.same(await names(), ['sensor_1_at_1'])
  t.match(await room.run(index({ at: 1 }, { name: 'at_1' })), {
    ...{ numIndexesBefore: 1, numIndexesAfter: 2 },
  })
  t.same(await values(room, { hint: { at: 1 } }), [2, 3, 1])
  await room.run(index({ v: 1 }, { name: 'v_1' }))
  t.match(await planOf(room, { filter: { v: 2 } }), { inputStage: { indexName: 'v_1' } })
  await room.run(index({ 'sensor.$**': 1 }, { name: 'w' }))
  const sparse = 'Sparse indexes are not supported on time-series measurements'
  const unique = 'Unique indexes are not supported on time-series collections'
  t.same(await room.fails(index({ v: -1 }, { unique: true })), [72, unique])
  t.same(await room.fails(index({ v: -1 }, { sparse: true })), [72, sparse])
  t.equal((await room.refusal(index({ at: -1 }, { expireAfterSeconds: 1 }))).code, 72)
  t.equal((await room.refusal(index({ v: 'hashed' }))).code, 67)
  t.equal((await room.refusal(index({ '$**': 1 }))).code, 67)
  t.equal((await room.refusal(index({ _id: 1 }, { name: '_id_' }))).code, 67)
  await room.run(index({ sensor: -1 }, { name: 's', sparse: true }))
  const partialFilterExpression = { sensor: 'b' }
  await room.run(index({ at: 1 }, { name: 'ttl', expireAfterSeconds: 1, partialFilterExpression }))
  t.equal((await room.refusal({ dropIndexes: 'c', index: '_id_' })).code, 27)
  t.equal((await room.refusal({ dropIndexes: 'c', index: '$time' })).code, 27)
  const change = (given: Plain) => room.refusal({ collMod: 'c', index: given })
  t.equal((await change({ name: '_id_', hidden: true })).code, 27)
  t.equal((await change({ name: 'v_1', expireAfterSeconds: 1 })).code, 72)
  t.equal((await change({ name: 'v_1', prepareUnique: true })).code, 72)
  t.match(await room.run({ collMod: 'c', index: { name: 'v_1', hidden: true } }), { ok: 1 })
  t.match(await room.run({ dropIndexes: 'c', index: '*' }), { nIndexesWas: 6 })
  t.same(await names(), [])
  t.same(await values(room, { sort: { at: 1 } }), [2, 3, 1], 'the time has its index all the same')
  t.match(await planOf(room, { sort: { at: 1 } }), { stage: 'FETCH' })
  t.same(await checkStore(room.store), [])
})

await eachRoom(t, 'measurements expire by their time', async (t, room, { store }) => {
  const clock = new ManualClock()
  const job = new DocumentExpiry(jobParts(store, clock))
  await fill(room, { expireAfterSeconds: 10 })
  clock.ms = second(11).getTime()
  t.equal(await job.round(), 1)
  t.same(await values(room), [1, 3])
  await room.run({ collMod: 'c', expireAfterSeconds: 'off' })
  clock.ms = second(1_000).getTime()
  t.equal(await job.round(), 0)
  await room.run({ collMod: 'c', expireAfterSeconds: 998 })
  t.equal(await job.round(), 1)
  const { cursor } = await room.run({ listCollections: 1, filter: { name: 'c' } })
  t.equal(cursor.firstBatch[0].options.expireAfterSeconds, 998)
  t.same(await values(room), [1])
  t.same(await checkStore(store), [])
})

await eachRoom(t, 'collMod lengthens buckets and changes nothing else', async (t, room) => {
  await fill(room)
  const refused = async (change: Plain, code = 72) =>
    t.equal((await room.refusal({ collMod: 'c', ...change })).code, code, JSON.stringify(change))
  const series = async (timeseries: Plain) => {
    await room.run({ collMod: 'c', timeseries })
    const { cursor } = await room.run({ listCollections: 1, filter: { name: 'c' } })
    return cursor.firstBatch[0].options.timeseries
  }
  t.equal((await series({})).granularity, 'seconds')
  t.strictSame(await series({ granularity: 'minutes' }), {
    ...{ ...fields, granularity: 'minutes', bucketMaxSpanSeconds: 86_400 },
  })
  await refused({ timeseries: { granularity: 'seconds' } })
  await refused({ timeseries: { bucketMaxSpanSeconds: 90_000 } })
  await refused({ timeseries: { bucketMaxSpanSeconds: 90_000, bucketRoundingSeconds: 9 } })
  await refused({ timeseries: { bucketMaxSpanSeconds: 60, bucketRoundingSeconds: 60 } })
  await refused({ timeseries: { bucketMaxSpanSeconds: 4e7, bucketRoundingSeconds: 4e7 } }, 51024)
  const span = { bucketMaxSpanSeconds: 86_400, bucketRoundingSeconds: 86_400 }
  t.strictSame(await series(span), { ...fields, ...span })
  t.equal((await series({ granularity: 'hours' })).granularity, 'hours')
  await refused({ validator: { v: 1 } })
  await refused({ cappedSize: 5_000 })
  await refused({ viewOn: 'x', pipeline: [] })
  await refused({ expireAfterSeconds: '10' })
  await refused({ expireAfterSeconds: {} }, 14)
  await refused({ expireAfterSeconds: -10 })
  await room.insert('plain', { _id: 1 })
  t.equal((await room.refusal({ collMod: 'plain', expireAfterSeconds: 1 })).code, 72)
  const granularity = { granularity: 'hours' }
  t.equal((await room.refusal({ collMod: 'plain', timeseries: granularity })).code, 72)
  t.same(await values(room), [1, 2, 3])
})

await eachRoom(t, 'what other commands make of it', async (t, room) => {
  await fill(room)
  const run = (collection: string, ...pipeline: readonly object[]) =>
    room.drain({ aggregate: collection, pipeline, cursor: {} })
  await room.insert('rooms', { _id: 'a', name: 'hall' })
  const from = { from: 'c', localField: '_id', foreignField: 'sensor', as: 'found' }
  const [joined] = await run('rooms', { $lookup: from })
  t.equal(joined?.found.length, 2)
  t.match(
    await run('c', { $group: { _id: '$sensor', v: { $max: '$v' } } }, { $sort: { _id: 1 } }),
    [
      { _id: 'a', v: 3 },
      { _id: 'b', v: 2 },
    ],
  )
  t.same(
    (await run('c', { $indexStats: {} })).map(({ name }) => name),
    ['sensor_1_at_1'],
  )
  t.equal(
    (await room.refusal({ aggregate: 'c', pipeline: [{ $out: 'o' }], cursor: {} })).code,
    11000,
  )
  await run('c', { $unset: '_id' }, { $out: 'o' })
  t.equal((await room.all('o')).length, 3)
  const merge = { aggregate: 'o', pipeline: [{ $merge: 'c' }], cursor: {} }
  t.same(await room.fails(merge), [166, 'Namespace test.c is a timeseries collection'])
  await run('o', { $match: { v: { $gt: 1 } } }, { $out: 'c' })
  t.same(await values(room, { sort: { at: 1 } }), [2, 3], '$out replaces it, and it stays one')
  t.equal(
    (await room.refusal({ aggregate: 'rooms', pipeline: [{ $out: 'c' }], cursor: {} })).code,
    2,
  )
  const out = (coll: string, timeseries: unknown) => ({
    ...{ aggregate: 'c', cursor: {} },
    pipeline: [{ $out: { db: 'test', coll, timeseries } }],
  })
  await room.run(out('copy', { ...fields, granularity: 'hours' }))
  t.match((await room.run({ listCollections: 1, filter: { name: 'copy' } })).cursor.firstBatch, [
    { type: 'timeseries', options: { timeseries: { granularity: 'hours' } } },
  ])
  await room.run(out('copy', { ...fields, bucketMaxSpanSeconds: 2_592_000, granularity: 'hours' }))
  t.equal((await room.run({ count: 'copy' })).n, 2)
  t.equal((await room.refusal(out('copy', fields))).code, 7406103)
  t.equal((await room.refusal(out('rooms', fields))).code, 7268700)
  t.equal((await room.refusal(out('rooms', 1))).code, 14)
  t.equal((await room.refusal(out('rooms', { timeField: 'a.b' }))).code, 72)
  await room.run({ create: 'v', viewOn: 'c', pipeline: [{ $match: { sensor: 'a' } }] })
  t.equal((await room.run({ count: 'v' })).n, 1)
  const stats = await room.run({ collStats: 'c' })
  t.match(stats, { count: 2, nindexes: 1, timeseries: { bucketCount: 2 } })
  t.same(Object.keys(stats.indexSizes).sort(), ['$time', 'sensor_1_at_1'])
  t.match(await room.run({ validate: 'c' }), {
    ...{ valid: true, nrecords: 2, nIndexes: 1, keysPerIndex: { sensor_1_at_1: 2 } },
  })
  const renaming = { renameCollection: 'test.c', to: 'test.d' }
  t.equal((await room.refusal(renaming, 'admin')).code, 20)
  t.equal((await room.refusal({ convertToCapped: 'c', size: 5_000 })).code, 166)
  const copying = { cloneCollectionAsCapped: 'c', toCollection: 'd', size: 5_000 }
  t.equal((await room.refusal(copying)).code, 166)
  t.equal((await room.refusal({ find: 'c', tailable: true })).code, 2)
  t.same(await checkStore(room.store), [])
  t.match(await room.run({ drop: 'c' }), { nIndexesWas: 1 })
  t.same(await checkStore(room.store), [])
})

await eachRoom(t, 'emptied, it begins anew', async (t, room, { store }) => {
  await fill(room)
  await store.write(function* (tx) {
    yield* truncateNamespace(tx, (yield* findNamespace(tx, 'test', 'c')) as Namespace)
  })
  t.same(await values(room), [])
  await room.insert('c', measured(1, 'a', { v: 7 }))
  t.same(await values(room, { filter: { at: second(1) } }), [7])
  t.same(await checkStore(store), [])
})

const sensors = fc.constantFrom<unknown>('a', 'b', null, { id: 1 }, { id: 2 }, ['a', 'b'], 5)
const moments = fc.integer({ min: 0, max: 9 }).map(second)
const measurement = fc.record(
  { at: moments, sensor: sensors, v: fc.integer({ min: 0, max: 5 }) },
  { requiredKeys: ['at'] },
)
const condition = fc.oneof(
  fc.record({ at: fc.record({ $gte: moments, $lt: moments }, { requiredKeys: ['$gte'] }) }),
  fc.record({ sensor: sensors }),
  fc.record({ 'sensor.id': fc.integer({ min: 1, max: 2 }), at: fc.record({ $lte: moments }) }),
  fc.record({ v: fc.record({ $in: fc.array(fc.integer({ min: 0, max: 5 }), { maxLength: 3 }) }) }),
  fc.record({ at: fc.record({ $type: fc.constant('date') }), v: fc.constant(null) }),
)
const filters: fc.Arbitrary<Plain> = fc.oneof(
  condition,
  fc.record({ $and: fc.tuple(condition, condition) }),
  fc.record({ $or: fc.tuple(condition, condition) }),
)

t.test('it finds, changes and removes what a collection of the same documents does', async (t) => {
  await fc.assert(
    fc.asyncProperty(
      fc.array(measurement, { minLength: 1, maxLength: 25 }),
      fc.array(filters, { minLength: 8, maxLength: 8 }),
      fc.constantFrom<Plain>({}, { v: 1 }, { 'sensor.id': 1, at: -1 }),
      async (documents, asked, key) => {
        const room = new CommandRoom(openMemoryStore(systemClock), systemClock)
        await make(room)
        const whole = documents.map((one, n) => ({ _id: n % 4, n, ...one }))
        await room.insert('c', ...whole)
        await room.insert('plain', ...whole.map((one) => ({ ...one, _id: one.n })))
        const indexes = [{ key, name: 'k' }]
        if (Object.keys(key).length > 0) await room.run({ createIndexes: 'c', indexes })
        const numbers = async (find: string, filter: Plain, sort: Plain) =>
          (await room.drain({ find, filter, sort })).map(({ n }) => n)
        const compare = async () => {
          for (const filter of asked) {
            for (const sort of [{ n: 1 }, { at: -1, n: 1 }, { at: 1, sensor: 1, n: 1 }]) {
              t.same(await numbers('c', filter, sort), await numbers('plain', filter, sort))
            }
          }
        }
        await compare()
        const u = { $set: { sensor: { id: 1 } } }
        const [first = {}, second = {}] = asked
        for (const update of ['c', 'plain']) {
          await room.run({ update, updates: [{ q: { sensor: 'a' }, u, multi: true }] })
          await room.run({ delete: update, deletes: [{ q: first, limit: 0 }] })
        }
        await room.run({ delete: 'c', deletes: [{ q: second, limit: 1 }] })
        const left = await room.drain({ find: 'c' })
        const gone = { $nin: left.map(({ n }) => n) }
        await room.run({ delete: 'plain', deletes: [{ q: { n: gone }, limit: 0 }] })
        await compare()
        t.same(await checkStore(room.store), [])
        await room.engine.close()
      },
    ),
    { numRuns: runs(6) },
  )
})
