// Which plan a query gets, and the places where a wrong one would lose or repeat documents.

import t from 'tap'
import { systemClock } from '../../../src/base/clock.js'
import { saveNamespace } from '../../../src/engine/collection/catalog/catalog.js'
import type { Access, Plan } from '../../../src/engine/plan/plan.js'
import { openMemoryStore } from '../../../src/store/memory.js'
import { type PlainQuery, ReadingRoom } from '../../support/reading.js'

type Plain = Readonly<Record<string, unknown>>

async function roomWith(
  documents: readonly Plain[],
  ...indexes: readonly (readonly [key: Plain, options?: Plain])[]
): Promise<ReadingRoom> {
  const room = new ReadingRoom(openMemoryStore(systemClock))
  await room.create()
  if (indexes.length > 0) await room.index(...indexes)
  if (documents.length > 0) await room.insert(...documents)
  return room
}

/** `a_1`, `_id_`, `_id_ points`, `collection`, `nothing`; `-` in front when read downwards. */
function name(plan: Plan): string {
  return plan.accesses.map(accessName).join(' | ')
}

function accessName(access: Access): string {
  switch (access.kind) {
    case 'nothing':
      return 'nothing'
    case 'points':
      return '_id_ points'
    case 'records':
      return `${access.reverse ? '-' : ''}${access.bounds === undefined ? 'collection' : '_id_'}`
    case 'entries':
      return `${access.reverse ? '-' : ''}${access.index.name}`
  }
}

await t.test('the plan of a query is chosen by rule', async (t) => {
  const room = await roomWith(
    [],
    [{ a: 1 }],
    [{ a: 1, b: 1 }],
    [{ b: -1, c: 1 }],
    [{ u: 1 }, { unique: true }],
    [{ d: 1 }],
  )
  const cases: readonly (readonly [PlainQuery, string])[] = [
    [{}, 'collection'],
    [{ filter: { _id: 1 } }, '_id_ points'],
    [{ filter: { _id: 1, a: 1, b: 1 } }, '_id_ points'],
    [{ filter: { _id: { $in: [3, 1] }, a: 1 } }, '_id_ points'],
    [{ filter: { _id: { $gt: 3 } } }, '_id_'],
    [{ filter: { _id: { $gt: 3 }, a: 5 } }, 'a_1'],
    [{ filter: { a: 1 } }, 'a_1'],
    [{ filter: { a: 1, b: 2 } }, 'a_1_b_1'],
    [{ filter: { a: 1, b: { $gt: 2 } } }, 'a_1_b_1'],
    [{ filter: { a: { $gt: 1 }, b: 2 } }, 'b_-1_c_1'],
    [{ filter: { u: 1, a: 1, b: 1 } }, 'u_1'],
    [{ filter: { z: 1 } }, 'collection'],
    [{ filter: { b: 1 }, sort: { c: -1 } }, '-b_-1_c_1'],
    [{ filter: { a: 1 }, sort: { b: -1 } }, '-a_1_b_1'],
    [{ filter: { a: { $gte: 1 } }, sort: { a: -1, b: -1 } }, '-a_1_b_1'],
    [{ sort: { a: 1 } }, 'a_1'],
    [{ sort: { a: -1, _id: -1 } }, '-a_1'],
    [{ sort: { b: 1, c: -1 } }, '-b_-1_c_1'],
    [{ sort: { b: 1, c: 1 } }, 'collection'],
    [{ sort: { _id: -1 } }, '-collection'],
    [{ sort: { $natural: -1 } }, '-collection'],
    [{ filter: { z: 1 }, sort: { a: 1 } }, 'a_1'],
    [{ filter: { a: { $gt: 1 } }, sort: { d: 1 } }, 'a_1'],
    [{ filter: { a: { $in: [] } } }, 'nothing'],
    [{ filter: { a: { $gt: 5, $lt: 3 } } }, 'nothing'],
    [{ filter: { $or: [{ a: 1 }, { d: 2 }] } }, 'a_1 | d_1'],
    [{ filter: { $or: [{ a: 1 }, { z: 2 }] } }, 'collection'],
    [{ filter: { $or: [{ a: 1 }, { a: { $gt: 7 } }] } }, 'a_1'],
    [{ filter: { d: 1, $or: [{ a: 1 }, { b: 2 }] } }, 'd_1'],
    [{ filter: { $or: [{ _id: 4 }, { d: { $in: [1, 2] } }] } }, '_id_ points | d_1'],
    [{ filter: { a: /^x/ } }, 'a_1'],
    [{ filter: { a: /x/ } }, 'collection'],
    [{ filter: { a: { $ne: 1 } } }, 'collection'],
    [{ filter: { a: { $exists: false } } }, 'a_1'],
    [{ filter: { $nor: [{ a: 1 }] } }, 'collection'],
    [{ hint: { $natural: -1 } }, '-collection'],
    [{ filter: { a: 1 }, hint: 'd_1' }, 'd_1'],
    [{ filter: { a: 1 }, hint: { b: -1, c: 1 } }, 'b_-1_c_1'],
    [{ filter: { a: 1 }, hint: '_id_' }, 'collection'],
    [{ filter: { _id: 1 }, hint: { a: 1 } }, 'a_1'],
  ]
  for (const [query, wanted] of cases) {
    const plan = await room.plan(query)
    t.equal(name(plan), wanted, JSON.stringify(query))
    t.same(await room.plan(query), plan, 'always the same')
  }
})

await t.test('which of those plans need no sort and no filter', async (t) => {
  const room = await roomWith([], [{ a: 1, b: 1 }], [{ u: 1 }, { unique: true }])
  const flags = async (query: PlainQuery) => {
    const { isSorted, isExact, isSingle } = await room.plan(query)
    return { isSorted, isExact, isSingle }
  }
  t.same(await flags({ filter: { a: 1, b: 2 } }), {
    isSorted: true,
    isExact: true,
    isSingle: false,
  })
  t.same(await flags({ filter: { a: 1, c: 2 } }), {
    isSorted: true,
    isExact: false,
    isSingle: false,
  })
  t.same(await flags({ filter: { a: null } }), { isSorted: true, isExact: false, isSingle: false })
  t.same(await flags({ filter: { a: [1] } }), { isSorted: true, isExact: false, isSingle: false })
  t.same(await flags({ filter: { u: 1 } }), { isSorted: true, isExact: true, isSingle: true })
  t.same(await flags({ filter: { u: 1 }, sort: { z: 1 } }), {
    isSorted: true,
    isExact: true,
    isSingle: true,
  })
  t.match(await flags({ filter: { a: { $in: [1, 2] } }, sort: { b: 1 } }), { isSorted: false })
  t.match(await flags({ filter: { a: { $in: [1, 2] } }, sort: { a: 1, b: 1 } }), { isSorted: true })
  t.match(await flags({ sort: { a: 1, b: -1 } }), { isSorted: false })
})

await t.test(
  'a hint that names no index is BadValue with the text of the reference server',
  async (t) => {
    const room = await roomWith([], [{ a: 1 }])
    for (const hint of ['b_1', { b: 1 }, { a: -1 }, { a: 1, b: 1 }]) {
      await t.rejects(room.plan({ hint }), {
        code: 2,
        message: /hint provided does not correspond to an existing index/,
      })
    }
  },
)

await t.test('an index that is being built serves no query', async (t) => {
  const room = await roomWith([{ _id: 1, a: 1 }], [{ a: 1 }])
  const ns = await room.get()
  await room.store.write(function* (tx) {
    saveNamespace(tx, { ...ns, indexes: ns.indexes.map((one) => ({ ...one, state: 'building' })) })
    yield* tx.get(Uint8Array.of(1))
  })
  t.equal(name(await room.plan({ filter: { a: 1 } })), 'collection')
  await t.rejects(room.plan({ filter: { a: 1 }, hint: 'a_1' }), { code: 2 })
})

await t.test('conditions on a path with arrays may hold for different elements', async (t) => {
  const room = await roomWith(
    [
      { _id: 1, a: [0, 9] },
      { _id: 2, a: 3 },
      { _id: 3, a: [7] },
    ],
    [{ a: 1 }],
  )
  t.same(await room.ids({ filter: { a: { $gt: 2, $lt: 5 } }, hint: 'a_1' }), [2, 1])
  t.same(await room.ids({ filter: { a: { $elemMatch: { $gt: 2, $lt: 8 } } } }), [3])
  t.same(await room.ids({ filter: { a: { $all: [0, 9] } } }), [1])
})

await t.test('fields under one array have bounds together only in an $elemMatch', async (t) => {
  const room = await roomWith(
    [
      {
        _id: 1,
        a: [
          { b: 1, c: 9 },
          { b: 9, c: 2 },
        ],
      },
      { _id: 2, a: [{ b: 1, c: 2 }] },
    ],
    [{ 'a.b': 1, 'a.c': 1 }],
  )
  t.same(await room.ids({ filter: { 'a.b': 1, 'a.c': 2 } }), [2, 1])
  const tied = { filter: { a: { $elemMatch: { b: 1, c: 2 } } } }
  const { documents, counters } = await room.ask(tied)
  t.same(
    documents.map(({ _id }) => _id),
    [2],
  )
  t.equal(counters.docsExamined, 1, 'both fields narrow the scan')
})

await t.test('a number in a path may be a position or a name', async (t) => {
  const documents = [
    { _id: 1, a: [5, [1]] },
    { _id: 2, a: [{ x: 1 }] },
    { _id: 3, a: [[1], 2] },
    { _id: 4, a: { 0: 1 } },
  ]
  const room = await roomWith(documents, [{ 'a.0': 1 }])
  t.same(await room.ids({ filter: { a: { $elemMatch: { 0: 1 } } }, hint: { 'a.0': 1 } }), [3, 1])
  t.same(await room.ids({ filter: { 'a.0': 1 } }), [4], 'not into an array at a position')
  t.same(await room.ids({ filter: { 'a.0': null } }), [2], 'an object without the field 0')
})

await t.test('the branches of an $or give each document once', async (t) => {
  const documents = [
    { _id: 1, a: 1, b: 1 },
    { _id: 2, a: 1, b: 2 },
    { _id: 3, a: [2, 1], b: [1, 1] },
    { _id: 4, a: 2, b: 1 },
  ]
  const room = await roomWith(documents, [{ a: 1 }], [{ b: 1 }])
  const filter = { $or: [{ a: 1 }, { b: 1 }, { _id: { $in: [4, 2, 1] } }, { _id: { $lt: 4 } }] }
  t.equal(name(await room.plan({ filter })), 'a_1 | b_1 | _id_ points | _id_')
  t.same(await room.ids({ filter }, 1), [1, 2, 3, 4])
})

await t.test('exclusive bounds exclude, also in descending fields', async (t) => {
  const documents = Array.from({ length: 6 }, (_, i) => ({ _id: i, a: i, s: 'abcdef'[i] }))
  const room = await roomWith(documents, [{ a: -1 }], [{ s: -1, a: 1 }])
  t.same(await room.ids({ filter: { a: { $gt: 1, $lt: 4 } } }), [3, 2])
  t.same(await room.ids({ filter: { a: { $gte: 1, $lte: 4 } } }), [4, 3, 2, 1])
  t.same(await room.ids({ filter: { s: { $gt: 'b', $lte: 'd' } } }), [3, 2])
  t.same(await room.ids({ filter: { s: /^c/ } }), [2])
  for (const filter of [{ a: { $gt: 1, $lt: 4 } }, { s: { $gt: 'b', $lte: 'd' } }]) {
    t.equal((await room.plan({ filter })).isExact, true)
  }
})

await t.test('a sort needs an index whose long values are whole', async (t) => {
  const long = 'x'.repeat(1_500)
  const documents = ['b', 'a', 'd', 'c', 'e', 'f'].map((s, i) => ({ _id: i, a: long + s }))
  const room = await roomWith(documents, [{ a: 1 }])
  t.equal((await room.plan({ sort: { a: 1 } })).isSorted, false)
  t.same(await room.ids({ sort: { a: 1 }, hint: 'a_1' }), [1, 0, 3, 2, 4, 5])
})

await t.test('bounds on an array hide the element that it sorts by', async (t) => {
  const room = await roomWith(
    [
      { _id: 1, a: [1, 9] },
      { _id: 2, a: 5 },
    ],
    [{ a: 1 }],
  )
  const query = { filter: { a: { $gte: 4 } }, sort: { a: 1 } }
  t.equal((await room.plan(query)).isSorted, false)
  t.same(await room.ids(query), [1, 2])
  t.equal((await room.plan({ sort: { a: 1 } })).isSorted, true)
})

await t.test('NaN is a number that no range holds', async (t) => {
  const documents = [NaN, -Infinity, 0, Infinity].map((a, i) => ({ _id: i, a }))
  const room = await roomWith(documents, [{ a: 1 }])
  t.same(await room.ids({ filter: { a: { $lt: 1 } } }), [1, 2])
  t.same(await room.ids({ filter: { a: { $gte: NaN } } }), [0])
  t.same(await room.ids({ filter: { a: { $gt: NaN } } }), [])
  t.same(await room.ids({ filter: { a: { $in: [NaN, 0] } } }), [0, 2])
})

await t.test(
  'many values in one $in are many points, and a product of too many is not made',
  async (t) => {
    const documents = Array.from({ length: 300 }, (_, i) => ({ _id: i, a: i, b: i }))
    const room = await roomWith(documents, [{ a: 1, b: 1 }])
    const some = Array.from({ length: 150 }, (_, i) => i * 2)
    const { counters } = await room.ask({ filter: { a: { $in: some } } })
    t.same(counters, { keysExamined: 150, docsExamined: 150, returned: 150 })
    const [access] = (await room.plan({ filter: { a: { $in: some }, b: { $in: some } } })).accesses
    t.equal(
      access?.kind === 'entries' && access.spans.length,
      150,
      '22,500 would be above the bound',
    )
    t.equal(await room.count({ filter: { a: { $in: some }, b: { $in: some } } }), 150)
  },
)
