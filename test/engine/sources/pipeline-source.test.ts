// Pipelines over a collection: what the find in front of them takes over, joins, counts, and stages
// that make documents. The same pipeline run without the engine is the model.

import fc from 'fast-check'
import t from 'tap'
import { systemClock } from '../../../src/base/clock.js'
import { dropNamespace, findNamespace } from '../../../src/engine/collection/catalog/catalog.js'
import {
  openPipeline,
  type PipelineEnvironment,
} from '../../../src/engine/sources/pipeline-source.js'
import { compilePipeline, runPipeline } from '../../../src/query/pipeline.js'
import { openMemoryStore } from '../../../src/store/memory.js'
import { documentFrom, valueFrom } from '../../../src/value/literal.js'
import { aggregate, environment, results } from '../../support/aggregating.js'
import { toObject } from '../../support/literal.js'
import { context, ReadingRoom } from '../../support/reading.js'
import { runs } from '../../support/runs.js'
import { eachStore } from '../../support/stores.js'

type Plain = Readonly<Record<string, unknown>>

await eachStore(
  t,
  'leading stages are done by the find, by index where there is one',
  async (t, { store }) => {
    const room = new ReadingRoom(store)
    await room.insert(...Array.from({ length: 40 }, (_, i) => ({ _id: i, a: i % 4, b: i })))
    await room.index([{ a: 1, b: 1 }])
    const { documents, counters } = await aggregate(room, [
      { $match: { a: 1 } },
      { $sort: { b: -1 } },
      { $match: { b: { $lt: 30 } } },
      { $skip: 1 },
      { $limit: 3 },
      { $project: { b: 1, _id: 0 } },
    ])
    t.same(documents, [{ b: 25 }, { b: 21 }, { b: 17 }])
    t.same(counters, { keysExamined: 4, docsExamined: 4, returned: 3 })
  },
)

await eachStore(t, 'a skip after a limit takes from it, down to nothing', async (t, { store }) => {
  const room = new ReadingRoom(store)
  await room.insert(...Array.from({ length: 9 }, (_, i) => ({ _id: i })))
  const ids = async (...pipeline: readonly Plain[]) =>
    (await results(room, ...pipeline)).map(({ _id }) => _id)
  t.same(await ids({ $limit: 5 }, { $skip: 3 }), [3, 4])
  t.same(await ids({ $limit: 5 }, { $skip: 3 }, { $limit: 1 }), [3])
  t.same(await ids({ $skip: 2 }, { $limit: 4 }, { $match: { _id: { $gt: 3 } } }), [4, 5])
  t.same(await ids({ $limit: 2 }, { $skip: 2 }), [])
  t.same(await ids({ $limit: 3 }, { $sort: { _id: -1 } }), [2, 1, 0])
  t.same(await ids({ $sort: { _id: -1 } }, { $limit: 3 }, { $sort: { _id: 1 } }), [6, 7, 8])
})

await eachStore(t, 'counting stages count without looking at documents', async (t, { store }) => {
  const room = new ReadingRoom(store)
  await room.insert(...Array.from({ length: 30 }, (_, i) => ({ _id: i, a: i % 3 })))
  await room.index([{ a: 1 }])
  const driver = { $group: { _id: 1, n: { $sum: 1 } } }
  t.same(await aggregate(room, [{ $match: { a: 1 } }, driver]), {
    documents: [{ _id: 1, n: 10 }],
    counters: { keysExamined: 0, docsExamined: 0, returned: 1 },
  })
  t.same(await results(room, driver), [{ _id: 1, n: 30 }])
  t.same(await results(room, { $match: { a: 1 } }, { $skip: 4 }, { $limit: 3 }, driver), [
    { _id: 1, n: 3 },
  ])
  t.same(await results(room, { $match: { a: 7 } }, driver), [])
  t.same(await results(room, { $match: { a: 2 } }, { $count: 'n' }), [{ n: 10 }])
  t.same(await results(room, { $limit: 2 }, { $skip: 2 }, { $count: 'n' }), [])
  t.same(await results(room, { $group: { _id: '$a', n: { $sum: 1 } } }, { $sort: { _id: 1 } }), [
    { _id: 0, n: 10 },
    { _id: 1, n: 10 },
    { _id: 2, n: 10 },
  ])
})

await eachStore(
  t,
  'a join reads the other collection by its index, once for equal questions',
  async (t, { store }) => {
    const room = new ReadingRoom(store)
    const cities = new ReadingRoom(store, 'main', 'cities')
    await room.insert(...Array.from({ length: 12 }, (_, i) => ({ _id: i, city: i % 3 })), {
      _id: 12,
    })
    await cities.insert(...Array.from({ length: 50 }, (_, i) => ({ _id: 100 + i, code: i })), {
      _id: 99,
    })
    await cities.index([{ code: 1 }])
    const join = { $lookup: { from: 'cities', localField: 'city', foreignField: 'code', as: 'in' } }
    const { documents, counters } = await aggregate(room, [join], {}, 20)
    t.same(documents[4], { _id: 4, city: 1, in: [{ _id: 101, code: 1 }] })
    t.same(documents[12], { _id: 12, in: [{ _id: 99 }] }, 'missing joins missing')
    t.equal(counters.docsExamined, 13 + 3 + 1)
    const nested = {
      $lookup: {
        from: 'cities',
        let: { c: '$city' },
        pipeline: [
          { $match: { $expr: { $eq: ['$code', '$$c'] } } },
          { $project: { _id: 0, twice: { $multiply: ['$code', 2] } } },
        ],
        as: 'in',
      },
    }
    t.same((await results(room, { $match: { _id: 5 } }, nested))[0], {
      _id: 5,
      city: 2,
      in: [{ twice: 4 }],
    })
    const missing = {
      $lookup: { from: 'nowhere', localField: 'city', foreignField: 'x', as: 'in' },
    }
    t.same((await results(room, { $limit: 1 }, missing))[0], { _id: 0, city: 0, in: [] })
    const both = [{ $match: { _id: { $lt: 2 } } }, join, { $unwind: '$in' }, { $count: 'n' }]
    t.same(await results(room, ...both), [{ n: 2 }])
  },
)

await eachStore(
  t,
  'stages that make documents come first and are asked of the process',
  async (t, { store }) => {
    const room = new ReadingRoom(store)
    t.same(await results(room, { $documents: [{ a: 2 }, { a: 1 }] }, { $sort: { a: 1 } }), [
      { a: 1 },
      { a: 2 },
    ])
    const providers: PipelineEnvironment['providers'] = {
      *currentOp() {
        return [1, 2, 3, 4].map((op) => documentFrom({ op }))
      },
    }
    const asked = await aggregate(room, [{ $currentOp: {} }, { $match: { op: { $gt: 1 } } }], {
      providers,
    })
    t.same(asked.documents, [{ op: 2 }, { op: 3 }, { op: 4 }])
    await t.rejects(results(room, { $currentOp: {} }), { code: 238 })
    t.same(await results(room, { $match: { a: 1 } }), [], 'a missing collection is empty')
    t.same(await results(room, { $count: 'n' }), [])
  },
)

await eachStore(
  t,
  'a pipeline over a dropped collection fails with 175 at its next batch',
  async (t, { store }) => {
    const room = new ReadingRoom(store)
    await room.insert(...Array.from({ length: 2_000 }, (_, i) => ({ _id: i })))
    const stages = compilePipeline(valueFrom([{ $set: { a: 1 } }]), context)
    const source = openPipeline(await room.find(), stages, environment)
    t.equal((await room.pull(source, 3)).length, 3)
    await store.write(function* (tx) {
      const ns = yield* findNamespace(tx, 'main', 'things')
      if (ns !== undefined) yield* dropNamespace(tx, ns)
    })
    await t.rejects(room.pull(source, 3), { code: 175 })
  },
)

await t.test('a pipeline gives what it gives without the engine', async (t) => {
  const small = fc.integer({ min: 0, max: 4 })
  const documents = fc.array(fc.record({ a: small, b: fc.array(small, { maxLength: 3 }) }), {
    maxLength: 30,
  })
  const stage = fc.oneof(
    fc.record({ $match: fc.record({ a: fc.record({ $gte: small }) }) }),
    fc.record({ $match: fc.record({ b: small }) }),
    fc.constantFrom({ $sort: { a: 1, _id: -1 } }, { $sort: { b: -1, _id: 1 } }),
    fc.record({ $limit: fc.integer({ min: 1, max: 20 }) }),
    fc.record({ $skip: small }),
    fc.constant({ $unwind: '$b' }),
    fc.constant({
      $set: { a: { $size: { $ifNull: [{ $cond: [{ $isArray: '$b' }, '$b', []] }, []] } } },
    }),
    fc.constant({ $group: { _id: '$a', n: { $sum: 1 }, b: { $first: '$b' } } }),
    fc.constant({ $count: 'a' }),
  )
  const pipelines = fc.array(fc.array(stage, { maxLength: 6, size: 'max' }), {
    minLength: 8,
    maxLength: 8,
  })
  const property = fc.asyncProperty(
    documents,
    pipelines,
    fc.boolean(),
    fc.integer({ min: 1, max: 7 }),
    async (given, all, isIndexed, batch) => {
      const store = openMemoryStore(systemClock)
      const room = new ReadingRoom(store)
      await room.create()
      const numbered = given.map((fields, i) => ({ _id: i, ...fields }))
      if (numbered.length > 0) await room.insert(...numbered)
      if (isIndexed) await room.index([{ a: 1 }], [{ b: 1 }])
      for (const pipeline of all) {
        const plans = compilePipeline(valueFrom(pipeline), context)
        const model = runPipeline(
          plans,
          numbered.map((one) => documentFrom(one)),
        ).map(toObject)
        const hint = valueFrom({ $natural: 1 })
        const found = (await aggregate(room, pipeline, { hint }, batch)).documents
        const text = `${JSON.stringify(pipeline)}: ${JSON.stringify(found)}`
        if (JSON.stringify(found) !== JSON.stringify(model)) throw new Error(text)
        // By an index the documents come in another order, which these stages show.
        if (/\$(?:skip|limit|group)/.test(JSON.stringify(pipeline))) continue
        const planned = (await aggregate(room, pipeline, {}, batch)).documents
        if (multiset(planned) !== multiset(model)) throw new Error(`planned ${text}`)
      }
      await store.close()
    },
  )
  await fc.assert(property, { numRuns: runs(60) })
  t.pass()
})

function multiset(documents: readonly unknown[]): string {
  return documents
    .map((one) => JSON.stringify(one))
    .sort()
    .join()
}

await eachStore(
  t,
  'a pipeline that looks at no more than an index holds reads no documents',
  async (t, { store }) => {
    const room = new ReadingRoom(store)
    await room.insert(
      ...Array.from({ length: 30 }, (_, i) => ({ _id: i, a: 'xyz'[i % 3], b: `${i}`, t: 1 })),
    )
    await room.index([{ a: 1, b: 1 }])
    const match = { $match: { a: { $gte: 'y' } } }
    const group = { $group: { _id: '$a', n: { $first: '$b' } } }
    const covered = await aggregate(room, [match, { $addFields: { c: 1 } }, group])
    t.same(covered, {
      documents: [
        { _id: 'y', n: '1' },
        { _id: 'z', n: '11' },
      ],
      counters: { keysExamined: 20, docsExamined: 0, returned: 2 },
    })
    const other = { $group: { _id: '$a', n: { $first: '$t' } } }
    t.equal((await aggregate(room, [match, other])).counters.docsExamined, 20)
    const whole = { $group: { _id: '$a', n: { $push: '$$ROOT' } } }
    t.equal((await aggregate(room, [match, whole])).counters.docsExamined, 20)
  },
)

await eachStore(t, 'a join whose field is unwound makes no array of it', async (t, { store }) => {
  const room = new ReadingRoom(store)
  const others = new ReadingRoom(store, 'main', 'others')
  await room.insert({ _id: 1, a: 1 }, { _id: 2, a: 2, in: 'old' }, { _id: 3, a: 3 })
  await others.insert({ _id: 10, a: 1 }, { _id: 11, a: 1 }, { _id: 12, a: 3 })
  const join = { $lookup: { from: 'others', localField: 'a', foreignField: 'a', as: 'in' } }
  t.same(await results(room, join, { $unwind: '$in' }), [
    { _id: 1, a: 1, in: { _id: 10, a: 1 } },
    { _id: 1, a: 1, in: { _id: 11, a: 1 } },
    { _id: 3, a: 3, in: { _id: 12, a: 3 } },
  ])
  const options = { preserveNullAndEmptyArrays: true, includeArrayIndex: 'i' }
  const kept = await results(room, join, { $unwind: { path: '$in', ...options } })
  t.same(
    kept.map(({ _id, i, in: one }) => [_id, i === null ? null : Number(i), one]),
    [
      [1, 0, { _id: 10, a: 1 }],
      [1, 1, { _id: 11, a: 1 }],
      [2, null, undefined],
      [3, 0, { _id: 12, a: 3 }],
    ],
  )
})
