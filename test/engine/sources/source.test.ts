// Whatever the plan, the answer is the same: every index against the walk of the whole collection,
// on random documents, filters and sorts; and what may happen between two pulls.

import { Double, Long, ObjectId } from 'bson'
import fc from 'fast-check'
import t from 'tap'
import { type Clock, systemClock } from '../../../src/base/clock.js'
import {
  dropNamespace,
  findNamespace,
  saveNamespace,
} from '../../../src/engine/collection/catalog/catalog.js'
import { IndexUse } from '../../../src/engine/index/index-use.js'
import { openFind } from '../../../src/engine/sources/source.js'
import { compileFilter } from '../../../src/query/filter.js'
import { compileSort } from '../../../src/query/sort.js'
import { openMemoryStore } from '../../../src/store/memory.js'
import { documentFrom } from '../../../src/value/literal.js'
import { toObject } from '../../support/literal.js'
import {
  type Answer,
  compiled,
  context,
  type PlainQuery,
  ReadingRoom,
} from '../../support/reading.js'
import { runs } from '../../support/runs.js'
import { eachStore } from '../../support/stores.js'

type Plain = Record<string, unknown>

const number = fc.integer({ min: 0, max: 4 })

const scalar = fc.oneof(
  { weight: 14, arbitrary: number },
  { weight: 1, arbitrary: fc.constantFrom(new Double(1.5), Long.fromNumber(2), new Double(NaN)) },
  { weight: 3, arbitrary: fc.constantFrom('', 'a', 'ab', 'abc', 'b', 'é', 'a\u0000') },
  { weight: 2, arbitrary: fc.constant(null) },
  { weight: 1, arbitrary: fc.boolean() },
  { weight: 1, arbitrary: fc.constantFrom(new Date(0), new ObjectId('000000000000000000000001')) },
)

const few = { maxLength: 3, size: 'max' } as const

const inner = fc.oneof(
  { weight: 6, arbitrary: scalar },
  { weight: 1, arbitrary: fc.record({ b: scalar }, { requiredKeys: [] }) },
  { weight: 2, arbitrary: fc.array(scalar, few) },
)

const object = fc.record({ b: inner, c: inner, 0: inner }, { requiredKeys: [] })

const value = fc.oneof(
  { weight: 6, arbitrary: scalar },
  { weight: 4, arbitrary: fc.array(inner, few) },
  { weight: 4, arbitrary: fc.array(object, few) },
  { weight: 2, arbitrary: object },
)

const document = fc.record(
  { a: value, b: value, c: scalar, d: scalar },
  { requiredKeys: ['a', 'c'] },
)

const path = fc.oneof(
  { weight: 3, arbitrary: fc.constantFrom('a', 'a.b', 'a.c', 'c') },
  { weight: 1, arbitrary: fc.constantFrom('b', 'd', 'a.0', 'a.0.b', 'b.b', '_id') },
)

const operand = fc.oneof(
  { weight: 6, arbitrary: scalar },
  { weight: 1, arbitrary: fc.array(scalar, { maxLength: 2 }) },
  { weight: 1, arbitrary: fc.record({ b: scalar }) },
)

const comparisons = ['$eq', '$gt', '$gte', '$lt', '$lte', '$ne'] as const

const pattern = fc.constantFrom('^a', '^ab', 'b', '^')

const operators: fc.Arbitrary<Plain> = fc.oneof(
  { weight: 3, arbitrary: fc.tuple(fc.constantFrom(...comparisons), operand).map(pairOf) },
  { weight: 3, arbitrary: fc.record({ $gte: number, $lt: number }) },
  { weight: 1, arbitrary: fc.record({ $gt: scalar, $lte: scalar }) },
  {
    weight: 2,
    arbitrary: fc.record({ $in: fc.array(fc.oneof(operand, fc.constant(/^a/)), few) }),
  },
  { weight: 1, arbitrary: fc.record({ $exists: fc.boolean() }) },
  { weight: 1, arbitrary: fc.record({ $all: fc.array(scalar, { ...few, minLength: 1 }) }) },
  { weight: 1, arbitrary: fc.record({ $elemMatch: fc.record({ $gte: scalar, $lte: scalar }) }) },
  {
    weight: 2,
    arbitrary: fc.record({
      $elemMatch: fc.record({ b: scalar, c: scalar }, { requiredKeys: ['b'] }),
    }),
  },
  { weight: 1, arbitrary: fc.record({ $elemMatch: fc.record({ 0: scalar }) }) },
  { weight: 1, arbitrary: fc.record({ $not: fc.record({ $gt: scalar }) }) },
  { weight: 1, arbitrary: fc.record({ $regex: pattern }) },
)

function pairOf([name, wanted]: readonly [string, unknown]): Plain {
  return { [name]: wanted }
}

const condition: fc.Arbitrary<Plain> = fc.tuple(path, fc.oneof(operand, operators)).map(pairOf)

const conditions = (minLength: number): fc.Arbitrary<Plain[]> =>
  fc.array(condition, { ...few, minLength })

function all(some: readonly Plain[]): Plain {
  return some.length === 0 ? {} : { $and: some }
}

const filter: fc.Arbitrary<Plain> = fc.oneof(
  {
    weight: 1,
    arbitrary: fc
      .tuple(path, fc.oneof(number, fc.constant(null)))
      .map(([name, wanted]) => ({ $expr: { $eq: [`$${name}`, wanted] } })),
  },
  { weight: 6, arbitrary: conditions(0).map(all) },
  { weight: 2, arbitrary: conditions(1).map((some) => ({ $or: some })) },
  {
    weight: 2,
    arbitrary: fc
      .tuple(condition, conditions(1))
      .map(([one, some]) => ({ $and: [one, { $or: some }] })),
  },
  { weight: 1, arbitrary: conditions(1).map((some) => ({ $nor: some })) },
)

const direction = fc.constantFrom(1, -1)

const sort = fc.option(
  fc
    .uniqueArray(fc.tuple(path, direction), {
      minLength: 1,
      maxLength: 2,
      selector: ([name]) => name,
    })
    .map((parts) => Object.fromEntries(parts) as Plain),
  { nil: undefined },
)

const keys: readonly Plain[] = [
  { a: 1 },
  { a: -1, c: 1 },
  { c: 1, b: -1 },
  { 'a.b': 1 },
  { 'a.b': 1, 'a.c': 1 },
  { 'a.0': 1 },
  { d: 1, c: -1, a: 1 },
]

function isRefused(query: PlainQuery): boolean {
  try {
    compileFilter(documentFrom(query.filter ?? {}), context)
    if (query.sort !== undefined) compileSort(documentFrom(query.sort))
    return false
  } catch {
    return true
  }
}

await t.test('every index gives what the whole collection gives, in the same order', async (t) => {
  const property = fc.asyncProperty(
    fc.array(document, { minLength: 10, maxLength: 30, size: 'max' }),
    fc.array(fc.tuple(filter, sort), { minLength: 40, maxLength: 40 }),
    fc.subarray([...keys], { minLength: 1, maxLength: 3 }),
    fc.integer({ min: 1, max: 9 }),
    async (documents, queries, indexes, batch) => {
      const store = openMemoryStore(systemClock)
      const room = new ReadingRoom(store)
      await room.create()
      for (const key of indexes) await room.index([key])
      for (const [i, fields] of documents.entries()) {
        // Parallel arrays are refused by a compound index.
        await room.insert({ _id: i, ...fields }).catch(() => {})
      }
      for (const [wanted, order] of queries) {
        await compareAll(room, { filter: wanted, ...(order && { sort: order }) }, indexes, batch)
      }
      await store.close()
    },
  )
  await fc.assert(property, { numRuns: runs(60) })
  t.pass()
})

async function compareAll(
  room: ReadingRoom,
  query: PlainQuery,
  indexes: readonly Plain[],
  batch: number,
): Promise<void> {
  if (isRefused(query)) return
  const expected = await attempt(() => room.ask({ ...query, hint: { $natural: 1 } }, batch))
  for (const hint of [undefined, { _id: 1 }, ...indexes]) {
    const given = { ...query, hint }
    const found = await attempt(() => room.ask(given, batch))
    // A sort of parallel arrays is refused where it has to be made, not where an index has it.
    if (found === undefined || expected === undefined) continue
    const text = JSON.stringify(given)
    if (idsOf(found) !== idsOf(expected)) {
      throw new Error(`${text}: ${idsOf(found)} instead of ${idsOf(expected)}`)
    }
    if ((await room.count(given)) !== expected.documents.length) {
      throw new Error(`${text}: miscounted`)
    }
    if (query.sort !== undefined && orderOf(found, query.sort) !== orderOf(expected, query.sort)) {
      throw new Error(`${text}: another order`)
    }
  }
}

function idsOf(answer: Answer): string {
  const ids = answer.documents.map(({ _id }) => _id as number)
  return ids.sort((a, b) => a - b).join()
}

function orderOf(answer: Answer, spec: Plain): string {
  const order = compileSort(documentFrom(spec))
  const keysOf = answer.documents.map((one) => order.key(documentFrom(one)))
  return keysOf.map((key) => Buffer.from(key).toString('hex')).join()
}

async function attempt(body: () => Promise<Answer>): Promise<Answer | undefined> {
  try {
    return await body()
  } catch (error) {
    if ((error as { code?: number }).code === 2) return undefined
    throw error
  }
}

const numbered = (count: number, fields: (i: number) => Plain): Plain[] =>
  Array.from({ length: count }, (_, i) => ({ _id: i, ...fields(i) }))

await eachStore(
  t,
  'an index query examines what it returns and nothing else',
  async (t, { store }) => {
    const room = new ReadingRoom(store)
    await room.insert(...numbered(60, (i) => ({ a: i % 10, b: i })))
    await room.index([{ a: 1, b: 1 }])
    const point = await room.ask({ filter: { _id: 7 } })
    t.same(point.counters, { keysExamined: 1, docsExamined: 1, returned: 1 })
    const range = await room.ask({ filter: { _id: { $gte: 10, $lt: 20 } } }, 3)
    t.same(range.counters, { keysExamined: 10, docsExamined: 10, returned: 10 })
    const listed = await room.ask({ filter: { _id: { $in: [5, 1, 99, 3] } } })
    t.same(listed.counters, { keysExamined: 3, docsExamined: 3, returned: 3 })
    t.same(
      listed.documents.map(({ _id }) => _id),
      [1, 3, 5],
    )
    const equal = await room.ask({ filter: { a: 3 }, sort: { b: -1 } }, 2)
    t.same(
      equal.documents.map(({ b }) => b),
      [53, 43, 33, 23, 13, 3],
    )
    t.same(equal.counters, { keysExamined: 6, docsExamined: 6, returned: 6 })
    const both = await room.ask({ filter: { a: { $in: [3, 4] }, b: { $gt: 30 } } })
    t.same(both.counters, { keysExamined: 6, docsExamined: 6, returned: 6 })
    const limited = await room.ask({ sort: { a: 1, b: 1 }, limit: 4, skip: 1 })
    t.same(limited.counters, { keysExamined: 5, docsExamined: 5, returned: 4 })
  },
)

await eachStore(
  t,
  'counts come from the counter, from entries, or from documents',
  async (t, { store }) => {
    const room = new ReadingRoom(store)
    await room.insert(...numbered(50, (i) => ({ a: i % 5, b: i % 3, c: [i, i + 1] })))
    await room.index([{ a: 1 }], [{ c: 1 }])
    t.equal(await room.count({}), 50)
    t.equal(await room.count({ filter: { a: 2 } }), 10)
    t.equal(await room.count({ filter: { a: 2 }, skip: 3 }), 7)
    t.equal(await room.count({ filter: { a: 2 }, skip: 3, limit: 5 }), 5)
    t.equal(await room.count({ filter: { a: 2 }, skip: 30 }), 0)
    t.equal(await room.count({ filter: { a: 2, b: 0 } }), 3)
    t.equal(
      await room.count({ filter: { c: { $gte: 10, $lte: 12 } } }),
      4,
      'once for each document',
    )
    t.equal(await room.count({ filter: { $or: [{ a: 1 }, { c: 4 }] } }), 12)
  },
)

await eachStore(
  t,
  'a document with an array comes once, at its first key in bounds',
  async (t, { store }) => {
    const room = new ReadingRoom(store)
    await room.insert({ _id: 1, a: [5, 1, 9] }, { _id: 2, a: 4 }, { _id: 3, a: [2, 6] })
    await room.index([{ a: 1 }])
    t.same(await room.ids({ filter: { a: { $gte: 2 } } }, 1), [3, 2, 1])
    t.same(await room.ids({ sort: { a: 1 } }, 1), [1, 3, 2])
    t.same(await room.ids({ sort: { a: -1 } }, 1), [1, 3, 2])
    t.same(await room.ids({ filter: { a: { $gt: 0 } }, hint: { a: 1 } }, 2), [1, 3, 2])
  },
)

await eachStore(
  t,
  'a cursor goes on from its place under inserts and deletes',
  async (t, { store }) => {
    for (const query of [{ hint: { $natural: 1 } }, { sort: { a: 1 } }, { sort: { a: -1 } }]) {
      const room = new ReadingRoom(store, 'main', `c${JSON.stringify(query).length}`)
      await room.insert(...numbered(20, (i) => ({ a: i })))
      await room.index([{ a: 1 }])
      const source = await room.open(query)
      const isDown = query.sort?.a === -1
      const seen: number[] = []
      const take = async (want: number): Promise<void> => {
        const documents = await room.pull(source, want)
        seen.push(...documents.map((one) => toObject(one)._id as number))
      }
      await take(5)
      const last = seen.at(-1) ?? 0
      await room.remove(last)
      await room.remove(isDown ? last - 2 : last + 2)
      await room.insert({ _id: 100, a: isDown ? 100 : -1 }, { _id: 4.5, a: isDown ? 4.5 : 4.25 })
      while (!source.drained) await take(4)
      const step = isDown ? -1 : 1
      const kept = Array.from({ length: 20 }, (_, i) => (isDown ? 19 - i : i))
      const wanted = kept.filter((id) => id !== last + 2 * step)
      const behind = query.hint !== undefined ? [100] : []
      const between = [4.5]
      t.same(
        [...seen].sort((a, b) => a - b),
        [...wanted, ...between, ...behind].sort((a, b) => a - b),
        JSON.stringify(query),
      )
    }
  },
)

await eachStore(
  t,
  'a resumed read of what has been dropped fails with 175',
  async (t, { store }) => {
    const room = new ReadingRoom(store)
    await room.insert(...numbered(30, (i) => ({ a: i })))
    await room.index([{ a: 1 }])
    const byIndex = await room.open({ sort: { a: 1 } })
    const natural = await room.open({})
    await room.pull(byIndex, 3)
    await room.pull(natural, 3)
    await store.write(function* (tx) {
      const ns = yield* findNamespace(tx, 'main', 'things')
      if (ns !== undefined) saveNamespace(tx, { ...ns, indexes: [] })
    })
    await t.rejects(room.pull(byIndex, 3), { code: 175, message: /index 'a_1' dropped/ })
    t.equal((await room.pull(natural, 3)).length, 3, 'another index going is no matter')
    await store.write(function* (tx) {
      const ns = yield* findNamespace(tx, 'main', 'things')
      if (ns !== undefined) yield* dropNamespace(tx, ns)
    })
    await t.rejects(room.pull(natural, 3), { code: 175, message: /collection dropped/ })
    await room.insert({ _id: 1 })
    await t.rejects(room.pull(natural, 3), { code: 175 }, 'the name is another collection now')
  },
)

await eachStore(
  t,
  'an index that meets its first array between two batches still gives each document once',
  async (t, { store }) => {
    const room = new ReadingRoom(store)
    await room.insert(...numbered(10, (i) => ({ a: i })))
    await room.index([{ a: 1 }])
    const source = await room.open({ filter: { a: { $gte: 0 } } })
    t.equal((await room.pull(source, 3)).length, 3)
    await room.replace({ _id: 7, a: [5.5, 7, 8.5] })
    const rest: unknown[] = []
    while (!source.drained) {
      rest.push(...(await room.pull(source, 2)).map((one) => toObject(one)._id))
    }
    t.same(rest, [3, 4, 5, 7, 6, 8, 9])
  },
)

await eachStore(
  t,
  'the first documents of a batch are few bytes, of a sort too',
  async (t, { store }) => {
    const room = new ReadingRoom(store)
    await room.insert(...numbered(40, (i) => ({ a: -i, b: 'x'.repeat(10_000) })))
    for (const query of [{}, { sort: { a: 1 } }]) {
      const source = await room.open(query)
      const first = await store.read((tx) => source.pull(tx, 500, 50_000))
      t.ok(first.length <= 8, `${JSON.stringify(query)}: ${first.length} documents of 10,000 bytes`)
      t.equal(source.bytesBuffered, 0, 'what a batch that waits would hold uncounted')
      t.equal(first.length + (await room.pull(source, 500)).length, 40)
    }
  },
)

await eachStore(t, 'skip, limit, sort and projection hold across batches', async (t, { store }) => {
  const room = new ReadingRoom(store)
  await room.insert(...numbered(40, (i) => ({ a: (i * 7) % 40, b: 'x' })))
  const query = { sort: { a: -1 }, skip: 5, limit: 12, projection: { a: 1, _id: 0 } }
  const { documents, counters } = await room.ask(query, 5)
  t.same(
    documents,
    Array.from({ length: 12 }, (_, i) => ({ a: 34 - i })),
  )
  t.same(counters, { keysExamined: 0, docsExamined: 40, returned: 12 })
  t.same((await room.ask({ sort: { a: 1 }, skip: 39 })).documents.length, 1)
  t.same((await room.ask({ skip: 100 })).documents, [])
  t.same(
    (await room.ask({ sort: { $natural: -1 }, limit: 2 })).documents.map(({ _id }) => _id),
    [39, 38],
  )
})

await eachStore(
  t,
  'long values are found in an index that keeps only their prefixes',
  async (t, { store }) => {
    const room = new ReadingRoom(store)
    const long = 'x'.repeat(2_000)
    await room.insert({ _id: 1, a: `${long}a` }, { _id: 2, a: `${long}b` }, { _id: 3, a: 'x' })
    await room.index([{ a: 1 }])
    t.same(await room.ids({ filter: { a: `${long}b` } }), [2])
    t.same(await room.ids({ filter: { a: { $gt: `${long}a` } } }), [2])
    t.same(await room.ids({ filter: { a: { $lte: `${long}a` } }, sort: { _id: 1 } }), [1, 3])
    t.same(await room.ids({ sort: { a: 1 } }), [3, 1, 2])
    t.equal(await room.count({ filter: { a: `${long}b` } }), 1)
  },
)

await eachStore(t, 'long ids are told apart by the stored one', async (t, { store }) => {
  const room = new ReadingRoom(store)
  const long = 'x'.repeat(2_000)
  await room.insert({ _id: `${long}a` }, { _id: `${long}b` }, { _id: 'y' })
  t.same(await room.ids({ filter: { _id: `${long}b` } }), [`${long}b`])
  t.same(await room.ids({ filter: { _id: { $gt: `${long}a` } } }), [`${long}b`, 'y'])
  t.same(await room.ids({ filter: { _id: { $in: [`${long}c`, `${long}a`] } } }), [`${long}a`])
})

await eachStore(t, 'documents above the inline limit are read whole', async (t, { store }) => {
  const room = new ReadingRoom(store)
  const text = 'y'.repeat(700_000)
  await room.insert({ _id: 1, text, a: 1 }, { _id: 2, a: 2 })
  await room.index([{ a: 1 }])
  const { documents } = await room.ask({ sort: { a: 1 } }, 1)
  t.same(
    documents.map(({ _id }) => _id),
    [1, 2],
  )
  t.equal(documents[0]?.text, text)
})

/** Time that moves whenever it is looked at, so that every budget runs out. */
class BusyClock implements Clock {
  private ms = 0

  now(): number {
    return 1_700_000_000_000
  }

  elapsed(): number {
    this.ms += 1
    return this.ms
  }
}

await eachStore(
  t,
  'a query that takes long lets others in between',
  async (t, { store }) => {
    const room = new ReadingRoom(store)
    for (let from = 0; from < 2_000; from += 500) {
      await room.insert(
        ...numbered(500, (i) => ({ a: i % 7, b: i })).map((one) => ({
          ...one,
          _id: from + (one._id as number),
        })),
      )
    }
    await room.index([{ a: 1 }])
    const long: readonly PlainQuery[] = [
      { filter: { c: 1 } },
      { sort: { c: 1, b: -1 } },
      { filter: { a: { $gte: 0 }, c: 1 } },
      { skip: 1_990 },
    ]
    for (const query of long) {
      const order: string[] = []
      await Promise.all([
        room.ask(query).then(() => order.push('long')),
        room.ask({ filter: { _id: 3 } }).then(() => order.push('short')),
      ])
      t.same(order, ['short', 'long'], JSON.stringify(query))
    }
    const order: string[] = []
    await Promise.all([
      room.count({ filter: { a: { $gte: 0 } } }).then(() => order.push('long')),
      room.ask({ filter: { _id: 3 } }).then(() => order.push('short')),
    ])
    t.same(order, ['short', 'long'], 'a count of index entries')
    const count = room.count({ filter: { a: { $gte: 0 } } })
    await room.replace({ _id: 1_999, a: [6, 7, 8] })
    t.equal(await count, 2_000, 'an entry no longer stands for a document')
  },
  // The late store answers in an order of its own.
  { clock: new BusyClock(), kinds: ['memory', 'lmdb'] },
)

await eachStore(t, 'uses of an index are counted, those of _id_ too', async (t, { store }) => {
  const room = new ReadingRoom(store)
  await room.insert({ _id: 1, a: 1 })
  await room.index([{ a: 1 }])
  const ns = await room.get()
  const use = new IndexUse(5)
  const ask = (query: PlainQuery) => openFind(ns, { ...compiled(query), use })
  for (const filter of [{ a: 1 }, { a: 2 }, { _id: 1 }, { b: 1 }]) ask({ filter })
  const [index] = ns.indexes
  t.equal(index && use.operations(index), 2)
  t.equal(use.operations(ns), 1)
})
