// Remembered choices of plans by command: what $planCacheStats tells of them, how they are
// forgotten, and the trial's figures in explain.

import t from 'tap'
import { type CommandRoom, eachRoom, type Reply } from '../../../support/command-room.js'

type Plain = Readonly<Record<string, unknown>>

/** Two indexes, either of which could serve: the planner has to try them. */
async function filled(room: CommandRoom): Promise<void> {
  const documents = Array.from({ length: 300 }, (_, _id) => ({ _id, a: _id % 2, b: _id % 100 }))
  await room.insert('c', ...documents)
  const indexes = ['a', 'b'].map((field) => ({ key: { [field]: 1 }, name: `${field}_1` }))
  await room.run({ createIndexes: 'c', indexes })
}

const query = { a: 1, b: 7 }

const stats = (room: CommandRoom, ...rest: readonly Plain[]): Promise<Reply[]> =>
  room.drain({ aggregate: 'c', pipeline: [{ $planCacheStats: {} }, ...rest], cursor: {} })

await eachRoom(t, 'a choice is told with its query, its plan and the trial', async (t, room) => {
  await filled(room)
  t.same(await stats(room), [])
  await room.drain({ find: 'c', filter: query })
  await room.drain({ find: 'c', filter: { a: 0, b: 8 } })
  const [only, ...others] = await stats(room)
  t.same(others, [], 'queries of one shape share a choice')
  t.match(only, {
    version: '1',
    queryHash: /^[0-9A-F]{8}$/,
    planCacheKey: /^[0-9A-F]{8}$/,
    isActive: true,
    works: 3,
    createdFromQuery: { query: { $and: [{ a: { $eq: 1 } }, { b: { $eq: 7 } }] }, sort: {} },
    cachedPlan: { stage: 'FETCH', inputStage: { stage: 'IXSCAN', indexName: 'b_1' } },
    creationExecStats: [
      { nReturned: 3, totalKeysExamined: 3, totalDocsExamined: 3 },
      { nReturned: 2, executionStages: { inputStage: { indexName: 'a_1' } } },
    ],
    indexFilterSet: false,
    host: String,
  })
  t.ok(only?.timeOfCreation instanceof Date)
  t.equal(only?.candidatePlanScores.length, 2)
  t.ok(only?.candidatePlanScores[0] > only?.candidatePlanScores[1])
  const { queryPlanner } = await room.run({ explain: { find: 'c', filter: query } })
  t.equal(queryPlanner.queryHash, only?.queryHash)
  t.equal(queryPlanner.planCacheKey, only?.planCacheKey)
  t.match(await stats(room, { $group: { _id: '$queryHash' } }), [{ _id: only?.queryHash }])
})

await eachRoom(t, 'a collection that changes has no choices any more', async (t, room) => {
  await filled(room)
  await room.drain({ find: 'c', filter: query })
  t.equal((await stats(room)).length, 1)
  await room.run({ createIndexes: 'c', indexes: [{ key: { z: 1 }, name: 'z_1' }] })
  t.same(await stats(room), [])
})

await eachRoom(t, 'planCacheClear forgets all of a collection, or one shape', async (t, room) => {
  await filled(room)
  await room.run({ planCacheClear: 'missing' })
  const ask = async () => {
    await room.drain({ find: 'c', filter: query })
    await room.drain({ find: 'c', filter: query, limit: 2 })
    await room.drain({ find: 'c', filter: query, sort: { _id: 1 } })
    t.equal((await stats(room)).length, 3)
  }
  await ask()
  await room.run({ planCacheClear: 'c', query: { a: 5, b: 5 } })
  t.match(await stats(room), [{ createdFromQuery: { sort: { _id: 1 } } }])
  await room.run({ planCacheClear: 'c', query, sort: { _id: -1 } })
  t.equal((await stats(room)).length, 1, 'another order is another shape')
  await room.run({ planCacheClear: 'c', query, sort: { _id: 1 } })
  t.same(await stats(room), [])
  const collation = { locale: 'en', strength: 2 }
  await room.drain({ find: 'c', filter: query, collation })
  t.match(await stats(room), [{ createdFromQuery: { collation } }])
  await room.run({ planCacheClear: 'c', query })
  t.equal((await stats(room)).length, 1, 'another collation is another shape')
  await room.run({ planCacheClear: 'c', query, collation })
  t.same(await stats(room), [])
  await ask()
  await room.run({ planCacheClear: 'c' })
  t.same(await stats(room), [])
  t.same(await room.fails({ planCacheClear: 'c', sort: { a: 1 } }), [
    2,
    'sort, projection, or collation provided without query',
  ])
})

await eachRoom(t, 'there are no index filters', async (t, room) => {
  await filled(room)
  t.same(await room.run({ planCacheListFilters: 'c' }), { filters: [], ok: 1 })
  t.same(await room.run({ planCacheClearFilters: 'c' }), { ok: 1 })
  t.equal((await room.fails({ planCacheClearFilters: 'c', sort: { a: 1 } }))[0], 2)
  t.equal((await room.fails({ planCacheSetFilter: 'c', query, indexes: ['a_1'] }))[0], 115)
})

await eachRoom(
  t,
  'the stage stands first, takes nothing and wants a collection',
  async (t, room) => {
    await filled(room)
    const code = async (pipeline: readonly Plain[], aggregate: string | number = 'c') =>
      (await room.fails({ aggregate, pipeline, cursor: {} }))[0]
    t.equal(await code([{ $match: {} }, { $planCacheStats: {} }]), 40602)
    t.equal(await code([{ $planCacheStats: 1 }]), 9)
    t.equal(await code([{ $planCacheStats: { a: 1 } }]), 9)
    t.equal(await code([{ $planCacheStats: {} }], 'missing'), 50933)
    t.equal(await code([{ $planCacheStats: {} }], 1), 73)
    const inside = [{ $planCacheStats: {} }]
    t.equal(await code([{ $unionWith: { coll: 'c', pipeline: inside } }]), 51047)
    t.equal(await code([{ $facet: { a: inside } }]), 40600)
  },
)

await eachRoom(t, 'allPlansExecution has the trials of all plans, best first', async (t, room) => {
  await filled(room)
  const explain = { find: 'c', filter: query }
  const { executionStats } = await room.run({ explain, verbosity: 'allPlansExecution' })
  t.match(executionStats.allPlansExecution, [
    {
      nReturned: 3,
      totalKeysExamined: 3,
      totalDocsExamined: 3,
      executionStages: { stage: 'FETCH', inputStage: { indexName: 'b_1', keysExamined: 3 } },
    },
    { totalKeysExamined: 64, executionStages: { inputStage: { indexName: 'a_1' } } },
  ])
  const alone = await room.run({ explain: { find: 'c', filter: { a: 1 } } })
  t.same(alone.executionStats.allPlansExecution, [], 'nothing was tried')
  const stated = await room.run({ explain, verbosity: 'executionStats' })
  t.notOk('allPlansExecution' in stated.executionStats)
})

await eachRoom(t, '$geoNear has no index to run by, and says so', async (t, room) => {
  await filled(room)
  const run = (spec: unknown, aggregate = 'c') =>
    room.fails({ aggregate, pipeline: [{ $geoNear: spec }], cursor: {} })
  const spec = { near: [1, 2], distanceField: 'd' }
  t.same(await run(spec), [27, '$geoNear requires a 2d or 2dsphere index, but none were found'])
  t.equal((await run(spec, 'missing'))[0], 26)
  t.equal((await run({ distanceField: 'd' }))[0], 5860400)
  t.equal((await run({ near: [1, 2] }))[0], 16605)
  t.equal((await run(1))[0], 10065)
})
