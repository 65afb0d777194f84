// createIndexes, listIndexes, collMod, dropIndexes and hints over every store, as a client has
// them.

import t from 'tap'
import { eachRoom, type Reply } from '../../../support/command-room.js'

await eachRoom(t, 'listIndexes echoes the options that are set', async (t, room) => {
  const indexes = [
    { key: { a: 1 }, name: 'a_1', sparse: true, unique: false },
    { key: { b: -1 }, name: 'b_-1', partialFilterExpression: { c: { $gt: 5 } }, unique: true },
    { key: { at: 1 }, name: 'at_1', expireAfterSeconds: 3600, hidden: true },
  ]
  await room.run({ createIndexes: 'c', indexes })
  t.same(await room.drain({ listIndexes: 'c' }), [
    { v: 2, key: { _id: 1 }, name: '_id_' },
    { v: 2, key: { a: 1 }, name: 'a_1', sparse: true },
    {
      ...{ v: 2, key: { b: -1 }, name: 'b_-1', unique: true },
      partialFilterExpression: { c: { $gt: 5 } },
    },
    { v: 2, key: { at: 1 }, name: 'at_1', hidden: true, expireAfterSeconds: 3600 },
  ])
  const again = await room.run({ createIndexes: 'c', indexes })
  t.equal(again.note, 'all indexes already exist')
  const [at] = indexes.slice(2)
  const code = 85
  t.equal(
    (await room.fails({ createIndexes: 'c', indexes: [{ ...at, expireAfterSeconds: 1 }] }))[0],
    code,
  )
})

await eachRoom(t, 'an option that is not served is refused, not dropped', async (t, room) => {
  for (const option of [{ clustered: true }, { weights: { a: 1 } }]) {
    const indexes = [{ key: { a: 1 }, name: 'a_1', ...option }]
    t.equal((await room.fails({ createIndexes: 'c', indexes }))[0], 115)
  }
  t.same(await room.drain({ listCollections: 1 }), [])
})

await eachRoom(t, 'collMod changes seconds and hides, and says what there was', async (t, room) => {
  const indexes = [
    { key: { at: 1 }, name: 'at_1', expireAfterSeconds: 60 },
    { key: { b: 1 }, name: 'b_1' },
  ]
  await room.run({ createIndexes: 'c', indexes })
  const collMod = 'c'
  t.same(await room.run({ collMod, index: { name: 'at_1', expireAfterSeconds: 5 } }), {
    expireAfterSeconds_old: 60,
    expireAfterSeconds_new: 5,
    ok: 1,
  })
  t.same(await room.run({ collMod, index: { keyPattern: { b: 1 }, expireAfterSeconds: 7 } }), {
    expireAfterSeconds_new: 7,
    ok: 1,
  })
  t.same(await room.run({ collMod, index: { name: 'b_1', hidden: true } }), {
    hidden_old: false,
    hidden_new: true,
    ok: 1,
  })
  t.same(await room.run({ collMod }), { ok: 1 })
  t.same((await room.drain({ listIndexes: 'c' })).slice(1), [
    { v: 2, key: { at: 1 }, name: 'at_1', expireAfterSeconds: 5 },
    { v: 2, key: { b: 1 }, name: 'b_1', hidden: true, expireAfterSeconds: 7 },
  ])
  const refusals: readonly (readonly [number, Record<string, unknown>])[] = [
    [26, { collMod: 'missing' }],
    [26, { collMod: 'missing', index: { name: 'a', hidden: true } }],
    [14, { collMod, index: 5 }],
    [14, { collMod, index: { name: 5, hidden: true } }],
    [14, { collMod, index: { name: 'at_1', expireAfterSeconds: 'x' } }],
    [72, { collMod, index: { name: 'at_1', expireAfterSeconds: Number.NaN } }],
    [72, { collMod, index: { name: 'b_1', unique: true } }],
    [2, { collMod, index: { name: 'b_1', unique: false } }],
    [72, { collMod, viewOn: 'other' }],
    [40415, { collMod, index: { name: 'b_1', sparse: true } }],
    [40415, { collMod, what: 1 }],
  ]
  for (const [code, command] of refusals) {
    t.equal((await room.fails(command))[0], code, JSON.stringify(command))
  }
})

await eachRoom(t, 'dropIndexes by a key that two indexes have is 181', async (t, room) => {
  const indexes = [
    { key: { a: 1 }, name: 'a_1' },
    { key: { a: 1 }, name: 'sparse', sparse: true },
  ]
  await room.run({ createIndexes: 'c', indexes })
  t.equal((await room.fails({ dropIndexes: 'c', index: { a: 1 } }))[0], 181)
  await room.run({ dropIndexes: 'c', index: 'sparse' })
  t.equal((await room.run({ dropIndexes: 'c', index: { a: 1 } })).nIndexesWas, 2)
})

await eachRoom(t, 'every command takes a hint by name and by key', async (t, room) => {
  const indexes = [{ key: { a: 1 }, name: 'sparse', sparse: true }]
  await room.run({ createIndexes: 'c', indexes })
  await room.insert('c', { _id: 1 }, { _id: 2, a: 1 })
  const cursor = {}
  for (const hint of ['sparse', { a: 1 }]) {
    t.equal((await room.drain({ find: 'c', hint })).length, 1)
    t.equal((await room.run({ count: 'c', hint })).n, 1)
    t.same((await room.run({ distinct: 'c', key: '_id', hint })).values, [2])
    const aggregate = { aggregate: 'c', pipeline: [{ $match: {} }], cursor, hint }
    t.equal((await room.drain(aggregate)).length, 1)
    const counted = { ...aggregate, pipeline: [{ $count: 'n' }] }
    t.same(await room.drain(counted), [{ n: 1 }])
    const u = { $set: { b: 1 } }
    t.equal((await room.run({ update: 'c', updates: [{ q: {}, u, multi: true, hint }] })).n, 1)
    const modified = await room.run({ findAndModify: 'c', query: {}, update: u, hint })
    t.equal(modified.value._id, 2)
    t.equal(
      (await room.run({ explain: { count: 'c', hint } })).queryPlanner.winningPlan.stage,
      'COUNT',
    )
  }
  t.equal((await room.run({ delete: 'c', deletes: [{ q: {}, limit: 0, hint: 'sparse' }] })).n, 1)
  t.same(await room.all('c'), [{ _id: 1 }])
  for (const hint of ['nope', { z: 1 }]) {
    const text = 'hint provided does not correspond to an existing index'
    for (const command of [
      { find: 'c', hint },
      { count: 'c', hint },
      { distinct: 'c', key: 'a', hint },
      { aggregate: 'c', pipeline: [], cursor, hint },
      { findAndModify: 'c', query: {}, remove: true, hint },
    ]) {
      const [code, message] = await room.fails(command)
      t.equal(code, 2, JSON.stringify(command))
      t.match(message, text)
    }
    const { writeErrors } = await room.run({ delete: 'c', deletes: [{ q: {}, limit: 0, hint }] })
    t.equal(writeErrors[0].code, 2)
  }
})

await eachRoom(t, 'explain says whether an index is sparse or partial', async (t, room) => {
  const partialFilterExpression = { on: true }
  const indexes = [
    { key: { a: 1 }, name: 'a_1', sparse: true },
    { key: { b: 1 }, name: 'b_1', partialFilterExpression },
  ]
  await room.run({ createIndexes: 'c', indexes })
  const scanOf = async (filter: Record<string, unknown>) => {
    const { queryPlanner } = await room.run({ explain: { find: 'c', filter } })
    const { stage, indexName, isSparse, isPartial } = queryPlanner.winningPlan.inputStage ?? {}
    return { stage, indexName, isSparse, isPartial }
  }
  const stage = 'IXSCAN'
  t.same(await scanOf({ a: 1 }), { stage, indexName: 'a_1', isSparse: true, isPartial: false })
  t.same(await scanOf({ b: 1, on: true }), {
    ...{ stage, indexName: 'b_1', isSparse: false, isPartial: true },
  })
  t.equal((await scanOf({ b: 1 })).stage, undefined)
})

await eachRoom(t, 'explain shows covered scans, jumps, and what they cost', async (t, room) => {
  await room.run({ createIndexes: 'c', indexes: [{ key: { s: 1 }, name: 's_1' }] })
  const documents = Array.from({ length: 60 }, (_, _id) => ({ _id: `${_id}`, s: `s${_id % 3}` }))
  await room.insert('c', ...documents)
  const verbosity = 'executionStats'
  const find = { find: 'c', filter: { s: 's1' }, projection: { s: 1 } }
  const covered = await room.run({ explain: find, verbosity })
  const { stage, inputStage } = covered.queryPlanner.winningPlan
  t.same([stage, inputStage.stage], ['PROJECTION_COVERED', 'IXSCAN'])
  t.equal(covered.executionStats.nReturned, 20)
  t.equal(covered.executionStats.totalKeysExamined, 20)
  t.equal(covered.executionStats.totalDocsExamined, 0)
  const distinct = await room.run({ explain: { distinct: 'c', key: 's' }, verbosity })
  t.equal(distinct.queryPlanner.winningPlan.inputStage.stage, 'DISTINCT_SCAN')
  t.ok(distinct.executionStats.totalKeysExamined <= 12)
  t.same((await room.run({ distinct: 'c', key: 's' })).values, ['s0', 's1', 's2'])
})

await eachRoom(t, 'explain shows the plan that a look at the data chose', async (t, room) => {
  const indexes = [
    { key: { half: 1 }, name: 'half_1' },
    { key: { own: 1 }, name: 'own_1' },
  ]
  await room.run({ createIndexes: 'c', indexes })
  await room.insert(
    'c',
    ...Array.from({ length: 300 }, (_, i) => ({ _id: i, half: i % 2, own: i })),
  )
  const filter = { half: 1, own: { $lt: 10 } }
  const explained = await room.run({ explain: { find: 'c', filter }, verbosity: 'executionStats' })
  const { winningPlan, rejectedPlans } = explained.queryPlanner
  t.equal(winningPlan.inputStage.indexName, 'own_1')
  t.same(
    rejectedPlans.map((plan: Reply) => plan.inputStage.indexName),
    ['half_1'],
  )
  t.equal(explained.executionStats.totalDocsExamined, 10)
  const update = { q: filter, u: { $set: { seen: true } }, multi: true }
  t.equal((await room.run({ update: 'c', updates: [update] })).nModified, 5)
  t.equal((await room.run({ count: 'c', query: { seen: true } })).n, 5)
  const removed = await room.run({ delete: 'c', deletes: [{ q: filter, limit: 1 }] })
  t.equal(removed.n, 1)
})

await eachRoom(t, 'the branches of an $or are counted each for itself', async (t, room) => {
  const indexes = [
    { key: { a: 1 }, name: 'a_1' },
    { key: { b: 1 }, name: 'b_1' },
  ]
  await room.run({ createIndexes: 'c', indexes })
  await room.insert('c', ...Array.from({ length: 60 }, (_, i) => ({ _id: i, a: i % 3, b: i % 4 })))
  const filter = { $or: [{ a: 1 }, { b: 1 }, { b: { $in: [] } }] }
  const explain = { find: 'c', filter }
  const { executionStats } = await room.run({ explain, verbosity: 'executionStats' })
  const { stage, inputStage } = executionStats.executionStages
  t.same([stage, inputStage.stage], ['FETCH', 'OR'])
  t.same(
    inputStage.inputStages.map((scan: Reply) => [scan.indexName, scan.keysExamined]),
    [
      ['a_1', 20],
      ['b_1', 15],
    ],
  )
  t.equal(inputStage.nReturned, 30, 'five documents come by both')
  t.equal(executionStats.nReturned, 30)
  t.equal(executionStats.totalKeysExamined, 35)
  const none = { find: 'c', filter: { $or: [{ b: { $in: [] } }, { a: 1 }] } }
  t.equal((await room.run({ explain: none })).queryPlanner.winningPlan.stage, 'FETCH')
})
