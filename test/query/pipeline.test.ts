import t from 'tap'
import { pipelineStagesMax } from '../../src/base/limits/documents.js'
import {
  compilePipeline,
  pipelineCollections,
  runPipeline,
  type StagePlan,
} from '../../src/query/pipeline.js'
import { Chain } from '../../src/query/stages/chain.js'
import { documentFrom, valueFrom } from '../../src/value/literal.js'
import { shellText } from '../../src/value/shell.js'
import { documentValue } from '../../src/value/value.js'
import { writeArray, writeDocument } from '../../src/value/writer.js'
import { context, refused } from './expressions/expression-table.js'
import { plansOf, run, table } from './stages/stage-table.js'

t.test('a pipeline is an array of objects with one known stage each', async (t) => {
  table(
    t,
    [],
    [
      [[1], refused(14, "Each element of the 'pipeline' array must be an object")],
      [
        [{}],
        refused(40323, 'A pipeline stage specification object must contain exactly one field.'),
      ],
      [[{ $match: {}, $limit: 1 }], refused(40323)],
      [[{ $x: 1 }], refused(40324, "Unrecognized pipeline stage name: '$x'")],
      [[{ match: {} }], refused(40324)],
      [
        [{ $match: {} }, { $collStats: {} }],
        refused(40602, '$collStats is only valid as the first stage in a pipeline.'),
      ],
      [[{ $match: {} }, { $indexStats: {} }], refused(40602)],
      [[{ $match: {} }, { $currentOp: {} }], refused(40602)],
      [[{ $collStats: 1 }], refused(5447000)],
      [[{ $indexStats: { a: 1 } }], refused(28803)],
      [Array.from({ length: pipelineStagesMax + 1 }, () => ({ $match: {} })), refused(7749501)],
    ],
  )
  t.throws(() => compilePipeline(valueFrom({}), context), { code: 14 })
})

t.test('plans tell what the engine can take over', async (t) => {
  const kinds = (pipeline: unknown[]): string[] => plansOf(pipeline).map((plan) => plan.kind)
  t.same(kinds([{ $match: {} }, { $sort: { a: 1 } }, { $skip: 1 }, { $limit: 2 }]), [
    'match',
    'sort',
    'limit',
    'skip',
  ])
  t.same(kinds([{ $collStats: { count: {} } }, { $project: { a: 1 } }]), ['collStats', 'transform'])
  t.same(kinds([{ $sortByCount: '$a' }]), ['transform', 'sort'])
  t.same(kinds([{ $documents: [{ a: 1 }] }]), ['documents'])
})

t.test('a sort takes the limit after it, and what is skipped between them', async (t) => {
  const limits = (pipeline: unknown[]): unknown[] =>
    plansOf(pipeline).flatMap((plan) => (plan.kind === 'sort' ? [plan.limit] : []))
  t.same(limits([{ $sort: { a: 1 } }, { $limit: 5 }]), [5])
  t.same(limits([{ $sort: { a: 1 } }, { $skip: 2 }, { $limit: 5 }]), [7])
  t.same(limits([{ $sort: { a: 1 } }, { $match: {} }, { $limit: 5 }]), [5])
  t.same(limits([{ $sort: { a: 1 } }, { $unwind: '$a' }, { $limit: 5 }]), [undefined])
})

t.test('$documents must be given objects', async (t) => {
  const [plan] = plansOf([{ $documents: [{ a: { $add: [1, 2] } }] }])
  if (plan?.kind !== 'documents') throw new Error('a plan of documents')
  t.same(
    plan.documents.map((d) => shellText(documentValue(d))),
    ['{ a: 3 }'],
  )
  table(
    t,
    [],
    [
      [[{ $documents: 1 }], refused(5858203)],
      [[{ $documents: [1] }], refused(40228)],
    ],
  )
})

t.test('the chain stops taking documents once a limit is reached', async (t) => {
  const plans = plansOf([{ $addFields: { x: 1 } }, { $limit: 2 }, { $project: { _id: 1 } }])
  let taken = 0
  const source = function* () {
    for (let _id = 0; _id < 100; _id++) {
      taken++
      yield documentFrom({ _id })
    }
  }
  t.equal(runPipeline(plans, source()).length, 2)
  t.equal(taken, 3)
})

t.test('a limit inside a long unwind ends it', async (t) => {
  const list = Array.from({ length: 100_000 }, (_, i) => i)
  const plans = plansOf([{ $unwind: '$list' }, { $limit: 3 }, { $group: { _id: '$list' } }])
  const out: Uint8Array[] = []
  const chain = new Chain(
    plans.map((plan) => {
      if (!('create' in plan)) throw new Error('pure stages only')
      return plan.create()
    }),
    (document) => out.push(document),
  )
  chain.push(documentFrom({ list }))
  t.ok(chain.satisfied)
  chain.end()
  let steps = 0
  while (chain.step()) steps++
  t.equal(out.length, 3)
  t.ok(steps < 10, `${steps} steps`)
})

t.test('stages run in order over all documents', async (t) => {
  const documents = Array.from({ length: 10 }, (_, i) => ({ _id: i, k: i % 3, tags: ['a', 'b'] }))
  t.same(
    run(
      [
        { $match: { _id: { $gte: 2 } } },
        { $unwind: '$tags' },
        { $group: { _id: { k: '$k', tag: '$tags' }, n: { $sum: 1 } } },
        { $sort: { n: -1, _id: 1 } },
        { $limit: 2 },
        { $project: { _id: 0, k: '$_id.k', tag: '$_id.tag', n: 1 } },
      ],
      documents,
    ),
    ['{ n: 3, k: 0, tag: "a" }', '{ n: 3, k: 0, tag: "b" }'],
  )
})

function lookupOf(spec: object): Extract<StagePlan, { kind: 'lookup' }> {
  const [plan] = plansOf([{ $lookup: spec }])
  if (plan?.kind !== 'lookup') throw new Error('a plan of a lookup')
  return plan
}

t.test('$lookup asks for the foreign documents that a document names', async (t) => {
  const plan = lookupOf({ from: 'c', as: 'x.y', localField: 'a.b', foreignField: 'k' })
  const filter = (document: Record<string, unknown>): string =>
    shellText(documentValue(plan.foreignFilter(documentFrom(document))))
  t.equal(plan.from, 'c')
  t.equal(filter({ a: { b: 1 } }), '{ k: { $eq: 1 } }')
  t.equal(filter({ a: { b: [1, 2] } }), '{ k: { $in: [ 1, 2 ] } }')
  t.equal(filter({ a: [{ b: 1 }, { b: [2, 3] }, {}] }), '{ k: { $in: [ 1, 2, 3 ] } }')
  t.equal(filter({}), '{ k: { $eq: null } }')
  t.equal(filter({ a: { b: null } }), '{ k: { $eq: null } }')
  t.equal(filter({ a: { b: [1, /x/] } }), '{ $or: [ { k: { $eq: 1 } }, { k: { $eq: /x/ } } ] }')
  const matches = writeArray([documentValue(documentFrom({ k: 1 }))])
  const joined = plan.joined(documentFrom({ _id: 1, x: { z: 1 } }), matches)
  t.equal(shellText(documentValue(joined)), '{ _id: 1, x: { z: 1, y: [ { k: 1 } ] } }')
  t.same(plan.pipelineFor(documentFrom({})), [])
})

t.test('the pipeline of a $lookup sees its variables', async (t) => {
  const plan = lookupOf({
    from: 'c',
    as: 'x',
    let: { v: '$a', none: '$nope' },
    pipeline: [
      { $match: { $expr: { $eq: ['$k', '$$v'] } } },
      { $project: { k: 1, n: { $type: '$$none' } } },
    ],
  })
  const foreign = [documentFrom({ _id: 1, k: 1 }), documentFrom({ _id: 2, k: 2 })]
  const found = (a: number): string[] =>
    runPipeline(plan.pipelineFor(documentFrom({ a })), foreign).map((d) =>
      shellText(documentValue(d)),
    )
  t.same(found(2), ['{ _id: 2, k: 2, n: "missing" }'])
  t.same(found(1), ['{ _id: 1, k: 1, n: "missing" }'])
  t.same(found(3), [])
  const nested = lookupOf({
    from: 'c',
    as: 'x',
    let: { none: '$nope' },
    pipeline: [{ $lookup: { from: 'd', as: 'y', let: { v: '$$none' }, pipeline: [] } }],
  })
  t.equal(nested.pipelineFor(documentFrom({})).length, 1)
})

t.test('equalities with variables narrow the foreign documents for an index', async (t) => {
  const lookup = (expression: unknown, extra: object = {}) =>
    lookupOf({
      from: 'c',
      as: 'x',
      let: { v: '$a', w: '$b' },
      pipeline: [{ $match: { $expr: expression } }],
      ...extra,
    })
  const filter = (plan: ReturnType<typeof lookupOf>, document: Record<string, unknown>): string =>
    shellText(documentValue(plan.foreignFilter(documentFrom(document))))
  const equal = { $eq: ['$k', '$$v'] }
  t.equal(filter(lookup(equal), { a: 1 }), '{ k: { $eq: 1 } }')
  t.equal(filter(lookup({ $eq: ['$$v.x', '$k.l'] }), { a: { x: 2 } }), '{ k.l: { $eq: 2 } }')
  t.equal(filter(lookup(equal), {}), '{ k: { $eq: null } }')
  t.equal(filter(lookup(equal), { a: [1] }), '{}')
  t.equal(filter(lookup({ $gt: ['$k', '$$v'] }), { a: 1 }), '{}')
  t.equal(filter(lookup({ $or: [equal] }), { a: 1 }), '{}')
  t.equal(
    filter(lookup({ $and: [equal, { $eq: ['$m', '$$w'] }, { $lt: ['$k', 5] }] }), { a: 1, b: 2 }),
    '{ $and: [ { k: { $eq: 1 } }, { m: { $eq: 2 } } ] }',
  )
  t.equal(
    filter(lookup(equal, { localField: 'b', foreignField: 'm' }), { a: 1, b: 2 }),
    '{ $and: [ { m: { $eq: 2 } }, { k: { $eq: 1 } } ] }',
  )
})

t.test('a pipeline without variables is compiled once', async (t) => {
  const plan = lookupOf({ from: 'c', as: 'x', pipeline: [{ $limit: 1 }] })
  t.equal(plan.pipelineFor(documentFrom({})), plan.pipelineFor(documentFrom({ a: 1 })))
})

t.test('$lookup refuses what is incomplete', async (t) => {
  const both = { localField: 'a', foreignField: 'b' }
  table(
    t,
    [],
    [
      [[{ $lookup: 1 }], refused(9)],
      [[{ $lookup: { from: 'c', ...both } }], refused(9, "must specify 'as' field for a $lookup")],
      [[{ $lookup: { as: 'c', ...both } }], refused(9)],
      [[{ $lookup: { from: 1, as: 'c', ...both } }], refused(9)],
      [[{ $lookup: { from: 'c', as: 'x', localField: 'a' } }], refused(9)],
      [[{ $lookup: { from: 'c', as: 'x' } }], refused(9)],
      [[{ $lookup: { from: 'c', as: 'x', ...both, z: 1 } }], refused(9)],
      [[{ $lookup: { from: 'c', as: 'x', ...both, let: { a: 1 } } }], refused(9)],
      [[{ $lookup: { from: 'c', as: 'x', pipeline: 1 } }], refused(14)],
      [[{ $lookup: { from: 'c', as: 'x', pipeline: [{ $x: 1 }] } }], refused(40324)],
      [[{ $lookup: { from: 'c', as: '$x', ...both } }], refused(16410)],
      [
        [{ $lookup: { from: 'c', as: 'x', pipeline: [{ $match: { $expr: '$$v' } }] } }],
        refused(17276),
      ],
    ],
  )
})

t.test('pipelines nest to a bound', async (t) => {
  let pipeline: unknown[] = []
  for (let i = 0; i < 21; i++) pipeline = [{ $lookup: { from: 'c', as: 'x', pipeline } }]
  t.throws(() => plansOf(pipeline), { code: 232 })
})

t.test('the collections of a pipeline are found wherever they are named', async (t) => {
  const pipeline = [
    { $lookup: { from: 'a', as: 'x', pipeline: [{ $unionWith: { coll: 'b', pipeline: [] } }] } },
    { $unionWith: 'c' },
    { $facet: { one: [{ $graphLookup: { from: 'd' } }] } },
    { $merge: { into: { db: 'other', coll: 'e' } } },
    { $out: 'f' },
    { $out: { db: 'other', coll: 'g', timeseries: { timeField: 'at' } } },
  ]
  t.same(pipelineCollections(valueFrom(pipeline)), [
    { name: 'a', privilege: 'read' },
    { name: 'b', privilege: 'read' },
    { name: 'c', privilege: 'read' },
    { name: 'd', privilege: 'read' },
    { db: 'other', name: 'e', privilege: 'write' },
    { name: 'f', privilege: 'write' },
    { db: 'other', name: 'g', privilege: 'write', isRuled: true },
  ])
  t.same(pipelineCollections(valueFrom(5)), [])
})

t.test('of a field that is given twice the last one names the collection', async (t) => {
  const stages = { $merge: 'into', $lookup: 'from', $graphLookup: 'from', $unionWith: 'coll' }
  for (const [stage, field] of Object.entries(stages)) {
    const spec = writeDocument((out) => out.double(field, Number.NaN).string(field, 'm'))
    const whole = documentValue(writeDocument((out) => out.document(stage, spec)))
    t.same(
      pipelineCollections(writeArray([whole])).map(({ name }) => name),
      ['m'],
      stage,
    )
  }
})

t.test('facets of one name are all looked into', async (t) => {
  const facets = writeDocument((out) => {
    for (const name of ['a', 'b']) out.value('same', valueFrom([{ $unionWith: name }]))
  })
  const pipeline = writeArray([
    documentValue(writeDocument((out) => out.document('$facet', facets))),
  ])
  t.same(
    pipelineCollections(pipeline).map(({ name }) => name),
    ['a', 'b'],
  )
})
