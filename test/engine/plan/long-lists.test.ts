// Long lists of values find what short ones find: with every kind of index, beside other
// conditions, in every order.

import { ObjectId } from 'bson'
import fc from 'fast-check'
import t from 'tap'
import { openFind } from '../../../src/engine/sources/source.js'
import { readLists } from '../../../src/query/filter/read-list.js'
import { compileFilter } from '../../../src/query/filter.js'
import { compileSort } from '../../../src/query/sort.js'
import { openMemoryStore } from '../../../src/store/memory.js'
import { documentFrom, valueFrom } from '../../../src/value/literal.js'
import { toObject } from '../../support/literal.js'
import { context, ReadingRoom } from '../../support/reading.js'
import { runs } from '../../support/runs.js'
import { eachStore } from '../../support/stores.js'

type Plain = Readonly<Record<string, unknown>>

/** Values that no document has, and that make a list long. */
const filler = Array.from({ length: 3_500 }, (_, i) => 1_000_000 + i)
const oid = (n: number): ObjectId => new ObjectId(n.toString(16).padStart(24, '0'))

const scalars: readonly unknown[] = [
  ...[0, 1, 2.5, -7, 40, 'a', 'b', '', 'long '.repeat(20), true, new Date(5), oid(1), oid(2)],
  ...[{ x: 1 }, { x: 'a', y: 2 }, {}],
]
const arrays: readonly unknown[] = [[1, 'a'], [[1, 2], 3], [], [null, 2.5], ['b', 'b', { x: 1 }]]
const all = [...scalars, null, ...arrays]

interface Asked {
  readonly filter: Plain
  readonly sort?: Plain | undefined
  readonly hint?: Plain | undefined
}

async function ids(room: ReadingRoom, { filter, sort, hint }: Asked, isAhead: boolean) {
  const document = documentFrom(filter)
  if (isAhead) for (const _ of readLists(document));
  const source = openFind(await room.get(), {
    filter: compileFilter(document, context),
    sort: sort === undefined ? undefined : compileSort(documentFrom(sort)),
    hint: hint === undefined ? undefined : valueFrom(hint),
  })
  const found: unknown[] = []
  while (!source.drained) {
    for (const one of await room.pull(source, 7)) found.push(toObject(one)._id)
  }
  return sort === undefined ? found.sort() : found
}

const natural: Plain = { $natural: 1 }

/** The documents of a collection: each value under `a`, beside others. */
function documentsOf(values: readonly unknown[]): Plain[] {
  const documents: Plain[] = values.flatMap((a, i) => [
    { _id: i, a, b: i % 3, in: { a } },
    { _id: 1_000 + i, a, b: i % 2, c: [{ a }, { a: values[(i + 1) % values.length] }] },
  ])
  return [...documents, { _id: 2_000, b: 1 }, { _id: 2_001, in: { b: 1 } }]
}

const indexSets: Readonly<Record<string, Plain[][]>> = {
  none: [],
  plain: [[{ a: 1 }]],
  descending: [[{ a: -1 }]],
  compound: [[{ a: 1, b: -1 }], [{ b: 1, a: -1 }]],
  sparse: [[{ a: 1 }, { sparse: true }]],
  wildcard: [[{ '$**': 1 }]],
  paths: [[{ 'in.a': 1 }], [{ 'c.a': 1 }]],
}

const lists = fc.record({
  some: fc.subarray(all),
  path: fc.constantFrom('a', '_id', 'in.a', 'c.a', 'a.0'),
  op: fc.constantFrom('$in', '$nin', '$all'),
  around: fc.constantFrom<Plain>(
    {},
    { b: 1 },
    { b: { $in: [0, 2] } },
    { a: { $gte: 1, $lt: 'b' } },
    { $or: [{ b: 0 }, { a: 'a' }] },
    { a: { $in: [1, 'a', oid(1)] } },
  ),
  sort: fc.constantFrom<Plain | undefined>(
    undefined,
    { _id: -1 },
    { a: 1, _id: 1 },
    { a: -1, _id: 1 },
  ),
  shape: fc.constantFrom('plain', 'or', 'elemMatch', 'twice'),
})

function filterOf({ some, path, op, around, shape }: Omit<Arb, 'sort'>): Plain {
  const list = [...filler.slice(0, 1_700), ...some, ...filler.slice(1_700)]
  const condition = { [op]: op === '$all' ? some.flatMap((one) => Array(600).fill(one)) : list }
  const own = { [path]: condition }
  if (shape === 'or') return { $and: [around, { $or: [own, { b: 2 }] }] }
  if (shape === 'elemMatch') return { $and: [around, { c: { $elemMatch: { a: condition } } }] }
  if (shape === 'twice') return { $and: [around, own, { [path]: { $in: [...list, 1, 'a'] } }] }
  return { $and: [around, own] }
}

type Arb = typeof lists extends fc.Arbitrary<infer T> ? T : never

for (const [name, specs] of Object.entries(indexSets)) {
  await t.test(`${name}: a list that was read ahead finds the same`, async (t) => {
    const room = new ReadingRoom(openMemoryStore())
    await room.insert(...documentsOf(all))
    if (specs.length > 0) await room.index(...(specs as [Plain, Plain?][]))
    await fc.assert(
      fc.asyncProperty(lists, async ({ sort, ...given }) => {
        const filter = filterOf(given)
        const expected = await ids(room, { filter, sort, hint: natural }, false)
        t.same(
          await ids(room, { filter, sort }, true),
          expected,
          JSON.stringify({ ...given, sort }),
        )
        t.same(await ids(room, { filter, sort, hint: natural }, true), expected)
      }),
      { numRuns: runs(60) },
    )
  })
}

await eachStore(t, 'a hashed index serves a long list', async (t, { store }) => {
  const room = new ReadingRoom(store)
  await room.insert(...documentsOf(scalars))
  await room.index([{ a: 'hashed' }], [{ b: 1, a: 'hashed' }])
  for (const some of [
    [1, 'a', oid(2)],
    [null, 40],
    [{ x: 1 }, ''],
  ]) {
    const filter = { a: { $in: [...filler, ...some] } }
    const expected = await ids(room, { filter, hint: natural }, false)
    t.same(await ids(room, { filter }, true), expected)
    const hinted = { filter: { ...filter, b: 1 }, hint: { b: 1, a: 'hashed' } }
    const both = await ids(room, { filter: hinted.filter, hint: natural }, false)
    t.same(await ids(room, hinted, true), both)
  }
})
