import fc from 'fast-check'
import t from 'tap'
import { blockingBytesMax } from '../../../src/base/limits/documents.js'
import { stepDocumentsMax } from '../../../src/base/limits/engine.js'
import { isPure } from '../../../src/query/pipeline.js'
import { compareValues } from '../../../src/value/compare.js'
import { documentFrom, valueFrom } from '../../../src/value/literal.js'
import { runs } from '../../support/runs.js'
import { double, long, refused } from '../expressions/expression-table.js'
import { type Plain, plansOf, run, table } from './stage-table.js'

const documents = [
  { _id: 1, a: 3, b: { c: 1, d: 2 }, list: [1, 2] },
  { _id: 2, a: 1, b: { c: 5 }, list: [] },
  { _id: 3, a: 2, b: [{ c: 7, d: 8 }, 9], list: null },
  { _id: 4, list: 5 },
]

t.test('$match, $limit, $skip and $count let documents pass or count them', async (t) => {
  table(t, documents, [
    [
      [{ $match: { a: { $gt: 1 } } }, { $project: { _id: 1 } }],
      [{ _id: 1 }, { _id: 3 }],
    ],
    [[{ $match: { $expr: { $gt: ['$a', '$b.c'] } } }, { $project: { _id: 1 } }], [{ _id: 1 }]],
    [
      [{ $skip: 1 }, { $limit: 2 }, { $project: { _id: 1 } }],
      [{ _id: 2 }, { _id: 3 }],
    ],
    [[{ $skip: 0 }, { $limit: long(1) }, { $project: { _id: 1 } }], [{ _id: 1 }]],
    [[{ $skip: 9 }], []],
    [[{ $count: 'n' }], [{ n: 4 }]],
    [[{ $match: { a: 99 } }, { $count: 'n' }], []],
    [[{ $match: 1 }], refused(15959)],
    [[{ $limit: 0 }], refused(15958, 'the limit must be positive')],
    [[{ $limit: -1 }], refused(5107201)],
    [[{ $limit: 1.5 }], refused(5107201)],
    [[{ $limit: 'x' }], refused(5107201)],
    [[{ $skip: -1 }], refused(5107200)],
    [[{ $skip: 'x' }], refused(5107200)],
    [[{ $count: 5 }], refused(40156)],
    [[{ $count: '' }], refused(40157)],
    [[{ $count: '$x' }], refused(40158)],
    [[{ $count: 'a.b' }], refused(40160)],
  ])
})

t.test('$project keeps, leaves out and computes', async (t) => {
  table(t, documents.slice(0, 1), [
    [[{ $project: { a: 1 } }], [{ _id: 1, a: 3 }]],
    [[{ $project: { _id: 0, 'b.c': 1 } }], [{ b: { c: 1 } }]],
    [[{ $project: { b: { d: 0 }, list: 0 } }], [{ _id: 1, a: 3, b: { c: 1 } }]],
    [[{ $project: { x: '$b.c', y: { $add: ['$a', 1] } } }], [{ _id: 1, x: 1, y: 4 }]],
    [[{ $project: { x: '$nope', n: { $literal: 1 } } }], [{ _id: 1, n: 1 }]],
    [[{ $project: {} }], refused(51272)],
    [[{ $project: 1 }], refused(15969)],
    [[{ $project: { a: 1, b: 0 } }], refused(31254)],
    [[{ $project: { a: 0, b: 1 } }], refused(31253)],
    [[{ $project: { a: 1, 'a.b': 1 } }], refused(31249)],
    [[{ $project: { a: { $nope: 1 } } }], refused(31325)],
  ])
  t.throws(() => plansOf([{ $project: { a: { $nope: 1 } } }]), {
    message: 'Invalid $project :: caused by :: Unknown expression $nope',
  })
})

t.test('$addFields, $set and $unset change fields in their place', async (t) => {
  table(t, documents.slice(0, 1), [
    [[{ $addFields: { a: 9, z: 1 } }], [{ _id: 1, a: 9, b: { c: 1, d: 2 }, list: [1, 2], z: 1 }]],
    [
      [{ $set: { 'b.c': '$a', b2: { x: { y: '$a' } } } }, { $unset: ['list', 'a'] }],
      [{ _id: 1, b: { c: 3, d: 2 }, b2: { x: { y: 3 } } }],
    ],
    [[{ $set: { a: '$$REMOVE', list: '$nope' } }], [{ _id: 1, b: { c: 1, d: 2 } }]],
    [[{ $unset: 'b.c' }], [{ _id: 1, a: 3, b: { d: 2 }, list: [1, 2] }]],
    [[{ $set: { a: {} } }, { $project: { a: 1 } }], [{ _id: 1, a: {} }]],
    [[{ $set: 1 }], refused(40272)],
    [[{ $set: {} }], refused(40177)],
    [[{ $set: { 'a.': 1 } }], refused(40353)],
    [[{ $set: { a: 1, 'a.b': 1 } }], refused(31249)],
    [[{ $unset: 1 }], refused(31002)],
    [[{ $unset: [] }], refused(31119)],
    [[{ $unset: [1] }], refused(31120)],
  ])
  table(t, documents.slice(2, 3), [
    [
      [{ $set: { 'b.x': 1 } }, { $project: { b: 1 } }],
      [{ _id: 3, b: [{ c: 7, d: 8, x: 1 }, { x: 1 }] }],
    ],
  ])
})

t.test('$replaceRoot and $replaceWith need an object', async (t) => {
  table(t, documents.slice(0, 1), [
    [[{ $replaceRoot: { newRoot: '$b' } }], [{ c: 1, d: 2 }]],
    [[{ $replaceWith: { $mergeObjects: [{ z: 0 }, '$b'] } }], [{ z: 0, c: 1, d: 2 }]],
    [[{ $replaceRoot: { newRoot: '$a' } }], refused(40228)],
    [[{ $replaceWith: '$nope' }], refused(40228)],
    [[{ $replaceRoot: 1 }], refused(40229)],
    [[{ $replaceRoot: { x: 1 } }], refused(40230)],
    [[{ $replaceRoot: {} }], refused(40231)],
  ])
})

t.test('$unwind makes a document of each element', async (t) => {
  const shown = { $project: { list: 1, i: 1 } }
  const keep = { path: '$list', preserveNullAndEmptyArrays: true, includeArrayIndex: 'i' }
  table(t, documents, [
    [
      [{ $unwind: '$list' }, shown],
      [
        { _id: 1, list: 1 },
        { _id: 1, list: 2 },
        { _id: 4, list: 5 },
      ],
    ],
    [
      [{ $unwind: keep }, shown],
      [
        { _id: 1, list: 1, i: long(0) },
        { _id: 1, list: 2, i: long(1) },
        { _id: 2, i: null },
        { _id: 3, list: null, i: null },
        { _id: 4, list: 5, i: null },
      ],
    ],
    [[{ $unwind: 5 }], refused(15981)],
    [[{ $unwind: { path: 5 } }], refused(28808)],
    [[{ $unwind: { path: '$a', preserveNullAndEmptyArrays: 1 } }], refused(28809)],
    [[{ $unwind: { path: '$a', includeArrayIndex: '' } }], refused(28810)],
    [[{ $unwind: { path: '$a', z: 1 } }], refused(28811)],
    [[{ $unwind: {} }], refused(28812, 'no path specified to $unwind stage')],
    [[{ $unwind: 'a' }], refused(28818)],
    [[{ $unwind: { path: '$a', includeArrayIndex: '$i' } }], refused(28822)],
  ])
  table(
    t,
    [{ _id: 1, x: { y: [1, 2], z: 3 }, end: 0 }],
    [
      [
        [{ $unwind: '$x.y' }],
        [
          { _id: 1, x: { y: 1, z: 3 }, end: 0 },
          { _id: 1, x: { y: 2, z: 3 }, end: 0 },
        ],
      ],
    ],
  )
})

t.test('a long array comes out in bounded steps, in order, and nothing is lost', async (t) => {
  const list = Array.from({ length: stepDocumentsMax * 2 + 7 }, (_, i) => i)
  const [plan] = plansOf([{ $unwind: '$list' }])
  if (plan === undefined || !isPure(plan)) throw new Error('$unwind is pure')
  const transform = plan.create()
  const counts: number[] = []
  let emitted = 0
  transform.push(documentFrom({ list }), () => emitted++)
  counts.push(emitted)
  t.ok(transform.pending)
  transform.push(documentFrom({ list: [1] }), () => emitted++)
  counts.push(emitted)
  t.ok(transform.bytesHeld > 0)
  for (const _ of transform.finish(() => emitted++)) counts.push(emitted)
  t.same(counts, [500, 1000, 1008])
  const doubled = run(
    [{ $unwind: '$list' }, { $unwind: '$list2' }, { $count: 'n' }],
    [
      { list, list2: list },
      { list: [1], list2: [1, 2] },
    ],
  )
  t.same(doubled, [`{ n: ${list.length ** 2 + 2} }`])
})

t.test('$group lets go of each group with its document', async (t) => {
  const [plan] = plansOf([{ $group: { _id: '$i', all: { $push: '$$ROOT' } } }])
  if (plan === undefined || !isPure(plan)) throw new Error('$group is pure')
  const transform = plan.create()
  for (let i = 0; i < stepDocumentsMax * 4; i++) transform.push(documentFrom({ i }), () => {})
  const all = transform.bytesHeld
  const held: number[] = []
  for (const _ of transform.finish(() => {})) held.push(transform.bytesHeld / all)
  t.same(
    held.slice(0, 3).map((part) => Math.round(part * 100)),
    [75, 50, 25],
  )
  t.equal(transform.bytesHeld, 0)
})

t.test('$group: keys are equal as values are, in the order they appear', async (t) => {
  const keys = [1, double(1), long(1), null, 'x', undefined, double(-0), 0, NaN, double(NaN), [1]]
  const given = keys.map((k) => ({ k }))
  table(t, given, [
    [
      [{ $group: { _id: '$k', n: { $sum: 1 } } }],
      [
        { _id: 1, n: 3 },
        { _id: null, n: 2 },
        { _id: 'x', n: 1 },
        { _id: double(-0), n: 2 },
        { _id: NaN, n: 2 },
        { _id: [1], n: 1 },
      ],
    ],
    [[{ $group: { _id: null } }], [{ _id: null }]],
    [
      [{ $group: { _id: { k: { $type: '$k' }, m: '$m' } } }, { $limit: 1 }],
      [{ _id: { k: 'int' } }],
    ],
    [[{ $group: { n: { $sum: 1 } } }], refused(15955)],
    [[{ $group: 1 }], refused(15947)],
  ])
  table(t, [], [[[{ $group: { _id: null, n: { $sum: 1 } } }], []]])
})

t.test('$sortByCount puts the largest groups first', async (t) => {
  table(
    t,
    [{ k: 'a' }, { k: 'b' }, { k: 'b' }, {}],
    [
      [
        [{ $sortByCount: '$k' }],
        [
          { _id: 'b', count: 2 },
          { _id: 'a', count: 1 },
          { _id: null, count: 1 },
        ],
      ],
      [[{ $sortByCount: { $toUpper: '$k' } }, { $limit: 1 }], [{ _id: 'B', count: 2 }]],
      [[{ $sortByCount: 'k' }], refused(40148)],
      [[{ $sortByCount: { a: 1 } }], refused(40147)],
      [[{ $sortByCount: 1 }], refused(40149)],
    ],
  )
})

t.test('$sort and $sample refuse what they cannot read', async (t) => {
  table(t, documents, [
    [
      [{ $sort: { a: 1 } }, { $project: { a: 1 } }],
      [{ _id: 4 }, { _id: 2, a: 1 }, { _id: 3, a: 2 }, { _id: 1, a: 3 }],
    ],
    [[{ $sort: 1 }], refused(15973)],
    [[{ $sort: {} }], refused(15976)],
    [[{ $sort: { a: 2 } }], refused(15975)],
    [[{ $sort: { a: 'x' } }], refused(15974)],
    [[{ $sort: { $natural: 1 } }], refused(16410)],
    [[{ $sample: 1 }], refused(28745)],
    [[{ $sample: { size: 'x' } }], refused(28746)],
    [[{ $sample: { size: 0 } }], refused(28747)],
    [[{ $sample: { z: 1 } }], refused(28748)],
    [[{ $sample: {} }], refused(28749)],
    [[{ $sample: { size: 9 } }, { $count: 'n' }], [{ n: 4 }]],
    [[{ $sample: { size: 2 } }, { $group: { _id: '$_id' } }, { $count: 'n' }], [{ n: 2 }]],
  ])
})

t.test('$sort is a stable sort by the order of values, with and without a limit', async (t) => {
  const value = fc.oneof(
    fc.integer({ min: 0, max: 9 }),
    fc.constantFrom('a', 'b', 'aa'),
    fc.double(),
  )
  const input = fc.array(fc.record({ a: value, b: fc.integer({ min: 0, max: 2 }) }), {
    maxLength: 60,
  })
  const limit = fc.integer({ min: 1, max: 70 })
  fc.assert(
    fc.property(input, limit, fc.integer({ min: 0, max: 5 }), (given, count, skip) => {
      const documents: Plain[] = given.map((fields, _id) => ({ _id, ...fields }))
      const sorted = [...given.keys()].sort((x, y) => {
        const [p, q] = [given[x], given[y]]
        if (p === undefined || q === undefined) return 0
        return q.b - p.b || compareValues(valueFrom(p.a), valueFrom(q.a)) || x - y
      })
      const expected = sorted.map((_id) => `{ _id: ${_id} }`)
      const sort = { $sort: { b: -1, a: 1 } }
      const ids = { $project: { _id: 1 } }
      t.same(run([sort, ids], documents), expected)
      const cut = run([sort, { $skip: skip }, { $limit: count }, ids], documents)
      t.same(cut, expected.slice(skip, skip + count))
    }),
    { numRuns: runs(60) },
  )
})

t.test('several runs are merged in order', async (t) => {
  const count = 5_003
  const given = Array.from({ length: count }, (_, i) => ({ _id: i, a: (i * 7919) % count }))
  const found = run([{ $sort: { a: 1 } }, { $project: { _id: 0, a: 1 } }], given)
  t.same(found.slice(0, 3), ['{ a: 0 }', '{ a: 1 }', '{ a: 2 }'])
  t.equal(found.length, count)
  t.ok(found.every((line, i) => line === `{ a: ${i} }`))
})

t.test('blocking stages stop at their memory limit', async (t) => {
  const large = documentFrom({ a: 'x'.repeat(10_000_000) })
  const names = {
    $sort: { a: 1 },
    $group: { _id: null, all: { $push: '$a' }, more: { $push: '$a' } },
  }
  for (const [name, spec] of Object.entries(names)) {
    const [plan] = plansOf([{ [name]: spec }])
    if (plan === undefined || !isPure(plan)) throw new Error(`${name} is pure`)
    const transform = plan.create()
    const feed = (): void => {
      for (let i = 0; i <= blockingBytesMax / 10_000_000; i++) transform.push(large, () => {})
    }
    t.throws(feed, { code: 292 }, name)
  }
})

t.test('$redact keeps, prunes or looks into each object', async (t) => {
  const document = {
    _id: 1,
    level: 1,
    a: { level: 2, secret: 1 },
    list: [{ level: 1, x: 1 }, { level: 5, y: 1 }, 7, [{ level: 3 }, { level: 1 }]],
    b: { c: { level: 1 } },
  }
  const upTo = (most: number) => ({
    $redact: {
      $cond: [{ $lte: [{ $ifNull: ['$level', 0] }, most] }, '$$DESCEND', '$$PRUNE'],
    },
  })
  table(
    t,
    [document],
    [
      [
        [upTo(1)],
        [
          {
            _id: 1,
            level: 1,
            list: [{ level: 1, x: 1 }, 7, [{ level: 1 }]],
            b: { c: { level: 1 } },
          },
        ],
      ],
      [[upTo(0)], []],
      [[{ $redact: '$$KEEP' }], [document]],
      [[{ $redact: 'prune' }], []],
      [[{ $redact: { $cond: ['$$ROOT.level', '$$KEEP', '$$PRUNE'] } }], [document]],
      [[{ $redact: 1 }], refused(17053)],
      [[{ $redact: '$nope' }], refused(17053)],
      [[{ $redact: '$$NOPE' }], refused(17276)],
    ],
  )
})
