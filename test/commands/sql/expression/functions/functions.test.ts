// The functions, each by what PostgreSQL answers. Halves are rounded away from zero for every type
// of number: a literal such as 2.5 is a double here, and a numeric there.

import t from 'tap'
import { answer } from '../evaluate.js'

const at = "timestamp '2026-03-04 05:06:07.089'"
const stamp = 'timestamp with time zone'

const facts: readonly (readonly [expression: string, answer: string])[] = [
  ["lower('ÄB')", 'text äb'],
  ["upper('äb')", 'text ÄB'],
  ["initcap('hello wORLD')", 'text Hello World'],
  ["length('a😀b')", 'integer 3'],
  ["octet_length('ä')", 'integer 2'],
  ["substring('abcdef' FROM 2 FOR 3)", 'text bcd'],
  ["substring('abcdef' FROM -1 FOR 3)", 'text a'],
  ["substring('a😀b', 2)", 'text 😀b'],
  ["substring('a', 1, -1)", 'error 22011'],
  ["left('abc', 2)", 'text ab'],
  ["left('abc', -1)", 'text ab'],
  ["right('abc', 2)", 'text bc'],
  ["right('abc', -1)", 'text bc'],
  ["right('abc', 0)", 'text '],
  ["replace('a.b.c', '.', '$&')", 'text a$&b$&c'],
  ["trim('  x ')", 'text x'],
  ["trim(LEADING 'x' FROM 'xxyx')", 'text yx'],
  ["rtrim('xyyx', 'xy')", 'text '],
  ["position('b' IN 'abc')", 'integer 2'],
  ["strpos('😀b', 'b')", 'integer 2'],
  ["position('z' IN 'abc')", 'integer 0'],
  ["reverse('abc')", 'text cba'],
  ["repeat('ab', 2)", 'text abab'],
  ["repeat('ab', 100000000)", 'error 54000'],
  ["lpad('7', 3, '0')", 'text 007'],
  ["lpad('7', 4, '😀x')", 'text 😀x😀7'],
  ["left('😀😀a', 2)", 'text 😀😀'],
  ["right('a😀😀', 2)", 'text 😀😀'],
  ["btrim('😀a😀', '😀')", 'text a'],
  ["rpad('abc', 2)", 'text ab'],
  ["split_part('a,b,c', ',', 2)", 'text b'],
  ["split_part('a,b,c', ',', -1)", 'text c'],
  ["starts_with('abc', 'ab')", 'boolean true'],
  ["concat('a', NULL, 1, true)", 'text a1true'],
  ["concat_ws('-', 'a', NULL, 2)", 'text a-2'],
  ["concat_ws(NULL, 'a')", 'NULL'],
  ["'a' || 1", 'text a1'],
  ["'a' || NULL", 'NULL'],
  ['1 || 2', 'error 42883'],
  ['ARRAY[1] || 2', 'jsonb [1,2]'],
  [`'{"a":1,"b":1}'::jsonb || '{"b":2}'::jsonb`, 'jsonb {"a":1,"b":2}'],
  ['lower(5)', 'error 42883'],
  ['lower(NULL)', 'NULL'],
  ['abs(-5)', 'integer 5'],
  ['abs(-0.5)', 'double precision 0.5'],
  ['sign(-3.5)', 'integer -1'],
  ['round(2.5)', 'double precision 3'],
  ['round(-2.5)', 'double precision -3'],
  ['round(2.675, 2)', 'double precision 2.68'],
  ["round('1.005'::numeric, 2)", 'numeric 1.01'],
  ['round(1250, -2)', 'integer 1300'],
  ['trunc(-2.7)', 'double precision -2'],
  ['floor(-2.1)', 'double precision -3'],
  ['ceil(2.1)', 'double precision 3'],
  ["ceil('-0.5'::numeric)", 'numeric 0'],
  ['floor(5)', 'integer 5'],
  ['mod(7, -3)', 'integer 1'],
  ['power(2, 3)', 'double precision 8'],
  ['sqrt(9)', 'double precision 3'],
  ['sqrt(-1)', 'error 2201F'],
  ['ln(0)', 'error 2201E'],
  ['exp(1000)', 'error 22003'],
  ['coalesce(NULL, 2, 1 / 0)', 'integer 2'],
  ['nullif(1, 1.0)', 'NULL'],
  ["nullif(1, '1')", 'integer 1'],
  ['greatest(1, NULL, 3, 2)', 'integer 3'],
  ['least(1, NULL, 3, 2)', 'integer 1'],
  ['greatest(NULL, NULL)', 'NULL'],
  ['now()', `${stamp} 2026-11-21T22:15:30.250Z`],
  ['current_timestamp', `${stamp} 2026-11-21T22:15:30.250Z`],
  ['current_date', `${stamp} 2026-11-21T00:00:00.000Z`],
  [`extract(year FROM ${at})`, 'integer 2026'],
  [`extract(dow FROM ${at})`, 'integer 3'],
  [`extract(isodow FROM timestamp '2026-03-01')`, 'integer 7'],
  [`extract(week FROM timestamp '2027-01-01')`, 'integer 53'],
  [`extract(isoyear FROM timestamp '2027-01-01')`, 'integer 2026'],
  [`extract(doy FROM ${at})`, 'integer 63'],
  [`extract(second FROM ${at})`, 'double precision 7.089'],
  [`extract(epoch FROM timestamp '1970-01-02')`, 'integer 86400'],
  [`extract(fortnight FROM ${at})`, 'error 22023'],
  [`date_trunc('month', ${at})`, `${stamp} 2026-03-01T00:00:00.000Z`],
  [`date_trunc('week', ${at})`, `${stamp} 2026-03-02T00:00:00.000Z`],
  [`date_trunc('hour', ${at})`, `${stamp} 2026-03-04T05:00:00.000Z`],
  [`date_trunc('quarter', timestamp '0055-06-01')`, `${stamp} 0055-04-01T00:00:00.000Z`],
  [`${at} AT TIME ZONE 'UTC'`, `${stamp} 2026-03-04T05:06:07.089Z`],
  [`${at} AT TIME ZONE 'Europe/Berlin'`, 'error 0A000'],
  ['to_timestamp(1.5)', `${stamp} 1970-01-01T00:00:01.500Z`],
  ['make_date(2026, 2, 30)', 'error 22008'],
  ["jsonb_array_length('[1,2]'::jsonb)", 'integer 2'],
  ['array_length(ARRAY[1,2], 1)', 'integer 2'],
  ["jsonb_typeof('{}'::jsonb)", 'text object'],
]

for (const [expression, expected] of facts) {
  t.test(`${expression} is ${expected}`, async (t) => {
    t.equal(answer(expression), expected)
  })
}

t.test('one row cannot work on long texts without end: it is one piece', async (t) => {
  const long = "repeat('x', 16000000)"
  t.equal(answer(`length(${long})`), 'integer 16000000')
  const wide = "repeat('é', 2000000)"
  t.equal(answer(`length(${wide} || ${wide})`), 'integer 4000000')
  for (const slow of ['reverse', 'initcap']) {
    t.equal(answer(`length(${slow}(${long}))`), 'error 54000', slow)
  }
  t.equal(answer(`split_part(${long}, 'x', 1)`), 'error 54000')
  const many = Array.from({ length: 10 }, () => `length(${long})`)
  t.equal(answer(many.join(' + ')), 'error 54000', 'many of them')
  const texts = ['x'.repeat(15_000_000), `${'x'.repeat(15_000_000)}y`]
  for (const dear of ['$1 = $2', '$1 > $2', "$1 IN ('a', $2)", "$1 ~ 'xy'", "$1 LIKE '%yx%'"]) {
    const all = Array.from({ length: 100 }, () => dear).join(' OR ')
    t.equal(answer(all, {}, texts), 'error 54000', dear)
  }
  for (const once of ['$1 = $2', '$1 > $2', "$1 IN ('a', 'b')"]) {
    t.equal(answer(once, {}, texts), 'boolean false', once)
  }
  for (const dear of ["$1 IN ('a', $2)", "$1 LIKE '%yx%'", "$1 ~ 'xy'"]) {
    t.equal(answer(dear, {}, texts), 'error 54000', `${dear} takes too long`)
  }
  t.equal(answer(many.map(() => "length(repeat('x', 1000))").join(' + ')), 'integer 10000')
})
