// Casts and the text of values, case by case as PostgreSQL answers them; where Sigil differs the
// name of the test says so.

import { Decimal128, Long, ObjectId } from 'bson'
import t from 'tap'
import { answer } from './evaluate.js'

const facts: readonly (readonly [expression: string, answer: string])[] = [
  ["'12'::int", 'integer 12'],
  ["' -12 '::int", 'integer -12'],
  ["'1.5'::int", 'error 22P02'],
  ["'x'::int", 'error 22P02'],
  ["''::int", 'error 22P02'],
  ["'3000000000'::int", 'error 22003'],
  ["'3000000000'::bigint", 'bigint 3000000000'],
  ['5::bigint', 'bigint 5'],
  ['40000::smallint', 'error 22003'],
  ['1.5::int', 'integer 2'],
  ['(-2.5)::int', 'integer -3'],
  ['true::int', 'integer 1'],
  ["'NaN'::float8::int", 'error 22003'],
  ["'1e3'::float8", 'double precision 1000'],
  ["'infinity'::float8", 'double precision Infinity'],
  ["'1e400'::float8", 'error 22003'],
  ["'1_0'::float8", 'error 22P02'],
  ["'1.10'::numeric", 'numeric 1.10'],
  ["'1.555'::numeric(10,2)", 'numeric 1.56'],
  ['5::numeric(10,2)', 'numeric 5.00'],
  ['12345::numeric(4,0)', 'error 22003'],
  ["'12x'::numeric", 'error 22P02'],
  ["'t'::bool", 'boolean true'],
  ["' OFF '::bool", 'boolean false'],
  ["'maybe'::bool", 'error 22P02'],
  ['2::bool', 'boolean true'],
  ['1.5::bool', 'error 42846'],
  ["'2026-01-02'::timestamptz", 'timestamp with time zone 2026-01-02T00:00:00.000Z'],
  [
    "'2026-01-02 03:04:05.678+02'::timestamptz",
    'timestamp with time zone 2026-01-02T01:04:05.678Z',
  ],
  ["'2026-01-02 23:00'::date", 'timestamp with time zone 2026-01-02T00:00:00.000Z'],
  ["'2026-02-30'::date", 'error 22008'],
  ["'2026-01-02T24:00:00Z'::timestamptz", 'error 22008'],
  ['5::date', 'error 42846'],
  [`'{"a": [1, 2.5]}'::jsonb`, 'jsonb {"a":[1,2.5]}'],
  ["'{'::jsonb", 'error 22P02'],
  ["'null'::jsonb", 'NULL'],
  ["'{1,2}'::int[]", 'jsonb [1,2]'],
  ["'{1,x}'::int[]", 'error 22P02'],
  ["'abcdef'::varchar(3)", 'text abc'],
  ['NULL::int', 'NULL'],
]

for (const [expression, expected] of facts) {
  t.test(`${expression} is ${expected}`, async (t) => {
    t.equal(answer(expression), expected)
  })
}

t.test('long texts are refused without being searched back and forth', async (t) => {
  const digits = '1'.repeat(1_000_000)
  for (const type of ['int', 'float8', 'numeric', 'bool']) {
    t.equal(answer(`a::${type}`, { a: `${digits}x` }), 'error 22P02')
  }
  t.equal(answer('a::timestamptz', { a: digits }), 'error 22007')
  t.equal(answer('a::int[]', { a: `{${digits}` }), 'error 22P02')
  t.equal(answer('a::int', { a: digits }), 'error 22003')
})

t.test('the text of a value is what SQL prints, or plain JSON', async (t) => {
  const texts: readonly (readonly [unknown, string])[] = [
    [1.5, '1.5'],
    [100, '100'],
    [1e15, '1e+15'],
    [123456789012345.6, '123456789012345.6'],
    [0.0001, '0.0001'],
    [0.00001, '1e-05'],
    [-2.5e-7, '-2.5e-07'],
    [-0, '-0'],
    [Number.NaN, 'NaN'],
    [Long.fromString('9223372036854775807'), '9223372036854775807'],
    [Decimal128.fromString('1E+3'), '1000'],
    [Decimal128.fromString('-0.00120'), '-0.00120'],
    [true, 'true'],
    [new ObjectId('65f0c0ffee0123456789abcd'), '65f0c0ffee0123456789abcd'],
    [new Date('2026-01-02T03:04:05.678Z'), '2026-01-02T03:04:05.678Z'],
    [{ a: [1, 'x'] }, '{"a":[1,"x"]}'],
  ]
  for (const [a, text] of texts) t.equal(answer('a::text', { a }), `text ${text}`)
})
