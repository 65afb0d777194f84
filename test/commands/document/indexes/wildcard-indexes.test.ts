// Wildcard indexes by command: what a specification may say, what listIndexes, explain and validate
// tell of them, which queries they serve and which they must leave alone.

import t from 'tap'
import { wildcardEntriesMax } from '../../../../src/base/limits/documents.js'
import { type CommandRoom, eachRoom, type Reply } from '../../../support/command-room.js'

type Plain = Readonly<Record<string, unknown>>

const create = (key: Plain, options: Plain = {}): Plain => ({
  createIndexes: 'c',
  indexes: [{ key, name: 'w', ...options }],
})

async function winning(room: CommandRoom, find: Plain): Promise<Reply> {
  const reply = await room.run({
    explain: { ...{ find: 'c' }, ...find },
    verbosity: 'queryPlanner',
  })
  return reply.queryPlanner.winningPlan
}

/** `w`, or the stage that reads without an index. */
async function reads(room: CommandRoom, filter: Plain, options: Plain = {}): Promise<string> {
  let plan: Reply | undefined = await winning(room, { filter, ...options })
  for (let next = plan; next !== undefined; next = next.inputStage ?? next.inputStages?.[0])
    plan = next
  return plan?.indexName ?? plan?.stage
}

await eachRoom(t, 'a specification is checked as the peer checks it', async (t, room) => {
  const refused: readonly (readonly [Plain, Plain, number])[] = [
    [{ '$**': 0 }, {}, 67],
    [{ '$**': 'wildcard' }, {}, 67],
    [{ a: 'wildcard' }, {}, 7246202],
    [{ '$**': 1, 'a.$**': 1 }, { wildcardProjection: { a: 0 } }, 7246201],
    [{ 'a.$**': 1, 'a.b': 1 }, {}, 7246204],
    [{ 'a.$**.b': 1 }, {}, 67],
    [{ '$**': 1 }, { unique: true }, 67],
    [{ '$**': 1 }, { sparse: true }, 67],
    [{ '$**': 1 }, { expireAfterSeconds: 5 }, 67],
    [{ a: 1 }, { wildcardProjection: { a: 1 } }, 2],
    [{ 'a.$**': 1 }, { wildcardProjection: { a: 1 } }, 9],
    [{ '$**': 1 }, { wildcardProjection: {} }, 9],
    [{ '$**': 1 }, { wildcardProjection: 1 }, 14],
    [{ '$**': 1 }, { wildcardProjection: { a: 1, b: 0 } }, 31254],
    [{ '$**': 1 }, { wildcardProjection: { a: 0, b: 1 } }, 31253],
    [{ '$**': 1 }, { wildcardProjection: { a: 'x' } }, 51271],
    [{ '$**': 1 }, { wildcardProjection: { a: { $add: [1, 2] } } }, 51271],
    [{ '$**': 1, b: 1 }, {}, 67],
    [{ '$**': 1, b: 1 }, { wildcardProjection: { a: 0 } }, 7246210],
    [{ '$**': 1, b: 1 }, { wildcardProjection: { b: 1 } }, 7246208],
    [{ '$**': 1, b: 1 }, { wildcardProjection: { b: 0, 'b.c': 0 } }, 7246200],
  ]
  for (const [key, options, code] of refused) {
    const [found, text] = await room.fails(create(key, options))
    t.equal(found, code, `${JSON.stringify(key)} ${JSON.stringify(options)}: ${text}`)
  }
  const [, text] = await room.fails(create({ '$**': 1 }, { unique: true }))
  t.equal(text, "Index type 'wildcard' does not support the unique option")
})

await eachRoom(t, 'listIndexes echoes it, and options tell indexes apart', async (t, room) => {
  const wildcardProjection = { a: 1, 'b.c': 1 }
  await room.run(create({ '$**': 1 }, { wildcardProjection }))
  await room.run(create({ '$**': 1 }, { name: '$**_1' }))
  await room.run(create({ a: 1, '$**': -1 }, { name: 'aw', wildcardProjection: { a: 0 } }))
  t.same((await room.drain({ listIndexes: 'c' })).slice(1), [
    { v: 2, key: { '$**': 1 }, name: 'w', wildcardProjection },
    { v: 2, key: { '$**': 1 }, name: '$**_1' },
    { v: 2, key: { a: 1, '$**': -1 }, name: 'aw', wildcardProjection: { a: 0 } },
  ])
  const again = await room.run(create({ '$**': 1 }, { wildcardProjection }))
  t.equal(again.note, 'all indexes already exist')
  t.equal((await room.fails(create({ '$**': 1 }, { name: 'other' })))[0], 85)
  t.equal((await room.fails({ dropIndexes: 'c', index: { '$**': 1 } }))[0], 181)
  await room.run({ dropIndexes: 'c', index: 'w' })
  await room.run({ dropIndexes: 'c', index: { '$**': 1 } })
  t.equal((await room.drain({ listIndexes: 'c' })).length, 2)
})

await eachRoom(t, 'explain shows the path beside the bounds', async (t, room) => {
  await room.insert('c', { _id: 1, a: { b: 5 }, tags: ['x'], list: [{ n: 1 }] })
  await room.run(create({ '$**': 1 }))
  t.same(await winning(room, { filter: { 'a.b': { $gt: 3 } } }), {
    stage: 'FETCH',
    inputStage: {
      stage: 'IXSCAN',
      keyPattern: { $_path: 1, 'a.b': 1 },
      indexName: 'w',
      isMultiKey: false,
      multiKeyPaths: { $_path: [], 'a.b': [] },
      isUnique: false,
      isSparse: false,
      isPartial: false,
      indexVersion: 2,
      direction: 'forward',
      indexBounds: { $_path: ['["a.b", "a.b"]'], 'a.b': ['(3, inf.0]'] },
    },
  })
  t.match(await winning(room, { filter: { 'list.n': 1 } }), {
    inputStage: { isMultiKey: true, multiKeyPaths: { $_path: [], 'list.n': ['list'] } },
  })
  t.match(await winning(room, { filter: { a: { $exists: true } } }), {
    inputStage: {
      isMultiKey: false,
      indexBounds: { $_path: ['["a", "a"]', '["a.", "a/")'], a: ['[MinKey, MaxKey]'] },
    },
  })
})

await eachRoom(t, 'it serves what only values can meet, and nothing else', async (t, room) => {
  await room.insert('c', { _id: 1, a: 1, tags: [1, 2] })
  await room.run(create({ '$**': 1 }))
  const served: readonly Plain[] = [
    ...[{ a: 1 }, { a: { $in: [1, 'x'] } }, { a: { $gte: 1, $lt: 5 } }, { a: /^x/ }],
    ...[{ a: { $exists: true } }, { tags: 2 }, { tags: { $elemMatch: { $gt: 1 } } }],
    ...[{ a: 1, b: null }, { $or: [{ a: 1 }, { b: 2 }] }, { $expr: { $eq: ['$a', 1] } }],
    ...[{ 'a.0': 1 }],
  ]
  for (const filter of served) t.equal(await reads(room, filter), 'w', JSON.stringify(filter))
  const left: readonly Plain[] = [
    ...[{}, { a: null }, { a: { $in: [1, null] } }, { a: { $exists: false } }],
    ...[{ a: { $ne: null } }, { a: { $ne: 1 } }, { a: { $not: { $gt: 1 } } }, { a: { b: 1 } }],
    ...[{ a: [1] }, { a: {} }, { a: { $gt: {} } }, { a: { $type: 'int' } }, { 'tags.0': 1 }],
    ...[{ _id: { $exists: true } }, { $or: [{ a: 1 }, { b: null }] }],
  ]
  for (const filter of left) t.equal(await reads(room, filter), 'COLLSCAN', JSON.stringify(filter))
})

await eachRoom(t, 'a projection says which paths it serves', async (t, room) => {
  await room.insert('c', { _id: 1, a: { b: 1, c: 2 }, d: 3 })
  await room.run(create({ 'a.$**': 1 }))
  const table = async (...filters: readonly Plain[]) =>
    Promise.all(filters.map((filter) => reads(room, filter)))
  const asked = [{ 'a.b': 1 }, { a: 1 }, { d: 3 }, { a: { $exists: true } }, { ab: 1 }]
  t.same(await table(...asked), ['w', 'w', 'COLLSCAN', 'w', 'COLLSCAN'])
  await room.run({ dropIndexes: 'c', index: 'w' })
  await room.run(create({ '$**': 1 }, { wildcardProjection: { a: { b: 0 } } }))
  t.same(await table(...asked), ['COLLSCAN', 'w', 'w', 'COLLSCAN', 'w'])
  await room.run({ dropIndexes: 'c', index: 'w' })
  await room.run(create({ '$**': 1 }, { wildcardProjection: { _id: 1, 'a.b': 1 } }))
  t.same(await table(...asked), ['w', 'COLLSCAN', 'COLLSCAN', 'COLLSCAN', 'COLLSCAN'])
  t.equal(await reads(room, { _id: { $gt: 0 }, 'a.b': 1 }), 'w')
})

await eachRoom(t, 'an ordinary index on the field comes first', async (t, room) => {
  await room.run(create({ '$**': 1 }))
  await room.run(create({ a: 1 }, { name: 'a_1' }))
  await room.insert('c', { a: 1 })
  const explain = { find: 'c', filter: { a: 1 } }
  const { queryPlanner, executionStats } = await room.run({ explain })
  t.match(queryPlanner.rejectedPlans, [{ inputStage: { indexName: 'w' } }])
  t.same(executionStats.allPlansExecution, [], 'there is nothing to try')
  t.equal(await reads(room, { a: 1 }), 'a_1')
  t.equal(await reads(room, { b: 1 }), 'w')
})

await eachRoom(t, 'a hint has it used, and is refused where it cannot be', async (t, room) => {
  await room.insert('c', { _id: 1, a: 1 }, { _id: 2, a: 2 })
  await room.run(create({ '$**': 1 }))
  await room.run(create({ a: 1 }, { name: 'a_1' }))
  for (const hint of ['w', { '$**': 1 }]) {
    t.match(await winning(room, { filter: { a: 1 }, hint }), { inputStage: { indexName: 'w' } })
    t.same(await room.drain({ find: 'c', filter: { a: 2 }, hint }), [{ _id: 2, a: 2 }])
    for (const query of [{}, { filter: { a: null } }, { sort: { a: 1 } }]) {
      const [code, text] = await room.fails({ find: 'c', ...query, hint })
      t.equal(code, 291)
      t.match(text, /refusing to build whole-index solution, because it's a wildcard index/)
    }
  }
  t.equal((await room.fails({ find: 'c', hint: { '$**': -1 } }))[0], 2)
  const update = { q: { a: 1 }, u: { $set: { a: 9 } }, hint: 'w', multi: true }
  t.match(await room.run({ update: 'c', updates: [update] }), { n: 1, nModified: 1 })
  t.equal((await room.run({ count: 'c', query: { a: 9 }, hint: 'w' })).n, 1)
})

await eachRoom(t, 'it sorts and covers where no array can come between', async (t, room) => {
  await room.insert('c', ...[3, 1, 2].map((a, _id) => ({ _id, a, b: { c: -a } })))
  await room.run(create({ '$**': 1 }))
  const bounded = { filter: { a: { $gt: 0 } } }
  const plan = await winning(room, { ...bounded, sort: { a: -1 }, projection: { _id: 0, a: 1 } })
  t.match(plan, {
    stage: 'PROJECTION_COVERED',
    inputStage: { stage: 'IXSCAN', indexName: 'w', direction: 'backward' },
  })
  const found = { find: 'c', ...bounded, sort: { a: -1 }, projection: { _id: 0, a: 1 } }
  t.same(await room.drain(found), [{ a: 3 }, { a: 2 }, { a: 1 }])
  t.equal((await winning(room, { sort: { a: 1 } })).stage, 'SORT', 'documents may lack the field')
  t.same(await room.drain({ find: 'c', ...bounded, sort: { 'b.c': 1 } }), [
    ...[0, 2, 1].map((_id) => ({ _id, a: 3 - ((_id * 2) % 3), b: { c: ((_id * 2) % 3) - 3 } })),
  ])
  await room.insert('c', { _id: 9, a: [0, 7] })
  t.equal((await winning(room, { ...bounded, sort: { a: 1 } })).stage, 'SORT')
  t.same((await room.run({ distinct: 'c', key: 'a' })).values.sort(), [0, 1, 2, 3, 7])
  t.equal((await room.run({ count: 'c', query: { a: { $gt: 0 } } })).n, 4)
})

await eachRoom(t, 'a compound one serves the fields in front and one path', async (t, room) => {
  await room.insert('c', { _id: 1, a: 1, b: { c: 5 } }, { _id: 2, a: 1 }, { _id: 3, b: { c: 5 } })
  await room.run(create({ a: 1, 'b.$**': 1 }))
  t.match(await winning(room, { filter: { a: 1, 'b.c': { $gte: 5 } } }), {
    inputStage: { keyPattern: { a: 1, $_path: 1, 'b.c': 1 }, indexName: 'w' },
  })
  t.match(await winning(room, { filter: { a: 1 } }), {
    inputStage: { keyPattern: { a: 1, $_path: 1 } },
  })
  t.equal(await reads(room, { 'b.c': 5 }), 'COLLSCAN')
  t.same((await room.drain({ find: 'c', filter: { a: 1 } })).map(({ _id }) => _id).sort(), [1, 2])
  t.same(
    (await room.drain({ find: 'c', filter: { a: null } })).map(({ _id }) => _id),
    [3],
  )
})

await eachRoom(t, 'a partial one leaves out what its filter does', async (t, room) => {
  await room.insert('c', { _id: 1, a: 1, on: true }, { _id: 2, a: 1 })
  await room.run(create({ '$**': 1 }, { partialFilterExpression: { on: true } }))
  t.equal(await reads(room, { a: 1 }), 'COLLSCAN')
  t.equal(await reads(room, { a: 1, on: true }), 'w')
  t.equal((await room.drain({ find: 'c', filter: { a: 1 } })).length, 2)
})

await eachRoom(t, 'strings compare by its collation, paths do not', async (t, room) => {
  const collation = { locale: 'en', strength: 2 }
  const values: readonly unknown[] = ['x', 'X', 'é', 'E', 'y', 3, ['Y', 'z'], { b: 'Q' }]
  const documents = values.map((a, _id) => ({ _id, a, A: 'Q' }))
  await room.insert('c', ...documents)
  await room.insert('plain', ...documents)
  await room.run(create({ '$**': 1 }, { collation }))
  const filters: readonly Plain[] = [
    ...[{ a: 'x' }, { a: { $gte: 'e', $lt: 'y' } }, { a: 3 }, { a: { $in: ['Y', 'E'] } }],
    ...[{ 'a.b': 'q' }, { 'a.B': 'Q' }, { A: 'q' }, { a: { $exists: true } }, { a: /^x/ }],
  ]
  const orders: readonly Plain[] = [{}, { sort: { a: 1, _id: 1 } }]
  for (const by of [{}, { collation }, { collation: { locale: 'en', strength: 1 } }]) {
    for (const [filter, order] of filters.flatMap((one) => orders.map((o) => [one, o] as const))) {
      const ask = async (find: string) =>
        (await room.drain({ find, filter, ...order, ...by })).map(({ _id }) => Number(_id))
      const [found, wanted] = [await ask('c'), await ask('plain')]
      const told = JSON.stringify({ filter, ...order, ...by })
      if ('sort' in order) t.same(found, wanted, told)
      else t.same(found.sort(), wanted.sort(), told)
    }
  }
  t.equal(await reads(room, { a: 'x' }), 'COLLSCAN')
  t.equal(await reads(room, { a: 3 }), 'w')
  t.equal(await reads(room, { a: 'x' }, { collation }), 'w')
})

await eachRoom(t, 'an update of many finds each document once', async (t, room) => {
  const documents = Array.from({ length: 300 }, (_, _id) => ({ _id, k: 1, a: { b: _id }, n: 0 }))
  await room.insert('c', ...documents)
  await room.insert('d', ...documents)
  await room.run(create({ '$**': 1 }))
  await room.run({
    ...create({ k: 1, '$**': 1 }, { wildcardProjection: { k: 0 } }),
    createIndexes: 'd',
  })
  const updates: readonly (readonly [string, Plain, Plain])[] = [
    ['c', { a: { $exists: true } }, { $set: { 'a.z': 1 }, $inc: { n: 1 } }],
    ['c', { 'a.b': { $gte: 0 } }, { $inc: { 'a.b': 7, n: 1 } }],
    ['c', { a: { $exists: true } }, { $unset: { 'a.b': 1 }, $inc: { n: 1 } }],
    ['d', { k: 1 }, { $unset: { a: 1 }, $set: { z: { y: 1 } }, $inc: { n: 1 } }],
  ]
  for (const [update, q, u] of updates) {
    const { inputStage } = await winning(room, { find: update, filter: q })
    t.equal(inputStage?.indexName, 'w')
    const reply = await room.run({ update, updates: [{ q, u, multi: true }] })
    t.match(reply, { n: 300, nModified: 300 })
  }
  t.equal((await room.run({ count: 'c', query: { n: 3 } })).n, 300)
  t.equal((await room.run({ count: 'd', query: { n: 1 } })).n, 300)
  for (const validate of ['c', 'd']) t.match(await room.run({ validate }), { valid: true })
})

await eachRoom(t, 'joins find by it', async (t, room) => {
  await room.insert('c', ...[1, 2, 3].map((n) => ({ _id: n, ref: { to: n } })))
  await room.run(create({ '$**': 1 }))
  await room.insert('d', { _id: 1, at: 2 })
  const $lookup = { from: 'c', localField: 'at', foreignField: 'ref.to', as: 'found' }
  t.same(await room.drain({ aggregate: 'd', pipeline: [{ $lookup }], cursor: {} }), [
    { _id: 1, at: 2, found: [{ _id: 2, ref: { to: 2 } }] },
  ])
  const used = await room.drain({ aggregate: 'c', pipeline: [{ $indexStats: {} }], cursor: {} })
  t.equal(Number(used.find(({ name }) => name === 'w')?.accesses.ops), 1)
})

await eachRoom(t, 'writes keep its entries, and validate finds them sound', async (t, room) => {
  await room.run(create({ '$**': 1 }))
  const names = Array.from({ length: 40 }, (_, i) => [`f${i}`, [i, { x: [] }]] as const)
  await room.insert('c', { _id: 1, deep: { a: [{ b: 1 }, { b: [2, 3] }] }, 'x.y': 1 })
  await room.insert('c', { _id: 2, ...Object.fromEntries(names) })
  await room.run({ update: 'c', updates: [{ q: { _id: 1 }, u: { $unset: { 'deep.a.1': 1 } } }] })
  await room.run({ update: 'c', updates: [{ q: { f7: 7 }, u: { $set: { f7: 'text' } } }] })
  t.equal(await reads(room, { 'f3.x': 1 }), 'w')
  t.same((await room.drain({ find: 'c', filter: { f7: 'text' } })).length, 1)
  t.match(await room.run({ validate: 'c' }), { valid: true, nIndexes: 2 })
  await room.run({ delete: 'c', deletes: [{ q: { 'deep.a.b': 1 }, limit: 1 }] })
  await room.run({ delete: 'c', deletes: [{ q: { f0: 0 }, limit: 1 }] })
  const { keysPerIndex } = await room.run({ validate: 'c' })
  t.same(keysPerIndex, { _id_: 0, w: 0 })
})

await eachRoom(
  t,
  'a document with more entries than an index takes is refused',
  async (t, room) => {
    await room.run(create({ '$**': 1 }))
    const a = Array.from({ length: wildcardEntriesMax + 1 }, (_, i) => i)
    const { writeErrors } = await room.run({ insert: 'c', documents: [{ _id: 1, a }] })
    t.match(writeErrors, [{ index: 0, code: 201 }])
    t.same(await room.all('c'), [])
    t.equal((await room.run({ insert: 'c', documents: [{ _id: 1, a: a.slice(1) }] })).n, 1)
    t.equal(await room.run({ count: 'c', query: { a: 77 } }).then(({ n }) => n), 1)
    await room.run({ dropIndexes: 'c', index: 'w' })
    await room.insert('c', { _id: 2, a })
    t.equal((await room.fails(create({ '$**': 1 })))[0], 201, 'nor is the index built over it')
    t.equal((await room.drain({ listIndexes: 'c' })).length, 1)
  },
  { kinds: ['memory'] },
)
