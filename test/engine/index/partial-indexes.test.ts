// Sparse, partial and hidden indexes: which documents they keep, what is unique among those, which
// queries may read them, and what a hint does. Each answer is compared with the plain scan's.

import fc from 'fast-check'
import t, { type Test } from 'tap'
import { systemClock } from '../../../src/base/clock.js'
import { checkStore } from '../../../src/engine/check/check.js'
import { keyClass } from '../../../src/store/layout.js'
import { openMemoryStore } from '../../../src/store/memory.js'
import { keysOfClasses } from '../../support/engine-room.js'
import { type PlainQuery, ReadingRoom } from '../../support/reading.js'
import { runs } from '../../support/runs.js'
import { eachStore } from '../../support/stores.js'

type Plain = Readonly<Record<string, unknown>>
type Spec = readonly [key: Plain, options?: Plain]

async function roomWith(documents: readonly Plain[], ...indexes: Spec[]): Promise<ReadingRoom> {
  const room = new ReadingRoom(openMemoryStore(systemClock))
  await room.create()
  if (indexes.length > 0) await room.index(...indexes)
  if (documents.length > 0) await room.insert(...documents)
  return room
}

/** The indexes that a query reads; `scan` for the records. */
async function reads(room: ReadingRoom, query: PlainQuery): Promise<string> {
  const { accesses } = await room.plan(query)
  return accesses.map((one) => (one.kind === 'entries' ? one.index.name : 'scan')).join(' | ')
}

const show = (plain: unknown): string => JSON.stringify(plain)

const entryCount = async (room: ReadingRoom): Promise<number> =>
  (await keysOfClasses(room.store, keyClass.entry)).length

await eachStore(t, 'a sparse index keeps who has any of its fields', async (t, { store }) => {
  const room = new ReadingRoom(store)
  await room.insert({ _id: 1 }, { _id: 2, a: null }, { _id: 3, a: [] }, { _id: 4, b: 1 })
  await room.index([{ a: 1 }, { sparse: true }])
  t.equal(await entryCount(room), 2, 'null and an empty array are there, what is missing is not')
  await room.index([
    { a: 1, b: 1 },
    { sparse: true, name: 'both' },
  ])
  t.equal(await entryCount(room), 5)
  await room.replace({ _id: 2 })
  await room.replace({ _id: 1, a: 5 })
  await room.remove(4)
  t.equal(await entryCount(room), 4)
  t.same(await checkStore(store), [])
})

await eachStore(t, 'elements without the field have no sparse entry', async (t, { store }) => {
  const room = new ReadingRoom(store)
  await room.index([{ 'a.b': 1 }, { sparse: true }])
  await room.insert({ _id: 1, a: [{ c: 1 }, 7] }, { _id: 2, a: [{}, { b: null }, { b: 3 }] })
  t.equal(await entryCount(room), 2)
  await room.insert({ _id: 3, a: [] }, { _id: 4, a: { b: 3 } }, { _id: 5, a: 5 })
  t.equal(await entryCount(room), 3)
  t.same(await room.ids({ filter: { 'a.b': 3 } }), [2, 4])
})

await t.test('unique and sparse: many may lack the field, one may hold null', async (t) => {
  const room = await roomWith([], [{ a: 1 }, { unique: true, sparse: true }])
  await room.insert({ _id: 1 }, { _id: 2 }, { _id: 3, a: null })
  await t.rejects(room.insert({ _id: 4, a: null }), { code: 11000 })
  await room.insert({ _id: 5, a: 1 })
  await t.rejects(room.replace({ _id: 2, a: 1 }), { code: 11000 })
})

await t.test('a sparse index serves what it cannot lose', async (t) => {
  const room = await roomWith(
    [{ _id: 1 }],
    [
      { a: 1, c: 1 },
      { sparse: true, name: 's' },
    ],
  )
  const cases: readonly (readonly [PlainQuery, string])[] = [
    [{ filter: { a: 1 } }, 's'],
    [{ filter: { a: { $gt: 1 } } }, 's'],
    [{ filter: { a: { $in: [1, 2] } } }, 's'],
    [{ filter: { a: null } }, 'scan'],
    [{ filter: { a: { $in: [1, null] } } }, 'scan'],
    [{ filter: { a: { $exists: false } } }, 'scan'],
    [{ filter: { a: { $exists: true } } }, 's'],
    [{ filter: { a: null, c: 5 } }, 's'],
    [{ sort: { a: 1 } }, 'scan'],
    [{ filter: { a: { $exists: true } }, sort: { a: 1 } }, 's'],
    [{ filter: { $or: [{ a: 1 }, { _id: 3 }] } }, 's | scan'],
    [{ filter: { $or: [{ a: null }, { _id: 3 }] } }, 'scan'],
    [{ sort: { a: 1 }, hint: 's' }, 's'],
  ]
  for (const [query, wanted] of cases) t.equal(await reads(room, query), wanted, show(query))
})

await t.test('a hint on an index that leaves documents out loses them', async (t) => {
  const documents = [{ _id: 1 }, { _id: 2, a: 5, b: 1 }, { _id: 3, a: 4 }]
  const room = await roomWith(
    documents,
    [{ a: 1 }, { sparse: true }],
    [{ a: -1 }, { partialFilterExpression: { b: 1 } }],
  )
  t.same(await room.ids({ sort: { a: 1 }, hint: 'a_1' }), [3, 2])
  t.same(await room.ids({ hint: { a: -1 } }), [2])
  t.same(await room.ids({ filter: { a: { $gte: 4 } }, hint: 'a_-1' }), [2])
  t.equal(await room.count({ hint: 'a_1' }), 2)
  t.equal(await room.count({ hint: 'a_-1' }), 1)
  t.equal(await room.count({}), 3)
  t.equal(await room.count({ filter: { a: { $exists: true } } }), 2)
})

await t.test('a hint by key that means two indexes has to be a name', async (t) => {
  const room = await roomWith([], [{ a: 1 }], [{ a: 1 }, { sparse: true, name: 'sparse' }])
  await t.rejects(reads(room, { hint: { a: 1 } }), { code: 27, message: /must hint by index name/ })
  t.equal(await reads(room, { hint: 'sparse' }), 'sparse')
})

await eachStore(t, 'a hidden index is kept, unique, and read by none', async (t, { store }) => {
  const room = new ReadingRoom(store)
  await room.index([{ a: 1 }, { hidden: true, unique: true }])
  await room.insert({ _id: 1, a: 1 })
  await t.rejects(room.insert({ _id: 2, a: 1 }), { code: 11000 })
  t.equal(await reads(room, { filter: { a: 1 } }), 'scan')
  t.equal(await reads(room, { sort: { a: 1 } }), 'scan')
  const code = 2
  await t.rejects(reads(room, { filter: { a: 1 }, hint: 'a_1' }), { code })
  await t.rejects(reads(room, { filter: { a: 1 }, hint: { a: 1 } }), { code })
  t.equal(await entryCount(room), 1)
})

await eachStore(t, 'a partial index keeps who matches, across updates', async (t, { store }) => {
  const room = new ReadingRoom(store)
  await room.insert({ _id: 1, a: 1, on: true }, { _id: 2, a: 2, on: false }, { _id: 3, a: 3 })
  await room.index([{ a: 1 }, { partialFilterExpression: { on: true } }])
  t.equal(await entryCount(room), 1)
  await room.replace({ _id: 2, a: 2, on: true })
  t.equal(await entryCount(room), 2)
  await room.replace({ _id: 1, a: 1, on: false })
  t.equal(await entryCount(room), 1)
  await room.insert({ _id: 4, a: [4, 5], on: [false, true] })
  t.equal(await entryCount(room), 3)
  t.same(await room.ids({ filter: { a: { $gt: 0 }, on: true } }), [2, 4])
  await room.remove(2)
  t.equal(await entryCount(room), 2)
  t.same(await checkStore(store), [])
})

await eachStore(t, 'unique holds among the documents that match', async (t, { store }) => {
  const room = new ReadingRoom(store)
  const partialFilterExpression = { on: true }
  await room.insert({ _id: 1, a: 1 }, { _id: 2, a: 1, on: true }, { _id: 3, a: 1, on: false })
  await room.index([{ a: 1 }, { unique: true, partialFilterExpression }])
  await room.insert({ _id: 4, a: 1 })
  await t.rejects(room.insert({ _id: 5, a: 1, on: true }), { code: 11000 })
  await t.rejects(room.replace({ _id: 1, a: 1, on: true }), { code: 11000 })
  await room.replace({ _id: 2, a: 1, on: false })
  await room.replace({ _id: 1, a: 1, on: true })
  t.same(await checkStore(store), [])
})

await t.test('a build over duplicates counts only those that match', async (t) => {
  const room = await roomWith([
    { _id: 1, a: 1 },
    { _id: 2, a: 1 },
    { _id: 3, a: 1, on: true },
  ])
  const partialFilterExpression = { on: true }
  await room.index([{ a: 1 }, { unique: true, partialFilterExpression }])
  await room.insert({ _id: 4, a: 2, on: true })
  const second = { name: 'b', unique: true, partialFilterExpression: { a: 1 } }
  await t.rejects(room.index([{ b: 1 }, second]), { code: 11000 })
})

await t.test('which queries imply a partial filter', async (t) => {
  const cases: readonly (readonly [filter: Plain, query: Plain, isImplied: boolean])[] = [
    [{}, {}, true],
    [{ b: 1 }, { b: 1 }, true],
    [{ b: 1 }, { b: 1.0, c: 1 }, true],
    [{ b: 1 }, { b: 2 }, false],
    [{ b: 1 }, {}, false],
    [{ b: 1 }, { b: { $in: [1] } }, true],
    [{ b: 1 }, { b: { $in: [1, 2] } }, false],
    [
      { b: 1 },
      {
        $or: [
          { b: 1, c: 1 },
          { b: 1, c: 2 },
        ],
      },
      true,
    ],
    [{ b: 1 }, { $or: [{ b: 1 }, { c: 2 }] }, false],
    [{ b: null }, { b: null }, true],
    [{ b: null }, { b: { $exists: true } }, false],
    [{ b: { $gt: 5 } }, { b: { $gt: 5 } }, true],
    [{ b: { $gt: 5 } }, { b: { $gte: 5 } }, false],
    [{ b: { $gte: 5 } }, { b: { $gt: 5 } }, true],
    [{ b: { $gt: 5 } }, { b: { $gt: 6, $lt: 9 } }, true],
    [{ b: { $gt: 5 } }, { b: { $gt: 4 } }, false],
    [{ b: { $gt: 5 } }, { b: { $lt: 9 } }, false],
    [{ b: { $gt: 5 } }, { b: 7 }, true],
    [{ b: { $gt: 5 } }, { b: 5 }, false],
    [{ b: { $gt: 5 } }, { b: { $gt: 'x' } }, false],
    [{ b: { $gt: 5 } }, { b: { $in: [6, 7] } }, true],
    [{ b: { $lt: 5 } }, { b: { $lte: 4 } }, true],
    [{ b: { $gt: 5, $lt: 9 } }, { b: { $gt: 6, $lt: 8 } }, true],
    [{ b: { $exists: true } }, { b: { $gt: 1 } }, true],
    [{ b: { $exists: true } }, { b: 'x' }, true],
    [{ b: { $exists: true } }, { b: /x/ }, true],
    [{ b: { $exists: true } }, { b: null }, false],
    [{ b: { $exists: true } }, { b: { $ne: null } }, true],
    [{ 'b.c': { $exists: true } }, { 'b.c': { $ne: null } }, false],
    [{ b: { $exists: true } }, { b: { $ne: 5 } }, false],
    [{ b: { $in: [1, 2] } }, { b: 2 }, true],
    [{ b: { $in: [1, 2] } }, { b: { $in: [2, 1] } }, true],
    [{ b: { $in: [1, 2] } }, { b: { $in: [2, 3] } }, false],
    [{ b: { $type: 'string' } }, { b: { $type: 'string' } }, true],
    [{ b: { $type: 'string' } }, { b: 'x' }, false],
    [{ b: { $type: 'number' } }, { b: { $gt: 1 } }, true],
    [{ b: { $type: 'int' } }, { b: 5 }, false],
    [{ b: { $type: 'bool' } }, { b: true }, true],
    [{ $or: [{ b: 1 }, { c: 1 }] }, { c: 1 }, true],
    [{ $or: [{ b: 1 }, { c: 1 }] }, { $or: [{ b: 1 }, { c: 1 }] }, true],
    [{ $or: [{ b: 1 }, { c: 1 }] }, { $or: [{ b: 1 }, { d: 1 }] }, false],
    [{ b: 1, c: { $gt: 0 } }, { b: 1, c: 3 }, true],
    [{ b: 1, c: { $gt: 0 } }, { b: 1 }, false],
    [{ b: [1, 2] }, { b: [1, 2] }, true],
    [{ b: 1 }, { b: [1, 2] }, false],
  ]
  for (const [partialFilterExpression, query, isImplied] of cases) {
    const room = await roomWith([], [{ a: 1 }, { partialFilterExpression }])
    const read = await reads(room, { filter: { a: 1, ...query } })
    t.equal(read === 'a_1', isImplied, `${show(partialFilterExpression)} by ${show(query)}`)
  }
})

await t.test('what stands beside an $or counts for its branches', async (t) => {
  const partialFilterExpression = { on: true }
  const room = await roomWith([], [{ a: 1 }, { partialFilterExpression }], [{ b: 1 }])
  t.equal(await reads(room, { filter: { $or: [{ a: 1 }, { b: 1 }] } }), 'scan')
  t.equal(await reads(room, { filter: { on: true, $or: [{ a: 1 }, { b: 1 }] } }), 'a_1 | b_1')
  t.equal(await reads(room, { filter: { $or: [{ a: 1, on: true }, { b: 1 }] } }), 'a_1 | b_1')
})

// The same results with and without the indexes.

const scalar = fc.constantFrom(null, 0, 1, 2, 'x', true)
const value = fc.oneof(
  { weight: 4, arbitrary: scalar },
  fc.array(fc.oneof(scalar, fc.record({ c: scalar }, { requiredKeys: [] })), { maxLength: 3 }),
  fc.record({ c: scalar }, { requiredKeys: [] }),
)
const body = fc.record({ a: value, b: value }, { requiredKeys: [] })

const condition = fc.oneof(
  scalar,
  fc.record({ $gt: scalar }),
  fc.record({ $lte: scalar }),
  fc.record({ $gte: fc.constantFrom(0, 1), $lt: fc.constantFrom(1, 2) }),
  fc.record({ $in: fc.array(scalar, { maxLength: 3 }) }),
  fc.record({ $exists: fc.boolean() }),
  fc.record({ $ne: scalar }),
  fc.record({ $type: fc.constantFrom('number', 'string', 'null', 'array', 'object') }),
)
const path = fc.constantFrom('a', 'b', 'a.c', 'b.c')
const simple = fc.dictionary(path, condition, { maxKeys: 2 })
const filter = fc.oneof(
  { weight: 3, arbitrary: simple },
  fc.tuple(simple, fc.array(simple, { minLength: 1, maxLength: 2 })).map(([rest, $or]) => ({
    ...rest,
    $or,
  })),
)
const allowed = fc.oneof(
  scalar,
  fc.record({ $gt: scalar }),
  fc.record({ $lte: scalar }),
  fc.record({ $in: fc.array(scalar, { minLength: 1, maxLength: 3 }) }),
  fc.record({ $exists: fc.constant(true) }),
  fc.record({ $type: fc.constantFrom('number', 'string', 'null') }),
)
const part = fc.dictionary(path, allowed, { minKeys: 1, maxKeys: 2 })
const partial = fc.oneof(part, fc.record({ $or: fc.array(part, { minLength: 1, maxLength: 2 }) }))
interface Leaving {
  readonly sparse?: true
  readonly partialFilterExpression?: Plain
}

const options: fc.Arbitrary<Leaving> = fc.oneof(
  fc.constant({ sparse: true as const }),
  partial.map((partialFilterExpression) => ({ partialFilterExpression })),
)
const key = fc.constantFrom({ a: 1 }, { b: -1 }, { 'a.c': 1 }, { a: 1, b: 1 }, { 'a.c': 1, b: -1 })
const sort = fc.constantFrom(undefined, { a: 1 }, { b: -1 }, { 'a.c': 1 })

await t.test('a sparse or partial index never changes a result', async (t) => {
  await fc.assert(
    fc.asyncProperty(
      fc.array(body, { maxLength: 12 }),
      fc.array(fc.tuple(key, options), { minLength: 1, maxLength: 3 }),
      fc.array(fc.tuple(filter, sort), { minLength: 4, maxLength: 8 }),
      fc.array(fc.tuple(fc.nat(11), fc.option(body)), { maxLength: 5 }),
      async (bodies, specs, queries, changes) => {
        const room = await roomWith(bodies.map((one, _id) => ({ _id, ...one })))
        const named = specs.map(([key, rest], i): Spec => [key, { ...rest, name: `index ${i}` }])
        for (const spec of named) await ignoring(room.index(spec))
        for (const [_id, change] of changes) {
          if (change === null) await room.remove(_id)
          else await ignoring(room.replace({ _id, ...change }))
        }
        t.same(await checkStore(room.store), [])
        for (const [filter, sort] of queries) {
          await compare(t, room, filter, sort, named)
          for (const [, { partialFilterExpression: known }] of specs) {
            if (known !== undefined) await compare(t, room, { $and: [filter, known] }, sort, named)
          }
        }
      },
    ),
    { numRuns: runs(100) },
  )
})

async function compare(
  t: Test,
  room: ReadingRoom,
  filter: Plain,
  sort: Plain | undefined,
  named: unknown,
) {
  const query = sort === undefined ? { filter } : { filter, sort }
  const scanned = await room.ids({ filter, hint: { $natural: 1 } })
  t.same(sorted(await room.ids(query)), sorted(scanned), show({ query, named }))
  t.equal(await room.count({ filter }), scanned.length, show({ filter, named }))
}

/** Parallel arrays refuse an index or a document: then there is nothing to compare. */
async function ignoring<T>(work: Promise<T>): Promise<T | undefined> {
  try {
    return await work
  } catch (error) {
    const code = error instanceof Error && 'code' in error ? error.code : undefined
    if (code === 171 || code === 85 || code === 2) return undefined
    throw error
  }
}

function sorted(ids: unknown[]): unknown[] {
  return ids.sort()
}

await t.test(
  'bounds that exclude each other say nothing of what the index leaves out',
  async (t) => {
    const room = new ReadingRoom(openMemoryStore(systemClock))
    await room.index([{ a: 1 }, { partialFilterExpression: { b: 1 } }])
    await room.insert({ _id: 1, a: [1, 0] }, { _id: 2, a: 1, b: 1 })
    const a = { $gte: 1, $lt: 1 }
    t.same(await room.ids({ filter: { a } }), [1])
    t.same(await room.ids({ filter: { a, b: 1 } }), [])
    t.same(await room.ids({ filter: { $or: [{ a }, { _id: 2 }] } }), [1, 2])
  },
)
