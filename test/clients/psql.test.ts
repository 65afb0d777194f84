// psql as people use it: a script, its commands that list what there is, errors with the place
// marked, a wallet's key, and what a Grafana data source asks for its query builder.

import { execFile, spawn } from 'node:child_process'
import { promisify } from 'node:util'
import t from 'tap'
import { type LiveGateway, startGateway } from '../support/live-gateway.js'
import { testWallet } from '../support/wallet.js'
import { WalletClient } from '../support/wallet-client.js'

const run = promisify(execFile)
const missing = await run('psql', ['--version']).then(
  () => undefined,
  () => 'psql is not installed: apt-get install postgresql-client',
)
const skip = missing !== undefined && process.env.CI !== 'true' ? missing : false

interface Printed {
  readonly out: string
  readonly errors: string
}

interface Login {
  readonly user?: string
  readonly key?: string
  readonly options?: readonly string[]
}

function psql(gateway: LiveGateway, script: string, login: Login = {}): Promise<Printed> {
  const { user = 'operator', key = gateway.key, options = [] } = login
  const place = ['-h', '127.0.0.1', '-p', String(gateway.ports.sql), '-U', user, '-d', 'main']
  const { PATH = '' } = process.env
  const child = spawn('psql', ['-X', ...place, ...options], {
    env: { PATH, PGPASSWORD: key, LC_ALL: 'C' },
    stdio: ['pipe', 'pipe', 'pipe'],
  })
  let out = ''
  let errors = ''
  child.stdout.on('data', (chunk: Buffer) => {
    out += chunk
  })
  child.stderr.on('data', (chunk: Buffer) => {
    errors += chunk
  })
  child.stdin.end(script)
  return new Promise((resolve, reject) => {
    child.once('error', reject)
    child.once('close', () => resolve({ out, errors }))
  })
}

/** Unaligned rows, without a head. */
const plain = { options: ['-At'] }

/** One for all: most of a test would be the start of another. */
const gateway = await startGateway(t)
if (skip === false) {
  await psql(
    gateway,
    `CREATE TABLE people (_id int PRIMARY KEY, name text NOT NULL, age int);
     CREATE INDEX people_name ON people (name DESC);
     INSERT INTO people (_id, name, age) VALUES (1, 'Ann', 30), (2, 'Bob', 41);`,
  )
}

t.test('its commands list tables, indexes, columns and databases', { skip }, async (t) => {
  const { out, errors } = await psql(gateway, '\\dt\n\\di\n\\l\n\\dn\n\\dv\n', plain)
  t.equal(errors, 'Did not find any relations.\n', 'there are no views')
  t.equal(
    out,
    [
      'public|people|table|operator',
      'public|people_name|index|operator|people',
      'public|people_pkey|index|operator|people',
      'main|operator|UTF8|C.UTF-8|C.UTF-8||libc|',
      'public|operator\n',
    ].join('\n'),
  )
  const described = await psql(gateway, '\\d people\n\\d nosuch\n')
  t.equal(described.errors, 'Did not find any relation named "nosuch".\n')
  t.equal(
    described.out,
    [
      '               Table "public.people"',
      ' Column |  Type   | Collation | Nullable | Default ',
      '--------+---------+-----------+----------+---------',
      ' _id    | integer |           | not null | ',
      ' name   | text    |           | not null | ',
      ' age    | integer |           |          | ',
      'Indexes:',
      '    "people_pkey" PRIMARY KEY, btree (_id)',
      '    "people_name" btree (name DESC)\n\n',
    ].join('\n'),
  )
})

t.test('its commands tell more of tables and indexes', { skip }, async (t) => {
  const { out, errors } = await psql(gateway, '\\d+ people\n\\d people_name\n')
  t.equal(errors, '')
  const lines = out.split('\n').map((line) => line.trimEnd())
  t.match(lines[3], /^ _id {4}\| integer \| +\| not null \| +\| plain +\|/)
  t.match(lines[4], /^ name {3}\| text {4}\| +\| not null \| +\| extended \|/)
  t.same(
    lines.slice(6).map((line) => line.replace(/^ +(?=Index ")/, '')),
    [
      ...[
        'Indexes:',
        '    "people_pkey" PRIMARY KEY, btree (_id)',
        '    "people_name" btree (name DESC)',
      ],
      ...['Access method: heap', '', 'Index "public.people_name"'],
      ...[' Column | Type | Key? | Definition', '--------+------+------+------------'],
      ...[' name   | text | yes  | name', 'btree, for table "public.people"', '', ''],
    ],
  )
  const sizes = await psql(gateway, '\\dt+\n\\di+\n', plain)
  t.equal(sizes.errors, '')
  t.match(sizes.out, /^public\|people\|table\|operator\|permanent\|heap\|\|$/m)
})

t.test('a large result is fetched by a cursor, and a session is wiped', { skip }, async (t) => {
  const { out, errors } = await psql(
    gateway,
    `\\set FETCH_COUNT 1
     SELECT name FROM people ORDER BY name;
     DISCARD ALL;
     CREATE TABLE IF NOT EXISTS people (a int);`,
    plain,
  )
  t.equal(out, 'Ann\nBob\nDISCARD ALL\nCREATE TABLE\n')
  t.equal(errors, 'NOTICE:  relation "people" already exists, skipping\n')
})

t.test('errors show where they are, and a script goes on behind them', { skip }, async (t) => {
  const { out, errors } = await psql(
    gateway,
    'SELECT nam FORM people;\nSELECT 1/0;\nSELECT 2;',
    plain,
  )
  t.match(errors, /ERROR: {2}syntax error at or near "people"\nLINE 1: SELECT nam FORM people;\n/)
  t.match(errors, /\n {20,}\^\nERROR: {2}division by zero\n/)
  t.equal(out, '2\n')
  const rolled = await psql(
    gateway,
    'BEGIN; DELETE FROM people; ROLLBACK; SELECT count(*) > 0 FROM people;',
    plain,
  )
  t.same(rolled, { out: 'BEGIN\nDELETE 2\nROLLBACK\nt\n', errors: '' })
})

/** How Grafana asks whether a schema is on the search path. */
const onPath = `quote_ident(table_schema) IN (
          SELECT
            CASE WHEN trim(s[i]) = '"$user"' THEN user ELSE trim(s[i]) END
          FROM
            generate_series(
              array_lower(string_to_array(current_setting('search_path'),','),1),
              array_upper(string_to_array(current_setting('search_path'),','),1)
            ) as i,
            string_to_array(current_setting('search_path'),',') s
          )`

t.test('what a Grafana data source asks is answered', { skip }, async (t) => {
  const answerOf = async (sql: string): Promise<string> => {
    const { out, errors } = await psql(gateway, sql, plain)
    return errors === '' ? out : errors
  }
  t.equal(
    await answerOf("SELECT current_setting('server_version_num')::int/100 as version"),
    '1500\n',
  )
  t.equal(await answerOf("SELECT extversion FROM pg_extension WHERE extname = 'timescaledb'"), '')
  t.equal(
    await answerOf(
      `SELECT CASE WHEN ${onPath} THEN quote_ident(table_name)
         ELSE quote_ident(table_schema) || '.' || quote_ident(table_name) END AS "table"
       FROM information_schema.tables
       WHERE quote_ident(table_schema) NOT IN ('information_schema', 'pg_catalog',
         '_timescaledb_cache', 'timescaledb_experimental')
       ORDER BY CASE WHEN ${onPath} THEN 0 ELSE 1 END, 1`,
    ),
    'people\n',
  )
  t.equal(
    await answerOf(
      `SELECT quote_ident(column_name) AS "column", data_type AS "type"
       FROM information_schema.columns
       WHERE CASE WHEN array_length(parse_ident('people'),1) = 2
         THEN quote_ident(table_schema) = (parse_ident('people'))[1]
           AND quote_ident(table_name) = (parse_ident('people'))[2]
         ELSE quote_ident(table_name) = 'people' AND ${onPath} END`,
    ),
    '_id|integer\nname|text\nage|integer\n',
  )
  await psql(
    gateway,
    `INSERT INTO metrics ("time", value) VALUES (timestamptz '2024-01-01T00:01:00Z', 1.5),
       (timestamptz '2024-01-01T00:02:00Z', 2.5), (timestamptz '2024-01-01T00:07:00Z', 9)`,
  )
  t.equal(
    await answerOf(
      `SELECT "time" AS "time", value FROM metrics
       WHERE "time" BETWEEN '2024-01-01T00:00:00Z' AND '2024-01-01T00:05:00Z' ORDER BY 1 LIMIT 50`,
    ),
    '2024-01-01 00:01:00+00|1.5\n2024-01-01 00:02:00+00|2.5\n',
  )
  t.equal(
    await answerOf(
      `SELECT floor(extract(epoch from "time")/300)*300 AS "time", avg(value) AS mean
       FROM metrics GROUP BY 1 ORDER BY 1`,
    ),
    '1704067200|2\n1704067500|9\n',
  )
})

t.test("a wallet's key signs in, a wrong one does not", { skip }, async (t) => {
  const alice = testWallet('alice')
  const { apiKey: key } = await (await WalletClient.signIn(gateway.url, alice)).issue()
  const user = `${alice.address}:s0`
  const { out } = await psql(gateway, 'SELECT current_user', { ...plain, user, key })
  t.equal(out, `${user}\n`)
  const seen = await psql(gateway, '\\dt', { user, key })
  t.equal(seen.errors, 'Did not find any relations.\n', 'what is private is not listed')
  const refused = await psql(gateway, 'SELECT * FROM people', { user, key })
  t.match(refused.errors, /ERROR: {2}not authorized/)
  const wrong = await psql(gateway, 'SELECT 1', { user, key: gateway.key })
  t.match(wrong.errors, /FATAL: {2}password authentication failed for user "0x/)
})

t.test('a script runs, and prints what PostgreSQL would', { skip }, async (t) => {
  const { out, errors } = await psql(
    gateway,
    `SELECT name, age FROM people ORDER BY age DESC;
     UPDATE people SET age = age + 1 WHERE name = 'Ann' RETURNING age;
     DELETE FROM people WHERE age > 40;
     BEGIN; SELECT count(*) FROM people; COMMIT;
     TRUNCATE people; DROP TABLE people;`,
  )
  t.equal(errors, '')
  t.equal(
    out,
    [
      ' name | age \n------+-----\n Bob  |  41\n Ann  |  30\n(2 rows)\n\n',
      ' age \n-----\n  31\n(1 row)\n\nUPDATE 1\nDELETE 1\n',
      'BEGIN\n count \n-------\n     1\n(1 row)\n\nCOMMIT\nTRUNCATE TABLE\nDROP TABLE\n',
    ].join(''),
  )
})
