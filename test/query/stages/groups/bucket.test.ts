// $bucket and $bucketAuto: ranges given and ranges found, and what they refuse.

import fc from 'fast-check'
import t from 'tap'
import { granularities } from '../../../../src/query/stages/groups/granularity.js'
import { runs } from '../../../support/runs.js'
import { refused } from '../../expressions/expression-table.js'
import { run, table } from '../stage-table.js'

const artworks = [
  { _id: 1, price: 199 },
  { _id: 2, price: 280 },
  { _id: 3, price: 76.04 },
  { _id: 4, price: 167.3 },
  { _id: 5, price: 483 },
  { _id: 6, price: 385 },
  { _id: 7, price: 159 },
  { _id: 8 },
  { _id: 9, price: 'much' },
]

t.test('$bucket groups by ranges that include their lower boundary', async (t) => {
  const byPrice = { groupBy: '$price', boundaries: [0, 200, 385] }
  table(t, artworks.slice(0, 7), [
    [
      [{ $match: { price: { $lt: 385 } } }, { $bucket: byPrice }],
      [
        { _id: 0, count: 4 },
        { _id: 200, count: 1 },
      ],
    ],
    [[{ $bucket: byPrice }], refused(40066)],
  ])
  table(t, artworks, [
    [
      [
        {
          $bucket: {
            ...byPrice,
            default: 'Other',
            output: { ids: { $push: '$_id' }, most: { $max: '$price' } },
          },
        },
      ],
      [
        { _id: 0, ids: [1, 3, 4, 7], most: 199 },
        { _id: 200, ids: [2], most: 280 },
        { _id: 'Other', ids: [5, 6, 8, 9], most: 'much' },
      ],
    ],
    [
      [{ $bucket: { groupBy: { $mod: ['$_id', 2] }, boundaries: [0, 1, { $add: [1, 1] }] } }],
      [
        { _id: 0, count: 4 },
        { _id: 1, count: 5 },
      ],
    ],
  ])
})

t.test('$bucket refuses boundaries and defaults that mean nothing', async (t) => {
  const groupBy = '$price'
  table(
    t,
    [],
    [
      [[{ $bucket: 1 }], refused(40201)],
      [[{ $bucket: { groupBy, boundaries: [0, 1], more: 1 } }], refused(40197)],
      [[{ $bucket: { groupBy: 'price', boundaries: [0, 1] } }], refused(40202)],
      [[{ $bucket: { groupBy } }], refused(40198)],
      [[{ $bucket: { groupBy, boundaries: 1 } }], refused(40200)],
      [[{ $bucket: { groupBy, boundaries: ['$a', 1] } }], refused(40191)],
      [[{ $bucket: { groupBy, boundaries: [1] } }], refused(40192)],
      [[{ $bucket: { groupBy, boundaries: [1, 'a'] } }], refused(40193)],
      [[{ $bucket: { groupBy, boundaries: [1, 1] } }], refused(40194)],
      [[{ $bucket: { groupBy, boundaries: [0, 5], default: '$x' } }], refused(40195)],
      [[{ $bucket: { groupBy, boundaries: [0, 5], default: 3 } }], refused(40199)],
      [[{ $bucket: { groupBy, boundaries: [0, 5], output: 1 } }], refused(40196)],
      [[{ $bucket: { groupBy, boundaries: [0, 5], output: { n: 1 } } }], refused(40234)],
    ],
  )
})

const hundred = Array.from({ length: 100 }, (_, _id) => ({ _id }))

t.test('$bucketAuto cuts what is sorted into parts of equal size', async (t) => {
  const of = (granularity?: string) => [
    {
      $bucketAuto: {
        groupBy: '$_id',
        buckets: 5,
        ...(granularity === undefined ? {} : { granularity }),
      },
    },
    { $project: { _id: 0, at: ['$_id.min', '$_id.max', '$count'] } },
  ]
  const lines = (granularity?: string) => run(of(granularity), hundred)
  t.same(lines(), [
    '{ at: [ 0, 20, 20 ] }',
    '{ at: [ 20, 40, 20 ] }',
    '{ at: [ 40, 60, 20 ] }',
    '{ at: [ 60, 80, 20 ] }',
    '{ at: [ 80, 99, 20 ] }',
  ])
  // As in the reference server's manual.
  const bounds = (granularity: string) =>
    lines(granularity).map((line) => Number(line.match(/[\d.]+/g)?.[1]))
  t.same(bounds('R20'), [20, 40, 63, 90, 100])
  t.same(bounds('E24'), [20, 43, 68, 91, 100])
  t.same(bounds('1-2-5'), [20, 50, 100])
  t.same(bounds('POWERSOF2'), [32, 64, 128])
})

t.test('$bucketAuto keeps equal values together', async (t) => {
  const documents = [1, 1, 1, 1, 2, 3, null].map((x, _id) => ({ _id, x }))
  table(t, documents, [
    [
      [{ $bucketAuto: { groupBy: '$x', buckets: 3, output: { ids: { $push: '$_id' } } } }],
      [
        { _id: { min: null, max: 2 }, ids: [6, 0, 1, 2, 3] },
        { _id: { min: 2, max: 3 }, ids: [4, 5] },
      ],
    ],
    [[{ $bucketAuto: { groupBy: '$x', buckets: 1 } }], [{ _id: { min: null, max: 3 }, count: 7 }]],
  ])
  table(t, [], [[[{ $bucketAuto: { groupBy: '$x', buckets: 3 } }], []]])
})

t.test(
  '$bucketAuto with a granularity keeps zeros in a bucket that ends where the next begins',
  async (t) => {
    const boundsOf = (values: number[], buckets: number, granularity: string) =>
      run(
        [
          { $bucketAuto: { groupBy: '$x', buckets, granularity } },
          { $project: { _id: 0, at: ['$_id.min', '$_id.max', '$count'] } },
        ],
        values.map((x) => ({ x })),
      )
    t.same(boundsOf([0, 0, 5, 6], 2, 'R5'), ['{ at: [ 0, 4.0, 2 ] }', '{ at: [ 4.0, 6.3, 2 ] }'])
    t.same(boundsOf([0, 0, 0, 0, 5, 6], 4, 'R5'), [
      '{ at: [ 0, 4.0, 4 ] }',
      '{ at: [ 4.0, 6.3, 2 ] }',
    ])
    const steps = ['{ at: [ 0, 0.5, 1 ] }', '{ at: [ 0.5, 2.0, 1 ] }', '{ at: [ 2.0, 5.0, 1 ] }']
    t.same(boundsOf([0, 1, 2], 3, '1-2-5'), steps)
    t.same(boundsOf([0, 0], 2, 'POWERSOF2'), ['{ at: [ 0, 0, 2 ] }'])
  },
)

t.test('$bucketAuto appends an output named _id behind its own, as MongoDB does', async (t) => {
  const output = { _id: { $sum: 1 } }
  const line = '{ _id: { min: 1, max: 1 }, _id: 1 }'
  t.same(run([{ $bucketAuto: { groupBy: '$x', buckets: 1, output } }], [{ x: 1 }]), [line])
})

t.test('$bucketAuto refuses what it cannot cut', async (t) => {
  const groupBy = '$x'
  const rounded = { groupBy, buckets: 2, granularity: 'R5' }
  table(
    t,
    [{ x: -1 }],
    [
      [[{ $bucketAuto: 1 }], refused(40240)],
      [[{ $bucketAuto: { groupBy: 1, buckets: 1 } }], refused(40239)],
      [[{ $bucketAuto: { groupBy, buckets: 'a' } }], refused(40241)],
      [[{ $bucketAuto: { groupBy, buckets: 1.5 } }], refused(40242)],
      [[{ $bucketAuto: { groupBy, buckets: 0 } }], refused(40243)],
      [[{ $bucketAuto: { groupBy, buckets: 1, output: 1 } }], refused(40244)],
      [[{ $bucketAuto: { groupBy, buckets: 1, more: 1 } }], refused(40245)],
      [[{ $bucketAuto: { groupBy } }], refused(40246)],
      [[{ $bucketAuto: { ...rounded, granularity: 5 } }], refused(40261)],
      [[{ $bucketAuto: { ...rounded, granularity: 'R6' } }], refused(40257)],
      [[{ $bucketAuto: rounded }], refused(40260)],
    ],
  )
  table(t, [{ x: 'a' }], [[[{ $bucketAuto: rounded }], refused(40258)]])
  table(t, [{ x: Number.NaN }], [[[{ $bucketAuto: rounded }], refused(40259)]])
})

t.test('rounded numbers are the nearest of their series, strictly above and below', async (t) => {
  fc.assert(
    fc.property(
      fc.constantFrom(...granularities.values()),
      fc.double({ min: 1e-12, max: 1e12, noNaN: true }),
      (granularity, n) => {
        const up = granularity.roundUp(n)
        const down = granularity.roundDown(n)
        // Between two neighbours lies no third: both roads lead back.
        return down < n && n < up && granularity.roundUp(down) <= up * (1 + 1e-12)
      },
    ),
    { numRuns: runs(1_000) },
  )
  for (const granularity of granularities.values()) {
    t.equal(granularity.roundUp(0), 0)
    t.equal(granularity.roundDown(0), 0)
  }
})
