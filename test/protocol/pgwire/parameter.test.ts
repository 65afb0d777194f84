// Parameters of a Bind: both formats of each type as PostgreSQL reads them, refusals with its
// SQLSTATE, and values that come back from what we ourselves print.

import fc from 'fast-check'
import t from 'tap'
import { equalBytes } from '../../../src/base/bytes/bytes.js'
import { binaryForm, textForm } from '../../../src/protocol/pgwire/forms.js'
import { parametersOf, valueOfBinary } from '../../../src/protocol/pgwire/parameter.js'
import { valueOfText, valueParts } from '../../../src/protocol/pgwire/parameter-text.js'
import { type PgTypeName, pgTypes } from '../../../src/protocol/pgwire/types.js'
import { decimalFromString } from '../../../src/value/decimal.js'
import { valueFrom } from '../../../src/value/literal.js'
import { shellText } from '../../../src/value/shell.js'
import {
  binaryValue,
  boolValue,
  dateValue,
  doubleValue,
  int32Value,
  int64Value,
  stringOf,
  stringValue,
  type Value,
} from '../../../src/value/value.js'
import { runs } from '../../support/runs.js'
import { isAnswered, refuses } from './refusal.js'

const types = Object.keys(pgTypes) as PgTypeName[]
const uuid = Buffer.from('00112233445566778899aabbccddeeff', 'hex')

function fromText(text: string, type: PgTypeName): string {
  return shellText(valueOfText(Buffer.from(text), type))
}

function fromHex(digits: string, type: PgTypeName): string {
  return shellText(valueOfBinary(Buffer.from(digits, 'hex'), type, 0))
}

t.test('texts of each type', async (t) => {
  const table: readonly (readonly [PgTypeName, string, Value])[] = [
    ['text', ' a ', stringValue(' a ')],
    ['unknown', '1', stringValue('1')],
    ['int2', '-7', int32Value(-7)],
    ['int4', ' +7 ', int32Value(7)],
    ['int8', '7', int64Value(7n)],
    ['oid', '4294967295', int64Value(4294967295n)],
    ['float8', '1.5', doubleValue(1.5)],
    ['float8', '1e3', doubleValue(1000)],
    ['float8', '-inf', doubleValue(Number.NEGATIVE_INFINITY)],
    ['float8', 'NaN', doubleValue(Number.NaN)],
    ['float4', '0.1', doubleValue(Math.fround(0.1))],
    ['numeric', '12.50', decimalFromString('12.50')],
    ['numeric', 'Infinity', decimalFromString('Infinity')],
    ['date', '2024-02-29', dateValue(Date.UTC(2024, 1, 29))],
    ['date', '2024-02-29 00:30:00+05', dateValue(Date.UTC(2024, 1, 29))],
    ['uuid', '00112233-4455-6677-8899-aabbccddeeff', binaryValue(4, uuid)],
    ['uuid', '{00112233445566778899AABBCCDDEEFF}', binaryValue(4, uuid)],
    ['bytea', '\\xDE ad', binaryValue(0, Buffer.of(0xde, 0xad))],
    ['bytea', 'a\\\\b\\001', binaryValue(0, Buffer.from('a\\b\x01'))],
    ['jsonb', '{"a":[1]}', valueFrom({ a: [1] })],
    ['json', '"x"', stringValue('x')],
    ['textArray', '{}', valueFrom([])],
    [
      'textArray',
      ' { a , "b \\"c" ,NULL,"NULL",d\\,e f } ',
      valueFrom(['a', 'b "c', null, 'NULL', 'd,e f']),
    ],
  ]
  for (const [type, text, value] of table) t.equal(fromText(text, type), shellText(value), text)
  for (const word of ['t', 'TRUE', 'y', 'yes', 'on', '1', ' tr ']) {
    t.equal(fromText(word, 'bool'), 'true')
  }
  for (const word of ['f', 'False', 'n', 'no', 'of', 'off', '0']) {
    t.equal(fromText(word, 'bool'), 'false')
  }
})

t.test('long texts are read in parts, with what lies across two of them', async (t) => {
  const part = 64 * 1024
  const read = (text: string, type: PgTypeName): { value: Value; parts: number } => {
    const steps = valueParts(Buffer.from(text), type)
    for (let parts = 0; ; parts++) {
      const step = steps.next()
      if (step.done === true) return { value: step.value, parts }
    }
  }
  const cases: readonly (readonly [PgTypeName, string, Value])[] = []
  const add = (type: PgTypeName, text: string, value: Value) =>
    (cases as [PgTypeName, string, Value][]).push([type, text, value])
  for (let shift = 0; shift < 5; shift++) {
    const before = 'a'.repeat(part - shift)
    const pairs = '61'.repeat((part >> 1) - 2)
    const spaces = ' '.repeat(shift)
    const hex = `${pairs}${spaces}6 2${'63'.repeat(part)}`
    const digits = Buffer.from(hex.replaceAll(' ', ''), 'hex')
    add('bytea', `\\x${hex}`, binaryValue(0, digits))
    const octal = `${before}\\\\\\001${'b'.repeat(part)}`
    add('bytea', octal, binaryValue(0, Buffer.from(`${before}\\\u0001${'b'.repeat(part)}`)))
    const quoted = `{"${before}\\"\\\\é",${spaces}${before}\\,c${spaces},null,\\NULL}`
    const texts = [`${before}"\\é`, `${before},c`, null, 'NULL']
    add('textArray', quoted, valueFrom(texts))
  }
  add('textArray', `${' '.repeat(3 * part)}{a}${' '.repeat(3 * part)}`, valueFrom(['a']))
  for (const [type, text, value] of cases) {
    const found = read(text, type)
    t.ok(equalBytes(found.value.payload(), value.payload()), `${type} of ${text.length}`)
    t.ok(found.parts >= Math.floor(text.length / part), `${found.parts} parts`)
    t.ok(equalBytes(valueOfText(Buffer.from(text), type).payload(), value.payload()))
  }
  const wide = 'é😀ß'.repeat(5_000)
  t.equal(stringOf(valueOfText(Buffer.from(wide), 'text')), wide)
  const long = `1${' '.repeat(100_000)}`
  for (const type of ['bool', 'int4', 'date', 'uuid', 'numeric'] as const) {
    t.throws(() => valueOfText(Buffer.from(`${long}x`), type), type)
  }
  const json = `{"\\"${'a'.repeat(200_000)}\\""}`
  refuses(t, () => valueOfText(Buffer.from(json), 'jsonbArray'), { sqlState: '54000' })
})

t.test('points in time, with and without a zone', async (t) => {
  const utc = Date.UTC(2024, 0, 2, 3, 4, 5, 678)
  const table: readonly (readonly [string, number])[] = [
    ['2024-01-02 03:04:05.678+00', utc],
    ['2024-01-02T03:04:05.678Z', utc],
    ['2024-01-02 03:04:05.678', utc],
    ['2024-01-02 03:04:05.678999+00', utc],
    ['2024-01-02 04:34:05.678+01:30', utc],
    ['2024-01-01 22:04:05.678-0500', utc],
    ['2024-01-02 03:04', utc - 5678],
    ['2024-01-02', Date.UTC(2024, 0, 2)],
    ['0001-12-31 23:59:59.999+00 BC', -62135596800001],
  ]
  for (const [text, ms] of table) {
    t.equal(fromText(text, 'timestamptz'), shellText(dateValue(ms)), text)
  }
})

t.test('what a text cannot be', async (t) => {
  const table: readonly (readonly [PgTypeName, string, string])[] = [
    ['bool', '', '22P02'],
    ['bool', 'o', '22P02'],
    ['bool', 'truely', '22P02'],
    ['int4', '', '22P02'],
    ['int4', '1.5', '22P02'],
    ['int4', '2147483648', '22003'],
    ['int2', '-32769', '22003'],
    ['int8', '9223372036854775808', '22003'],
    ['oid', '-1', '22003'],
    ['int8', '1'.repeat(100_000), '22P02'],
    ['float8', '1e400', '22003'],
    ['float8', '1e-400', '22003'],
    ['float4', '1e39', '22003'],
    ['float8', '0x10', '22P02'],
    ['float8', 'e5', '22P02'],
    ['numeric', '1x', '22P02'],
    ['numeric', '1'.repeat(35), '22003'],
    ['date', 'tomorrow', '22007'],
    ['date', '2023-02-29', '22008'],
    ['date', '2023-13-01', '22008'],
    ['date', '0000-01-01', '22008'],
    ['timestamptz', 'infinity', '22007'],
    ['timestamptz', '2024-01-02 25:00', '22008'],
    ['timestamptz', '300000-01-02', '22008'],
    ['timestamptz', `2024-01-02${' '.repeat(1000)}x`, '22007'],
    ['uuid', '00112233-4455-6677-8899-aabbccddeef', '22P02'],
    ['uuid', '{00112233445566778899aabbccddeeff', '22P02'],
    ['bytea', '\\xabc', '22P02'],
    ['bytea', '\\xzz', '22P02'],
    ['bytea', 'a\\9', '22P02'],
    ['jsonb', '{', '22P02'],
    ['jsonb', '['.repeat(1000), '22P02'],
    ['textArray', 'a', '22P02'],
    ['textArray', '{a', '22P02'],
    ['textArray', '{a,}', '22P02'],
    ['textArray', '{"a"b}', '22P02'],
    ['textArray', '{{a}}', '22P02'],
    ['textArray', '{a}}', '22P02'],
    ['textArray', `{${'a,'.repeat(10_000)}a}`, '54000'],
  ]
  for (const [type, text, sqlState] of table) {
    const what = `${type} ${text.slice(0, 40)}`
    refuses(t, () => valueOfText(Buffer.from(text), type), { sqlState }, what)
  }
  for (const type of types) {
    refuses(t, () => valueOfText(Buffer.of(0xff), type), { sqlState: '22021' })
  }
})

t.test('binary of each type', async (t) => {
  const table: readonly (readonly [PgTypeName, string, Value])[] = [
    ['bool', '01', boolValue(true)],
    ['int2', 'fffe', int32Value(-2)],
    ['int4', 'fffffffe', int32Value(-2)],
    ['int8', '0020000000000001', int64Value(2n ** 53n + 1n)],
    ['oid', 'ffffffff', int64Value(4294967295n)],
    ['float4', '3fc00000', doubleValue(1.5)],
    ['float8', '3ff8000000000000', doubleValue(1.5)],
    ['text', '68c3a9', stringValue('hé')],
    ['bytea', 'dead', binaryValue(0, Buffer.of(0xde, 0xad))],
    ['uuid', uuid.toString('hex'), binaryValue(4, uuid)],
    ['date', '0000223f', dateValue(Date.UTC(2024, 0, 2))],
    ['timestamptz', '0002b0ec85204bb0', dateValue(Date.UTC(2024, 0, 2, 3, 4, 5, 678))],
    ['timestamptz', 'ffffffffffffffff', dateValue(946684799999)],
    ['numeric', '0002000000000002000c1388', decimalFromString('12.50')],
    ['numeric', '0002000000000000000c1388', decimalFromString('12.5')],
    ['numeric', '00010001000000000001', decimalFromString('10000')],
    ['numeric', '0000000000000002', decimalFromString('0.00')],
    ['numeric', '00000000f0000000', decimalFromString('-Infinity')],
    ['numeric', '00000000c0000000', decimalFromString('NaN')],
    ['jsonb', '015b315d', valueFrom([1])],
    ['json', '5b315d', valueFrom([1])],
    ['textArray', '000000000000000000000019', valueFrom([])],
    [
      'textArray',
      '0000000100000001000000190000000200000001' + '0000000161ffffffff',
      valueFrom(['a', null]),
    ],
  ]
  for (const [type, digits, value] of table) {
    t.equal(fromHex(digits, type), shellText(value), `${type} ${digits}`)
  }
})

t.test('what binary cannot be', async (t) => {
  const table: readonly (readonly [PgTypeName, string, string])[] = [
    ['bool', '', '22P03'],
    ['int4', '000001', '22P03'],
    ['int4', '0000000001', '22P03'],
    ['float8', '3ff8', '22P03'],
    ['uuid', '00', '22P03'],
    ['text', 'ff', '22021'],
    ['jsonb', '025b315d', '22P03'],
    ['jsonb', '017b', '22P02'],
    ['date', '7fffffff', '22007'],
    ['timestamptz', '8000000000000000', '22007'],
    ['numeric', '0001000000000000', '22P03'],
    ['numeric', '00010000000000002710', '22P03'],
    ['numeric', '0000000012340000', '22P03'],
    ['numeric', '00017fff000000000001', '22003'],
    ['numeric', `000b000000000000${'0001'.repeat(11)}`, '22003'],
    ['textArray', '000000020000000000000019', '22P03'],
    ['textArray', '000000000000000000000017', '22P03'],
    ['textArray', '0000000100000000000000190000ffff00000001', '54000'],
    ['textArray', '0000000100000000000000190000000200000001', '22P03'],
  ]
  for (const [type, digits, sqlState] of table) {
    const bytes = Buffer.from(digits, 'hex')
    refuses(t, () => valueOfBinary(bytes, type, 4), { sqlState }, `${type} ${digits}`)
  }
  refuses(t, () => valueOfBinary(Buffer.of(1), 'int4', 4), {
    message: 'incorrect binary data format in bind parameter 5',
  })
})

t.test('a Bind gives as many values as the statement asks for', async (t) => {
  const bind = {
    kind: 'bind',
    portal: '',
    statement: 's',
    parameters: [Buffer.from('7'), Buffer.from('00000007', 'hex'), undefined],
    parameterFormats: ['text', 'binary', 'text'],
    resultFormats: [],
  } as const
  const values = parametersOf(bind, ['int4', 'int4', 'int4'])
  t.same(values.map(shellText), ['7', '7', 'null'])
  refuses(t, () => parametersOf(bind, ['int4']), {
    message: 'bind message supplies 3 parameters, but prepared statement "s" requires 1',
    sqlState: '08P01',
  })
})

t.test('values come back from both forms that we print', async () => {
  const decimal = fc
    .tuple(
      fc.bigInt({ min: -(10n ** 34n) + 1n, max: 10n ** 34n - 1n }),
      fc.integer({ min: -40, max: 0 }),
    )
    .filter(([coefficient]) => coefficient !== 0n)
    .map(([coefficient, exponent]) => decimalFromString(`${coefficient}E${exponent}`))
  const ms = fc.integer({ min: -62135596800000, max: 253402300799999 })
  const of = <T>(type: PgTypeName, values: fc.Arbitrary<T>, make: (js: T) => Value) =>
    values.map((js) => [type, make(js)] as const)
  const cases = fc.oneof(
    of('bool', fc.boolean(), boolValue),
    of('int4', fc.integer(), int32Value),
    of('int8', fc.bigInt({ min: -(2n ** 63n), max: 2n ** 63n - 1n }), int64Value),
    of('float8', fc.double(), doubleValue),
    of('float4', fc.float(), doubleValue),
    of('numeric', decimal, (value) => value),
    of('timestamptz', ms, dateValue),
    of('text', fc.string({ unit: 'grapheme' }), stringValue),
    of('bytea', fc.uint8Array(), (bytes) => binaryValue(0, bytes)),
    of('jsonb', fc.array(fc.string()), valueFrom),
    of('textArray', fc.array(fc.option(fc.string({ unit: 'grapheme' }))), valueFrom),
  )
  fc.assert(
    fc.property(cases, ([type, value]) => {
      const text = Buffer.from((textForm(value, type) ?? '') as string)
      const binary = binaryForm(value, type) ?? new Uint8Array(0)
      const shown = shellText(value)
      const back = [valueOfText(text, type), valueOfBinary(binary, type, 0)].map(shellText)
      return back[0] === shown && back[1] === shown
    }),
    { numRuns: runs(500) },
  )
})

t.test('garbage is refused with an SQLSTATE or read, and nothing else', async () => {
  const type = fc.constantFrom(...types)
  const likely = fc.string({
    unit: fc.constantFrom(...'0123456789-+:.eETZ {}",\\xafNULtrue[]'),
    maxLength: 40,
  })
  const bytes = fc.oneof(
    fc.uint8Array({ maxLength: 60 }),
    likely.map((text) => Buffer.from(text)),
  )
  fc.assert(
    fc.property(type, bytes, (type, bytes) => {
      return (
        isAnswered(() => valueOfText(bytes, type)) &&
        isAnswered(() => valueOfBinary(bytes, type, 0))
      )
    }),
    { numRuns: runs(3000) },
  )
})

t.test('texts of a million characters are read or refused at once', async (t) => {
  const long = 1_000_000
  const texts = [
    `{${' '.repeat(long)}x`,
    `{"${'\\a'.repeat(long / 2)}"}`,
    `{${'a '.repeat(long / 2)}}`,
    '}'.repeat(long),
    `\\x${'ab'.repeat(long / 2)}`,
    '\\\\'.repeat(long / 2),
    '1'.repeat(long),
    ' '.repeat(long),
    `${'-'.repeat(long)}`,
  ]
  for (const text of texts) {
    for (const type of types) {
      isAnswered(() => valueOfText(Buffer.from(text), type))
    }
  }
  t.pass('all')
})
