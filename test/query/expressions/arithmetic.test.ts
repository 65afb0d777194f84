import { Decimal128 } from 'bson'
import fc from 'fast-check'
import t from 'tap'
import { runs } from '../../support/runs.js'
import { double, evaluate, long, refused, shown, table } from './expression-table.js'

const dec = (text: string): Decimal128 => Decimal128.fromString(text)
const day = new Date('2024-03-10T12:00:00Z')
const document = {
  i: 5,
  d: double(2.5),
  l: long(2n ** 40n),
  s: 'x',
  n: null,
  date: day,
  max: long(2n ** 63n - 1n),
  big: 2147483647,
}

t.test('$add sums by the widest type and moves dates', async (t) => {
  table(t, document, [
    [{ $add: [1, 2] }, 3],
    [{ $add: ['$i', '$d'] }, double(7.5)],
    [{ $add: ['$i', '$l'] }, long(2n ** 40n + 5n)],
    [{ $add: ['$big', 1] }, long(2147483648)],
    [{ $add: ['$big', 1, -1] }, 2147483647],
    [{ $add: ['$max', 1] }, double(2 ** 63)],
    [{ $add: [dec('0.1'), 2] }, dec('2.1')],
    [{ $add: ['$date', 1000] }, new Date(day.getTime() + 1000)],
    [{ $add: [double(0.5), '$date', 1] }, new Date(day.getTime() + 2)],
    [{ $add: ['$date', '$date'] }, refused(16612)],
    [{ $add: ['$n', 1] }, null],
    [{ $add: ['$missing', 1] }, null],
    [{ $add: [] }, 0],
    [{ $add: 4 }, 4],
    [{ $add: ['$s', 1] }, refused(14, '$add only supports numeric or date types, not string')],
  ])
})

t.test('$subtract takes numbers and dates apart', async (t) => {
  table(t, document, [
    [{ $subtract: [5, 7] }, -2],
    [{ $subtract: ['$d', 1] }, double(1.5)],
    [{ $subtract: ['$date', 1000] }, new Date(day.getTime() - 1000)],
    [{ $subtract: ['$date', '$date'] }, long(0)],
    [{ $subtract: [-2147483648, 1] }, long(-2147483649)],
    [{ $subtract: ['$n', 1] }, null],
    [{ $subtract: [1, '$date'] }, refused(14, "can't $subtract date from int")],
    [{ $subtract: ['$s', 1] }, refused(14, "can't $subtract int from string")],
  ])
})

t.test('$multiply, $divide and $mod keep their types and refuse zero', async (t) => {
  table(t, document, [
    [{ $multiply: [3, 4] }, 12],
    [{ $multiply: ['$big', 2] }, long(4294967294)],
    [{ $multiply: ['$max', 2] }, double(2 ** 64)],
    [{ $multiply: [] }, 1],
    [{ $multiply: ['$d', '$n'] }, null],
    [{ $multiply: ['$s', 1] }, refused(14, '$multiply only supports numeric types, not string')],
    [{ $divide: [6, 3] }, double(2)],
    [{ $divide: [1, 4] }, double(0.25)],
    [{ $divide: [dec('1'), 8] }, dec('0.125')],
    [{ $divide: ['$n', 0] }, null],
    [{ $divide: ['$i', 0] }, refused(2, "can't $divide by zero")],
    [
      { $divide: ['$s', 2] },
      refused(14, '$divide only supports numeric types, not string and int'),
    ],
    [{ $mod: [-7, 3] }, -1],
    [{ $mod: [7.5, 2] }, double(1.5)],
    [{ $mod: ['$l', 3] }, long(2n ** 40n % 3n)],
    [{ $mod: ['$i', 0] }, refused(16610, "can't $mod by zero")],
    [{ $mod: ['$s', 2] }, refused(16611)],
    [{ $mod: ['$missing', 2] }, null],
  ])
})

t.test('functions of one number', async (t) => {
  table(t, document, [
    [{ $abs: -3 }, 3],
    [{ $abs: -2147483648 }, long(2147483648)],
    [{ $abs: long(-(2n ** 63n)) }, refused(28680)],
    [{ $abs: dec('-1.50') }, dec('1.50')],
    [{ $ceil: 1.2 }, double(2)],
    [{ $ceil: -1.5 }, double(-1)],
    [{ $ceil: dec('1.2') }, dec('2')],
    [{ $floor: -1.5 }, double(-2)],
    [{ $floor: dec('-1.2') }, dec('-2')],
    [{ $floor: 7 }, 7],
    [{ $sqrt: 25 }, double(5)],
    [{ $sqrt: dec('2') }, dec('1.414213562373095048801688724209698')],
    [{ $sqrt: dec('6.25') }, dec('2.5')],
    [{ $sqrt: -1 }, refused(28714, "$sqrt's argument must be greater than or equal to 0")],
    [{ $exp: 0 }, double(1)],
    [{ $ln: 1 }, double(0)],
    [{ $ln: 0 }, refused(28766, "$ln's argument must be a positive number, but is 0")],
    [{ $log10: 1000 }, double(3)],
    [{ $log10: -1 }, refused(28761)],
    [{ $log: [8, 2] }, double(3)],
    [{ $log: [8, 1] }, refused(28759)],
    [{ $log: ['$s', 2] }, refused(28756)],
    [{ $log: [2, '$s'] }, refused(28757)],
    [{ $pow: [2, 10] }, 1024],
    [{ $pow: [2, 40] }, long(2n ** 40n)],
    [{ $pow: [3, 39] }, long(3n ** 39n)],
    [{ $pow: [2, 64] }, double(2 ** 64)],
    [{ $pow: [2, -1] }, double(0.5)],
    [{ $pow: [dec('1.1'), 2] }, dec('1.21')],
    [{ $pow: [0, -1] }, refused(28764)],
    [{ $abs: '$n' }, null],
    [{ $abs: '$missing' }, null],
    [{ $floor: '$s' }, refused(28765, '$floor only supports numeric types, not string')],
    [{ $sin: 0 }, double(0)],
    [{ $acos: 2 }, refused(50989)],
    [{ $bitAnd: [6, 3] }, 2],
    [{ $bitOr: [6, long(1)] }, long(7)],
    [{ $bitXor: [6, 3] }, 5],
    [{ $bitNot: 0 }, -1],
    [{ $bitAnd: [1.5, 1] }, refused(14)],
  ])
})

t.test('$round and $trunc cut to places, half to even', async (t) => {
  table(t, document, [
    [{ $round: [2.5] }, double(2)],
    [{ $round: 3.5 }, double(4)],
    [{ $round: [2.675, 2] }, double(2.67)],
    [{ $round: [1234.567, -2] }, double(1200)],
    [{ $round: [1250, -2] }, 1200],
    [{ $round: [2147483647, -1] }, long(2147483650)],
    [{ $round: [dec('2.345'), 2] }, dec('2.34')],
    [{ $trunc: [2.567, 1] }, double(2.5)],
    [{ $trunc: [-2.5] }, double(-2)],
    [{ $trunc: [1299, -2] }, 1200],
    [{ $round: [5, '$n'] }, null],
    [{ $round: ['$n', 1] }, null],
    [{ $round: [1.5, 1.5] }, refused(51082)],
    [{ $round: [1.5, 101] }, refused(51083)],
    [{ $round: '$s' }, refused(51081)],
  ])
})

t.test('$rand gives another number of [0, 1) each time', async (t) => {
  const pair = evaluate([{ $rand: {} }, { $rand: {} }])
  const [a, b] = shown(pair)
    .replace(/[^0-9.,e-]/g, '')
    .split(',')
    .map(Number)
  t.ok(a !== undefined && b !== undefined && a !== b && a >= 0 && a < 1 && b >= 0 && b < 1)
  table(t, {}, [[{ $rand: 1 }, refused(3040501)]])
})

t.test('a sum of any whole numbers is exact in any order', async () => {
  fc.assert(
    fc.property(fc.array(fc.bigInt(-(2n ** 60n), 2n ** 60n), { maxLength: 7 }), (numbers) => {
      const sum = numbers.reduce((a, b) => a + b, 0n)
      const fits = sum >= -(2n ** 63n) && sum < 2n ** 63n
      const expected = fits ? shown(long(sum)) : shown(double(Number(sum)))
      const found = shown(evaluate({ $add: ['$zero', ...numbers.map(long)] }, { zero: long(0) }))
      return found === expected
    }),
    { numRuns: runs(200) },
  )
})
