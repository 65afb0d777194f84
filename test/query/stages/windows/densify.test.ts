// $densify: the values that a series leaves out, in each partition.

import t from 'tap'
import { refused } from '../../expressions/expression-table.js'
import { type Plain, run, table } from '../stage-table.js'

const of = (range: unknown, more: Plain = {}) => [{ $densify: { field: 'x', range, ...more } }]

t.test('between two documents come those that are a step apart', async (t) => {
  const documents = [{ x: 4, a: 1 }, { x: 0 }, { a: 2 }, { x: 2.5 }]
  const values = (range: unknown) =>
    run([...of(range), { $project: { x: 1 } }], documents).map((line) =>
      line === '{}' ? undefined : Number(/x: ([-\d.]+)/.exec(line)?.[1]),
    )
  t.same(values({ step: 1, bounds: 'full' }), [undefined, 0, 1, 2, 2.5, 3, 4])
  t.same(values({ step: 2, bounds: [-3, 3] }), [undefined, -3, -1, 0, 1, 2.5, 4])
  t.same(values({ step: 1, bounds: [6, 8] }), [undefined, 0, 2.5, 4, 6, 7])
  t.same(values({ step: 1, bounds: [2, 2] }), [undefined, 0, 2.5, 4])
  table(t, documents.slice(0, 2), [
    [of({ step: 3, bounds: 'full' }), [{ x: 0 }, { x: 3 }, { x: 4, a: 1 }]],
  ])
  table(
    t,
    [],
    [
      [of({ step: 1, bounds: 'full' }), []],
      [of({ step: 1, bounds: [0, 2] }), [{ x: 0 }, { x: 1 }]],
    ],
  )
})

t.test('each partition is filled by itself, or all over one range', async (t) => {
  const documents = [
    { x: 1, p: 'a' },
    { x: 3, p: 'a' },
    { x: 2, p: 'b' },
    { x: 4, p: 'b' },
  ]
  const partitionByFields = ['p']
  table(t, documents, [
    [
      of({ step: 1, bounds: 'partition' }, { partitionByFields }),
      [
        ...[
          { x: 1, p: 'a' },
          { p: 'a', x: 2 },
          { x: 3, p: 'a' },
        ],
        ...[
          { x: 2, p: 'b' },
          { p: 'b', x: 3 },
          { x: 4, p: 'b' },
        ],
      ],
    ],
    [
      of({ step: 1, bounds: 'full' }, { partitionByFields }),
      [
        ...[
          { x: 1, p: 'a' },
          { p: 'a', x: 2 },
          { x: 3, p: 'a' },
          { p: 'a', x: 4 },
        ],
        ...[
          { p: 'b', x: 1 },
          { x: 2, p: 'b' },
          { p: 'b', x: 3 },
          { x: 4, p: 'b' },
        ],
      ],
    ],
  ])
})

t.test('dates are a number of units apart', async (t) => {
  const documents = [{ x: new Date('2026-01-31') }, { x: new Date('2026-05-01') }]
  const shown = run(of({ step: 1, unit: 'month', bounds: 'full' }), documents)
  const days = shown.map((line) => {
    return new Date(Number(/\d{10,}/.exec(line)?.[0])).toISOString().slice(0, 10)
  })
  t.same(days, ['2026-01-31', '2026-02-28', '2026-03-28', '2026-04-28', '2026-05-01'])
})

t.test('what cannot be filled is refused', async (t) => {
  const bounds = 'full'
  table(
    t,
    [{ x: 'text' }],
    [
      [[{ $densify: 1 }], refused(9)],
      [[{ $densify: { field: 'x' } }], refused(40414)],
      [[{ $densify: { field: 1, range: {} } }], refused(14)],
      [of({ step: 1, bounds }, { more: 1 }), refused(40415)],
      [of({ step: 0, bounds }), refused(5733401)],
      [of({ step: 1.5, unit: 'day', bounds }), refused(6586400)],
      [of({ step: 1, unit: 'age', bounds }), refused(9)],
      [of({ step: 1, bounds: 'half' }), refused(5946802)],
      [of({ step: 1, bounds: 1 }), refused(5733404)],
      [of({ step: 1, bounds: [1] }), refused(5733403)],
      [of({ step: 1, bounds: [2, 1] }), refused(5733402)],
      [of({ step: 1, bounds: 'partition' }), refused(5733408)],
      [of({ step: 1, bounds }, { partitionByFields: [1] }), refused(14)],
      [of({ step: 1, bounds }), refused(5733201)],
      [of({ step: 1, unit: 'day', bounds }), refused(6053600)],
    ],
  )
  table(t, [{ x: 0 }, { x: 1_000_000 }], [[of({ step: 1, bounds }), refused(5897900)]])
})
