// Fields of rows: the text and binary forms of each type as PostgreSQL prints them, what a column's
// type cannot hold.

import t from 'tap'
import { binaryForm, textForm } from '../../../src/protocol/pgwire/forms.js'
import { float4Text, float8Text, numericText } from '../../../src/protocol/pgwire/numeric.js'
import type { PgTypeName } from '../../../src/protocol/pgwire/types.js'
import { decimalFromString } from '../../../src/value/decimal.js'
import { valueFrom } from '../../../src/value/literal.js'
import { exactOf } from '../../../src/value/numbers.js'
import {
  binaryValue,
  boolValue,
  bsonType,
  dateValue,
  doubleValue,
  int32Value,
  int64Value,
  nullValue,
  objectIdValue,
  stringValue,
  timestampValue,
  undefinedValue,
  Value,
} from '../../../src/value/value.js'
import { refuses } from './refusal.js'

const uuid = Buffer.from('00112233445566778899aabbccddeeff', 'hex')
const at = dateValue(Date.UTC(2024, 0, 2, 3, 4, 5, 678))

function text(v: Value, type: PgTypeName): string | undefined {
  const form = textForm(v, type)
  return form === undefined ? undefined : Buffer.from(form as string).toString()
}

function hex(v: Value, type: PgTypeName): string | undefined {
  const form = binaryForm(v, type)
  return form === undefined ? undefined : Buffer.from(form).toString('hex')
}

t.test('text and binary forms of each type', async (t) => {
  const table: readonly (readonly [Value, PgTypeName, string, string])[] = [
    [boolValue(true), 'bool', 't', '01'],
    [boolValue(false), 'bool', 'f', '00'],
    [int32Value(-2), 'int2', '-2', 'fffe'],
    [int32Value(-2), 'int4', '-2', 'fffffffe'],
    [int32Value(-2), 'int8', '-2', 'fffffffffffffffe'],
    [int64Value(2n ** 53n + 1n), 'int8', '9007199254740993', '0020000000000001'],
    [int64Value(4294967295n), 'oid', '4294967295', 'ffffffff'],
    [doubleValue(3), 'int4', '3', '00000003'],
    [decimalFromString('3.00'), 'int4', '3', '00000003'],
    [doubleValue(1.5), 'float8', '1.5', '3ff8000000000000'],
    [int32Value(1), 'float8', '1', '3ff0000000000000'],
    [doubleValue(1.5), 'float4', '1.5', '3fc00000'],
    [decimalFromString('12.50'), 'numeric', '12.50', '0002000000000002000c1388'],
    [decimalFromString('-0.0001'), 'numeric', '-0.0001', '0001ffff400000040001'],
    [decimalFromString('1E+4'), 'numeric', '10000', '00010001000000000001'],
    [decimalFromString('-0.00'), 'numeric', '0.00', '0000000000000002'],
    [decimalFromString('NaN'), 'numeric', 'NaN', '00000000c0000000'],
    [decimalFromString('-Infinity'), 'numeric', '-Infinity', '00000000f0000000'],
    [doubleValue(0.1), 'numeric', '0.1', '0001ffff0000000103e8'],
    [int64Value(123456789n), 'numeric', '123456789', '00030002000000000001' + '09291a85'],
    [at, 'timestamptz', '2024-01-02 03:04:05.678+00', '0002b0ec85204bb0'],
    [at, 'date', '2024-01-02', '0000223f'],
    [stringValue('hé'), 'text', 'hé', '68c3a9'],
    [stringValue('hé'), 'varchar', 'hé', '68c3a9'],
    [stringValue(''), 'text', '', ''],
    [binaryValue(0, Buffer.of(0xde, 0xad)), 'bytea', '\\xdead', 'dead'],
    [binaryValue(4, uuid), 'uuid', '00112233-4455-6677-8899-aabbccddeeff', uuid.toString('hex')],
    [valueFrom({ a: [1, 'x'] }), 'json', '{"a":[1,"x"]}', '7b2261223a5b312c2278225d7d'],
    [valueFrom([1]), 'jsonb', '[1]', '015b315d'],
    [stringValue('x'), 'jsonb', '"x"', '01227822'],
    [
      valueFrom(['a', null]),
      'textArray',
      '{a,NULL}',
      '0000000100000001000000190000000200000001' + '0000000161ffffffff',
    ],
    [valueFrom([]), 'textArray', '{}', '000000000000000000000019'],
  ]
  for (const [value, type, shown, digits] of table) {
    t.equal(text(value, type), shown, type)
    t.equal(hex(value, type), digits, `${type} ${shown}`)
  }
  for (const none of [nullValue, undefinedValue]) {
    t.equal(textForm(none, 'int4'), undefined)
    t.equal(binaryForm(none, 'jsonb'), undefined)
  }
})

t.test('a column of text prints every type', async (t) => {
  const table: readonly (readonly [Value, string])[] = [
    [objectIdValue(Buffer.from('65f0c0ffee0123456789abcd', 'hex')), '65f0c0ffee0123456789abcd'],
    [boolValue(true), 'true'],
    [int32Value(7), '7'],
    [int64Value(7n), '7'],
    [doubleValue(1e20), '1e+20'],
    [decimalFromString('1.50E+3'), '1500'],
    [at, '2024-01-02 03:04:05.678+00'],
    [binaryValue(0, Buffer.of(1)), '\\x01'],
    [valueFrom({ a: 1 }), '{"a":1}'],
    [timestampValue(1, 2), '{"$timestamp":{"t":1,"i":2}}'],
  ]
  for (const [value, shown] of table) t.equal(text(value, 'text'), shown)
})

t.test('an array quotes what would be read as something else', async (t) => {
  const items = ['', 'NULL', 'a b', 'a"b', 'a\\b', '{', ',', 'é', 'x']
  t.equal(text(valueFrom(items), 'textArray'), '{"","NULL","a b","a\\"b","a\\\\b","{",",",é,x}')
})

t.test('doubles are as short as float8out makes them', async (t) => {
  const table: readonly (readonly [number, string])[] = [
    [0, '0'],
    [-0, '-0'],
    [0.1, '0.1'],
    [0.0001, '0.0001'],
    [0.00001, '1e-05'],
    [-1.5e-7, '-1.5e-07'],
    [123456789012345, '123456789012345'],
    [1e14, '100000000000000'],
    [1e15, '1e+15'],
    [123456789012345680, '1.2345678901234568e+17'],
    [-1e100, '-1e+100'],
    [5e-324, '5e-324'],
    [100.25, '100.25'],
    [Number.NaN, 'NaN'],
    [Number.POSITIVE_INFINITY, 'Infinity'],
    [Number.NEGATIVE_INFINITY, '-Infinity'],
  ]
  for (const [n, shown] of table) t.equal(float8Text(n), shown)
  t.same([0.1, 1e6, 123456, 16777216, -0.25, 0].map(float4Text), [
    '0.1',
    '1e+06',
    '123456',
    '1.6777216e+07',
    '-0.25',
    '0',
  ])
  t.equal(float4Text(Number.NEGATIVE_INFINITY), '-Infinity')
})

t.test('the largest and smallest decimals have no exponent', async (t) => {
  t.equal(numericText(exactOf(decimalFromString('1E+6111'))), `1${'0'.repeat(6111)}`)
  t.equal(numericText(exactOf(decimalFromString('1E-6176'))), `0.${'0'.repeat(6175)}1`)
})

t.test('years far from ours, in text and binary', async (t) => {
  t.equal(text(dateValue(-62135596800000), 'timestamptz'), '0001-01-01 00:00:00+00')
  t.equal(text(dateValue(-62135596800001), 'timestamptz'), '0001-12-31 23:59:59.999+00 BC')
  t.equal(text(dateValue(-1), 'timestamptz'), '1969-12-31 23:59:59.999+00')
  t.equal(text(dateValue(951782400000), 'date'), '2000-02-29')
  t.equal(text(dateValue(2n ** 63n - 1n), 'date'), '292278994-08-17')
  t.equal(hex(dateValue(946684800000), 'timestamptz'), '0000000000000000')
  t.equal(hex(dateValue(946684799999), 'date'), 'ffffffff')
  for (const type of ['date', 'timestamptz'] as const) {
    refuses(t, () => binaryForm(dateValue(2n ** 63n - 1n), type), { sqlState: '22008' })
  }
  for (let day = -800_000; day < 800_000; day += 997) {
    const shown = new Date(day * 86_400_000).toISOString()
    if (!/^\d{4}-/.test(shown) || shown.startsWith('0000')) continue
    t.equal(text(dateValue(day * 86_400_000), 'date'), shown.slice(0, 10))
  }
})

t.test('a value that the type cannot hold is an error, in both formats', async (t) => {
  const table: readonly (readonly [Value, PgTypeName])[] = [
    [stringValue('1'), 'int4'],
    [int64Value(2n ** 31n), 'int4'],
    [int32Value(-1), 'oid'],
    [int32Value(40_000), 'int2'],
    [doubleValue(1.5), 'int8'],
    [doubleValue(Number.NaN), 'int8'],
    [decimalFromString('3.0000000000000000001'), 'int4'],
    [decimalFromString('1E+30'), 'int8'],
    [decimalFromString('0.1'), 'float8'],
    [int64Value(2n ** 53n + 1n), 'float8'],
    [stringValue('x'), 'numeric'],
    [int32Value(1), 'bool'],
    [stringValue('x'), 'bytea'],
    [stringValue('2024-01-02'), 'timestamptz'],
    [binaryValue(0, uuid), 'uuid'],
    [stringValue('x'), 'textArray'],
  ]
  for (const [value, type] of table) {
    for (const form of [textForm, binaryForm]) {
      refuses(t, () => form(value, type), { sqlState: '42804' }, type)
    }
  }
})

t.test('types of BSON without a type of PostgreSQL have a form as text or JSON', async (t) => {
  const table: readonly (readonly [type: number, bytes: string, column: PgTypeName])[] = [
    [bsonType.regex, 'a\0i\0', 'jsonb'],
    [bsonType.minKey, '', 'jsonb'],
    [bsonType.maxKey, '', 'jsonb'],
    [bsonType.symbol, '\x02\0\0\0x\0', 'text'],
    [bsonType.code, '\x02\0\0\0x\0', 'text'],
  ]
  for (const [type, bytes, column] of table) {
    const value = new Value(type, Buffer.from(bytes), 0, bytes.length)
    t.type(text(value, column), 'string')
    t.type(hex(value, column), 'string')
  }
})
