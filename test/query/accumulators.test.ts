import { Decimal128 } from 'bson'
import fc from 'fast-check'
import t from 'tap'
import { runs } from '../support/runs.js'
import { double, long, refused } from './expressions/expression-table.js'
import { type Plain, run, table } from './stages/stage-table.js'

const documents = [
  { _id: 1, k: 'a', v: 3, s: 'z', o: { x: 1 } },
  { _id: 2, k: 'a', v: null, s: 'y', o: { y: 2 } },
  { _id: 3, k: 'a', v: double(1.5), s: 'x', o: { x: 3 } },
  { _id: 4, k: 'a', v: 'text', o: null },
  { _id: 5, k: 'a', v: 3 },
]

const group = (fields: Plain): Plain[] => [{ $group: { _id: '$k', ...fields } }]

t.test('sums ignore what is no number and keep the widest type', async (t) => {
  const values = (...v: unknown[]): Plain[] => v.map((x) => ({ v: x }))
  const sum = [{ $group: { _id: null, r: { $sum: '$v' } } }]
  const result = (r: unknown): Plain[] => [{ _id: null, r }]
  table(t, documents, [[group({ r: { $sum: '$v' } }), [{ _id: 'a', r: double(7.5) }]]])
  table(t, values('x', null), [[sum, result(0)]])
  table(t, values(1, 2), [[sum, result(3)]])
  table(t, values(2147483647, 1), [[sum, result(long(2147483648))]])
  table(t, values(1, long(2)), [[sum, result(long(3))]])
  table(t, values(long(2n ** 63n - 1n), 1), [[sum, result(double(2 ** 63))]])
  table(t, values(long(2n ** 63n - 1n), 1, -1), [[sum, result(long(2n ** 63n - 1n))]])
  table(t, values(double(0.1), double(0.2), double(0.3), double(-0.3)), [
    [sum, result(double(0.30000000000000004))],
  ])
  table(t, values(1, Decimal128.fromString('0.1'), double(0.5)), [
    [sum, result(Decimal128.fromString('1.600000000000000'))],
  ])
  table(t, values(double(Number.POSITIVE_INFINITY), 1), [
    [sum, result(double(Number.POSITIVE_INFINITY))],
  ])
})

t.test('each accumulator has its rule for null and missing', async (t) => {
  table(t, documents, [
    [group({ r: { $avg: '$v' } }), [{ _id: 'a', r: double(2.5) }]],
    [group({ r: { $avg: '$s' } }), [{ _id: 'a', r: null }]],
    [group({ r: { $min: '$v' } }), [{ _id: 'a', r: double(1.5) }]],
    [group({ r: { $max: '$v' } }), [{ _id: 'a', r: 'text' }]],
    [group({ r: { $min: '$none' } }), [{ _id: 'a', r: null }]],
    [group({ r: { $first: '$s' } }), [{ _id: 'a', r: 'z' }]],
    [group({ r: { $last: '$s' } }), [{ _id: 'a', r: null }]],
    [group({ r: { $push: '$s' } }), [{ _id: 'a', r: ['z', 'y', 'x'] }]],
    [group({ r: { $push: '$v' } }), [{ _id: 'a', r: [3, null, double(1.5), 'text', 3] }]],
    [group({ r: { $addToSet: '$v' } }), [{ _id: 'a', r: [3, null, double(1.5), 'text'] }]],
    [group({ r: { $count: {} } }), [{ _id: 'a', r: 5 }]],
    [group({ r: { $mergeObjects: '$o' } }), [{ _id: 'a', r: { x: 3, y: 2 } }]],
    [group({ r: { $mergeObjects: '$s' } }), refused(40400)],
    [group({ r: { $stdDevPop: '$v' } }), [{ _id: 'a', r: double(Math.sqrt(0.5)) }]],
    [[{ $match: { _id: 1 } }, ...group({ r: { $stdDevSamp: '$v' } })], [{ _id: 'a', r: null }]],
  ])
})

t.test('the n first, last, least, greatest and best-sorted', async (t) => {
  const top = (name: string, spec: Plain): Plain[] => group({ r: { [name]: spec } })
  table(t, documents, [
    [top('$firstN', { n: 2, input: '$s' }), [{ _id: 'a', r: ['z', 'y'] }]],
    [top('$lastN', { n: 3, input: '$s' }), [{ _id: 'a', r: ['x', null, null] }]],
    [top('$minN', { n: 2, input: '$v' }), [{ _id: 'a', r: [double(1.5), 3] }]],
    [top('$maxN', { n: 2, input: '$v' }), [{ _id: 'a', r: ['text', 3] }]],
    [top('$top', { sortBy: { s: -1 }, output: '$_id' }), [{ _id: 'a', r: 1 }]],
    [top('$bottom', { sortBy: { s: -1 }, output: '$_id' }), [{ _id: 'a', r: 5 }]],
    [top('$topN', { n: 2, sortBy: { _id: -1 }, output: '$s' }), [{ _id: 'a', r: [null, null] }]],
    [top('$bottomN', { n: 2, sortBy: { _id: -1 }, output: '$_id' }), [{ _id: 'a', r: [2, 1] }]],
    [
      top('$firstN', { n: { $cond: [{ $eq: ['$_id', 'a'] }, 1, 2] }, input: '$s' }),
      [{ _id: 'a', r: ['z'] }],
    ],
    [top('$firstN', { n: 0, input: '$s' }), refused(5787908)],
    [top('$firstN', { input: '$s' }), refused(5787906)],
    [top('$top', { sortBy: 1, output: '$s' }), refused(10065)],
    [top('$top', { sortBy: { a: 1 } }), refused(5788004)],
    [top('$top', { n: 1, sortBy: { a: 1 }, output: 1 }), refused(5787901)],
  ])
})

t.test('accumulators are checked when they are compiled', async (t) => {
  table(
    t,
    [],
    [
      [group({ r: { $sum: [1, 2] } }), refused(40237, 'The $sum accumulator is a unary operator')],
      [group({ r: { $count: 1 } }), refused(9)],
      [group({ r: { $nope: 1 } }), refused(15952, "unknown group operator '$nope'")],
      [group({ r: { $sum: 1, $avg: 1 } }), refused(40238)],
      [group({ r: 5 }), refused(40234, "The field 'r' must be an accumulator object")],
      [group({ r: {} }), refused(40234)],
      [group({ r: { x: 1 } }), refused(40234)],
      [group({ 'a.b': { $sum: 1 } }), refused(40235, "The field name 'a.b' cannot contain '.'")],
      [group({ $a: { $sum: 1 } }), refused(40236)],
    ],
  )
})

t.test('groups have the totals that a plain count has', async (t) => {
  const document = fc.record({
    k: fc.oneof(fc.integer({ min: 0, max: 3 }), fc.constant(null), fc.constantFrom('a', 'b')),
    v: fc.integer(),
  })
  fc.assert(
    fc.property(fc.array(document, { maxLength: 50 }), (documents) => {
      const totals = new Map<unknown, { n: number; total: number; most: number }>()
      for (const { k, v } of documents) {
        const before = totals.get(k) ?? { n: 0, total: 0, most: v }
        totals.set(k, {
          n: before.n + 1,
          total: before.total + v,
          most: Math.max(before.most, v),
        })
      }
      const fields = { n: { $count: {} }, total: { $sum: '$v' }, most: { $max: '$v' } }
      const found = run([{ $group: { _id: '$k', ...fields } }], documents)
      const expected = [...totals].map(
        ([k, { n, total, most }]) =>
          `{ _id: ${JSON.stringify(k)}, n: ${n}, total: ${total}, most: ${most} }`,
      )
      t.same(found, expected)
    }),
    { numRuns: runs(100) },
  )
})

t.test('percentiles of many numbers are those of all of them sorted', async (t) => {
  const group = { $percentile: { input: '$v', p: [0, 0.1, 0.5, 0.9, 1], method: 'approximate' } }
  const stages = [{ $group: { _id: null, x: group } }, { $project: { _id: 0 } }]
  for (const [size, kinds] of [
    [30_000, 1_000_000],
    [20_000, 7],
    [8_192, 3_000],
  ] as const) {
    const numbers = Array.from({ length: size }, (_, i) => (i * 7_919) % kinds)
    const sorted = Float64Array.from(numbers).sort()
    const at = (share: number) => sorted[Math.max(0, Math.ceil(share * size) - 1)] as number
    const documents = numbers.map((v, _id) => ({ _id, v }))
    table(t, documents, [[stages, [{ x: [0, 0.1, 0.5, 0.9, 1].map(at).map(double) }]]])
  }
})

t.test('$percentile and $median pick of the sorted numbers', async (t) => {
  const documents = [5, 1, 'x', 3, null, 2, 4].map((v, _id) => ({ _id, v }))
  const of = (more: Plain) => [{ $group: { _id: null, x: more } }, { $project: { _id: 0 } }]
  const input = '$v'
  const method = 'approximate'
  table(t, documents, [
    [
      of({ $percentile: { input, p: [0, 0.5, 0.9, 1], method } }),
      [{ x: [1, 3, 5, 5].map(double) }],
    ],
    [of({ $median: { input, method } }), [{ x: double(3) }]],
    [of({ $median: { input: '$nope', method } }), [{ x: null }]],
    [of({ $percentile: { input: '$nope', p: [0.1, 0.2], method } }), [{ x: [null, null] }]],
    [of({ $median: { input } }), refused(40414)],
    [of({ $median: { input, method: 'exact' } }), refused(7436102)],
    [of({ $percentile: { input, p: 0.5, method } }), refused(7750300)],
    [of({ $percentile: { input, p: [2], method } }), refused(7750303)],
    [of({ $median: { input, method, more: 1 } }), refused(40415)],
    [
      [{ $limit: 1 }, { $project: { _id: 0, x: { $median: { input: [7, 9, '$v'], method } } } }],
      [{ x: double(7) }],
    ],
  ])
})
