// Covered queries: the answers are those of the records, and records are read only where entries do
// not tell a value's type.

import { BSONSymbol, ObjectId } from 'bson'
import fc from 'fast-check'
import t from 'tap'
import { systemClock } from '../../../src/base/clock.js'
import { checkStore } from '../../../src/engine/check/check.js'
import { openMemoryStore } from '../../../src/store/memory.js'
import { type PlainQuery, ReadingRoom } from '../../support/reading.js'
import { runs } from '../../support/runs.js'
import { eachStore } from '../../support/stores.js'

type Plain = Readonly<Record<string, unknown>>

const id = (n: number): ObjectId => new ObjectId(n.toString(16).padStart(24, '0'))

await eachStore(t, 'text, ids, dates and truths need no record', async (t, { store }) => {
  const room = new ReadingRoom(store)
  await room.index([{ s: 1 }], [{ d: -1, s: 1, b: 1 }])
  const documents = Array.from({ length: 150 }, (_, n) => ({
    ...{ _id: id(n), long: 'x'.repeat(100), b: n % 2 === 0 },
    ...{ s: `s${String(n).padStart(3, '0')}`, d: new Date(1_000 * (n % 3)) },
  }))
  await room.insert(...documents)
  const filter = { s: { $gte: 's100' } }
  const one = await room.ask({ filter, projection: { s: 1 } }, 7)
  t.same(
    one.documents,
    documents.slice(100).map(({ _id, s }) => ({ _id, s })),
  )
  t.same(one.counters, { keysExamined: 50, docsExamined: 0, returned: 50 })
  const compound = await room.ask({
    filter: { d: new Date(1_000) },
    sort: { s: -1 },
    limit: 2,
    projection: { b: true, d: 1, _id: 0 },
  })
  t.same(compound.documents, [
    { d: new Date(1_000), b: true },
    { d: new Date(1_000), b: false },
  ])
  t.equal(compound.counters.docsExamined, 0)
  t.same(await room.ask({ filter: { s: 's007' }, projection: { _id: 1 } }), {
    documents: [{ _id: id(7) }],
    counters: { keysExamined: 1, docsExamined: 0, returned: 1 },
  })
})

await t.test('what an entry does not tell is asked of its record', async (t) => {
  const room = new ReadingRoom(openMemoryStore(systemClock))
  await room.create()
  await room.index([{ a: 1 }])
  await room.insert(
    ...[
      { _id: id(1), a: 'x' },
      { _id: id(2), a: 'y' },
      { _id: id(3), a: 'z' },
    ],
    ...[{ _id: id(4) }, { _id: id(5), a: 1 }, { _id: 6, a: 'w' }],
  )
  const query: PlainQuery = { sort: { a: 1 }, projection: { a: 1 } }
  const { documents, counters } = await room.ask(query)
  t.same(documents, [
    { _id: id(4) },
    { _id: id(5), a: 1 },
    { _id: 6, a: 'w' },
    { _id: id(1), a: 'x' },
    { _id: id(2), a: 'y' },
    { _id: id(3), a: 'z' },
  ])
  t.equal(counters.docsExamined, 3)
})

await t.test('which queries are covered', async (t) => {
  const room = new ReadingRoom(openMemoryStore(systemClock))
  await room.create()
  await room.index([{ a: 1, b: 1 }], [{ 'c.d': 1 }], [{ m: 1 }], [{ long: 1 }], [{ sym: 1 }])
  await room.insert(
    { _id: id(1), a: 'x', b: 'y', c: { d: 'z' }, m: 's', long: 'l', sym: 's' },
    { _id: id(2), m: ['s'], long: 'l'.repeat(2_000), sym: new BSONSymbol('t') },
  )
  const cases: readonly (readonly [filter: Plain, projection: Plain, isCovered: boolean])[] = [
    [{ a: 'x' }, { a: 1, b: 1, _id: 0 }, true],
    [{ a: 'x', b: 'y' }, { b: 1 }, true],
    [{ a: 'x' }, { a: 1, other: 1 }, false],
    [{ a: 'x' }, { a: 0 }, false],
    [{ a: 'x' }, {}, false],
    [{ a: 'x' }, { a: '$b' }, false],
    [{ a: 'x' }, { 'a.b': 1 }, false],
    [{ a: 'x', z: null }, { a: 1 }, false],
    [{ 'c.d': 'z' }, { 'c.d': 1 }, false],
    [{ m: 's' }, { m: 1 }, false],
    [{ long: 'l' }, { long: 1 }, false],
    [{ sym: 's' }, { sym: 1 }, false],
  ]
  for (const [filter, projection, isCovered] of cases) {
    const { counters, documents } = await room.ask({ filter, projection })
    t.equal(counters.docsExamined === 0, isCovered, JSON.stringify([filter, projection]))
    const natural = await room.ask({ filter, projection, hint: { $natural: 1 } })
    t.same(documents, natural.documents)
  }
  t.same(await checkStore(room.store), [])
})

await eachStore(t, 'an index that gets arrays meanwhile covers no more', async (t, { store }) => {
  const room = new ReadingRoom(store)
  await room.index([{ a: 1 }])
  await room.insert(...Array.from({ length: 20 }, (_, n) => ({ _id: id(n), a: `a${n + 10}` })))
  const source = await room.open({ filter: { a: { $gte: 'a' } }, projection: { a: 1 } })
  t.equal((await room.pull(source, 5)).length, 5)
  await room.insert({ _id: id(99), a: ['a00', 'a99'] })
  let rest = 0
  while (!source.drained) rest += (await room.pull(source, 5)).length
  t.equal(rest, 15, 'the new document has its place behind the cursor')
  t.ok(source.counters.docsExamined > 0)
})

const scalar = fc.constantFrom<unknown>(null, 'x', 'y', '', true, id(7), new Date(5), 3, -1.5, {})
const body = fc.record({ a: scalar, b: scalar, c: scalar }, { requiredKeys: [] })
const _id = fc.oneof(fc.nat(50).map(id), fc.nat(50), fc.nat(50).map(String))
const condition = fc.oneof(scalar, fc.record({ $gte: fc.constantFrom('', 'x', true) }))
const filter = fc.record({ a: condition, b: condition }, { requiredKeys: [] })
const flag = fc.constantFrom(1, true)
const projection = fc.oneof(
  fc.record({ a: flag, _id: fc.constantFrom(0, 1) }, { requiredKeys: ['a'] }),
  fc.record({ a: flag, b: flag, _id: fc.constantFrom(0, 1) }, { requiredKeys: ['a', 'b'] }),
  fc.constant({ _id: 1 }),
)

await t.test('a covered answer is the record’s', async (t) => {
  await fc.assert(
    fc.asyncProperty(
      fc.uniqueArray(fc.tuple(_id, body), { maxLength: 40, selector: ([one]) => String(one) }),
      fc.array(fc.tuple(filter, projection, fc.nat(6)), { minLength: 5, maxLength: 9 }),
      async (entries, queries) => {
        const room = new ReadingRoom(openMemoryStore(systemClock))
        await room.create()
        await room.index([{ a: 1 }], [{ b: -1, a: -1 }], [{ a: -1, b: 1, c: 1 }])
        if (entries.length > 0) await room.insert(...entries.map(([_id, one]) => ({ _id, ...one })))
        for (const [filter, projection, batch] of queries) {
          const query = { filter, projection }
          const found = await room.ask(query, batch + 1)
          const all = await room.ask({ ...query, hint: { $natural: 1 } })
          if (textOf(found.documents) === textOf(all.documents)) continue
          throw new Error(`differs: ${JSON.stringify(query)}`)
        }
      },
    ),
    { numRuns: runs(100) },
  )
  t.pass('all are the same')
})

/** Documents without their order, fields without theirs. */
function textOf(documents: readonly Plain[]): string {
  const one = (document: Plain): string =>
    JSON.stringify(Object.entries(document).sort(([a], [b]) => (a < b ? -1 : 1)))
  return documents.map(one).sort().join('\n')
}
