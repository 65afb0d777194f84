// explain over every store: what tools look for in a plan, and that nothing is changed by asking.

import t from 'tap'
import { type CommandRoom, eachRoom, type Reply } from '../../../support/command-room.js'

async function fill(room: CommandRoom): Promise<void> {
  const documents = Array.from({ length: 20 }, (_, _id) => ({ _id, a: _id % 5, b: _id }))
  await room.insert('c', ...documents)
  await room.run({ createIndexes: 'c', indexes: [{ key: { a: 1 }, name: 'a_1' }] })
}

function explain(room: CommandRoom, inner: object, verbosity = 'executionStats'): Promise<Reply> {
  return room.run({ explain: inner, verbosity })
}

/** Names of the winning plan's stages, outermost first. */
function stagesOf(reply: Reply): string[] {
  const names: string[] = []
  for (let stage = reply.queryPlanner.winningPlan; stage; stage = stage.inputStage) {
    names.push(stage.stage)
  }
  return names
}

await eachRoom(t, 'a find without an index is a collection scan', async (t, room) => {
  await fill(room)
  const reply = await explain(room, { find: 'c', filter: { b: 3 } })
  t.same(stagesOf(reply), ['COLLSCAN'])
  t.match(reply, {
    explainVersion: '1',
    queryPlanner: { namespace: 'test.c', indexFilterSet: false, rejectedPlans: [] },
    executionStats: { executionSuccess: true, nReturned: 1, totalDocsExamined: 20 },
    command: { find: 'c', filter: { b: 3 }, $db: 'test' },
    serverInfo: { version: /^7\.0/ },
    ok: 1,
  })
})

await eachRoom(t, 'a find by an index tells its bounds and figures', async (t, room) => {
  await fill(room)
  const reply = await explain(room, { find: 'c', filter: { a: 2 } })
  t.same(stagesOf(reply), ['FETCH', 'IXSCAN'])
  t.match(reply.queryPlanner.winningPlan.inputStage, {
    keyPattern: { a: 1 },
    indexName: 'a_1',
    isMultiKey: false,
    direction: 'forward',
    indexBounds: { a: ['[2, 2]'] },
  })
  t.match(reply.executionStats, { nReturned: 4, totalKeysExamined: 4, totalDocsExamined: 4 })
})

await eachRoom(t, 'queryPlanner runs nothing', async (t, room) => {
  await fill(room)
  const reply = await explain(room, { find: 'c', filter: { a: 2 } }, 'queryPlanner')
  t.equal(reply.executionStats, undefined)
})

await eachRoom(t, 'writes are explained and not done', async (t, room) => {
  await fill(room)
  const before = await room.all('c')
  const u = { $set: { b: -1 } }
  const update = { update: 'c', updates: [{ q: { a: 2 }, u, multi: true }] }
  t.equal(stagesOf(await explain(room, update))[0], 'UPDATE')
  const remove = { delete: 'c', deletes: [{ q: { a: 2 }, limit: 0 }] }
  t.equal(stagesOf(await explain(room, remove))[0], 'DELETE')
  const modify = { findAndModify: 'c', query: { a: 2 }, sort: { b: -1 }, update: u }
  t.equal(stagesOf(await explain(room, modify))[0], 'UPDATE')
  t.same(await room.all('c'), before)
  const two = { ...update, updates: [...update.updates, ...update.updates] }
  t.equal((await room.fails({ explain: two }))[0], 16)
})

await eachRoom(t, 'count and distinct tell how they read', async (t, room) => {
  await fill(room)
  const counting = await explain(room, { count: 'c', query: { a: 2 } })
  t.same(stagesOf(counting), ['COUNT', 'COUNT_SCAN'])
  t.equal(stagesOf(await explain(room, { count: 'c' }))[0], 'RECORD_STORE_FAST_COUNT')
  const distinct = await explain(room, { distinct: 'c', key: 'b', query: { a: 2 } })
  t.ok(stagesOf(distinct).includes('IXSCAN'))
})

await eachRoom(t, 'a pipeline is a find where one does it all, else stages', async (t, room) => {
  await fill(room)
  const match = { $match: { a: 2 } }
  const simple = { aggregate: 'c', pipeline: [match], cursor: {} }
  t.same(stagesOf(await explain(room, simple)), ['FETCH', 'IXSCAN'])
  const grouping = { ...simple, pipeline: [match, { $group: { _id: '$b', n: { $sum: 1 } } }] }
  const { stages } = await explain(room, grouping)
  t.same(
    stages.map((stage: Reply) => Object.keys(stage)[0]),
    ['$cursor', '$group'],
  )
  const asked = await room.run({ ...simple, cursor: undefined, explain: true })
  t.same(stagesOf(asked), ['FETCH', 'IXSCAN'])
  t.equal(asked.executionStats, undefined)
})

await eachRoom(t, 'let of the inner command is heard', async (t, room) => {
  await fill(room)
  const filter = { $expr: { $eq: ['$b', '$$x'] } }
  const reply = await explain(room, { find: 'c', filter, let: { x: 7 } })
  t.equal(reply.executionStats.nReturned, 1)
})

await eachRoom(
  t,
  'an inner command is checked like any other',
  async (t, room) => {
    t.same(await room.fails({ explain: { ping: 1 } }), [20, 'Cannot explain cmd: ping'])
    t.equal((await room.fails({ explain: { explain: { find: 'c' } } }))[0], 20)
    t.equal((await room.fails({ explain: { nope: 1 } }))[0], 59)
    t.equal((await room.fails({ explain: {} }))[0], 59)
    t.equal((await room.fails({ explain: { find: 'c', foo: 1 } }))[0], 40415)
    t.equal((await room.fails({ explain: { find: 'c', filter: { $foo: 1 } } }))[0], 2)
    t.equal((await room.fails({ explain: { find: 'c' }, verbosity: 'all' }))[0], 2)
    t.same(stagesOf(await explain(room, { find: 'missing' })), ['EOF'])
  },
  { kinds: ['memory'] },
)
