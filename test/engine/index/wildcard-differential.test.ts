// Queries with wildcard indexes and without any: over random documents and filters both find the
// same, in the order that was asked for, and count the same; and every entry is where it belongs.

import fc from 'fast-check'
import t from 'tap'
import { systemClock } from '../../../src/base/clock.js'
import { checkStore } from '../../../src/engine/check/check.js'
import type { Plan } from '../../../src/engine/plan/plan.js'
import { openMemoryStore } from '../../../src/store/memory.js'
import { type PlainQuery, ReadingRoom } from '../../support/reading.js'
import { runs } from '../../support/runs.js'
import { openStore } from '../../support/stores.js'

type Plain = Readonly<Record<string, unknown>>

const names = ['a', 'b', '0'] as const
const scalar = fc.oneof(
  { weight: 4, arbitrary: fc.integer({ min: 0, max: 3 }) },
  fc.constantFrom<unknown>(null, 'x', 'xy', true, 1.5, new Date(5)),
)
const { value } = fc.letrec<{ value: unknown; object: Plain }>((tie) => ({
  object: fc.dictionary(fc.constantFrom(...names), tie('value'), { maxKeys: 3 }),
  value: fc.oneof(
    { depthSize: 'small' },
    scalar,
    scalar,
    tie('object'),
    fc.array(tie('value'), { maxLength: 3 }),
  ),
}))
const body = fc.dictionary(fc.constantFrom(...names, 'c'), value, { maxKeys: 3 })

const path = fc.constantFrom(
  'a',
  'b',
  'c',
  'a.b',
  'a.a',
  'b.a',
  'a.0',
  'a.0.b',
  'a.b.a',
  'c.b',
  '0',
)
const operand = fc.oneof(scalar, fc.constantFrom<unknown>({}, [], [1], { b: 1 }, [[1]]))
const condition: fc.Arbitrary<unknown> = fc.oneof(
  { weight: 3, arbitrary: operand },
  fc.record({ $gt: operand }),
  fc.record({ $gte: operand, $lt: operand }),
  fc.record({ $lte: operand }),
  fc.record({ $in: fc.array(operand, { maxLength: 3 }) }),
  fc.record({ $ne: operand }),
  fc.record({ $nin: fc.array(operand, { maxLength: 2 }) }),
  fc.record({ $exists: fc.boolean() }),
  fc.record({ $exists: fc.constant(true), $lt: operand }),
  fc.record({ $not: fc.record({ $gt: operand }) }),
  fc.record({ $regex: fc.constantFrom('^x', 'y', '^xy') }),
  fc.record({ $elemMatch: fc.record({ $gte: operand, $lt: operand }) }),
  fc.record({ $elemMatch: fc.record({ b: operand }) }),
  fc.record({ $type: fc.constantFrom('number', 'string', 'object', 'array', 'null') }),
  fc.record({ $size: fc.integer({ min: 0, max: 2 }) }),
  fc.record({ $all: fc.array(operand, { minLength: 1, maxLength: 2 }) }),
)
const single = fc.tuple(path, condition).map(([at, one]): Plain => ({ [at]: one }))
const filter: fc.Arbitrary<Plain> = fc.oneof(
  { weight: 4, arbitrary: single },
  fc.tuple(single, single).map(([one, other]) => ({ ...one, ...other })),
  fc.array(single, { minLength: 1, maxLength: 3 }).map(($or) => ({ $or })),
  fc.tuple(single, single).map(([one, other]) => ({ $nor: [one], ...other })),
)
const sort = fc.option(
  fc.tuple(path, fc.constantFrom(1, -1)).map(([at, way]) => ({ [at]: way })),
  { nil: undefined },
)

type Spec = readonly [key: Plain, options?: Plain]
const indexes: readonly Spec[] = [
  [{ '$**': 1 }],
  [{ '$**': -1 }],
  [{ 'a.$**': 1 }],
  [{ 'a.b.$**': 1 }],
  [{ '$**': 1 }, { wildcardProjection: { a: 1, 'c.b': 1 } }],
  [{ '$**': 1 }, { wildcardProjection: { 'a.b': 0, _id: 1 } }],
  [{ '$**': 1 }, { partialFilterExpression: { b: { $gte: 1 } } }],
  [{ c: 1, 'a.$**': 1 }],
  [{ 'a.$**': -1, b: -1 }],
  [{ b: 1, '$**': 1, c: -1 }, { wildcardProjection: { b: 0, c: 0 } }],
]

function usesWildcard(plan: Plan): boolean {
  return plan.accesses.some((one) => one.kind === 'entries' && one.index.wildcard !== undefined)
}

async function compare(one: ReadingRoom, other: ReadingRoom, query: PlainQuery): Promise<void> {
  const natural = { ...query, hint: { $natural: 1 } }
  const sorted = (ids: unknown[]) => [...ids].sort((a, b) => Number(a) - Number(b))
  const found = await one.ids(query, 2)
  const wanted = await other.ids(natural)
  const same = JSON.stringify(sorted(found)) === JSON.stringify(sorted(wanted))
  if (!same) throw new Error(`${JSON.stringify(query)}: ${found} instead of ${wanted}`)
  const { sort: order, ...counted } = query
  if ((await one.count(counted)) !== wanted.length) throw new Error('the count is another')
  if (order === undefined) return
  const byId = { ...query, sort: { ...order, _id: 1 } }
  const ordered = JSON.stringify(await one.ids(byId))
  const right = JSON.stringify(await other.ids({ ...byId, hint: { $natural: 1 } }))
  if (ordered !== right) throw new Error(`${JSON.stringify(byId)}: ${ordered}, not ${right}`)
}

for (const [kind, count] of [
  ['memory', 1_000],
  ['lmdb', 200],
  ['late', 200],
] as const) {
  await t.test(`queries find the same with a wildcard index (${kind})`, async (t) => {
    const store = await openStore(t, kind)
    let number = 0
    let served = 0
    await fc.assert(
      fc.asyncProperty(
        fc.array(body, { minLength: 1, maxLength: 12 }),
        fc.array(body, { maxLength: 3 }),
        fc.constantFrom(...indexes),
        fc.array(fc.tuple(filter, sort), { minLength: 1, maxLength: 8 }),
        async (bodies, later, spec, queries) => {
          const indexed = new ReadingRoom(store, 'main', `c${number++}`)
          const plain = new ReadingRoom(openMemoryStore(systemClock))
          const parallel = await insertAll(indexed, plain, bodies, spec)
          if (parallel) return
          for (const [i, one] of later.entries()) {
            const document = { ...one, _id: i }
            try {
              await indexed.replace(document)
            } catch {
              continue
            }
            await plain.replace(document)
          }
          for (const [one, order] of queries) {
            const query = { filter: one, ...(order === undefined ? {} : { sort: order }) }
            if (usesWildcard(await indexed.plan(query))) served++
            await compare(indexed, plain, query)
          }
        },
      ),
      { numRuns: runs(count) },
    )
    t.ok(served > 20, `${served} queries were served by a wildcard index`)
    t.same(await checkStore(store), [])
  })
}

/** True where the fields beside `$**` have parallel arrays, which no index can hold. */
async function insertAll(
  indexed: ReadingRoom,
  plain: ReadingRoom,
  bodies: readonly Plain[],
  spec: Spec,
): Promise<boolean> {
  await indexed.create()
  await indexed.index(spec)
  const documents = bodies.map((one, _id) => ({ ...one, _id }))
  try {
    await indexed.insert(...documents)
  } catch (error) {
    if ((error as { code?: number }).code === 171) return true
    throw error
  }
  await plain.insert(...documents)
  return false
}
