// Whatever the plan, the answer is the same: every index against the walk of the whole collection,
// on random documents, filters and sorts; and what may happen between two pulls.

import { Double, Int32, Long, ObjectId } from 'bson'
import fc from 'fast-check'
import t from 'tap'
import { compileFilter } from '../../src/query/filter.js'
import { compileSort } from '../../src/query/sort.js'
import { documentFrom } from '../../src/value/literal.js'
import { context, type PlainQuery, ReadingRoom } from '../support/reading.js'
import { runs } from '../support/runs.js'
import { eachStore, openStore } from '../support/stores.js'

type Plain = Record<string, unknown>

const scalar = fc.oneof(
  { weight: 10, arbitrary: fc.integer({ min: 0, max: 4 }) },
  { weight: 1, arbitrary: fc.constantFrom(new Double(1.5), Long.fromNumber(2), new Double(NaN)) },
  { weight: 3, arbitrary: fc.constantFrom('', 'a', 'ab', 'abc', 'b', 'é', 'a\u0000') },
  { weight: 2, arbitrary: fc.constant(null) },
  { weight: 1, arbitrary: fc.boolean() },
  { weight: 1, arbitrary: fc.constantFrom(new Date(0), new ObjectId('000000000000000000000001')) },
)

const inner = fc.oneof(
  { weight: 6, arbitrary: scalar },
  { weight: 1, arbitrary: fc.record({ b: scalar }, { requiredKeys: [] }) },
  { weight: 1, arbitrary: fc.array(scalar, { maxLength: 2 }) },
)

const object = fc.record({ b: inner, c: inner, 0: inner }, { requiredKeys: [] })

const value = fc.oneof(
  { weight: 6, arbitrary: scalar },
  { weight: 4, arbitrary: fc.array(inner, { maxLength: 3, size: 'max' }) },
  { weight: 4, arbitrary: fc.array(object, { maxLength: 3, size: 'max' }) },
  { weight: 2, arbitrary: object },
)

const document = fc.record({ a: value, b: value, c: scalar, d: scalar }, { requiredKeys: [] })

const path = fc.constantFrom('a', 'b', 'c', 'd', 'a.b', 'a.c', 'a.0', 'a.0.b', 'b.b', '_id')

const operand = fc.oneof(scalar, fc.array(scalar, { maxLength: 2 }), fc.record({ b: scalar }))

const operators = fc.oneof(
  fc.record({ $eq: operand }),
  fc.record({ $gt: operand }),
  fc.record({ $gte: operand }),
  fc.record({ $lt: operand }),
  fc.record({ $lte: operand }),
  fc.record({ $gte: scalar, $lt: scalar }),
  fc.record({ $in: fc.array(fc.oneof(operand, fc.constant(/^a/)), { maxLength: 4 }) }),
  fc.record({ $exists: fc.boolean() }),
  fc.record({ $ne: operand }),
  fc.record({ $all: fc.array(scalar, { minLength: 1, maxLength: 2 }) }),
  fc.record({ $elemMatch: fc.record({ $gte: scalar, $lte: scalar }) }),
  fc.record({ $elemMatch: fc.record({ b: scalar, c: scalar }, { requiredKeys: ['b'] }) }),
  fc.record({ $elemMatch: fc.record({ 0: scalar }) }),
  fc.record({ $not: fc.record({ $gt: scalar }) }),
  fc.record({ $regex: fc.constantFrom('^a', '^ab', 'b', '^') }),
)

const condition: fc.Arbitrary<Plain> = fc.oneof(
  fc.tuple(path, operand).map(([name, wanted]) => ({ [name]: wanted })),
  fc.tuple(path, operators).map(([name, wanted]) => ({ [name]: wanted })),
)

const all = (conditions: readonly Plain[]): Plain =>
  conditions.length === 1
    ? { ...conditions[0] }
    : conditions.length === 0
      ? {}
      : { $and: conditions }

const filter: fc.Arbitrary<Plain> = fc.oneof(
  { weight: 5, arbitrary: fc.array(condition, { maxLength: 3, size: 'max' }).map(all) },
  {
    weight: 2,
    arbitrary: fc.array(condition, { minLength: 1, maxLength: 3 }).map((some) => ({ $or: some })),
  },
  {
    weight: 2,
    arbitrary: fc
      .tuple(condition, fc.array(condition, { minLength: 1, maxLength: 3 }))
      .map(([one, some]) => ({ $and: [one, { $or: some }] })),
  },
  {
    weight: 1,
    arbitrary: fc.array(condition, { minLength: 1, maxLength: 2 }).map((some) => ({ $nor: some })),
  },
)

const sort = fc.option(
  fc
    .uniqueArray(fc.tuple(path, fc.constantFrom(1, -1)), {
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

/** `{a: 1}` and `{a: {$gt: 1}}` differ from `{a: {$eq: [..]}}` in nothing that matters here. */
function isRefused(query: PlainQuery): boolean {
  try {
    compileFilter(documentFrom(query.filter ?? {}), context)
    if (query.sort !== undefined) compileSort(documentFrom(query.sort))
    return false
  } catch {
    return true
  }
}

/** Parallel arrays are refused by the index or by the sort, depending on the plan. */
async function filled(
  t: Test,
  kind: 'memory' | 'lmdb',
  documents: readonly Plain[],
  indexes: readonly Plain[],
) {
  const room = new ReadingRoom(await openStore(t, kind))
  await room.create()
  for (const key of indexes) await room.index([key])
  for (const [i, fields] of documents.entries()) {
    await room.insert({ _id: i, ...fields }).catch(() => {})
  }
  return room
}
type Test = Parameters<typeof openStore>[0]

await t.test('every index gives what the whole collection gives, in the same order', async (t) => {
  const property = fc.asyncProperty(
    fc.array(document, { minLength: 10, maxLength: 30, size: 'max' }),
    fc.array(fc.tuple(filter, sort), { minLength: 10, maxLength: 10 }),
    fc.subarray([...keys], { minLength: 1, maxLength: 3 }),
    fc.integer({ min: 1, max: 9 }),
    async (documents, queries, indexes, batch) => {
      const room = await filled(t, 'memory', documents, indexes)
      for (const [wanted, order] of queries) {
        await compareAll(room, { filter: wanted, ...(order && { sort: order }) }, indexes, batch)
      }
    },
  )
  await fc.assert(property, { numRuns: runs(150) })
})

async function compareAll(
  room: ReadingRoom,
  query: PlainQuery,
  indexes: readonly Plain[],
  batch: number,
): Promise<void> {
  if (isRefused(query)) return
  const plain = { ...query, hint: { $natural: 1 } }
  const expected = await attempt(() => room.ask(plain, batch))
  const hints = [undefined, { _id: 1 }, ...indexes]
  for (const hint of hints) {
    const given = { ...query, hint }
    const found = await attempt(() => room.ask(given, batch))
    // One plan may meet what another need not look at.
    if (typeof found === 'number' || typeof expected === 'number') continue
    const ids = (answer: typeof found) => answer.documents.map(({ _id }) => _id as number)
    const text = JSON.stringify(given)
    const sorted = [...ids(found)].sort((a, b) => a - b)
    const wanted = [...ids(expected)].sort((a, b) => a - b)
    if (JSON.stringify(sorted) !== JSON.stringify(wanted)) {
      throw new Error(`${text}: ${sorted} instead of ${wanted}`)
    }
    if ((await room.count(given)) !== wanted.length) throw new Error(`${text}: miscounted`)
    if (query.sort === undefined) continue
    const key = compileSort(documentFrom(query.sort))
    const order = (answer: typeof found) =>
      answer.documents.map((one) => Buffer.from(key.key(documentFrom(one))).toString('hex')).join()
    if (order(found) !== order(expected)) throw new Error(`${text}: another order`)
  }
}

async function attempt<T>(body: () => Promise<T>): Promise<T | number> {
  try {
    return await body()
  } catch (error) {
    const { code } = error as { code?: number }
    if (code === 2) return code
    throw error
  }
}

const int = (n: number) => new Int32(n)
void int
void eachStore
