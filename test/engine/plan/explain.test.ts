// explain in the reference server's shape: stages that tools look for, bounds as text, figures of a
// run, and nothing changed by it.

import t from 'tap'
import { systemClock } from '../../../src/base/clock.js'
import {
  type ExplainTarget,
  explainAggregate,
  explainCount,
  explainFind,
  explainWrite,
  type Verbosity,
} from '../../../src/engine/plan/explain.js'
import { compilePipeline } from '../../../src/query/pipeline.js'
import { openMemoryStore } from '../../../src/store/memory.js'
import type { Program, ReadTx } from '../../../src/store/store.js'
import { documentFrom, valueFrom } from '../../../src/value/literal.js'
import type { Document } from '../../../src/value/value.js'
import { toObject } from '../../support/literal.js'
import { compiled, context, type PlainQuery, ReadingRoom } from '../../support/reading.js'

type Plain = Readonly<Record<string, unknown>>

interface Explained {
  readonly explainVersion: string
  readonly queryPlanner: {
    readonly namespace: string
    readonly parsedQuery: Plain
    readonly winningPlan: Plain
    readonly rejectedPlans: readonly Plain[]
  }
  readonly executionStats?: Plain & { readonly executionStages: Plain }
  readonly stages?: readonly Plain[]
}

async function filled(): Promise<ReadingRoom> {
  const room = new ReadingRoom(openMemoryStore(systemClock))
  await room.insert(...Array.from({ length: 20 }, (_, i) => ({ _id: i, a: i % 5, b: i, c: 'x' })))
  await room.insert({ _id: 20, tags: ['p', 'q'] })
  await room.index([{ a: 1, b: -1 }], [{ tags: 1 }], [{ b: 1 }, { unique: true }])
  return room
}

async function explain(
  room: ReadingRoom,
  verbosity: Verbosity,
  make: (tx: ReadTx, target: ExplainTarget) => Program<Document>,
): Promise<Explained> {
  const ns = await room.find()
  const target = { name: 'main.things', ns, verbosity, clock: systemClock }
  return toObject(await room.store.read((tx) => make(tx, target))) as unknown as Explained
}

function find(room: ReadingRoom, query: PlainQuery, verbosity: Verbosity = 'queryPlanner') {
  const shape = {
    sort: query.sort && documentFrom(query.sort),
    projection: query.projection && documentFrom(query.projection),
  }
  return explain(room, verbosity, (tx, target) => explainFind(tx, target, compiled(query), shape))
}

const winning = async (room: ReadingRoom, query: PlainQuery) =>
  (await find(room, query)).queryPlanner.winningPlan

await t.test('a collection scan', async (t) => {
  const room = await filled()
  const { queryPlanner } = await find(room, { filter: { c: 'y' } })
  const { queryHash, planCacheKey } = queryPlanner as unknown as Plain
  t.match(queryHash, /^[0-9A-F]{8}$/)
  t.same(await find(room, { filter: { c: 'x' } }), {
    explainVersion: '1',
    queryPlanner: {
      namespace: 'main.things',
      indexFilterSet: false,
      parsedQuery: { c: { $eq: 'x' } },
      queryHash,
      planCacheKey,
      maxIndexedOrSolutionsReached: false,
      maxIndexedAndSolutionsReached: false,
      maxScansToExplodeReached: false,
      winningPlan: { stage: 'COLLSCAN', filter: { c: { $eq: 'x' } }, direction: 'forward' },
      rejectedPlans: [],
    },
  })
  t.same(await winning(room, {}), { stage: 'COLLSCAN', direction: 'forward' })
  t.same(await winning(room, { sort: { $natural: -1 } }), {
    stage: 'COLLSCAN',
    direction: 'backward',
  })
})

await t.test('an index scan, with what the index is and its bounds as text', async (t) => {
  const room = await filled()
  const query = { filter: { a: 1, b: { $gt: 3 }, c: 'x' } }
  t.same(await winning(room, query), {
    stage: 'FETCH',
    filter: { c: { $eq: 'x' } },
    inputStage: {
      stage: 'IXSCAN',
      keyPattern: { a: 1, b: -1 },
      indexName: 'a_1_b_-1',
      isMultiKey: false,
      multiKeyPaths: { a: [], b: [] },
      isUnique: false,
      isSparse: false,
      isPartial: false,
      indexVersion: 2,
      direction: 'forward',
      indexBounds: { a: ['[1, 1]'], b: ['[inf.0, 3)'] },
    },
  })
  const { rejectedPlans } = (await find(room, query)).queryPlanner
  t.match(rejectedPlans, [{ stage: 'FETCH', inputStage: { indexName: 'b_1' } }])
  t.match(await winning(room, { filter: { tags: { $in: ['p', /^q/] } } }), {
    stage: 'FETCH',
    inputStage: {
      isMultiKey: true,
      multiKeyPaths: { tags: ['tags'] },
      indexBounds: { tags: ['["p", "p"]', '["q", "r")', '[/^q/, /^q/]'] },
    },
  })
  t.match(await winning(room, { filter: { a: 2 }, sort: { b: 1 } }), {
    stage: 'FETCH',
    inputStage: {
      stage: 'IXSCAN',
      direction: 'backward',
      indexBounds: { a: ['[2, 2]'], b: ['[MinKey, MaxKey]'] },
    },
  })
})

await t.test('_id is a point, a list or a range of the _id_ index', async (t) => {
  const room = await filled()
  t.same(await winning(room, { filter: { _id: 3 } }), { stage: 'IDHACK' })
  t.match(await winning(room, { filter: { _id: { $in: [2, 1] } } }), {
    stage: 'FETCH',
    inputStage: { indexName: '_id_', isUnique: true, indexBounds: { _id: ['[1, 1]', '[2, 2]'] } },
  })
  t.match(await winning(room, { filter: { _id: { $gte: 3 } }, sort: { _id: -1 } }), {
    stage: 'FETCH',
    inputStage: { direction: 'backward', indexBounds: { _id: ['[inf.0, 3]'] } },
  })
})

await t.test(
  'sort, skip, projection and limit stand where the reference server has them',
  async (t) => {
    const room = await filled()
    const sorted = { sort: { c: 1 }, skip: 2, limit: 5, projection: { a: 1 } }
    t.same(await winning(room, sorted), {
      stage: 'PROJECTION_SIMPLE',
      transformBy: { a: 1 },
      inputStage: {
        stage: 'SKIP',
        skipAmount: 2,
        inputStage: {
          stage: 'SORT',
          sortPattern: { c: 1 },
          memLimit: 104_857_600,
          limitAmount: 7,
          type: 'simple',
          inputStage: { stage: 'COLLSCAN', direction: 'forward' },
        },
      },
    })
    t.match(await winning(room, { sort: { _id: 1 }, limit: 5, projection: { 'a.b': 1 } }), {
      stage: 'LIMIT',
      limitAmount: 5,
      inputStage: { stage: 'PROJECTION_DEFAULT', inputStage: { stage: 'COLLSCAN' } },
    })
  },
)

await t.test('what cannot match is the end, and an $or has a scan for each branch', async (t) => {
  const room = await filled()
  t.same(await winning(room, { filter: { a: { $in: [] } } }), { stage: 'EOF' })
  t.match(await winning(room, { filter: { $or: [{ a: 1 }, { tags: 'p' }] } }), {
    stage: 'FETCH',
    inputStage: {
      stage: 'OR',
      inputStages: [{ indexName: 'a_1_b_-1' }, { indexName: 'tags_1' }],
    },
  })
  const nowhere = new ReadingRoom(room.store, 'main', 'nowhere')
  t.same(await winning(nowhere, { filter: { a: 1 } }), { stage: 'EOF' })
})

await t.test('executionStats tell what a run has read', async (t) => {
  const room = await filled()
  const { executionStats } = await find(room, { filter: { a: 1, c: 'x' } }, 'executionStats')
  t.match(executionStats, {
    executionSuccess: true,
    nReturned: 4,
    executionTimeMillis: Number,
    totalKeysExamined: 4,
    totalDocsExamined: 4,
    executionStages: {
      stage: 'FETCH',
      nReturned: 4,
      docsExamined: 4,
      inputStage: { stage: 'IXSCAN', nReturned: 4, keysExamined: 4 },
    },
  })
  const scan = await find(room, { filter: { c: 'y' }, sort: { a: 1 } }, 'executionStats')
  t.match(scan.executionStats, { nReturned: 0, totalKeysExamined: 21, totalDocsExamined: 21 })
  const all = await find(room, { limit: 3 }, 'allPlansExecution')
  t.match(all.executionStats, { nReturned: 3, totalDocsExamined: 3, allPlansExecution: [] })
})

await t.test('a count is from the counter, from keys or from documents', async (t) => {
  const room = await filled()
  const count = async (filter: Plain, verbosity: Verbosity = 'executionStats') =>
    explain(room, verbosity, (tx, target) => explainCount(tx, target, compiled({ filter })))
  t.match((await count({})).queryPlanner.winningPlan, { stage: 'RECORD_STORE_FAST_COUNT' })
  const keys = await count({ a: 1 })
  t.match(keys.queryPlanner.winningPlan, {
    stage: 'COUNT',
    inputStage: { stage: 'COUNT_SCAN', indexName: 'a_1_b_-1', indexBounds: { a: ['[1, 1]'] } },
  })
  t.match(keys.executionStats, {
    totalKeysExamined: 4,
    totalDocsExamined: 0,
    executionStages: { stage: 'COUNT', nCounted: 4 },
  })
  t.match((await count({ c: 'x' })).queryPlanner.winningPlan, {
    stage: 'COUNT',
    inputStage: { stage: 'COLLSCAN' },
  })
})

await t.test('updates and deletes are explained and not made', async (t) => {
  const room = await filled()
  const write = (name: 'UPDATE' | 'DELETE', query: PlainQuery) =>
    explain(room, 'executionStats', (tx, target) =>
      explainWrite(tx, target, name, compiled(query), {}),
    )
  const update = await write('UPDATE', { filter: { a: 1 }, limit: 1 })
  t.match(update.queryPlanner.winningPlan, {
    stage: 'UPDATE',
    inputStage: { stage: 'FETCH', inputStage: { stage: 'IXSCAN' } },
  })
  t.match(update.executionStats, {
    nReturned: 0,
    totalDocsExamined: 1,
    executionStages: { stage: 'UPDATE', nMatched: 1 },
  })
  const remove = await write('DELETE', { filter: {} })
  t.match(remove.executionStats, { executionStages: { stage: 'DELETE', nWouldDelete: 21 } })
  t.equal(await room.count({}), 21)
})

await t.test('a pipeline is explained as a find, or as stages behind a cursor', async (t) => {
  const room = await filled()
  const aggregate = (pipeline: readonly Plain[], verbosity: Verbosity = 'queryPlanner') =>
    explain(room, verbosity, (tx, target) => {
      const stages = compilePipeline(valueFrom(pipeline), context)
      return explainAggregate(tx, target, stages, { db: 'main', context })
    })
  const pushed = await aggregate([{ $match: { a: 1 } }, { $sort: { b: 1 } }, { $limit: 2 }])
  t.match(pushed.queryPlanner.winningPlan, { stage: 'LIMIT', inputStage: { stage: 'FETCH' } })
  const group = { $group: { _id: '$a', n: { $sum: '$b' } } }
  const stages = await aggregate([{ $match: { a: 1 } }, group, { $limit: 1 }], 'executionStats')
  t.match(stages, {
    explainVersion: '1',
    stages: [
      {
        $cursor: {
          queryPlanner: {
            winningPlan: { stage: 'PROJECTION_COVERED', transformBy: { a: 1, b: 1, _id: 0 } },
          },
          executionStats: { nReturned: 4 },
        },
      },
      group,
      { $limit: 1, nReturned: 1 },
    ],
  })
  const sorted = await aggregate([group, { $sort: { n: 1 } }, { $set: { c: 1 } }, { $limit: 2 }])
  t.same(sorted.stages?.slice(1), [
    group,
    { $sort: { sortKey: { n: 1 }, limit: 2 } },
    { $set: { c: 1 } },
  ])
  const made = await aggregate([{ $documents: [{ a: 1 }] }, { $match: { a: 1 } }])
  t.same(made.stages, [{ $documents: [{ a: 1 }] }, { $match: { a: 1 } }])
})
