// Stages that read more than their input: $unionWith, $facet and $graphLookup, over every store.

import t from 'tap'
import { work } from '../../../src/base/work/work-budget.js'
import { stretchUnits, turnUnits } from '../../../src/base/work/work-figures.js'
import { aggregate, results } from '../../support/aggregating.js'
import { ReadingRoom } from '../../support/reading.js'
import { eachStore } from '../../support/stores.js'

type Plain = Readonly<Record<string, unknown>>

const numbers = (count: number): Plain[] =>
  Array.from({ length: count }, (_, i) => ({ _id: i, a: i % 3 }))

await eachStore(t, '$unionWith adds the documents of another pipeline', async (t, { store }) => {
  const room = new ReadingRoom(store)
  const others = new ReadingRoom(store, 'main', 'others')
  await room.insert(...numbers(7))
  await others.insert({ _id: 'x', a: 1 }, { _id: 'y', a: 2 })
  const ids = async (...pipeline: readonly Plain[]) =>
    (await results(room, ...pipeline)).map(({ _id }) => _id)
  t.same(await ids({ $unionWith: 'others' }), [0, 1, 2, 3, 4, 5, 6, 'x', 'y'])
  t.same(await ids({ $match: { a: 1 } }, { $unionWith: 'nowhere' }), [1, 4])
  const ones = { coll: 'others', pipeline: [{ $match: { a: 1 } }] }
  t.same(await ids({ $match: { a: 1 } }, { $unionWith: ones }, { $sort: { _id: -1 } }), [
    ...['x', 4, 1],
  ])
  t.same(await ids({ $unionWith: 'others' }, { $skip: 6 }, { $limit: 2 }), [6, 'x'])
  const made = { pipeline: [{ $documents: [{ _id: 'made' }] }] }
  t.same(await ids({ $limit: 1 }, { $unionWith: made }), [0, 'made'])
  const twice = { coll: 'others', pipeline: [{ $unionWith: 'others' }] }
  t.same(await ids({ $limit: 1 }, { $unionWith: twice }), [0, 'x', 'y', 'x', 'y'])
  for (const [spec, code] of [
    [1, 9],
    [{ pipeline: [] }, 9],
    [{ coll: 1 }, 14],
    [{ coll: 'others', more: 1 }, 40415],
    [{ coll: 'others', pipeline: [{ $out: 'x' }] }, 31441],
  ] as const) {
    await t.rejects(results(room, { $unionWith: spec }), { code }, JSON.stringify(spec))
  }
})

await eachStore(t, '$facet runs several pipelines over one reading', async (t, { store }) => {
  const room = new ReadingRoom(store)
  const others = new ReadingRoom(store, 'main', 'others')
  await room.insert(...numbers(1_200))
  await others.insert({ _id: 'one', code: 1 })
  const { documents, counters } = await aggregate(room, [
    { $match: { _id: { $lt: 1_000 } } },
    {
      $facet: {
        count: [{ $count: 'n' }],
        last: [{ $sort: { _id: -1 } }, { $limit: 2 }, { $project: { a: 1 } }],
        first: [{ $limit: 1 }],
        none: [{ $match: { a: 9 } }],
        joined: [
          { $match: { _id: 4 } },
          { $lookup: { from: 'others', localField: 'a', foreignField: 'code', as: 'in' } },
          { $unwind: '$in' },
          { $project: { in: '$in._id' } },
        ],
        added: [{ $limit: 1 }, { $unionWith: 'others' }],
      },
    },
  ])
  t.same(documents, [
    {
      count: [{ n: 1_000 }],
      last: [
        { _id: 999, a: 0 },
        { _id: 998, a: 2 },
      ],
      first: [{ _id: 0, a: 0 }],
      none: [],
      joined: [{ _id: 4, in: 'one' }],
      added: [
        { _id: 0, a: 0 },
        { _id: 'one', code: 1 },
      ],
    },
  ])
  t.equal(counters.docsExamined, 1_000, 'the input is read once')
  const whole = { $facet: { all: [] } }
  t.same(await results(room, { $limit: 2 }, { $project: { a: 0 } }, whole), [
    { all: [{ _id: 0 }, { _id: 1 }] },
  ])
  const few = await aggregate(room, [{ $facet: { few: [{ $limit: 3 }] } }])
  t.ok(few.counters.docsExamined < 600, 'the rest was not needed')
})

await eachStore(t, '$facet gives a document as large as a client takes', async (t, { store }) => {
  const room = new ReadingRoom(store)
  const text = 'a'.repeat(20_000)
  await room.insert(...Array.from({ length: 390 }, (_, _id) => ({ _id, text })))
  const twice = { $facet: { a: [], b: [] } }
  const [both] = await results(room, twice)
  t.same(
    Object.values(both ?? {}).map((all) => (all as unknown[]).length),
    [390, 390],
    'in turns',
  )
  const more = { $facet: { a: [], b: [], c: [] } }
  await t.rejects(results(room, more), { code: 10334 })
  const counts = { $project: { a: { $size: '$a' }, c: { $size: '$c' } } }
  t.same(await results(room, more, counts), [{ a: 390, c: 390 }], 'stages take a larger one')
})

await eachStore(t, '$facet refuses what has no place in it', async (t, { store }) => {
  const room = new ReadingRoom(store)
  for (const [spec, code] of [
    [1, 40169],
    [{}, 40169],
    [{ a: 1 }, 40170],
    [{ 'a.b': [] }, 16412],
    [{ $a: [] }, 16410],
    [{ a: [{ $facet: { b: [] } }] }, 40600],
    [{ a: [{ $indexStats: {} }] }, 40600],
    [{ a: [{ $nope: 1 }] }, 40324],
  ] as const) {
    await t.rejects(results(room, { $facet: spec }), { code }, JSON.stringify(spec))
  }
})

await eachStore(t, '$lookup of very many matches takes turns', async (t, { store }) => {
  const room = new ReadingRoom(store)
  const others = new ReadingRoom(store, 'main', 'others')
  await room.insert({ _id: 1 })
  for (let from = 0; from < 12_000; from += 1_000) {
    await others.insert(...Array.from({ length: 1_000 }, (_, i) => ({ _id: from + i })))
  }
  const join = { $lookup: { from: 'others', pipeline: [], as: 'all' } }
  const counts = { $project: { n: { $size: '$all' } } }
  const longest = async (...pipeline: readonly Plain[]): Promise<number> => {
    work.resetLongest()
    t.match((await results(room, join, ...pipeline)).at(-1), { n: 12_000 })
    return work.longest
  }
  t.ok((await longest(counts)) < turnUnits + stretchUnits)
  t.ok((await longest({ $unwind: '$all' }, { $count: 'n' })) < turnUnits + stretchUnits)
})

await eachStore(t, '$graphLookup follows values through a collection', async (t, { store }) => {
  const room = new ReadingRoom(store)
  const staff = new ReadingRoom(store, 'main', 'staff')
  await room.insert({ _id: 1, who: 'Ann' }, { _id: 2, who: ['Bob', 'Ann'] }, { _id: 3 })
  await staff.insert(
    { _id: 'Ann', above: 'Bob' },
    { _id: 'Bob', above: 'Cid', away: true },
    { _id: 'Cid', above: ['Dan', 'Ann'] },
    { _id: 'Dan' },
    { _id: 'Eve', above: 'Ann' },
  )
  const search = { from: 'staff', startWith: '$who', connectFromField: 'above', as: 'found' }
  const found = async (more: Plain, filter: Plain = { _id: 1 }) => {
    const spec = { ...search, connectToField: '_id', ...more }
    const [first] = await results(room, { $match: filter }, { $graphLookup: spec })
    return ((first?.found ?? []) as Plain[]).map(({ _id, depth }) =>
      depth === undefined ? _id : [_id, Number(depth)],
    )
  }
  t.same(await found({}), ['Ann', 'Bob', 'Cid', 'Dan'], 'a circle ends')
  t.same(await found({ maxDepth: 1, depthField: 'depth' }), [
    ['Ann', 0],
    ['Bob', 1],
  ])
  t.same(await found({ restrictSearchWithMatch: { away: { $ne: true } } }), ['Ann'])
  t.same(await found({ depthField: 'depth' }, { _id: 2 }), [
    ['Ann', 0],
    ['Bob', 0],
    ['Cid', 1],
    ['Dan', 2],
  ])
  t.same(await found({}, { _id: 3 }), [], 'nothing has a null name')
  t.same(await found({ connectToField: 'above' }, { _id: 3 }), ['Dan'], 'missing finds missing')
  t.same(await found({ from: 'nowhere' }), [])
})

await eachStore(t, '$graphLookup asks an index, a round at a time', async (t, { store }) => {
  const room = new ReadingRoom(store)
  await room.insert(...Array.from({ length: 300 }, (_, i) => ({ _id: i, next: i + 1 })))
  const search = { from: 'things', startWith: '$next', connectFromField: 'next', as: 'found' }
  const { documents, counters } = await aggregate(room, [
    { $match: { _id: 280 } },
    { $graphLookup: { ...search, connectToField: '_id' } },
  ])
  t.equal(((documents[0]?.found ?? []) as unknown[]).length, 19)
  t.equal(counters.docsExamined, 20)
})

await eachStore(t, '$graphLookup refuses what it cannot search', async (t, { store }) => {
  const room = new ReadingRoom(store)
  const whole = {
    ...{ from: 'things', as: 'x', startWith: 1 },
    ...{ connectFromField: 'a', connectToField: 'b' },
  }
  for (const [spec, code] of [
    [1, 9],
    [{ ...whole, from: 1 }, 40103],
    [{ from: 'things' }, 40105],
    [{ ...whole, as: 1 }, 40103],
    [{ ...whole, maxDepth: 'a' }, 40100],
    [{ ...whole, maxDepth: -1 }, 40101],
    [{ ...whole, maxDepth: 1.5 }, 40102],
    [{ ...whole, restrictSearchWithMatch: 1 }, 40185],
    [{ ...whole, restrictSearchWithMatch: { $nope: 1 } }, 2],
    [{ ...whole, more: 1 }, 40104],
    [{ ...whole, connectFromField: 'a.' }, 40353],
  ] as const) {
    await t.rejects(results(room, { $graphLookup: spec }), { code }, JSON.stringify(spec))
  }
})
