import { Decimal128, ObjectId, Timestamp, UUID } from 'bson'
import t from 'tap'
import { double, long, refused, table } from './expression-table.js'

const dec = (text: string): Decimal128 => Decimal128.fromString(text)
const id = new ObjectId('65f0a1b2c3d4e5f601234567')
const day = new Date('2024-03-10T12:34:56.789Z')
const document = { n: null, s: '12', day, id, a: [1], uuid: new UUID(), i: 5, d: double(2.9) }

t.test('$type names the type of a value, and missing', async (t) => {
  table(t, document, [
    [{ $type: '$i' }, 'int'],
    [{ $type: '$d' }, 'double'],
    [{ $type: '$n' }, 'null'],
    [{ $type: '$missing' }, 'missing'],
    [{ $type: '$uuid' }, 'binData'],
    [{ $type: '$a' }, 'array'],
    [{ $type: [[1]] }, 'array'],
    [{ $isNumber: '$d' }, true],
    [{ $isNumber: '$s' }, false],
    [{ $isNumber: '$missing' }, false],
  ])
})

t.test('numbers are converted where they fit', async (t) => {
  table(t, document, [
    [{ $toInt: '$d' }, 2],
    [{ $toInt: double(-2.9) }, -2],
    [{ $toInt: '$s' }, 12],
    [{ $toInt: true }, 1],
    [{ $toInt: dec('7.9') }, 7],
    [{ $toInt: long(2n ** 31n) }, refused(241)],
    [{ $toInt: '1.5' }, refused(241)],
    [{ $toInt: '' }, refused(241)],
    [{ $toInt: NaN }, refused(241)],
    [{ $toInt: '$day' }, refused(241)],
    [{ $toInt: '$n' }, null],
    [{ $toInt: '$missing' }, null],
    [{ $toLong: '$day' }, long(day.getTime())],
    [{ $toLong: '9223372036854775807' }, long(2n ** 63n - 1n)],
    [{ $toLong: '9223372036854775808' }, refused(241)],
    [{ $toLong: double(2 ** 63) }, refused(241)],
    [{ $toLong: dec('9007199254740993.7') }, long(9007199254740993n)],
    [{ $toDouble: '1.5e3' }, double(1500)],
    [{ $toDouble: '-.5' }, double(-0.5)],
    [{ $toDouble: 'inf' }, double(Number.POSITIVE_INFINITY)],
    [{ $toDouble: '0x10' }, refused(241)],
    [{ $toDouble: false }, double(0)],
    [{ $toDouble: '$day' }, double(day.getTime())],
    [{ $toDouble: '$a' }, refused(241)],
    [{ $toDecimal: '1.10' }, dec('1.10')],
    [{ $toDecimal: 'x' }, refused(241)],
    [{ $toDecimal: true }, dec('1')],
    [{ $toDecimal: 5 }, dec('5')],
  ])
})

t.test('to text, truth, dates and ids', async (t) => {
  table(t, document, [
    [{ $toString: 5 }, '5'],
    [{ $toString: double(2.5) }, '2.5'],
    [{ $toString: double(-0) }, '-0'],
    [{ $toString: true }, 'true'],
    [{ $toString: '$day' }, '2024-03-10T12:34:56.789Z'],
    [{ $toString: '$id' }, id.toHexString()],
    [{ $toString: dec('1.50') }, '1.50'],
    [
      { $toString: '$a' },
      refused(241, 'Unsupported conversion from array to string in $convert with no onError value'),
    ],
    [{ $toBool: 0 }, false],
    [{ $toBool: double(0.1) }, true],
    [{ $toBool: '' }, true],
    [{ $toBool: '$a' }, true],
    [{ $toBool: '$n' }, null],
    [{ $toDate: long(day.getTime()) }, day],
    [{ $toDate: double(1.9) }, new Date(1)],
    [{ $toDate: '$id' }, id.getTimestamp()],
    [{ $toDate: new Timestamp({ t: 5, i: 1 }) }, new Date(5000)],
    [{ $toDate: '2024-03-10' }, new Date('2024-03-10')],
    [{ $toDate: 5 }, refused(241)],
    [{ $toDate: 'yesterday' }, refused(241)],
    [{ $toObjectId: id.toHexString() }, id],
    [{ $toObjectId: 'abc' }, refused(241)],
    [{ $toObjectId: 'z'.repeat(24) }, refused(241)],
    [{ $toObjectId: 5 }, refused(241)],
  ])
})

t.test('$convert answers for null and for failures', async (t) => {
  table(t, document, [
    [{ $convert: { input: 'x', to: 'int', onError: 'bad' } }, 'bad'],
    [{ $convert: { input: 'x', to: 'int', onError: '$missing' } }, undefined],
    [{ $convert: { input: '$n', to: 'int', onNull: 'none' } }, 'none'],
    [{ $convert: { input: '$missing', to: 'int', onNull: 'none' } }, 'none'],
    [{ $convert: { input: '5', to: 16 } }, 5],
    [{ $convert: { input: 5, to: '$n' } }, null],
    [{ $convert: { input: 5, to: 'array' } }, refused(241)],
    [{ $convert: { input: 5, to: 'nope' } }, refused(2, 'Unknown type name: nope')],
    [{ $convert: { input: 5, to: 99 } }, refused(9)],
    [{ $convert: { input: 5, to: 1.5 } }, refused(9)],
    [{ $convert: { input: 5, to: { $literal: {} } } }, refused(9)],
    [{ $convert: 5 }, refused(9)],
    [{ $convert: { to: 'int' } }, refused(9)],
    [{ $convert: { input: 1 } }, refused(9)],
    [{ $convert: { input: 1, to: 1, z: 1 } }, refused(9)],
    [{ $toInt: [1, 2] }, refused(16020)],
  ])
})
