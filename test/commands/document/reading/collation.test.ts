// Collations over every store: on single commands, as a collection's default, in indexes, and what
// they must leave alone.

import t from 'tap'
import { findNamespace, saveNamespace } from '../../../../src/engine/collection/catalog/catalog.js'
import { type CommandRoom, eachRoom, type Reply } from '../../../support/command-room.js'

const ci = { locale: 'en', strength: 2 }
const simple = { locale: 'simple' }
const full = {
  locale: 'en',
  caseLevel: false,
  caseFirst: 'off',
  strength: 2,
  numericOrdering: false,
  alternate: 'non-ignorable',
  maxVariable: 'punct',
  normalization: false,
  backwards: false,
  version: '57.1',
}

const words = [
  { _id: 1, a: 'apple' },
  { _id: 2, a: 'Apple' },
  { _id: 3, a: 'banana' },
  { _id: 4, a: 'APPLE' },
  { _id: 5, a: ['Pear', 'BANANA'] },
  { _id: 6, a: 7 },
  { _id: 7, a: { b: 'Plum' } },
]

type Plain = Readonly<Record<string, unknown>>

async function ids(room: CommandRoom, command: Plain): Promise<number[]> {
  return (await room.drain({ find: 'c', ...command })).map(({ _id }: Reply) => _id)
}

/** The stages of a plan from its root. */
function stages(plan: Reply): Reply[] {
  const below = plan.inputStage === undefined ? [] : stages(plan.inputStage)
  return [plan, ...below]
}

async function planOf(room: CommandRoom, command: Plain): Promise<Reply[]> {
  const reply = await room.run({ explain: command, verbosity: 'queryPlanner' })
  return stages(reply.queryPlanner.winningPlan)
}

const names = (plan: Reply[]): string => plan.map(({ stage }) => stage).join(' ')

await eachRoom(t, 'a filter compares strings by the collation', async (t, room) => {
  await room.insert('c', ...words)
  const find = (filter: Plain, collation: Plain = ci) =>
    ids(room, { filter, collation, sort: { _id: 1 } })
  t.same(await find({ a: 'aPPle' }), [1, 2, 4])
  t.same(await find({ a: { $in: ['PEAR', 'x'] } }), [5])
  t.same(await find({ a: { $gte: 'B', $lt: 'c' } }), [3, 5])
  t.same(await find({ a: { $ne: 'apple' } }), [3, 5, 6, 7])
  t.same(await find({ a: { $nin: ['APPLE', 'pear'] } }), [3, 6, 7])
  t.same(await find({ a: { $all: ['pear', 'banana'] } }), [5])
  t.same(await find({ a: { $elemMatch: { $eq: 'pear' } } }), [5])
  t.same(await find({ a: { b: 'PLUM' } }), [7], 'strings in objects')
  t.same(await find({ a: ['PEAR', 'banana'] }), [5], 'strings in arrays')
  t.same(await find({ a: { B: 'Plum' } }), [], 'names of fields are not compared by it')
  t.same(await find({ a: { $regex: '^app' } }), [1], 'nor are regular expressions')
  t.same(await find({ $expr: { $eq: ['$a', 'APPle'] } }), [1, 2, 4])
  t.same(await find({ a: 'apple' }, simple), [1])
  t.same(await find({ a: 'APPLE' }, { locale: 'en', strength: 3 }), [4])
})

await eachRoom(t, 'a sort orders strings by the collation', async (t, room) => {
  await room.insert('c', ...['b', 'A', 'a', 'B', 'ä', '10', '9'].map((a, _id) => ({ _id, a })))
  const sorted = async (collation: Plain) =>
    (await room.drain({ find: 'c', sort: { a: 1, _id: 1 }, collation })).map(({ a }: Reply) => a)
  t.same(await sorted(simple), ['10', '9', 'A', 'B', 'a', 'b', 'ä'])
  t.same(await sorted({ locale: 'en' }), ['10', '9', 'a', 'A', 'ä', 'b', 'B'])
  t.same(await sorted({ locale: 'en', caseFirst: 'upper' }), ['10', '9', 'A', 'a', 'ä', 'B', 'b'])
  t.same(await sorted({ locale: 'en', numericOrdering: true }), [
    '9',
    '10',
    'a',
    'A',
    'ä',
    'b',
    'B',
  ])
  t.same(await sorted({ locale: 'sv' }), ['10', '9', 'a', 'A', 'b', 'B', 'ä'])
})

await eachRoom(t, 'count, distinct and aggregate take a collation', async (t, room) => {
  await room.insert('c', ...words)
  t.equal((await room.run({ count: 'c', query: { a: 'apple' }, collation: ci })).n, 3)
  const distinct = await room.run({ distinct: 'c', key: 'a', collation: ci })
  t.same(distinct.values, ['apple', 'banana', 'Pear', 7, { b: 'Plum' }])
  const groups = await room.drain({
    aggregate: 'c',
    pipeline: [
      { $match: { a: { $type: 'string' } } },
      { $group: { _id: '$a', n: { $sum: 1 }, all: { $addToSet: '$a' } } },
      { $sort: { _id: 1 } },
    ],
    cursor: {},
    collation: ci,
  })
  t.same(groups.slice(0, 2), [
    { _id: 'apple', n: 3, all: ['apple'] },
    { _id: 'banana', n: 1, all: ['banana'] },
  ])
})

await eachRoom(t, 'expressions compare strings by the collation', async (t, room) => {
  const [values] = await room.drain({
    aggregate: 1,
    collation: ci,
    cursor: {},
    pipeline: [
      { $documents: [{ a: 'x', b: 'X', list: ['b', 'A', 'B'] }] },
      {
        $project: {
          eq: { $eq: ['$a', '$b'] },
          constants: { $eq: ['y', 'Y'] },
          cmp: { $cmp: ['$a', 'X'] },
          in: { $in: ['a', '$list'] },
          at: { $indexOfArray: ['$list', 'B'] },
          set: { $setUnion: ['$list', ['a']] },
          max: { $max: ['A', 'b', 'B'] },
          sorted: { $sortArray: { input: '$list', sortBy: 1 } },
          cond: { $cond: [{ $gt: ['$b', 'x'] }, 1, 0] },
          text: { $strcasecmp: ['$a', 'y'] },
        },
      },
    ],
  })
  t.match(values, { eq: true, constants: true, cmp: 0, in: true, at: 0, max: 'b', cond: 0 })
  t.same(values?.set, ['A', 'b'])
  t.same(values?.sorted, ['A', 'b', 'B'])
  t.equal(values?.text, -1)
})

await eachRoom(
  t,
  '$lookup, $graphLookup and $bucket join and part by the collation',
  async (t, room) => {
    await room.insert('c', { _id: 1, a: 'X' }, { _id: 2, a: 'y' })
    await room.insert('d', { _id: 1, b: 'x' }, { _id: 2, b: 'Y', up: 'X' })
    const aggregate = (pipeline: readonly Plain[]) =>
      room.drain({ aggregate: 'c', pipeline, cursor: {}, collation: ci })
    const joined = await aggregate([
      { $lookup: { from: 'd', localField: 'a', foreignField: 'b', as: 'd' } },
      { $sort: { _id: 1 } },
    ])
    t.same(
      joined.map(({ d }: Reply) => d.map(({ _id }: Reply) => _id)),
      [[1], [2]],
    )
    const graph = await aggregate([
      { $match: { _id: 2 } },
      {
        $graphLookup: {
          from: 'd',
          startWith: '$a',
          connectFromField: 'up',
          connectToField: 'b',
          as: 'd',
        },
      },
    ])
    t.equal(graph[0]?.d.length, 2)
    const buckets = await aggregate([{ $bucket: { groupBy: '$a', boundaries: ['X', 'Y', 'z'] } }])
    t.same(buckets, [
      { _id: 'X', count: 1 },
      { _id: 'Y', count: 1 },
    ])
  },
)

await eachRoom(t, 'update, delete and findAndModify take a collation', async (t, room) => {
  await room.insert('c', ...words)
  const reply = await room.run({
    update: 'c',
    updates: [
      { q: { a: 'APPLE' }, u: { $set: { n: 1 } }, multi: true, collation: ci },
      { q: { a: 'APPLE' }, u: { $set: { n: 2 } }, multi: true },
    ],
  })
  t.same([reply.n, reply.nModified], [4, 4])
  const found = await room.run({
    findAndModify: 'c',
    query: { a: 'BANANA', _id: { $lt: 4 } },
    update: { $set: { n: 3 } },
    collation: ci,
  })
  t.equal(found.value._id, 3)
  const deletes = [{ q: { a: 'pear' }, limit: 0, collation: ci }]
  t.equal((await room.run({ delete: 'c', deletes })).n, 1)
  const removed = await room.run({
    findAndModify: 'c',
    query: { a: 'bAnana' },
    remove: true,
    collation: ci,
  })
  t.equal(removed.value._id, 3)
})

await eachRoom(t, 'operators of updates compare by the collation', async (t, room) => {
  const update = async (list: unknown, u: unknown, more: Plain = {}): Promise<unknown> => {
    await room.run({ delete: 'u', deletes: [{ q: {}, limit: 0 }] })
    await room.insert('u', { _id: 1, l: list })
    await room.run({ update: 'u', updates: [{ q: {}, u, collation: ci, ...more }] })
    return (await room.all('u'))[0]?.l
  }
  t.same(await update(['a'], { $addToSet: { l: 'A' } }), ['a'])
  t.same(await update(['a', 'B'], { $pull: { l: 'b' } }), ['a'])
  t.same(await update(['a', 'B'], { $pullAll: { l: ['A', 'b'] } }), [])
  t.same(await update('b', { $max: { l: 'B' } }), 'b')
  t.same(await update('b', { $min: { l: 'A' } }), 'A')
  t.same(await update([], { $push: { l: { $each: ['b', 'A'], $sort: 1 } } }), ['A', 'b'])
  const arrayFilters = [{ x: 'A' }]
  t.same(await update(['a', 'b'], { $set: { 'l.$[x]': 'c' } }, { arrayFilters }), ['c', 'b'])
  t.same(await update('q', [{ $set: { l: { $eq: ['$l', 'Q'] } } }]), true)
})

await eachRoom(
  t,
  'a collection has a default collation, which is told in full',
  async (t, room) => {
    await room.run({ create: 'c', collation: ci })
    await room.run({ createIndexes: 'c', indexes: [{ key: { a: 1 }, name: 'a_1' }] })
    await room.insert('c', ...words)
    const [listed] = (await room.run({ listCollections: 1 })).cursor.firstBatch
    t.same(listed.options, { collation: full })
    t.same(listed.idIndex, { v: 2, key: { _id: 1 }, name: '_id_', collation: full })
    const indexes = (await room.run({ listIndexes: 'c' })).cursor.firstBatch
    t.same(
      indexes.map(({ collation }: Reply) => collation),
      [full, full],
    )
    t.same(await ids(room, { filter: { a: 'APPLE' }, sort: { _id: 1 } }), [1, 2, 4])
    t.same(await ids(room, { filter: { a: 'APPLE' }, collation: simple }), [4])
    t.equal((await room.run({ count: 'c', query: { a: 'PEAR' } })).n, 1)
    t.equal((await room.run({ distinct: 'c', key: 'a' })).values.length, 5)
    const pipeline = [{ $match: { a: 'APPLE' } }, { $count: 'n' }]
    t.same(await room.drain({ aggregate: 'c', pipeline, cursor: {} }), [{ n: 3 }])
    const updates = [{ q: { a: 'APPLE' }, u: { $set: { n: 1 } }, multi: true }]
    t.equal((await room.run({ update: 'c', updates })).n, 3)
    t.equal((await room.run({ update: 'c', updates: [{ ...updates[0], collation: simple }] })).n, 1)
    const change = { query: { a: 'pear' }, update: { $set: { n: 1 } } }
    t.equal((await room.run({ findAndModify: 'c', ...change })).value._id, 5)
    t.equal((await room.run({ delete: 'c', deletes: [{ q: { a: 'APPLE' }, limit: 0 }] })).n, 3)
  },
)

await eachRoom(t, '_id is unique by the default collation, and found by it', async (t, room) => {
  await room.run({ create: 'c', collation: ci })
  await room.insert('c', { _id: 'Ada', n: 1 }, { _id: 'Bob', n: 2 }, { _id: 5, n: 3 })
  const again = await room.run({ insert: 'c', documents: [{ _id: 'ADA' }] })
  t.equal(again.writeErrors[0].code, 11000)
  const find = (filter: Plain, more: Plain = {}) =>
    room.drain({ find: 'c', filter, ...more }).then((all) => all.map(({ n }: Reply) => n))
  t.same(await find({ _id: 'ada' }), [1])
  t.same(await find({ _id: 'ada' }, { collation: simple }), [])
  t.same(await find({ _id: 'Ada' }, { collation: simple }), [1])
  t.same(await find({ _id: { $in: ['ADA', 'BOB', 5] } }, { sort: { _id: 1 } }), [3, 1, 2])
  t.same(await find({ _id: { $gt: 'ada' } }), [2])
  t.same(await find({ _id: 5 }, { collation: simple }), [3])
  t.equal(names(await planOf(room, { find: 'c', filter: { _id: 'ada' } })), 'IDHACK')
  const otherwise = { find: 'c', filter: { _id: 'ada' }, collation: simple }
  t.equal(names(await planOf(room, otherwise)), 'COLLSCAN')
  const updates = [
    { q: { _id: 'ADA' }, u: { $set: { n: 4 } } },
    { q: { _id: 'bob' }, u: { $set: { n: 5 } } },
  ]
  t.equal((await room.run({ update: 'c', updates })).nModified, 2)
  const upsert = { q: { _id: 'ADA' }, u: { $set: { n: 6 } }, upsert: true }
  t.same((await room.run({ update: 'c', updates: [upsert] })).upserted, undefined)
  t.equal((await room.run({ delete: 'c', deletes: [{ q: { _id: 'BOB' }, limit: 1 }] })).n, 1)
  const [error] = (
    await room.run({
      update: 'c',
      updates: [{ q: { _id: 'ada' }, u: { _id: 'ada', n: 7 } }],
    })
  ).writeErrors
  t.equal(error.code, 66, 'an _id that equals by the collation alone is another one')
})

await eachRoom(
  t,
  'a collection without a collation keeps its _ids apart by bytes',
  async (t, room) => {
    await room.insert('c', { _id: 'a' }, { _id: 'A' })
    t.same(await ids(room, { filter: { _id: 'a' }, collation: ci }), ['A', 'a'])
    t.same(await ids(room, { filter: { _id: 'a' } }), ['a'])
  },
)

await eachRoom(t, 'an index with a collation serves queries with the same one', async (t, room) => {
  await room.insert('c', ...words)
  await room.run({
    createIndexes: 'c',
    indexes: [{ key: { a: 1 }, name: 'a_ci', collation: ci }],
  })
  const find = { find: 'c', filter: { a: 'APPLE' } }
  const plan = await planOf(room, { ...find, collation: ci })
  t.equal(names(plan), 'FETCH IXSCAN')
  t.match(plan[1], { indexName: 'a_ci', collation: full })
  t.equal(names(await planOf(room, find)), 'COLLSCAN')
  t.equal(names(await planOf(room, { ...find, collation: { locale: 'fr' } })), 'COLLSCAN')
  t.equal(names(await planOf(room, { find: 'c', filter: { a: 7 } })), 'FETCH IXSCAN', 'no strings')
  const member = { find: 'c', filter: { a: { $in: ['PEAR', 'banana'] } }, collation: ci }
  t.equal(names(await planOf(room, member)), 'FETCH IXSCAN')
  t.same((await room.drain(member)).map(({ _id }: Reply) => _id).sort(), [3, 5])
  const range = { find: 'c', filter: { a: { $gt: 'BANANA' } }, collation: ci }
  t.equal(names(await planOf(room, range)), 'FETCH IXSCAN')
  t.same(
    (await room.drain(range)).map(({ _id }: Reply) => _id),
    [5],
  )
  const regex = { find: 'c', filter: { a: /^app/ }, collation: ci }
  t.equal(names(await planOf(room, regex)), 'COLLSCAN')
  const explained = await room.run({ explain: { ...find, collation: ci } })
  t.same(explained.queryPlanner.collation, full)
})

await eachRoom(
  t,
  'only an index with the same collation gives the order of a sort',
  async (t, room) => {
    await room.insert('c', ...['b', 'A', 'a', 'B', 'C'].map((a, _id) => ({ _id, a })))
    await room.run({
      createIndexes: 'c',
      indexes: [
        { key: { a: 1 }, name: 'a_1' },
        { key: { a: 1 }, name: 'a_ci', collation: ci },
      ],
    })
    const sorted = { find: 'c', sort: { a: 1 }, hint: 'a_ci' }
    const plan = names(await planOf(room, { ...sorted, collation: ci }))
    t.equal(plan, 'FETCH IXSCAN')
    t.match(names(await planOf(room, sorted)), /^SORT/)
    const texts = async (command: Plain) => (await room.drain(command)).map(({ a }: Reply) => a)
    t.same(await texts({ ...sorted, collation: ci }), ['A', 'a', 'b', 'B', 'C'])
    t.same(await texts(sorted), ['A', 'B', 'C', 'a', 'b'])
    const hinted = await room.fails({ find: 'c', hint: { a: 1 } })
    t.equal(hinted[0], 27, 'a key pattern names both')
    const project = { projection: { a: 1, _id: 0 } }
    const covered = { find: 'c', filter: { a: 'a' }, collation: ci, ...project }
    t.equal(names(await planOf(room, covered)).includes('PROJECTION_COVERED'), false)
    t.same(await texts(covered), ['A', 'a'])
    const distinct = await room.run({ distinct: 'c', key: 'a', collation: ci })
    t.same(distinct.values, ['A', 'b', 'C'])
    t.equal((await room.run({ distinct: 'c', key: 'a' })).values.length, 5)
    t.equal((await room.run({ count: 'c', query: { a: { $gte: 'b' } }, collation: ci })).n, 3)
  },
)

await eachRoom(t, 'a unique index compares by its collation', async (t, room) => {
  const unique = { key: { mail: 1 }, name: 'mail_1', unique: true, collation: ci }
  await room.run({ createIndexes: 'c', indexes: [unique] })
  await room.insert('c', { _id: 1, mail: 'Ada@x.org' })
  const reply = await room.run({ insert: 'c', documents: [{ _id: 2, mail: 'ada@X.org' }] })
  t.match(reply.writeErrors[0], { code: 11000, keyPattern: { mail: 1 } })
  await room.insert('d', { _id: 1, mail: 'a' }, { _id: 2, mail: 'A' })
  t.equal((await room.fails({ createIndexes: 'd', indexes: [unique] }))[0], 11000)
})

await eachRoom(t, 'indexes on one key may differ in their collation', async (t, room) => {
  const create = (...indexes: readonly Plain[]) => room.run({ createIndexes: 'c', indexes })
  await create({ key: { a: 1 }, name: 'a_1' }, { key: { a: 1 }, name: 'a_ci', collation: ci })
  const again = await create({ key: { a: 1 }, name: 'a_ci', collation: full })
  t.equal(again.note, 'all indexes already exist')
  const clash = { key: { a: 1 }, name: 'a_1', collation: { locale: 'sv' } }
  t.equal((await room.fails({ createIndexes: 'c', indexes: [clash] }))[0], 86)
  const other = { key: { a: 1 }, name: 'other', collation: ci }
  t.equal((await room.fails({ createIndexes: 'c', indexes: [other] }))[0], 85)
  const plain = { key: { b: 1 }, name: 'b_1', collation: simple }
  await create(plain)
  const listed = (await room.run({ listIndexes: 'c' })).cursor.firstBatch
  t.same(
    listed.map(({ collation }: Reply) => collation?.locale),
    [undefined, undefined, 'en', undefined],
  )
  const id = { key: { _id: 1 }, name: '_id_', collation: ci }
  t.equal((await room.fails({ createIndexes: 'c', indexes: [id] }))[0], 2)
})

await eachRoom(
  t,
  'a partial index is used for what implies its filter by its collation',
  async (t, room) => {
    await room.run({
      createIndexes: 'c',
      indexes: [
        { key: { n: 1 }, name: 'n_1', collation: ci, partialFilterExpression: { s: 'open' } },
      ],
    })
    await room.insert('c', { _id: 1, n: 1, s: 'OPEN' }, { _id: 2, n: 1, s: 'done' })
    const find = { find: 'c', filter: { n: 1, s: 'Open' } }
    t.equal(names(await planOf(room, { ...find, collation: ci })), 'FETCH IXSCAN')
    t.equal(names(await planOf(room, find)), 'COLLSCAN')
    t.same(await ids(room, { filter: { n: 1, s: 'open' }, collation: ci }), [1])
  },
)

await eachRoom(
  t,
  '$merge needs a unique index with the collation of the pipeline',
  async (t, room) => {
    await room.insert('c', { _id: 1, k: 'A', n: 1 })
    const merge = { into: 'd', on: 'k', whenMatched: 'merge' }
    const pipeline = [{ $project: { _id: 0 } }, { $merge: merge }]
    await room.run({ createIndexes: 'd', indexes: [{ key: { k: 1 }, name: 'k_1', unique: true }] })
    const command = { aggregate: 'c', pipeline, cursor: {}, collation: ci }
    t.equal((await room.fails(command))[0], 51183)
    const collated = { key: { k: 1 }, name: 'k_ci', unique: true, collation: ci }
    await room.run({ createIndexes: 'd', indexes: [collated] })
    await room.insert('d', { _id: 9, k: 'a' })
    await room.run(command)
    t.same(await room.all('d'), [{ _id: 9, k: 'A', n: 1 }])
  },
)

await eachRoom(t, 'a view compares by its own collation, and by no other', async (t, room) => {
  await room.insert('c', ...words)
  await room.run({ create: 'v', viewOn: 'c', pipeline: [], collation: ci })
  t.equal((await room.run({ count: 'v', query: { a: 'APPLE' } })).n, 3)
  t.equal((await room.drain({ find: 'v', filter: { a: 'APPLE' } })).length, 3)
  t.equal((await room.run({ distinct: 'v', key: 'a' })).values.length, 5)
  const other = { find: 'v', collation: { locale: 'sv' } }
  t.equal((await room.fails(other))[0], 167)
  const over = { create: 'w', viewOn: 'v', pipeline: [] }
  t.same(await room.fails(over), [167, 'View test.w has conflicting collation with view test.v'])
  await room.run({ ...over, collation: ci })
  t.equal((await room.run({ count: 'w', query: { a: 'APPLE' } })).n, 3)
})

await eachRoom(t, 'what is no collation is refused with the code of the peer', async (t, room) => {
  const fails = (collation: Plain) => room.fails({ find: 'c', collation })
  const codes: readonly (readonly [Plain, number])[] = [
    [{ locale: 'xx' }, 2],
    [{ locale: 'en_XX' }, 2],
    [{ locale: '' }, 2],
    [{ strength: 2 }, 40414],
    [{ locale: 5 }, 14],
    [{ locale: 'en', strength: 7 }, 9],
    [{ locale: 'en', color: 1 }, 40415],
    [{ locale: 'en', caseFirst: 'best' }, 2],
    [{ locale: 'en', strength: 1, backwards: true }, 2],
    [{ locale: 'en', strength: 2, caseFirst: 'upper' }, 2],
    [{ locale: 'simple', strength: 2 }, 9],
    [{ locale: 'en', version: '60' }, 161],
    [{ locale: 'en', strength: 5 }, 2],
  ]
  for (const [collation, code] of codes) t.equal((await fails(collation))[0], code)
  t.match(await fails({ locale: 'en_XX' }), [2, /Did you mean 'en'\?$/])
  t.same(await room.run({ find: 'c', collation: {} }).then(({ ok }) => ok), 1)
})

await eachRoom(t, 'a validator compares by the default collation', async (t, room) => {
  await room.run({ create: 'c', collation: ci, validator: { kind: { $in: ['open', 'shut'] } } })
  await room.insert('c', { _id: 1, kind: 'OPEN' })
  const reply = await room.run({ insert: 'c', documents: [{ _id: 2, kind: 'ajar' }] })
  t.equal(reply.writeErrors[0].code, 121)
})

await eachRoom(t, 'a regular expression on a group does not move before it', async (t, room) => {
  await room.insert('c', { _id: 1, a: 'x' }, { _id: 2, a: 'X' })
  const pipeline = [{ $group: { _id: '$a', n: { $sum: 1 } } }, { $match: { _id: /^x/ } }]
  const groups = await room.drain({ aggregate: 'c', pipeline, cursor: {}, collation: ci })
  t.same(groups, [{ _id: 'x', n: 2 }])
})

await eachRoom(t, 'windows part and rank by the collation', async (t, room) => {
  const texts = ['b', 'A', 'a', 'B'].map((a, _id) => ({ _id, a }))
  await room.insert('c', ...texts)
  const window = (output: Plain, more: Plain) =>
    room.drain({
      aggregate: 'c',
      pipeline: [{ $setWindowFields: { ...more, output } }, { $sort: { _id: 1 } }],
      cursor: {},
      collation: ci,
    })
  const ranked = await window({ r: { $denseRank: {} } }, { sortBy: { a: 1 } })
  t.same(
    ranked.map(({ r }: Reply) => r),
    [2, 1, 1, 2],
  )
  const parted = await window({ n: { $sum: 1 } }, { partitionBy: '$a' })
  t.same(
    parted.map(({ n }: Reply) => n),
    [2, 2, 2, 2],
  )
})

await eachRoom(t, '$out keeps the collation of the collection it fills', async (t, room) => {
  await room.run({ create: 'd', collation: ci })
  await room.insert('c', { _id: 'a' }, { _id: 'b' })
  await room.run({ aggregate: 'c', pipeline: [{ $out: 'd' }], cursor: {} })
  t.same(await room.drain({ find: 'd', filter: { _id: 'A' } }), [{ _id: 'a' }])
  await room.insert('c', { _id: 'A' })
  const out = { aggregate: 'c', pipeline: [{ $out: 'd' }], cursor: {} }
  t.equal((await room.fails(out))[0], 11000)
})

await eachRoom(t, 'an index that another ICU has keyed is built again', async (t, room) => {
  await room.insert('c', ...words)
  const spec = { key: { a: 1 }, name: 'a_ci', collation: ci }
  await room.run({ createIndexes: 'c', indexes: [spec] })
  const old = await room.store.write(function* (tx) {
    const ns = yield* findNamespace(tx, 'test', 'c')
    if (ns === undefined) throw new Error('c is there')
    const indexes = ns.indexes.map((index) => ({ ...index, keyedBy: '1.0' }))
    return saveNamespace(tx, { ...ns, indexes })
  })
  await room.engine.builds.resume()
  await room.run({ createIndexes: 'c', indexes: [spec] })
  const now = await room.store.read((tx) => findNamespace(tx, 'test', 'c'))
  t.match(now?.indexes, [{ state: 'ready', keyedBy: undefined }])
  t.not(now?.indexes[0]?.id, old.indexes[0]?.id)
  t.same(await ids(room, { filter: { a: 'APPLE' }, collation: ci, hint: 'a_ci' }), [1, 2, 4])
})
