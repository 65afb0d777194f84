// $setWindowFields and $fill: a column for each document, of the documents around it.

import fc from 'fast-check'
import t from 'tap'
import { work } from '../../../../src/base/work/work-budget.js'
import { runPipeline } from '../../../../src/query/pipeline.js'
import { documentFrom } from '../../../../src/value/literal.js'
import { runs } from '../../../support/runs.js'
import { unitsOf } from '../../../support/stretch.js'
import { long, refused } from '../../expressions/expression-table.js'
import { type Plain, plansOf, run, table } from '../stage-table.js'

const sales = [
  { _id: 1, at: 3, in: 'CA', n: 10 },
  { _id: 2, at: 1, in: 'CA', n: 4 },
  { _id: 3, at: 2, in: 'WA', n: 7 },
  { _id: 4, at: 2, in: 'CA', n: 6 },
  { _id: 5, at: 1, in: 'WA', n: null },
]

const windows = (output: Plain, more: Plain = { partitionBy: '$in', sortBy: { at: 1 } }) => [
  { $setWindowFields: { ...more, output } },
  { $project: { _id: 0, at: 0, in: 0, n: 0 } },
]

t.test('each document of a window and of a column counts', async (t) => {
  const documents = Array.from({ length: 200 }, (_, i) => documentFrom({ i }))
  const output = { x: { $sum: '$i', window: { documents: [-50, 0] } } }
  const plans = plansOf([{ $setWindowFields: { sortBy: { i: 1 }, output } }])
  const units = unitsOf(() => runPipeline(plans, documents))
  t.ok(units > 200 * 50 * 3, String(units))
})

t.test('each point of a series counts, and equal windows are read once', async (t) => {
  const documents = Array.from({ length: 1_000 }, (_, i) => documentFrom({ i }))
  for (const [name, operand] of Object.entries({
    $integral: { input: '$i' },
    $covariancePop: ['$i', '$i'],
  })) {
    const units = (window: Plain): number => {
      const output = { x: { [name]: operand, ...window } }
      const plans = plansOf([{ $setWindowFields: { sortBy: { i: 1 }, output } }])
      return unitsOf(() => runPipeline(plans, documents))
    }
    const slid = units({ window: { documents: [-50, 50] } })
    t.ok(slid > 1_000 * 95, `${name}: ${slid}`)
    const whole = units({})
    t.ok(whole < 1_000 * 50, `${name} of all: ${whole}`)
  }
})

t.test(
  'a window that slides costs its documents once, and one of all is computed once',
  async (t) => {
    const documents = Array.from({ length: 1_000 }, (_, i) => documentFrom({ i }))
    const units = (window: Plain, name: string): number => {
      const operand = name === '$lastN' ? { n: 1_000, input: '$i' } : '$i'
      const plans = plansOf([
        { $setWindowFields: { sortBy: { i: 1 }, output: { x: { [name]: operand, ...window } } } },
        { $project: { i: 1 } },
      ])
      return unitsOf(() => runPipeline(plans, documents))
    }
    for (const name of ['$sum', '$max', '$last', '$stdDevPop']) {
      const wide = units({ window: { range: [-300, 300] } }, name)
      const narrow = units({ window: { range: [-40, 40] } }, name)
      t.ok(wide < 1.5 * narrow, `${name}: ${wide} after ${narrow}`)
    }
    for (const name of ['$push', '$lastN']) {
      const spent = units({}, name)
      t.ok(spent < 1_000 * 60, `${name}: ${spent}`)
    }
  },
)

t.test('a window that slides has the results of its documents', async () => {
  const names = ['$sum', '$avg', '$min', '$max', '$first', '$last', '$stdDevPop', '$stdDevSamp']
  const value = fc.oneof(
    fc.integer(),
    fc.integer().map((n) => long(n)),
    fc.constantFrom(null, 'a', 0.5, -2.25),
    fc.constant(undefined),
  )
  const bound = fc.integer({ min: -160, max: 160 })
  fc.assert(
    fc.property(
      fc.array(value, { minLength: 70, maxLength: 300 }),
      bound,
      fc.integer({ min: 60, max: 150 }),
      fc.constantFrom('documents', 'range'),
      (values, from, width, kind) => {
        const documents = values.map((v, i) => ({ i, ...(v === undefined ? {} : { v }) }))
        const window = { [kind]: [from, from + width] }
        const output = Object.fromEntries(
          names.map((name) => [name.slice(1), { [name]: '$v', window }]),
        )
        const all = { $push: { $ifNull: ['$v', null] }, window }
        const stage = { sortBy: { i: 1 }, output: { ...output, all, n: { $count: {}, window } } }
        const near = (name: string) => ({
          $or: [
            { $eq: [`$${name}`, { [`$${name}`]: '$all' }] },
            { $lt: [{ $abs: { $subtract: [`$${name}`, { [`$${name}`]: '$all' }] } }, 1e-3] },
          ],
        })
        const ends = (name: string) => ({
          $eq: [{ $ifNull: [`$${name}`, null] }, { $ifNull: [{ [`$${name}`]: '$all' }, null] }],
        })
        const checks = [
          ...['sum', 'avg', 'stdDevPop', 'stdDevSamp'].map(near),
          ...['min', 'max', 'first', 'last'].map(ends),
          { $eq: ['$n', { $size: '$all' }] },
        ]
        const pipeline = [
          { $setWindowFields: stage },
          { $match: { $expr: { $not: [{ $and: checks }] } } },
        ]
        return run(pipeline, documents).length === 0
      },
    ),
    { numRuns: runs(20) },
  )
})

t.test('accumulators see the documents of their window, in order', async (t) => {
  const soFar = { documents: ['unbounded', 'current'] }
  table(t, sales, [
    [
      windows({
        x: { $sum: '$n', window: soFar },
        near: { $push: '$_id', window: { documents: [-1, 1] } },
        all: { $max: '$n' },
      }),
      [
        { x: 4, near: [2, 4], all: 10 },
        { x: 10, near: [2, 4, 1], all: 10 },
        { x: 20, near: [4, 1], all: 10 },
        { x: 0, near: [5, 3], all: 7 },
        { x: 7, near: [5, 3], all: 7 },
      ],
    ],
    [
      windows({ 'a.b': { $first: '$_id', window: { documents: [1, 2] } } }, { sortBy: { _id: 1 } }),
      [2, 3, 4, 5, null].map((b) => ({ a: { b } })),
    ],
  ])
})

t.test('ranges are of the values that a partition is sorted by', async (t) => {
  const days = [1, 2, 2, 5, 9].map((day, _id) => ({ _id, at: day, when: new Date(day * 864e5) }))
  const ids = (bounds: unknown[]) =>
    windows({ x: { $push: '$_id', window: { range: bounds } } }, { sortBy: { at: 1 } })
  const plain = days.map(({ _id, at }) => ({ _id, at }))
  const columns = (x: unknown[][]) => x.map((each) => ({ x: each }))
  table(t, plain, [
    [ids([-1, 0]), columns([[0], [0, 1, 2], [0, 1, 2], [3], [4]])],
    [ids(['current', 'current']), columns([[0], [1, 2], [1, 2], [3], [4]])],
    [ids([1, 3]), columns([[1, 2], [3], [3], [], []])],
    [ids(['unbounded', -4]), columns([[], [], [], [0], [0, 1, 2, 3]])],
    [ids([3.5, 'unbounded']), columns([[3, 4], [4], [4], [4], []])],
  ])
  const byDay = { x: { $sum: 1, window: { range: [-1, 0], unit: 'day' } } }
  t.same(
    run(
      [{ $setWindowFields: { sortBy: { when: 1 }, output: byDay } }, { $project: { x: 1 } }],
      days,
    ),
    [1, 3, 3, 1, 1].map((x, _id) => `{ _id: ${_id}, x: ${x} }`),
  )
  const beyondDates = { x: { $sum: 1, window: { range: [-1, 1e308], unit: 'hour' } } }
  const tooFar = [{ $setWindowFields: { sortBy: { when: 1 }, output: beyondDates } }]
  t.throws(() => run(tooFar, days), { code: 5166406 })
})

t.test('ranks, neighbours, series', async (t) => {
  const documents = [5, 3, 3, 1].map((x, _id) => ({ _id, x, y: _id * _id }))
  const of = (output: Plain, sortBy: Plain = { x: -1 }) => [
    { $setWindowFields: { sortBy, output } },
    { $project: { _id: 0, x: 0, y: 0 } },
  ]
  const column = (values: unknown[]) => values.map((v) => ({ v }))
  const longs = (...values: number[]) => column(values.map(long))
  const whole = { documents: ['unbounded', 'unbounded'] }
  table(t, documents, [
    [of({ v: { $rank: {} } }), longs(1, 2, 2, 4)],
    [of({ v: { $denseRank: {} } }), longs(1, 2, 2, 3)],
    [of({ v: { $documentNumber: {} } }), longs(1, 2, 3, 4)],
    [of({ v: { $shift: { output: '$_id', by: 1, default: -1 } } }), column([1, 2, 3, -1])],
    [of({ v: { $shift: { output: '$_id', by: -2 } } }), column([null, null, 0, 1])],
  ])
  const lines = (output: Plain) =>
    run([{ $setWindowFields: { sortBy: { _id: 1 }, output } }, { $project: { v: 1 } }], documents)
  const shown = (output: Plain) => lines(output).map((line) => /v: (.*) }/.exec(line)?.[1])
  const pair = { documents: [-1, 0] }
  t.same(shown({ v: { $derivative: { input: '$y' }, window: pair } }), [
    'null',
    '1.0',
    '3.0',
    '5.0',
  ])
  t.same(shown({ v: { $integral: { input: '$y' }, window: whole } }), Array(4).fill('9.5'))
  t.same(shown({ v: { $expMovingAvg: { input: '$y', N: 3 } } }), ['0', '0.5', '2.25', '5.625'])
  t.same(shown({ v: { $covariancePop: ['$_id', '$y'] } }), Array(4).fill('3.75'))
  t.same(shown({ v: { $covarianceSamp: ['$_id', '$y'] } }), Array(4).fill('5.0'))
})

t.test('$fill gives what is null or missing a value', async (t) => {
  const documents = [
    { _id: 0, p: 1, v: 1 },
    { _id: 1, p: 2, v: 5 },
    { _id: 2, p: 1 },
    { _id: 4, p: 1, v: 5 },
    { _id: 5, p: 2, v: null },
    { _id: 6, p: 1, v: null },
  ]
  const of = (fill: Plain) => [{ $fill: fill }, { $sort: { _id: 1 } }, { $project: { v: 1 } }]
  const shown = (fill: Plain) => run(of(fill), documents).map((line) => /v: (.*) }/.exec(line)?.[1])
  const sortBy = { _id: 1 }
  t.same(shown({ output: { v: { value: '$p' } } }), ['1', '5', '1', '5', '2', '1'])
  t.same(shown({ sortBy, output: { v: { method: 'locf' } } }), ['1', '5', '5', '5', '5', '5'])
  t.same(shown({ sortBy, partitionByFields: ['p'], output: { v: { method: 'linear' } } }), [
    ...['1', '5', '3.0', '5', 'null', 'null'],
  ])
  t.same(shown({ sortBy, partitionBy: '$p', output: { v: { method: 'linear' } } }), [
    ...['1', '5', '3.0', '5', 'null', 'null'],
  ])
  t.same(shown({ sortBy, partitionBy: '$p', output: { v: { method: 'locf' } } }), [
    '1',
    '5',
    '1',
    '5',
    '5',
    '5',
  ])
  table(t, documents, [
    [[{ $fill: 1 }], refused(9)],
    [[{ $fill: {} }], refused(40414)],
    [[{ $fill: { output: {} } }], refused(9)],
    [[{ $fill: { output: { v: 1 } } }], refused(6050202)],
    [[{ $fill: { output: { v: { method: 'other' } } } }], refused(6050202)],
    [[{ $fill: { output: { v: { more: 1 } } } }], refused(40415)],
    [[{ $fill: { more: 1, output: { v: { value: 1 } } } }], refused(40415)],
    [[{ $fill: { output: { v: { method: 'linear' } } } }], refused(605001)],
    [
      [
        {
          $fill: {
            ...{ sortBy, partitionBy: '$p', partitionByFields: ['p'] },
            output: { v: { method: 'locf' } },
          },
        },
      ],
      refused(6050204),
    ],
  ])
})

t.test('what has no meaning as a window is refused', async (t) => {
  const of = (output: unknown, more: Plain = { sortBy: { at: 1 } }) => [
    { $setWindowFields: { ...more, output } },
  ]
  const sum = (window: unknown) => ({ x: { $sum: '$n', window } })
  table(t, sales, [
    [[{ $setWindowFields: 1 }], refused(9)],
    [[{ $setWindowFields: {} }], refused(40414)],
    [[{ $setWindowFields: { output: {}, more: 1 } }], refused(40415)],
    [of(1), refused(14)],
    [of({ x: 1 }), refused(9)],
    [of({ x: { $nope: 1 } }), refused(9)],
    [of({ x: { $sum: 1, $avg: 1 } }), refused(9)],
    [of({ x: { $mergeObjects: '$n' } }), refused(9)],
    [of(sum(1)), refused(9)],
    [of(sum({ documents: [1] })), refused(9)],
    [of(sum({ documents: [1, 0] })), refused(5339900)],
    [of(sum({ documents: [0, 1.5] })), refused(5339903)],
    [of(sum({ documents: [0, 'x'] })), refused(9)],
    [of(sum({ documents: [0, 1], range: [0, 1] })), refused(9)],
    [of(sum({ documents: [0, 1] }), {}), refused(5339901)],
    [of(sum({ range: [0, 1] }), { sortBy: { a: 1, b: 1 } }), refused(5339902)],
    [of(sum({ range: [0, 1] }), { sortBy: { at: -1 } }), refused(8947400)],
    [of(sum({ range: [0, 1] }), { sortBy: { in: 1 } }), refused(5429414)],
    [of(sum({ range: [0, 1], unit: 'day' })), refused(5429513)],
    [of(sum({ range: [0, 1], unit: 'fortnight' })), refused(9)],
    [of({ x: { $rank: 1 } }), refused(5371603)],
    [of({ x: { $rank: {} } }, {}), refused(5371602)],
    [of({ x: { $rank: {}, window: {} } }), refused(5371601)],
    [of({ x: { $shift: { output: 1 } } }), refused(9)],
    [of({ x: { $expMovingAvg: { input: '$n' } } }), refused(9)],
    [of({ x: { $expMovingAvg: { input: '$n', alpha: 1 } } }), refused(9)],
    [of({ x: { $derivative: { input: '$n' } } }), refused(9)],
    [of({ x: { $covariancePop: ['$n'] } }), refused(9)],
    [of({ x: { $sum: 1 } }, { partitionBy: ['$in'] }), refused(14)],
  ])
})

t.test('a window over documents is a slice of the sorted partition', async (t) => {
  const document = fc.record({ p: fc.nat(2), at: fc.nat(20), n: fc.integer({ min: -9, max: 9 }) })
  const bound = fc.integer({ min: -4, max: 4 })
  fc.assert(
    fc.property(fc.array(document, { maxLength: 40 }), bound, bound, (given, a, b) => {
      const [low, high] = [Math.min(a, b), Math.max(a, b)]
      const documents = given.map((each, _id) => ({ _id, ...each }))
      const output = {
        ids: { $push: '$_id', window: { documents: [low, high] } },
        sum: { $sum: '$n', window: { documents: [low, high] } },
      }
      const stage = { $setWindowFields: { partitionBy: '$p', sortBy: { at: 1, _id: 1 }, output } }
      const found = run([stage, { $sort: { _id: 1 } }, { $project: { ids: 1, sum: 1 } }], documents)
      const wanted = documents.map((each) => {
        const partition = documents
          .filter(({ p }) => p === each.p)
          .sort((x, y) => x.at - y.at || x._id - y._id)
        const at = partition.indexOf(each)
        return partition.slice(Math.max(0, at + low), Math.max(0, at + high + 1))
      })
      t.same(
        found,
        wanted.map((slice, _id) => {
          const ids = slice.length === 0 ? '[]' : `[ ${slice.map((each) => each._id).join(', ')} ]`
          return `{ _id: ${_id}, ids: ${ids}, sum: ${slice.reduce((sum, { n }) => sum + n, 0)} }`
        }),
      )
    }),
    { numRuns: runs(30) },
  )
})

t.test('what columns hold is bounded, however few the documents', async (t) => {
  const documents = Array.from({ length: 400 }, (_, _id) => ({ _id }))
  const large = { $range: [0, 100_000] }
  const windows = {
    output: { x: { $push: large, window: { documents: ['unbounded', 'current'] } } },
  }
  table(t, documents, [
    [[{ $setWindowFields: { sortBy: { _id: 1 }, ...windows } }], refused(292)],
    [
      [
        {
          $setWindowFields: {
            sortBy: { _id: 1 },
            output: { x: { $shift: { output: large, by: 1 } } },
          },
        },
      ],
      refused(292),
    ],
    [
      [{ $bucketAuto: { groupBy: '$_id', buckets: 1, output: { x: { $push: large } } } }],
      refused(146),
    ],
  ])
})

t.test('the values by which a partition is sorted count', async (t) => {
  const documents = Array.from({ length: 1_000 }, (_, i) => documentFrom({ i }))
  const units = (fields: string[]) => {
    const sortBy = Object.fromEntries(fields.map((name) => [name, 1]))
    const plans = plansOf([{ $setWindowFields: { sortBy, output: { r: { $sum: 1 } } } }])
    const before = work.spent
    runPipeline(plans, documents)
    return work.spent - before
  }
  // Ranges are of one field: only its values are read ahead.
  t.ok(units(['i']) > units(['i', 'j']) + 10_000)
})
