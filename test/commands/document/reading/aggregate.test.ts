// aggregate over every store: pipelines, their sources, and what a caller must not say.

import { Binary, Long } from 'bson'
import t from 'tap'
import { eachRoom, type Reply } from '../../../support/command-room.js'

const orders = [
  { _id: 1, item: 'a', n: 2, tags: ['x', 'y'] },
  { _id: 2, item: 'b', n: 5, tags: [] },
  { _id: 3, item: 'a', n: 1 },
  { _id: 4, item: 'c', n: 9, tags: ['y'] },
]

function pipeline(...stages: readonly object[]) {
  return { aggregate: 'c', pipeline: stages, cursor: {} }
}

await eachRoom(t, 'stages run one after the other', async (t, room) => {
  await room.insert('c', ...orders)
  const grouped = pipeline(
    { $match: { n: { $gt: 0 } } },
    { $group: { _id: '$item', total: { $sum: '$n' } } },
    { $sort: { total: -1 } },
    { $limit: 2 },
  )
  t.same(await room.drain(grouped), [
    { _id: 'c', total: 9 },
    { _id: 'b', total: 5 },
  ])
  t.same(await room.drain(pipeline({ $unwind: '$tags' }, { $sortByCount: '$tags' })), [
    { _id: 'y', count: 2 },
    { _id: 'x', count: 1 },
  ])
})

await eachRoom(t, 'the count that drivers send is exact', async (t, room) => {
  await room.insert('c', ...orders)
  const counting = [{ $match: { item: 'a' } }, { $group: { _id: 1, n: { $sum: 1 } } }]
  t.same(await room.drain(pipeline(...counting)), [{ _id: 1, n: 2 }])
  t.same(await room.drain({ ...pipeline(...counting), aggregate: 'missing' }), [])
})

await eachRoom(t, 'batches follow each other', async (t, room) => {
  await room.insert('c', ...Array.from({ length: 250 }, (_, _id) => ({ _id })))
  const { cursor } = await room.run(pipeline({ $set: { twice: { $multiply: ['$_id', 2] } } }))
  t.equal(cursor.firstBatch.length, 101)
  const all = await room.drain({
    ...pipeline({ $set: { twice: { $multiply: ['$_id', 2] } } }),
    cursor: { batchSize: 60 },
  })
  t.equal(all.length, 250)
  t.ok(all.every(({ _id, twice }) => twice === _id * 2))
})

await eachRoom(t, 'a lookup joins, also in batches after the first', async (t, room) => {
  await room.insert('c', ...orders)
  await room.insert('items', { _id: 'a', name: 'Apple' }, { _id: 'b', name: 'Bread' })
  const lookup = { from: 'items', localField: 'item', foreignField: '_id', as: 'found' }
  const joined = await room.drain({
    ...pipeline({ $lookup: lookup }, { $sort: { _id: 1 } }),
    cursor: { batchSize: 1 },
  })
  t.same(
    joined.map(({ found }: Reply) => found.map(({ name }: Reply) => name)),
    [['Apple'], ['Bread'], ['Apple'], []],
  )
})

await eachRoom(t, 'documents of the pipeline itself need no collection', async (t, room) => {
  const stages = [{ $documents: [{ a: 1 }, { a: 2 }] }, { $match: { a: 2 } }]
  const command = { aggregate: 1, pipeline: stages, cursor: {} }
  t.same(await room.drain(command), [{ a: 2 }])
  t.equal((await room.run(command)).cursor.ns, 'test.$cmd.aggregate')
})

await eachRoom(t, 'statistics stages answer what shells read', async (t, room) => {
  await room.insert('c', ...orders)
  await room.run({ createIndexes: 'c', indexes: [{ key: { n: 1 }, name: 'n_1' }] })
  const [stats] = await room.drain(
    pipeline({ $collStats: { storageStats: { scale: 1 }, count: {} } }),
  )
  t.match(stats, { ns: 'test.c', count: 4, storageStats: { count: 4, nindexes: 2 } })
  const sum = { $group: { _id: null, size: { $sum: '$storageStats.size' } } }
  const [total] = await room.drain(pipeline({ $collStats: { storageStats: {} } }, sum))
  t.equal(total?.size, stats?.storageStats.size)
  t.match(await room.drain(pipeline({ $collStats: { latencyStats: {} } })), [
    { latencyStats: { reads: {}, writes: {}, commands: {} } },
  ])
  await room.run({ find: 'c', filter: { n: 5 } })
  const usesOfId = async () => {
    const [first] = await room.drain(pipeline({ $indexStats: {} }, { $sort: { name: 1 } }))
    return Number(first?.accesses.ops)
  }
  const before = await usesOfId()
  await room.run({ find: 'c', filter: { _id: 1 } })
  t.equal(await usesOfId(), before + 1, 'reads by _id are counted')
  const indexes = await room.drain(pipeline({ $indexStats: {} }, { $sort: { name: 1 } }))
  t.same(
    indexes.map(({ name }) => name),
    ['_id_', 'n_1'],
  )
  t.equal(indexes[1]?.accesses.ops, 1)
  const missing = (parts: object) => ({
    ...{ aggregate: 'missing', pipeline: [{ $collStats: parts }], cursor: {} },
  })
  for (const part of ['storageStats', 'count', 'queryExecStats']) {
    t.equal((await room.fails(missing({ [part]: {} })))[0], 26, part)
  }
  const [latencies] = await room.drain(missing({ latencyStats: { histograms: true } }))
  t.match(latencies, { ns: 'test.missing', latencyStats: { writes: { histogram: [], ops: 0 } } })
})

await eachRoom(
  t,
  'stages that tell of the server are no part of API version 1',
  async (t, room) => {
    const strict = { cursor: {}, apiVersion: '1', apiStrict: true }
    const listing = { aggregate: 1, pipeline: [{ $listLocalSessions: {} }], ...strict }
    t.equal((await room.fails(listing))[0], 323)
    t.match(await room.run({ aggregate: 'c', pipeline: [{ $limit: 1 }], ...strict }), { ok: 1 })
    for (const name of ['saslStart', 'saslContinue', 'authenticate', 'logout', 'hello', 'ping']) {
      const { apiVersion, apiStrict } = strict
      const outcome = await room.run({ [name]: 1, apiVersion, apiStrict }, 'admin').catch((e) => e)
      t.not(outcome.code, 323, `${name} is part of it: a strict client could not sign in else`)
    }
  },
  { kinds: ['memory'] },
)

await eachRoom(
  t,
  'operations and sessions are listed',
  async (t, room) => {
    const current = { aggregate: 1, pipeline: [{ $currentOp: {} }, { $match: {} }], cursor: {} }
    const [operation] = await room.drain(current, 'admin')
    t.match(operation, { type: 'op', command: { aggregate: 1, $db: 'admin' } })
    const lsid = { id: new Binary(new Uint8Array(16).fill(5), 4) }
    const sessions = { aggregate: 1, pipeline: [{ $listLocalSessions: {} }], cursor: {}, lsid }
    const [session] = await room.drain(sessions)
    t.equal(String(session?._id.id), '05050505-0505-0505-0505-050505050505')
  },
  { kinds: ['memory'] },
)

await eachRoom(
  t,
  'what has no place is refused',
  async (t, room) => {
    const code = async (stages: readonly object[], target: unknown = 'c', db = 'test') =>
      (await room.fails({ aggregate: target, pipeline: stages, cursor: {} }, db))[0]
    t.equal(await code([{ $match: {} }], 1), 73)
    t.equal(await code([], 1), 73)
    t.equal(await code([{ $currentOp: {} }], 1), 73)
    t.equal(await code([{ $currentOp: {} }], 'c', 'admin'), 73)
    for (const inner of [{ $currentOp: {} }, { $listLocalSessions: {} }, { $listSessions: {} }]) {
      const from = { from: 'c', as: 'x', pipeline: [inner] }
      t.equal(await code([{ $unionWith: { coll: 'c', pipeline: [inner] } }], 'c'), 73)
      t.equal(await code([{ $lookup: from }], 'c'), 73)
    }
    t.equal(await code([{ $unionWith: { pipeline: [{ $currentOp: {} }] } }], 'c'), 73)
    t.equal(await code([{ $documents: [] }]), 73)
    t.equal(await code([{ $listSessions: {} }]), 73)
    t.equal(await code([{ $foo: 1 }]), 40324)
    t.equal(await code([{ $match: {}, $limit: 1 }]), 40323)
    t.equal(await code([{ $match: {} }, { $collStats: {} }]), 40602)
    t.equal(await code([{ $nope: 'd' }]), 40324)
    t.equal((await room.fails({ aggregate: 'c', pipeline: [] }))[0], 9)
    t.equal((await room.fails({ aggregate: 'c', pipeline: {}, cursor: {} }))[0], 14)
    t.equal((await room.fails({ aggregate: 2, pipeline: [], cursor: {} }))[0], 9)
    await room.run({ create: 'c' })
    t.equal((await room.fails({ ...pipeline(), hint: 'none' }))[0], 2)
  },
  { kinds: ['memory'] },
)

await eachRoom(t, 'a drained pipeline leaves no cursor', async (t, room) => {
  await room.insert('c', ...orders)
  await room.drain({ ...pipeline({ $sort: { n: 1 } }), cursor: { batchSize: 3 } })
  t.equal(room.engine.cursors.size, 0)
  const { cursor } = await room.run({ ...pipeline(), cursor: { batchSize: 0 } })
  t.not(cursor.id, 0)
  await room.run({ killCursors: 'c', cursors: [Long.fromNumber(cursor.id)] })
  t.equal(room.engine.cursors.size, 0)
})

await eachRoom(t, 'let reaches every stage', async (t, room) => {
  await room.insert('c', ...orders)
  const stages = [
    { $match: { $expr: { $eq: ['$item', '$$which'] } } },
    { $project: { n: '$$plus' } },
  ]
  const command = { ...pipeline(...stages), let: { which: 'b', plus: { $add: [1, 1] } } }
  t.same(await room.drain(command), [{ _id: 2, n: 2 }])
})
