// Every SQL function and operator over hostile values, and statements that are long themselves.

import t from 'tap'
import { documentFunctions } from '../../src/commands/sql/expression/functions/document-functions.js'
import { numberFunctions } from '../../src/commands/sql/expression/functions/number-functions.js'
import { textFunctions } from '../../src/commands/sql/expression/functions/text-functions.js'
import { timeFunctions } from '../../src/commands/sql/expression/functions/time-functions.js'
import { isLong } from '../support/seed.js'
import { type HostileKind, hostileKinds, large, parameterKinds, type StallCase } from './cases.js'
import { hunt } from './hunt.js'
import { callsOf, functionSignatures, operationsOf, operatorSides } from './sql-operands.js'

const size = isLong ? 3_000_000 : 300_000
const many = isLong ? 20_000 : 5_000
const rowsAtOnce = 1_000

const prepare: StallCase[] = hostileKinds.map((kind) => ({
  kind: 'document',
  name: `insert ${kind}`,
  command: {
    insert: 'vals',
    documents: [
      { _id: kind, v: large(kind, size), w: large(kind, size - 100), n: large('text', size >> 2) },
    ],
  },
}))
for (let from = 0; from < many; from += rowsAtOnce) {
  prepare.push({
    kind: 'document',
    name: 'insert many',
    command: {
      insert: 'many',
      documents: Array.from({ length: rowsAtOnce }, (_, i) => ({
        ...{ _id: from + i, i: from + i, g: i % 10, s: `${'a'.repeat(200)}${i % 7}` },
      })),
    },
  })
}

/** Documents with many fields behind those whose fields are the columns. */
const hidden = [
  ...Array.from({ length: 1_000 }, (_, _id) => ({ _id, i: _id })),
  { _id: 1_001, ...fieldsUpTo(size >> 4) },
  ...Array.from({ length: 20 }, (_, i) => ({ _id: 2_000 + i, ...fieldsUpTo(8_000) })),
]
prepare.push(
  ...['CREATE TABLE typed (i int, s text)', "INSERT INTO typed VALUES (1, 'a'), (2, 'b')"].map(
    (text): StallCase => ({ kind: 'sql', name: text, text }),
  ),
)
prepare.push({
  kind: 'document',
  name: 'insert hidden',
  command: { insert: 'hidden', documents: hidden },
})

function fieldsUpTo(count: number): Readonly<Record<string, number>> {
  return Object.fromEntries(Array.from({ length: count }, (_, i) => [`c${i}`, i]))
}

const tables = [...textFunctions, ...numberFunctions, ...timeFunctions, ...documentFunctions]
const types = ['text', 'int', 'numeric', 'float8', 'boolean', 'timestamp', 'date', 'jsonb']

function expressionsOf(kind: HostileKind): string[] {
  return [
    ...Object.keys(functionSignatures).flatMap((name) => callsOf(name, kind)),
    ...Object.keys(operatorSides).flatMap((name) => operationsOf(name, kind)),
    ...['v IN (n, w)', "v IN ('a', v)", 'v BETWEEN n AND w', 'v BETWEEN w AND v'],
    ...types.flatMap((type) => [`CAST(v AS ${type})`, `CAST(CAST(v AS text) AS ${type})`]),
  ]
}

const cases: StallCase[] = hostileKinds.flatMap((kind) =>
  expressionsOf(kind).map((expression): StallCase => {
    const text = `SELECT ${expression} FROM vals WHERE _id = '${kind}'`
    return { kind: 'sql', name: `${expression} of ${kind}`, text }
  }),
)

const items = (make: (i: number) => string, count = 9_000): string =>
  Array.from({ length: count }, (_, i) => make(i)).join(', ')

const joined = (separator: string, make: (i: number) => string, count = 9_000): string =>
  Array.from({ length: count }, (_, i) => make(i)).join(separator)

/** Statements that are long by one form. */
const longStatements: readonly string[] = [
  `SELECT i FROM many WHERE NOT i IN (${items(String)})`,
  `SELECT i FROM many WHERE g = 1 AND i IN (${items((i) => `${i}.5`)})`,
  `SELECT i IN (${items(String)}) FROM many LIMIT 5`,
  `SELECT 5 IN (${items(String)})`,
  `SELECT i FROM many WHERE i = ANY (ARRAY[${items(String)}])`,
  `SELECT * FROM (VALUES ${items((i) => `(${i}, 'x${i}')`)}) AS t (a, b) LIMIT 5`,
  `VALUES ${items((i) => `(${i}, 'x${i}')`)}`,
  `SELECT ARRAY[${items(String)}]`,
  `SELECT CASE i ${joined(' ', (i) => `WHEN ${i} THEN ${i}`, 5_000)} END FROM many LIMIT 5`,
  `SELECT CASE ${joined(' ', (i) => `WHEN i = ${i} THEN 'a'`, 5_000)} END FROM many LIMIT 5`,
  `SELECT i FROM many WHERE ${joined(' AND ', (i) => `i <> ${i}`)}`,
  `SELECT i FROM many WHERE ${joined(' OR ', (i) => `s = 'x${i}'`)}`,
  `SELECT i FROM many WHERE ${joined(' OR ', (i) => `(i = ${i} AND g = 1)`, 5_000)}`,
  `SELECT i FROM many WHERE ${joined(' OR ', (i) => `s ~ '^x${i}[0-9]+(foo|bar)?$'`, 300)}`,
  `UPDATE many SET c = 1 WHERE ${joined(' OR ', (i) => `s ~* 'a.+b${i}'`, 300)}`,
  `SELECT i FROM many WHERE s ~ '${'\\pL'.repeat(9_000)}'`,
  `SELECT ${joined(' || ', (i) => `'${i}'`)}`,
  `SELECT ${joined(' + ', String)}`,
  `SELECT ${joined(' + ', (i) => `i * ${i}`)} FROM many LIMIT 5`,
  `SELECT ${'('.repeat(5_000)}1${')'.repeat(5_000)}`,
  `SELECT ${'('.repeat(90)}1${')'.repeat(90)}`,
  `SELECT ${'- '.repeat(20_000)}1`,
  `SELECT ${'NOT '.repeat(20_000)}true`,
  `SELECT coalesce(${items((i) => `NULL, ${i}`)})`,
  `SELECT greatest(${items(String)}), least(${items((i) => `'a${i}'`)})`,
  `SELECT concat(${items((i) => `'a${i}'`)})`,
  `SELECT i, ${joined(', ', (i) => `sum(i) AS s${i}`, 1_500)} FROM many GROUP BY i`,
  `SELECT i FROM many ORDER BY ${joined(', ', (i) => `i + ${i}`, 1_500)} LIMIT 5`,
  `SELECT g FROM many GROUP BY ${joined(', ', (i) => `g + ${i}`, 1_500)}, g`,
  `SELECT ${items((i) => `i AS c${i}`, 1_600)} FROM many LIMIT 100`,
  `SELECT i FROM many WHERE (i, g) IN (${items((i) => `(${i}, ${i})`, 5_000)})`,
  `UPDATE many SET ${items((i) => `c${i} = ${i}`, 1_500)} WHERE i < 10`,
  `DELETE FROM many WHERE i IN (${items((i) => String(-i - 1))})`,
  `INSERT INTO made (${items((i) => `c${i}`, 1_500)}) VALUES (${items(String, 1_500)})`,
  `CREATE TABLE wide (${items((i) => `c${i} int`, 1_500)})`,
  `SELECT 1; ${joined('; ', (i) => `SELECT ${i}`, 3_000)}`,
  `SELECT ${items(() => '(SELECT 1)')}`,
  `SELECT ${items(() => 'EXISTS (SELECT 1 FROM pg_rules)', 8_000)}`,
  `SELECT '${'-- '.repeat(100_000)}'`,
  `/*${' /* */'.repeat(50_000)}*/ SELECT 1`,
  `SELECT ${' '.repeat(size)}1`,
  ...['', ' FROM many LIMIT 5', ' FROM typed'].flatMap((from) => {
    const i = from === '' ? 'length(current_user)' : 'i'
    const whens = joined(' ', (n) => `WHEN ${i} = ${n} THEN ${i} + ${n}`, 4_000)
    return [
      `SELECT CASE ${whens} END${from}`,
      `SELECT concat(${items((n) => `CASE WHEN ${i} = ${n} THEN '${n}' END`, 3_500)})${from}`,
      `SELECT ARRAY[${items((n) => `(${i} + ${n}) * 2`, 5_000)}]${from}`,
      `SELECT sum(CASE ${whens} END)${from.replace(' LIMIT 5', '')}`,
    ]
  }),
  ...['WHERE', 'GROUP BY', 'ORDER BY'].map(
    (clause) =>
      `SELECT max(i) FROM typed ${clause} CASE ${joined(' ', (i) => `WHEN i = ${i} THEN s = 'x${i}'`, 4_000)} END`,
  ),
  ...['many', 'typed'].map(
    (table) =>
      `UPDATE ${table} SET s = CASE ${joined(' ', (i) => `WHEN i = ${i} THEN 'x${i}'`, 4_000)} END WHERE i < 3`,
  ),
  `SELECT i FROM many WHERE s LIKE ANY (ARRAY[${items((i) => `'%a${i}%'`, 2_000)}])`,
]

const explained = longStatements
  .filter((text) => /^(?:SELECT|UPDATE|DELETE|INSERT)\b(?!.*; SELECT)/.test(text))
  .map((text) => `EXPLAIN ${text}`)

/** Statements over many rows, and long ones. */
const statements: readonly string[] = [
  'SELECT count(*), sum(i), min(s), max(s), avg(i) FROM many',
  'SELECT array_agg(s), json_agg(i), string_agg(s, s) FROM many',
  'SELECT s, count(*) FROM many GROUP BY s HAVING count(*) > 1 ORDER BY s DESC',
  'SELECT i, array_agg(s) FROM many GROUP BY i ORDER BY 1',
  'SELECT DISTINCT s, i FROM many ORDER BY s, i DESC LIMIT 10',
  'SELECT * FROM many ORDER BY s, i DESC',
  'SELECT * FROM hidden',
  'DESCRIBE hidden',
  "SELECT column_name FROM information_schema.columns WHERE table_name = 'hidden'",
  'SELECT * FROM information_schema.columns',
  'SELECT * FROM hidden a JOIN hidden b ON a._id = b._id',
  'UPDATE hidden SET i = i + 1 RETURNING *',
  'SELECT a.i FROM many a JOIN many b ON a.g = b.g WHERE a.i < 300',
  'SELECT a.i FROM many a LEFT JOIN many b ON a.i > b.i LIMIT 10',
  "SELECT i FROM many WHERE s LIKE '%a%a%a%a%a%b'",
  "SELECT i FROM many WHERE s ~ '(a|aa)+b'",
  `SELECT i FROM many WHERE i IN (${items(String)})`,
  `SELECT i FROM many WHERE s IN (${items((i) => `'a${i}'`)})`,
  `SELECT i FROM many WHERE ${Array.from({ length: 900 }, (_, i) => `i = ${i}`).join(' OR ')}`,
  `SELECT ${items((i) => `i + ${i}`, 1_500)} FROM many LIMIT 5`,
  `INSERT INTO made (_id, a) VALUES ${items((i) => `(${i}, 'x${i}')`, 3_000)}`,
  'UPDATE many SET g = g + 1, s = s || s WHERE i < 3000',
  'UPDATE many SET g = g + 1',
  'DELETE FROM many WHERE i > 10',
  'EXPLAIN ANALYZE SELECT * FROM many ORDER BY s',
]

t.test('every SQL function has its operands', async (t) => {
  const names = tables.flatMap((row) => row.names.split(' '))
  t.same(
    names.filter((name) => functionSignatures[name] === undefined),
    [],
  )
})

t.test('no SQL function or operator holds the loop', async (t) => {
  await hunt(t, cases, { prepare, stretches: 'sql' })
})

const parameterTypes = [
  ...['text', 'jsonb', 'json', 'bytea', 'text[]', 'jsonb[]', 'numeric', 'timestamptz', 'bool'],
]

t.test('no statement holds the loop', async (t) => {
  const all: StallCase[] = [
    ...[...statements, ...longStatements, ...explained].map(
      (text, i): StallCase => ({ kind: 'sql', name: `${i} ${text.slice(0, 60)}`, text }),
    ),
    ...longStatements
      .filter((text) => text.startsWith('SELECT ') && !text.includes('; SELECT'))
      .map(
        (text, i): StallCase => ({
          ...{ kind: 'document', name: `${i} sqlSelect ${text.slice(0, 60)}` },
          command: { sqlSelect: text },
        }),
      ),
    ...['a', 'é'].map(
      (letter): StallCase => ({
        ...{ kind: 'sql', name: `a statement of ${letter}` },
        text: `SELECT '${letter.repeat(size)}'`,
      }),
    ),
    ...['length($1)', '$1::text::jsonb', 'upper($1)', '$1'].flatMap((expression) =>
      (['text', 'wideText', 'hex'] as const).map(
        (kind): StallCase => ({
          ...{ kind: 'sql', name: `${expression} of ${kind}`, text: `SELECT ${expression}` },
          values: [{ kind, size: size * 4 }],
        }),
      ),
    ),
    ...['i = ANY($1)', 's = ANY($1)', 'g = 1 AND i = ANY($1)', 'NOT i = ANY($1)'].map(
      (condition): StallCase => ({
        ...{ kind: 'sql', name: condition, text: `SELECT i FROM many WHERE ${condition}` },
        values: [{ kind: 'bracedNumbers', size: 60_000 }],
      }),
    ),
    ...parameterTypes.flatMap((type) =>
      [...hostileKinds, ...parameterKinds].map(
        (kind): StallCase => ({
          ...{ kind: 'sql', name: `$1::${type} of ${kind}`, text: `SELECT $1::${type} IS NULL` },
          values: [{ kind, size: size * 4 }],
        }),
      ),
    ),
  ]
  await hunt(t, all, { prepare })
})
