// A view that others may read over a collection that they may not: no command tells its reader more
// of the collection than the view shows. The view's owner, and the operator, see plans as ever.

import t from 'tap'
import type { CommandRoom, Reply } from '../../../support/command-room.js'
import { accesses, identities, setAccess } from '../../../support/identities.js'
import { openPlace } from '../../../support/rights-room.js'

const shown = [{ $match: { hidden: false } }, { $project: { salary: 0 } }]

/** `c` is the owner's own; `shown`, `plain` and `over` are public views that lead to it. */
async function openViews(): Promise<CommandRoom> {
  const { room } = await openPlace()
  const owner = room.sessionOf(identities.owner)
  const own = (command: object) => room.run(command as Reply, 'test', owner)
  const rows = [...Array(50).keys()].map((i) => ({
    ...{ _id: i, a: i % 5, salary: 1000 + i, hidden: i % 2 === 1, s: `text ${i}` },
  }))
  await own({ insert: 'base', documents: rows })
  const indexes = [
    { key: { salary: 1 }, name: 'secret_index' },
    { key: { a: 1 }, name: 'a_1' },
    { key: { nowhere: 1 }, name: 'sparse_index', sparse: true },
  ]
  await own({ createIndexes: 'base', indexes })
  await own({ create: 'shown', viewOn: 'base', pipeline: shown })
  await own({ create: 'plain', viewOn: 'base', pipeline: [] })
  await own({ create: 'over', viewOn: 'shown', pipeline: [{ $match: { a: { $gte: 0 } } }] })
  for (const name of ['shown', 'plain', 'over']) {
    await own({ setPrivacy: name, mode: 'public' })
  }
  await room.insert('readable', { _id: 1, a: 1 })
  await setAccess(room.store, 'test', 'readable', accesses.public)
  return room
}

const views = ['shown', 'plain', 'over']

/** Every command that has an explanation, over a view or beside one. */
function explained(view: string): readonly object[] {
  const foreign = { from: view, localField: 'a', foreignField: 'a', as: 'found' }
  const graph = { from: view, startWith: '$a', connectFromField: 'a', connectToField: 'a' }
  return [
    { find: view },
    { find: view, filter: { salary: { $gt: 1020 } } },
    { find: view, filter: { a: 1 }, sort: { a: 1 }, limit: 2 },
    { find: view, filter: { _id: 3 } },
    { count: view, query: { a: 1 } },
    { distinct: view, key: 'a' },
    { aggregate: view, pipeline: [], cursor: {} },
    { aggregate: view, pipeline: [{ $match: { a: 1 } }], cursor: {} },
    { aggregate: view, pipeline: [{ $sort: { s: 1 } }, { $limit: 3 }], cursor: {} },
    { aggregate: view, pipeline: [{ $group: { _id: '$a', n: { $sum: 1 } } }], cursor: {} },
    { aggregate: view, pipeline: [{ $lookup: foreign }], cursor: {} },
    { aggregate: 'readable', pipeline: [{ $lookup: foreign }], cursor: {} },
    { aggregate: 'readable', pipeline: [{ $unionWith: view }], cursor: {} },
    { aggregate: 'readable', pipeline: [{ $graphLookup: { ...graph, as: 'g' } }], cursor: {} },
    { aggregate: view, pipeline: [{ $match: { a: 1 } }, { $out: 'mine' }], cursor: {} },
    { aggregate: view, pipeline: [{ $merge: { into: 'mine' } }], cursor: {} },
  ]
}

const figures = /keysExamined|docsExamined|KeysExamined|DocsExamined|Millis|works|seeks/
const plans = /indexBounds|indexName|IXSCAN|COLLSCAN|FETCH|secret_index|a_1|queryHash|planCacheKey/
const told = (reply: Reply): string => {
  const { command: _asked, ...rest } = reply
  return JSON.stringify(rest)
}

for (const verbosity of ['queryPlanner', 'executionStats', 'allPlansExecution']) {
  t.test(`explain through a view, ${verbosity}: nothing of what lies below`, async (t) => {
    const room = await openViews()
    const otherWallet = room.sessionOf(identities.otherWallet)
    for (const view of views) {
      for (const explain of explained(view)) {
        // What writes is not run to be explained.
        const isWriting = /\$out|\$merge/.test(JSON.stringify(explain))
        if (isWriting && verbosity !== 'queryPlanner') continue
        const reply = await room.run({ explain, verbosity }, 'test', otherWallet)
        const text = told(reply)
        const name = JSON.stringify(explain)
        t.notMatch(text, /test\.base|"base"|salary":0|hidden/, `${name}: names and filters`)
        if (!name.includes('readable')) t.notMatch(text, figures, `${name}: figures`)
        if (!name.includes('readable')) t.notMatch(text, plans, `${name}: plans`)
      }
      const closed = await room.run({ explain: { find: view }, verbosity }, 'test', otherWallet)
      t.equal(closed.queryPlanner.namespace, `test.${view}`)
      t.same(closed.queryPlanner.winningPlan, { stage: 'VIEW' })
      const returned = { shown: 25, plain: 50, over: 25 }[view]
      t.equal(
        closed.executionStats?.nReturned,
        verbosity === 'queryPlanner' ? undefined : returned,
        'what a read tells too',
      )
    }
  })
}

t.test('an aggregate with explain: true, and SQL, tell as little', async (t) => {
  const room = await openViews()
  const otherWallet = room.sessionOf(identities.otherWallet)
  for (const view of views) {
    const aggregate = { aggregate: view, pipeline: [{ $match: { salary: 1020 } }], explain: true }
    const text = told(await room.run(aggregate, 'test', otherWallet))
    t.notMatch(text, /test\.base|"base"/, view)
    t.notMatch(text, plans, view)
    for (const statement of [
      `EXPLAIN SELECT * FROM ${view} WHERE a = 1`,
      `EXPLAIN ANALYZE SELECT * FROM ${view} WHERE salary > 1020`,
      `EXPLAIN ANALYZE SELECT r.a FROM readable r JOIN ${view} v ON v.a = r.a`,
      `EXPLAIN ANALYZE SELECT count(*) FROM ${view}`,
    ]) {
      const reply = await room.run({ sqlExplain: statement }, 'test', otherWallet)
      const sql = JSON.stringify(reply)
      t.notMatch(sql, /test\.base|secret_index|"base"/, statement)
      t.notMatch(sql.replaceAll(/Seq Scan on readable.*?"/g, ''), /a_1|rows=(50|25)/, statement)
    }
  }
})

t.test('a hint through a view is neither used nor missed', async (t) => {
  const room = await openViews()
  const otherWallet = room.sessionOf(identities.otherWallet)
  const hints = [
    'secret_index',
    'no_such_index',
    { a: 1 },
    { b: 1 },
    'sparse_index',
    { $natural: 1 },
  ]
  for (const view of views) {
    for (const hint of hints) {
      const { n } = await room.run({ count: view, hint }, 'test', otherWallet)
      t.equal(n, view === 'plain' ? 50 : 25, `count ${view} ${JSON.stringify(hint)}`)
      for (const command of [
        { find: view, hint, batchSize: 100 },
        { aggregate: view, pipeline: [{ $match: { a: { $gte: 0 } } }], hint, cursor: {} },
      ]) {
        const { cursor } = await room.run(command, 'test', otherWallet)
        t.equal(cursor.firstBatch.length, view === 'plain' ? 50 : 25)
        await room.run({ explain: command }, 'test', otherWallet)
      }
      t.equal(
        (await room.run({ distinct: view, key: 'a', hint }, 'test', otherWallet)).values.length,
        5,
      )
      const out = { aggregate: view, pipeline: [{ $out: 'mine' }], hint, cursor: {} }
      t.same((await room.run(out, 'test', otherWallet)).cursor.firstBatch, [])
    }
  }
})

t.test('figures of a collection are none of a view, wherever the stage stands', async (t) => {
  const room = await openViews()
  const owner = room.sessionOf(identities.owner)
  const otherWallet = room.sessionOf(identities.otherWallet)
  for (const stage of [
    { $collStats: { count: {}, storageStats: {}, latencyStats: {}, queryExecStats: {} } },
    { $indexStats: {} },
  ]) {
    for (const view of views) {
      const sub = { from: view, pipeline: [stage], as: 'found' }
      for (const command of [
        { aggregate: view, pipeline: [stage], cursor: {} },
        { aggregate: 'readable', pipeline: [{ $unionWith: { coll: view, pipeline: [stage] } }] },
        { aggregate: 'readable', pipeline: [{ $lookup: sub }] },
      ]) {
        const whole = { ...command, cursor: {} }
        const { code, message } = await room.refusal(whole, 'test', otherWallet)
        t.ok([20, 166].includes(code), `${JSON.stringify(command)}: ${code}`)
        t.notMatch(message, /\bbase\b|secret/)
      }
    }
  }
  const cache = { aggregate: 'plain', pipeline: [{ $planCacheStats: {} }], cursor: {} }
  t.equal((await room.refusal(cache, 'test', owner)).code, 166, "the view's owner")
  for (const command of [
    ...[{ listIndexes: 'plain' }, { collStats: 'plain' }, { validate: 'plain' }],
    ...[{ dataSize: 'test.plain' }, { compact: 'plain' }, { planCacheClear: 'plain' }],
  ]) {
    const { message } = await room.refusal(command, 'test', otherWallet)
    t.notMatch(message, /\bbase\b/, JSON.stringify(command))
  }
})

t.test("a reader's condition that can fail sees what the view shows, and no more", async (t) => {
  const room = await openViews()
  const otherWallet = room.sessionOf(identities.otherWallet)
  // Text that is no number stands in every document: an error would show it.
  const fails = { $expr: { $eq: [{ $toInt: '$s' }, 1] } }
  const nothing = { $and: [{ a: { $gt: 100 } }, fails] }
  for (const view of ['shown', 'over']) {
    const { message } = await room.refusal({ find: view, filter: fails }, 'test', otherWallet)
    t.match(message, /'text \d*[02468]'/, 'of a document that is shown')
    const one = { salary: 1001, ...fails }
    t.same((await room.run({ find: view, filter: one }, 'test', otherWallet)).cursor.firstBatch, [])
    t.same(
      (await room.run({ find: view, filter: nothing }, 'test', otherWallet)).cursor.firstBatch,
      [],
    )
    const joined = { from: view, pipeline: [{ $match: { _id: 1, ...fails } }], as: 'found' }
    const command = { aggregate: 'readable', pipeline: [{ $lookup: joined }], cursor: {} }
    const { cursor } = await room.run(command, 'test', otherWallet)
    t.same(cursor.firstBatch[0].found, [], '_id 1 is hidden')
  }
})

t.test('the definition of a view is told to those who may read what it names', async (t) => {
  const room = await openViews()
  const listed = async (who: keyof typeof identities) => {
    const session = room.sessionOf(identities[who])
    const list = { listCollections: 1, filter: { name: 'shown' } }
    const { cursor } = await room.run(list, 'test', session)
    const system = await room.run(
      { find: 'system.views', filter: { _id: 'test.shown' } },
      'test',
      session,
    )
    const sql = 'SELECT * FROM "system.views"'
    const rows = await room.run({ sqlSelect: sql }, 'test', session)
    return [cursor.firstBatch[0].options, system.cursor.firstBatch[0], JSON.stringify(rows)]
  }
  const definition = { viewOn: 'base', pipeline: shown }
  const [options, system] = await listed('owner')
  t.same([options, system], [definition, { _id: 'test.shown', ...definition }])
  const [hidden, without, rows] = await listed('otherWallet')
  t.same([hidden, without], [{}, { _id: 'test.shown' }])
  t.notMatch(rows, /"base"|hidden/)
  t.match(rows, /"viewOn":"shown"/, 'what names a view that may be read')
})

t.test('own commands and cursors are shown by the name that was asked for', async (t) => {
  const room = await openViews()
  const otherWallet = room.sessionOf(identities.otherWallet)
  const { cursor } = await room.run({ find: 'shown', batchSize: 2 }, 'test', otherWallet)
  t.equal(cursor.ns, 'test.shown')
  const stage = { $currentOp: { idleCursors: true, allUsers: true } }
  const seen = await room.run({ aggregate: 1, pipeline: [stage], cursor: {} }, 'admin', otherWallet)
  t.match(JSON.stringify(seen), /test\.shown/)
  t.notMatch(JSON.stringify(seen), /base/)
})

t.test('who may read the collection sees plans, bounds and hints', async (t) => {
  const room = await openViews()
  for (const who of ['owner', 'operator'] as const) {
    const session = room.sessionOf(identities[who])
    const explain = { find: 'plain', filter: { a: 1 }, hint: 'a_1' }
    const text = told(await room.run({ explain }, 'test', session))
    t.match(text, /"indexName":"a_1"/, who)
    t.match(text, figures, who)
    const { code } = await room.refusal({ find: 'shown', hint: 'no_such_index' }, 'test', session)
    t.equal(code, 2, `${who}: a hint that is missed`)
  }
})
