// The order in which stages are run: what moves where, as explain would show it, and on generated
// documents and pipelines that the results are those of the stages as they were written.

import fc from 'fast-check'
import t from 'tap'
import { systemClock } from '../../src/base/clock.js'
import { openPipeline } from '../../src/engine/sources/pipeline-source.js'
import { compilePipeline } from '../../src/query/pipeline.js'
import { withLimits } from '../../src/query/pipeline-order.js'
import { openMemoryStore } from '../../src/store/memory.js'
import { valueFrom } from '../../src/value/literal.js'
import { writeDocument } from '../../src/value/writer.js'
import { environment } from '../support/aggregating.js'
import { toObject } from '../support/literal.js'
import { context, ReadingRoom } from '../support/reading.js'
import { runs } from '../support/runs.js'

type Plain = Readonly<Record<string, unknown>>

/** The stages of a pipeline in the order in which they run. */
function ordered(...pipeline: readonly Plain[]): unknown[] {
  return compilePipeline(valueFrom(pipeline), context).map((plan) => {
    const shown = toObject(writeDocument((out) => out.value(plan.name, plan.spec)))
    return plan.kind === 'sort' && plan.limit !== undefined
      ? { ...shown, limit: plan.limit }
      : shown
  })
}

t.test('conditions move to the source as far as they may', async (t) => {
  const match = { $match: { a: { $eq: 1 } } }
  const group = { $group: { _id: '$x', n: { $sum: 1 } } }
  const cases: readonly (readonly [string, readonly Plain[], readonly Plain[]])[] = [
    ['before $sort', [{ $sort: { a: 1 } }, match], [match, { $sort: { a: 1 } }]],
    ['before $addFields', [{ $addFields: { b: 1 } }, match], [match, { $addFields: { b: 1 } }]],
    ['not before what sets the field', [{ $set: { a: 1 } }, match], [{ $set: { a: 1 } }, match]],
    ['nor a field below', [{ $set: { 'a.b': 1 } }, match], [{ $set: { 'a.b': 1 } }, match]],
    [
      'before a $project that keeps it',
      [{ $project: { a: 1, c: '$d' } }, match],
      [match, { $project: { a: 1, c: '$d' } }],
    ],
    ['not one that drops it', [{ $project: { b: 1 } }, match], [{ $project: { b: 1 } }, match]],
    [
      'before an exclusion of others',
      [{ $project: { b: 0 } }, match],
      [match, { $project: { b: 0 } }],
    ],
    [
      'before $unset of others',
      [{ $unset: ['b', 'c.d'] }, match],
      [match, { $unset: ['b', 'c.d'] }],
    ],
    ['before $unwind of another', [{ $unwind: '$b' }, match], [match, { $unwind: '$b' }]],
    ['not of its own', [{ $unwind: '$a.b' }, match], [{ $unwind: '$a.b' }, match]],
    [
      'before $group by what its _id is of',
      [group, { $match: { _id: { $gt: 1 } } }],
      [{ $match: { x: { $gt: 1 } } }, group],
    ],
    [
      'under the name that it had',
      [{ $project: { c: '$a' } }, { $match: { 'c.d': { $gt: 1 } } }],
      [{ $match: { 'a.d': { $gt: 1 } } }, { $project: { c: '$a' } }],
    ],
    [
      'in part',
      [{ $unwind: '$b' }, { $match: { a: { $eq: 1 }, b: { $eq: 2 } } }],
      [match, { $unwind: '$b' }, { $match: { b: { $eq: 2 } } }],
    ],
    ['not before $limit', [{ $limit: 3 }, match], [{ $limit: 3 }, match]],
    [
      'not before $replaceRoot',
      [{ $replaceRoot: { newRoot: '$a' } }, match],
      [{ $replaceRoot: { newRoot: '$a' } }, match],
    ],
  ]
  for (const [name, given, wanted] of cases) t.same(ordered(...given), wanted, name)
})

t.test('a group by a field that may be missing keeps conditions that see it', async (t) => {
  const group = { $group: { _id: '$x' } }
  for (const condition of [{ $exists: true }, { $type: 'null' }, { $gte: null }, { $regex: 'a' }]) {
    const [first] = ordered(group, { $match: { _id: condition } })
    t.same(first, group, JSON.stringify(condition))
  }
})

t.test('limits and skips go before stages that make one of each', async (t) => {
  t.same(ordered({ $project: { a: 1 } }, { $limit: 3 }), [{ $limit: 3 }, { $project: { a: 1 } }])
  t.same(ordered({ $skip: 2 }, { $limit: 3 }), [{ $limit: 5 }, { $skip: 2 }])
  t.same(ordered({ $limit: 9 }, { $limit: 3 }), [{ $limit: 3 }])
  t.same(ordered({ $skip: 2 }, { $set: { a: 1 } }, { $skip: 3 }), [
    { $skip: 5 },
    { $set: { a: 1 } },
  ])
  t.same(ordered({ $unwind: '$a' }, { $limit: 3 }), [{ $unwind: '$a' }, { $limit: 3 }])
  t.same(ordered({ $sort: { a: 1 } }, { $set: { b: 1 } }, { $skip: 2 }, { $limit: 3 }), [
    { $sort: { a: 1 }, limit: 5 },
    { $limit: 5 },
    { $skip: 2 },
    { $set: { b: 1 } },
  ])
})

t.test('an $unwind of what a join brings is part of the join', async (t) => {
  const join = { from: 'o', localField: 'a', foreignField: 'a', as: 'in' }
  t.same(ordered({ $lookup: join }, { $unwind: '$in' }, { $match: { b: { $eq: 1 } } }), [
    { $match: { b: { $eq: 1 } } },
    { $lookup: { ...join, unwinding: { path: '$in' } } },
  ])
  t.same(ordered({ $lookup: join }, { $unwind: '$a' }).length, 2)
})

const scalar = fc.constantFrom<unknown>(0, 1, 2, 3, 1.5, null, 'a', 'b', true)
const value = fc.oneof(
  { weight: 5, arbitrary: scalar },
  fc.array(scalar, { maxLength: 3 }),
  fc.record({ x: scalar, y: scalar }, { requiredKeys: [] }),
  fc.array(fc.record({ x: scalar }, { requiredKeys: [] }), { maxLength: 2 }),
)
const fields = { a: value, b: value, c: value }
const bodies = fc.array(fc.record(fields, { requiredKeys: [] }), { maxLength: 12 })

const name = fc.constantFrom('a', 'b', 'c', '_id')
const path = fc.constantFrom('a', 'b', 'c', '_id', 'a.x', 'b.x', 'c.y', '_id.k', 'in', 'in.a', 'i')
const condition = fc.oneof(
  scalar,
  fc.record({ $gt: scalar }),
  fc.record({ $lte: scalar }),
  fc.record({ $ne: scalar }),
  fc.record({ $in: fc.array(scalar, { maxLength: 3 }) }),
  fc.record({ $exists: fc.boolean() }),
  fc.record({ $not: fc.record({ $gte: scalar }) }),
  fc.record({ $type: fc.constantFrom('null', 'array', 'number') }),
  fc.record({ $elemMatch: fc.record({ x: scalar }) }),
  fc.record({ $size: fc.constantFrom(0, 1) }),
)
const simple = fc.dictionary(path, condition, { minKeys: 1, maxKeys: 2 })
const match = fc.oneof(
  { weight: 4, arbitrary: simple },
  fc.record({ $or: fc.array(simple, { minLength: 1, maxLength: 2 }) }),
  fc.record({ $nor: fc.array(simple, { minLength: 1, maxLength: 2 }) }),
  fc.record({ $expr: fc.record({ $eq: fc.tuple(fc.constant('$a'), scalar) }) }),
)
const expression = fc.constantFrom<unknown>('$a', '$b.x', '$in', 7, { $type: '$c' }, '$$ROOT', {
  $ifNull: ['$a', '$_id'],
})
const setPath = fc.constantFrom('a', 'b', 'a.x', 'd', 'in')
const direction = fc.constantFrom(1, -1)
const lookup = { from: 'others', localField: 'a', foreignField: 'a', as: 'in' }
const stage = fc.oneof<fc.Arbitrary<Plain>[]>(
  fc.record({ $match: match }),
  fc.record({ $match: match }),
  fc.record({ $match: match }),
  fc.record({ $sort: fc.dictionary(name, direction, { minKeys: 1, maxKeys: 1 }) }),
  fc.record({ $limit: fc.integer({ min: 1, max: 6 }) }),
  fc.record({ $skip: fc.integer({ min: 0, max: 3 }) }),
  fc.record({ $addFields: fc.dictionary(setPath, expression, { minKeys: 1, maxKeys: 1 }) }),
  fc.record({ $unset: fc.uniqueArray(name, { minLength: 1, maxLength: 2 }) }),
  fc.constantFrom<Plain>(
    { $project: { a: 1 } },
    { $project: { a: 1, _id: 0, d: '$b' } },
    { $project: { b: 0 } },
    { $project: { 'a.x': 1, b: 1 } },
    { $project: { _id: 0 } },
    { $project: { a: '$b', b: '$a' } },
    { $addFields: { a: '$b', d: '$a', _id: '$_id' } },
    { $unwind: '$a' },
    { $unwind: { path: '$b', preserveNullAndEmptyArrays: true, includeArrayIndex: 'i' } },
    { $unwind: '$in' },
    { $unwind: { path: '$in', preserveNullAndEmptyArrays: true, includeArrayIndex: 'i' } },
    { $lookup: lookup },
    { $lookup: lookup },
    { $group: { _id: '$a', n: { $sum: 1 }, f: { $first: '$_id' } } },
    { $group: { _id: { k: '$b' }, a: { $last: '$a' } } },
    { $sortByCount: '$a' },
    { $replaceRoot: { newRoot: { a: '$b', b: '$a', _id: '$_id' } } },
    {
      $graphLookup: {
        from: 'others',
        startWith: '$a',
        connectFromField: 'b',
        connectToField: 'a',
        as: 'in',
      },
    },
  ),
)
const pipelines = fc.array(stage, { minLength: 1, maxLength: 6 })

t.test('the order changes no result', async (t) => {
  const store = openMemoryStore(systemClock)
  const others = new ReadingRoom(store, 'main', 'others')
  await others.insert(
    { _id: 100, a: 1, b: 2 },
    { _id: 101, a: 1, b: [0, 3] },
    { _id: 102, a: 2, b: 'a' },
    { _id: 103, a: null },
    { _id: 104, a: ['a', 3], b: 1 },
  )
  let made = 0
  let changed = 0
  await fc.assert(
    fc.asyncProperty(bodies, pipelines, async (given, pipeline) => {
      const room = new ReadingRoom(store, 'main', `things${made++}`)
      if (given.length > 0) await room.insert(...given.map((body, _id) => ({ _id, ...body })))
      // No index: by one, a condition that has moved brings documents in another order.
      const spec = valueFrom(pipeline)
      const written = compilePipeline(spec, context, { order: withLimits })
      const moved = compilePipeline(spec, context)
      if (written.map((one) => one.name).join() !== moved.map((one) => one.name).join()) changed++
      const run = async (stages: typeof moved) => {
        const source = openPipeline(await room.find(), stages, environment)
        const found: unknown[] = []
        while (!source.drained) found.push(...(await room.pull(source, 2)).map(toObject))
        return found
      }
      const wanted = await run(written).catch(() => undefined)
      if (wanted === undefined) return
      const found = await run(moved)
      if (JSON.stringify(found) === JSON.stringify(wanted)) return
      throw new Error(`${JSON.stringify(found)} instead of ${JSON.stringify(wanted)}`)
    }),
    { numRuns: runs(1_500) },
  )
  t.ok(changed > made / 5, `${changed} of ${made} pipelines were reordered`)
  await store.close()
})
