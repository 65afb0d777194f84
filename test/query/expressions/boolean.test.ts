// biome-ignore-all lint/suspicious/noThenProperty: $cond and $switch call their arguments so
import { Decimal128, MaxKey, MinKey } from 'bson'
import fc from 'fast-check'
import t from 'tap'
import { compareValues } from '../../../src/value/compare.js'
import { valueFrom } from '../../../src/value/literal.js'
import { runs } from '../../support/runs.js'
import { double, evaluate, long, refused, shown, table } from './expression-table.js'

const document = { a: 1, n: null, s: 'x', empty: '', zero: 0, list: [] }

t.test('comparisons use the total order, without type bracketing', async (t) => {
  table(t, document, [
    [{ $eq: [1, double(1)] }, true],
    [{ $eq: [long(1), Decimal128.fromString('1.0')] }, true],
    [
      {
        $eq: [
          { a: 1, b: 2 },
          { b: 2, a: 1 },
        ],
      },
      false,
    ],
    [{ $lt: ['$missing', 5] }, true],
    [{ $lt: ['$missing', '$n'] }, true],
    [{ $gt: ['$s', 5] }, true],
    [{ $gt: [[1], { a: 1 }] }, true],
    [{ $lt: [new MinKey(), '$missing'] }, true],
    [{ $gte: [new MaxKey(), new Date(0)] }, true],
    [{ $eq: ['$n', '$missing'] }, false],
    [{ $ne: ['$a', 2] }, true],
    [{ $lte: ['$a', 1] }, true],
    [{ $cmp: ['$a', 2] }, -1],
    [{ $cmp: ['b', 'a'] }, 1],
    [{ $cmp: [NaN, NaN] }, 0],
    [{ $eq: [1, 2, 3] }, refused(16020)],
  ])
})

t.test('null, missing, false and zero are false; the rest is true', async (t) => {
  table(t, document, [
    [{ $and: [] }, true],
    [{ $or: [] }, false],
    [{ $and: [1, '$a', true] }, true],
    [{ $and: ['$a', '$zero'] }, false],
    [{ $and: ['$empty', '$list'] }, true],
    [{ $or: ['$n', '$missing', 0, false] }, false],
    [{ $or: ['$n', '$a'] }, true],
    [{ $not: ['$missing'] }, true],
    [{ $not: [[false]] }, false],
    [{ $not: double(-0) }, true],
    [{ $not: double(0.1) }, false],
    [{ $not: NaN }, false],
    [{ $not: Decimal128.fromString('0.00') }, true],
    [{ $and: ['$zero', { $divide: ['$a', 0] }] }, false],
    [{ $or: ['$a', { $divide: ['$a', 0] }] }, true],
  ])
})

t.test('$cond, $ifNull and $switch choose', async (t) => {
  table(t, document, [
    [{ $cond: ['$a', 'yes', 'no'] }, 'yes'],
    [{ $cond: { if: '$zero', then: 'yes', else: 'no' } }, 'no'],
    [{ $cond: ['$a', '$missing', 1] }, undefined],
    [{ $cond: [1, 2] }, refused(16020)],
    [{ $cond: { then: 1, else: 2 } }, refused(17080, "Missing 'if' parameter to $cond")],
    [{ $cond: { if: 1, else: 2 } }, refused(17081)],
    [{ $cond: { if: 1, then: 2 } }, refused(17082)],
    [{ $cond: { if: 1, then: 2, else: 3, x: 4 } }, refused(17083)],
    [{ $ifNull: ['$n', 'x'] }, 'x'],
    [{ $ifNull: ['$missing', '$n', 3] }, 3],
    [{ $ifNull: ['$missing', '$n'] }, null],
    [{ $ifNull: ['$n', '$missing'] }, undefined],
    [{ $ifNull: [1] }, refused(1257300, '$ifNull needs at least two arguments, had: 1')],
    [
      {
        $switch: {
          branches: [
            { case: '$zero', then: 1 },
            { case: '$a', then: 2 },
          ],
        },
      },
      2,
    ],
    [{ $switch: { branches: [{ case: '$zero', then: 1 }], default: 9 } }, 9],
    [{ $switch: { branches: [{ case: '$zero', then: 1 }] } }, refused(40066)],
    [{ $switch: 1 }, refused(40060)],
    [{ $switch: { branches: 1 } }, refused(40061)],
    [{ $switch: { branches: [1] } }, refused(40062)],
    [{ $switch: { branches: [{ case: 1, then: 1, x: 1 }] } }, refused(40063)],
    [{ $switch: { branches: [{ then: 1 }] } }, refused(40064)],
    [{ $switch: { branches: [{ case: 1 }] } }, refused(40065)],
    [{ $switch: { branches: [], z: 1 } }, refused(40067)],
    [{ $switch: { branches: [] } }, refused(40068)],
  ])
})

t.test('$cmp agrees with the order of values', async () => {
  const value = fc.oneof(
    fc.integer(),
    fc.double(),
    fc.string(),
    fc.boolean(),
    fc.constant(null),
    fc.array(fc.integer({ min: 0, max: 3 }), { maxLength: 3 }),
    fc.date({ noInvalidDate: true }),
  )
  fc.assert(
    fc.property(value, value, (a, b) => {
      const expected = Math.sign(compareValues(valueFrom(a), valueFrom(b)))
      return shown(evaluate({ $cmp: ['$a', '$b'] }, { a, b })) === `int ${expected}`
    }),
    { numRuns: runs(300) },
  )
})
