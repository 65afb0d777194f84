// Views, over every store: what they show to each reading command, what is refused on them, and
// what may define one.

import { Long } from 'bson'
import t from 'tap'
import { type CommandRoom, eachRoom, type Reply } from '../../../support/command-room.js'

const adults = [{ $match: { age: { $gte: 18 } } }, { $project: { secret: 0 } }]

async function fill(room: CommandRoom): Promise<void> {
  await room.insert(
    'people',
    { _id: 1, name: 'ann', age: 20, secret: 1 },
    { _id: 2, name: 'bob', age: 10, secret: 2 },
    { _id: 3, name: 'cid', age: 40, secret: 3 },
    { _id: 4, name: 'dan', age: 30, secret: 4 },
  )
  await room.run({ create: 'adults', viewOn: 'people', pipeline: adults })
}

const ids = (documents: readonly Reply[]) => documents.map(({ _id }) => _id)
const refused = [166, 'Namespace test.adults is a view, not a collection']

await eachRoom(t, 'every reading command sees what the view shows', async (t, room) => {
  await fill(room)
  t.same(await room.drain({ find: 'adults', filter: { age: { $lt: 40 } }, sort: { age: -1 } }), [
    { _id: 4, name: 'dan', age: 30 },
    { _id: 1, name: 'ann', age: 20 },
  ])
  const page = { sort: { _id: 1 }, skip: 1, limit: 1, projection: { name: 1, _id: 0 } }
  t.same(await room.drain({ find: 'adults', ...page }), [{ name: 'cid' }])
  const one = await room.run({ find: 'adults', limit: 1, singleBatch: true })
  t.equal(Number(one.cursor.id), 0)
  t.equal((await room.run({ count: 'adults' })).n, 3)
  t.equal((await room.run({ count: 'adults', query: { age: { $gt: 20 } }, skip: 1 })).n, 1)
  t.equal((await room.run({ count: 'adults', query: { age: 1 } })).n, 0)
  t.same((await room.run({ distinct: 'adults', key: 'age' })).values.sort(), [20, 30, 40])
  t.same((await room.run({ distinct: 'adults', key: 'secret' })).values, [])
  const sum = [{ $group: { _id: null, sum: { $sum: '$age' } } }]
  t.same(await room.drain({ aggregate: 'adults', pipeline: sum, cursor: {} }), [
    { _id: null, sum: 90 },
  ])
  const { cursor } = await room.run({ find: 'adults', batchSize: 1 })
  t.equal(cursor.ns, 'test.adults')
  t.same(ids(await room.drain({ find: 'adults', batchSize: 1, sort: { _id: 1 } })), [1, 3, 4])
})

await eachRoom(t, 'a view shows what its collection holds now', async (t, room) => {
  await room.run({ create: 'v', viewOn: 'later', pipeline: [] })
  t.same(await room.all('v'), [])
  await room.insert('later', { _id: 1 })
  t.same(await room.all('v'), [{ _id: 1 }])
  await room.run({ drop: 'later' })
  t.same(await room.all('v'), [])
})

await eachRoom(t, 'views lie over views, and stages join them', async (t, room) => {
  await fill(room)
  await room.run({ create: 'old', viewOn: 'adults', pipeline: [{ $match: { age: { $gt: 25 } } }] })
  t.same(ids(await room.all('old')), [3, 4])
  await room.insert('pets', { _id: 'rex', owner: 3 }, { _id: 'tom', owner: 2 })
  const owners = {
    $lookup: { from: 'old', localField: 'owner', foreignField: '_id', as: 'owners' },
  }
  const pets = await room.drain({ aggregate: 'pets', pipeline: [owners], cursor: {} })
  t.same(
    pets.map((pet) => ids(pet.owners)),
    [[3], []],
  )
  const correlated = {
    $lookup: {
      ...{ from: 'adults', let: { o: '$owner' }, as: 'found' },
      pipeline: [{ $match: { $expr: { $lt: ['$_id', '$$o'] } } }],
    },
  }
  const [rex] = await room.drain({ aggregate: 'pets', pipeline: [correlated], cursor: {} })
  t.same(ids(rex?.found), [1])
  const union = [{ $match: { _id: 1 } }, { $unionWith: 'old' }]
  const all = await room.drain({ aggregate: 'people', pipeline: union, cursor: {} })
  t.same(ids(all).sort(), [1, 3, 4])
  const graph = {
    $graphLookup: {
      ...{ from: 'adults', startWith: '$owner', connectFromField: '_id' },
      ...{ connectToField: '_id', as: 'found' },
    },
  }
  const found = await room.drain({ aggregate: 'pets', pipeline: [graph], cursor: {} })
  t.same(
    found.map((pet) => ids(pet.found)),
    [[3], []],
  )
  await room.run({ create: 'joined', viewOn: 'pets', pipeline: [owners] })
  t.same(ids((await room.all('joined'))[0]?.owners), [3])
})

await eachRoom(t, 'a view is a source of $out and $merge', async (t, room) => {
  await fill(room)
  const write = (stage: object) =>
    room.run({ aggregate: 'adults', pipeline: [{ $set: { age: 0 } }, stage], cursor: {} })
  await write({ $out: 'copy' })
  t.same(ids(await room.all('copy')), [1, 3, 4])
  await write({ $merge: { into: 'people' } })
  t.same(
    (await room.all('people')).map(({ age }) => age),
    [0, 10, 0, 0],
  )
  const into = (stage: object) => ({ aggregate: 'copy', pipeline: [stage], cursor: {} })
  t.same(await room.fails(into({ $out: 'adults' })), refused)
  t.same(await room.fails(into({ $merge: 'adults' })), refused)
})

await eachRoom(t, 'commands for collections are refused on a view', async (t, room) => {
  await fill(room)
  const commands = [
    { findAndModify: 'adults', remove: true },
    { createIndexes: 'adults', indexes: [{ key: { a: 1 }, name: 'a_1' }] },
    { dropIndexes: 'adults', index: '*' },
    { listIndexes: 'adults' },
    { collStats: 'adults' },
    { collectionStats: 'adults' },
    { validate: 'adults' },
    { explain: { delete: 'adults', deletes: [{ q: {}, limit: 0 }] } },
    { aggregate: 'adults', pipeline: [{ $collStats: { count: {} } }], cursor: {} },
    { aggregate: 'adults', pipeline: [{ $indexStats: {} }], cursor: {} },
  ]
  for (const command of commands)
    t.same(await room.fails(command), refused, JSON.stringify(command))
  const writes = [
    { insert: 'adults', documents: [{ a: 1 }] },
    { update: 'adults', updates: [{ q: {}, u: { $set: { a: 1 } } }] },
    { update: 'adults', updates: [{ q: { _id: 1 }, u: { a: 1 }, upsert: true }] },
    { delete: 'adults', deletes: [{ q: {}, limit: 0 }] },
  ]
  for (const command of writes) {
    const { writeErrors } = await room.run(command)
    const [code, errmsg] = refused
    t.same(writeErrors, [{ index: 0, code, errmsg }], JSON.stringify(command))
  }
  const rename = (from: string, to: string) =>
    room.fails({ renameCollection: `test.${from}`, to: `test.${to}`, dropTarget: true }, 'admin')
  t.same(await rename('adults', 'x'), [166, 'cannot rename view: test.adults'])
  t.same(await rename('people', 'adults'), [
    48,
    'a view already exists with that name: test.adults',
  ])
})

await eachRoom(t, 'a find that no stage stands for is refused', async (t, room) => {
  await fill(room)
  const find = async (options: object) => (await room.fails({ find: 'adults', ...options }))[1]
  t.equal(
    await find({ sort: { $natural: 1 } }),
    'Sort option $natural not supported in aggregation.',
  )
  t.equal(await find({ returnKey: true }), 'Option returnKey not supported in aggregation.')
  t.equal(await find({ showRecordId: true }), 'Option showRecordId not supported in aggregation.')
  const sliced = { find: 'adults', projection: { name: { $elemMatch: { a: 1 } } } }
  t.ok((await room.refusal(sliced)).code)
})

await eachRoom(t, 'listings tell of views, and system.views of what they are', async (t, room) => {
  await fill(room)
  await room.run({ create: 'plain', viewOn: 'people' })
  const listed = await room.drain({ listCollections: 1 })
  t.same(
    listed.map(({ name, type }) => [name, type]),
    [
      ['adults', 'view'],
      ['people', 'collection'],
      ['plain', 'view'],
      ['system.views', 'collection'],
    ],
  )
  t.same(listed[0], {
    name: 'adults',
    type: 'view',
    options: { viewOn: 'people', pipeline: adults },
    info: { readOnly: true },
  })
  t.same(ids(await room.drain({ find: 'system.views', sort: { _id: 1 } })), [
    'test.adults',
    'test.plain',
  ])
  t.same(await room.drain({ find: 'system.views', filter: { _id: 'test.plain' } }), [
    { _id: 'test.plain', viewOn: 'people', pipeline: [] },
  ])
  t.equal((await room.run({ count: 'system.views' })).n, 2)
  const names = async (filter: object) =>
    (await room.drain({ listCollections: 1, filter, nameOnly: true })).map(({ name }) => name)
  t.same(await names({ type: 'view' }), ['adults', 'plain'])
  t.same(await names({ name: 'system.views' }), ['system.views'])
  const { collections, views } = await room.run({ dbStats: 1 })
  t.same([collections, views], [1, 2])
  const { collections: summaries } = await room.run({ collectionSummaries: 1 })
  t.same(
    summaries.map(({ name }: Reply) => name),
    ['people'],
  )
})

await eachRoom(t, 'a view is dropped, also with its database', async (t, room) => {
  await fill(room)
  t.same(await room.run({ drop: 'adults' }), { ns: 'test.adults', ok: 1 })
  t.equal((await room.all('people')).length, 4)
  await room.run({ create: 'adults', viewOn: 'people' })
  await room.run({ dropDatabase: 1 })
  t.same(await room.drain({ listCollections: 1 }), [])
})

await eachRoom(t, 'names are one space for collections and views', async (t, room) => {
  await fill(room)
  t.same(await room.fails({ create: 'adults' }), [48, 'A view already exists. NS: test.adults'])
  t.same(await room.fails({ create: 'people', viewOn: 'x' }), [
    48,
    'Collection already exists. NS: test.people',
  ])
  t.equal((await room.fails({ create: 'system.x', viewOn: 'people' }))[0], 73)
  t.equal((await room.fails({ create: 'kv0', viewOn: 'people' }, 'admin'))[0], 73)
})

await eachRoom(t, 'what cannot define a view is refused', async (t, room) => {
  const create = (options: object) => room.fails({ create: 'v', viewOn: 'c', ...options })
  const writes = (stage: string) =>
    `The aggregation stage ${stage} in location 0 of the pipeline cannot be used in the view ` +
    'definition of test.v because it writes to disk'
  t.same(await create({ pipeline: [{ $out: 'x' }] }), [167, writes('$out')])
  t.same(await create({ pipeline: [{ $merge: 'x' }] }), [167, writes('$merge')])
  t.same((await create({ pipeline: [{ $changeStream: {} }] }))[0], 167)
  t.same(await create({ pipeline: [{ $planCacheStats: {} }] }), [
    167,
    '$planCacheStats cannot be used in a view definition',
  ])
  t.same((await create({ pipeline: [{ $unknown: 1 }] }))[0], 40324)
  t.same(await create({ viewOn: '' }), [2, "'viewOn' cannot be empty"])
  t.same((await create({ viewOn: 'system.x' }))[0], 73)
  t.same((await create({ pipeline: [{ $documents: [] }] }))[0], 73)
  t.same(await room.fails({ create: 'v', pipeline: [] }), [
    72,
    "'pipeline' requires 'viewOn' to also be specified",
  ])
  t.same(await create({ validator: { a: 1 } }), [72, 'option not supported on a view: validator'])
  t.same((await create({ capped: true, size: 1_000 }))[0], 72)
})

await eachRoom(t, 'a view that leads back to itself is refused', async (t, room) => {
  const create = (name: string, viewOn: string, pipeline: object[] = []) => ({
    ...{ create: name, viewOn, pipeline },
  })
  t.same(await room.fails(create('a', 'a')), [5, 'View cycle detected: test.a, test.a'])
  await room.run(create('a', 'b'))
  await room.run(create('b', 'c'))
  t.same(await room.fails(create('c', 'a')), [
    5,
    'View cycle detected: test.c, test.a, test.b, test.c',
  ])
  t.equal((await room.fails(create('c', 'x', [{ $unionWith: 'a' }])))[0], 5)
  await room.run(create('d', 'x'))
  t.equal((await room.fails({ collMod: 'd', viewOn: 'd', pipeline: [] }))[0], 5)
})

await eachRoom(t, 'views lie over one another twenty deep', async (t, room) => {
  await room.insert('v0', { _id: 1 })
  for (let i = 1; i <= 20; i++) await room.run({ create: `v${i}`, viewOn: `v${i - 1}` })
  t.same(await room.all('v20'), [{ _id: 1 }])
  t.same(await room.fails({ create: 'v21', viewOn: 'v20' }), [
    165,
    'View depth limit exceeded; maximum depth is 20',
  ])
})

await eachRoom(t, 'collMod changes what a view shows', async (t, room) => {
  await fill(room)
  await room.run({ collMod: 'adults', viewOn: 'people', pipeline: [{ $match: { _id: 2 } }] })
  t.same(ids(await room.all('adults')), [2])
  await room.run({ collMod: 'adults', viewOn: 'people', pipeline: [] })
  t.same(ids(await room.all('adults')), [1, 2, 3, 4])
  t.same(await room.fails({ collMod: 'adults', pipeline: [] }), [
    72,
    "Must specify both 'viewOn' and 'pipeline' when modifying a view and auth is enabled",
  ])
  t.same(await room.fails({ collMod: 'adults', validator: { a: 1 } }), [
    72,
    'option not supported on a view: validator',
  ])
  t.same(await room.fails({ collMod: 'adults', index: { name: 'a_1', hidden: true } }), [
    72,
    'option not supported on a view: index',
  ])
  t.same(await room.fails({ collMod: 'people', viewOn: 'x', pipeline: [] }), [
    72,
    'option only supported on a view: viewOn',
  ])
  const out = { collMod: 'adults', viewOn: 'people', pipeline: [{ $out: 'x' }] }
  t.equal((await room.fails(out))[0], 167)
})

await eachRoom(t, 'a cursor over a view ends when the view is another', async (t, room) => {
  await fill(room)
  const open = async () => {
    const { id } = (await room.run({ find: 'adults', batchSize: 1 })).cursor
    return { getMore: Long.fromNumber(Number(id)), collection: 'adults' }
  }
  const first = await open()
  t.equal((await room.run(first)).cursor.nextBatch.length, 2)
  const second = await open()
  await room.run({ collMod: 'adults', viewOn: 'others', pipeline: [] })
  t.equal((await room.refusal(second)).code, 175)
  await room.run({ collMod: 'adults', viewOn: 'people', pipeline: [] })
  const third = await open()
  await room.run({ drop: 'adults' })
  t.equal((await room.refusal(third)).code, 175)
})

await eachRoom(t, "a view's leading $match uses the index of its collection", async (t, room) => {
  await fill(room)
  await room.run({ createIndexes: 'people', indexes: [{ key: { age: 1 }, name: 'age_1' }] })
  await room.run({ create: 'some', viewOn: 'people', pipeline: [{ $match: { age: { $gt: 5 } } }] })
  const explained = await room.run({
    explain: { find: 'some', filter: { age: { $lt: 25 } } },
    verbosity: 'executionStats',
  })
  t.equal(explained.queryPlanner.namespace, 'test.people')
  t.equal(explained.queryPlanner.winningPlan.inputStage.stage, 'IXSCAN')
  t.equal(explained.executionStats.totalKeysExamined, 2)
  for (const inner of [
    { count: 'some', query: { age: 20 } },
    { distinct: 'some', key: 'age' },
    { aggregate: 'some', pipeline: [{ $match: { age: 20 } }], cursor: {} },
  ]) {
    const text = JSON.stringify(await room.run({ explain: inner, verbosity: 'queryPlanner' }))
    t.match(text, 'IXSCAN', JSON.stringify(inner))
  }
})

await eachRoom(
  t,
  'a condition goes through the stages of the view to its index',
  async (t, room) => {
    await fill(room)
    await room.run({ createIndexes: 'people', indexes: [{ key: { age: 1 }, name: 'age_1' }] })
    await room.run({ create: 'named', viewOn: 'people', pipeline: [{ $set: { tag: '$name' } }] })
    const explained = await room.run({
      explain: { find: 'named', filter: { age: 20 } },
      verbosity: 'queryPlanner',
    })
    t.match(JSON.stringify(explained), 'IXSCAN')
    t.same(await room.drain({ find: 'named', filter: { age: 20, tag: 'ann' } }), [
      { _id: 1, name: 'ann', age: 20, secret: 1, tag: 'ann' },
    ])
  },
)

await eachRoom(t, 'a view has a collation of its own, which no reader changes', async (t, room) => {
  await room.insert('words', { _id: 1, w: 'b' }, { _id: 2, w: 'A' }, { _id: 3, w: 'a' })
  const collation = { locale: 'en', strength: 2 }
  await room.run({ create: 'loose', viewOn: 'words', pipeline: [], collation })
  await room.run({ create: 'strict', viewOn: 'words', pipeline: [] })
  t.same(ids(await room.drain({ find: 'loose', filter: { w: 'a' } })), [2, 3])
  t.same(ids(await room.drain({ find: 'strict', filter: { w: 'a' } })), [3])
  t.equal((await room.run({ count: 'loose', query: { w: 'A' } })).n, 2)
  t.equal((await room.run({ distinct: 'loose', key: 'w' })).values.length, 2)
  const other = { collation: { locale: 'de' } }
  t.same(await room.fails({ find: 'loose', ...other }), [
    167,
    "Cannot override a view's default collation",
  ])
  t.equal((await room.fails({ find: 'strict', collation }))[0], 167)
  t.same(ids(await room.drain({ find: 'loose', filter: { w: 'a' }, collation })), [2, 3])
})
