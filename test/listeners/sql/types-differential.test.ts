// Types of expressions over declared tables on PostgreSQL and on the SQL port: conditions that are
// no booleans, operators between two types, results without a common type, values that do not fit
// their column, and the places and details of these errors.

import t from 'tap'
import { openBothServers } from '../../support/both-servers.js'
import { startGateway } from '../../support/live-gateway.js'
import { postgresMissing } from '../../support/postgres-reference.js'
import { SqlClient } from '../../support/sql-client.js'

const columns =
  'id int PRIMARY KEY, n numeric, p numeric(5,2), f float8, b bool, d date, ts timestamptz, ' +
  't text NOT NULL, v varchar(5), s int2, l int8, arr int[], js jsonb'

const rows = `(1, 5, 1.25, 1.5, true, '2024-01-01', '2024-01-01T00:00:00Z', 'x', 'v', 2, 3, '{1,2}', '{"a":1}'),
  (2, 6, 2, 2.5, false, '2024-01-02', '2024-01-02T00:00:00Z', 'y', 'w', 3, 4, '{3}', '{}'),
  (3, NULL, NULL, NULL, NULL, NULL, NULL, 'z', NULL, NULL, NULL, NULL, NULL)`

/** Expressions of each type, none of them a boolean. */
const others = [
  ...['id', 'n', 'p', 'f', 'd', 'ts', 't', 'v', 's', 'l', 'arr', 'js', '1', '1.5', '(id)', '-id'],
  ...['id + 1', 'id + l', 'n * 2', "t || 'x'", 'upper(t)', 'length(t)', 'coalesce(id, 1)'],
  ...['nullif(id, 1)', 'id::text', 'arr[1]', "js->'a'", "js->>'a'", 'ARRAY[1]', 'now()', 'd + 1'],
  ...['current_date', 'abs(id)', '(CASE WHEN b THEN 1 END)', 'q.id', "'a'::text", 's + s'],
]

t.test('types are those of PostgreSQL', { skip: postgresMissing }, async (t) => {
  const { both, own } = await openBothServers(t)
  await both(t, `CREATE TABLE q (${columns})`, `INSERT INTO q VALUES ${rows}`)

  await t.test('a condition is a boolean', async (t) => {
    for (const other of others) {
      await both(
        t,
        `SELECT id FROM q WHERE ${other}`,
        `DELETE FROM q WHERE NOT ${other}`,
        `UPDATE q SET l = 5 WHERE b OR ${other}`,
      )
    }
    await both(
      t,
      'SELECT id FROM q WHERE b AND (id = 1 OR l)',
      'SELECT CASE WHEN id THEN 1 END AS x FROM q',
      'SELECT CASE WHEN b THEN 1 WHEN t THEN 2 END AS x FROM q',
      'SELECT count(*) FROM q HAVING count(*)',
      'SELECT count(*) FROM q GROUP BY id HAVING id',
      'SELECT count(*) FROM q HAVING sum(l)',
      'SELECT count(*) FROM q a JOIN q c ON a.id',
      'SELECT count(*) FROM q a LEFT JOIN q c ON a.id = c.id AND c.t',
      'SELECT count(*) FILTER (WHERE id) FROM q',
      'SELECT id FROM q ORDER BY NOT id',
      'SELECT count(*) FROM q GROUP BY NOT id',
      'UPDATE q SET b = NOT id',
      'UPDATE q SET l = CASE WHEN id THEN 1 ELSE 2 END',
      "INSERT INTO q (id, t) VALUES (1, 'x') ON CONFLICT (id) DO UPDATE SET l = 5 WHERE q.id",
      "INSERT INTO q (id, t) VALUES (9, 'x') RETURNING NOT id",
      "INSERT INTO q (id, t, b) VALUES (9, 'x', NOT 1)",
      "INSERT INTO q (id, t, l) VALUES (9, 'x', CASE WHEN 1 THEN 2 END)",
      'SELECT id FROM q WHERE id IS TRUE',
      'SELECT id FROM q WHERE t IS NOT FALSE',
      'SELECT id FROM q WHERE id IS UNKNOWN',
      'SELECT NOT 1',
      'SELECT 1 AND true',
    )
    await both(
      t,
      "SELECT id FROM q WHERE 't' ORDER BY id",
      "SELECT id FROM q WHERE 'abc'",
      "SELECT id FROM q WHERE NOT 'f' AND b",
      "SELECT id FROM q WHERE b OR 'zz'",
      'SELECT id FROM q WHERE NULL OR b',
      "SELECT CASE WHEN 'yes' THEN 1 END AS x",
      'SELECT id FROM q WHERE coalesce(b, true) ORDER BY id',
      'SELECT id FROM q WHERE id::bool AND (CASE WHEN b THEN b END)',
      'SELECT id FROM q WHERE b IS NOT TRUE ORDER BY id',
    )
    await own.unsafe('CREATE INDEX plain_a ON plain (a)')
    await own.unsafe("INSERT INTO plain (a) VALUES (1), (true), ('t')")
    const found = await own.unsafe('SELECT a FROM plain WHERE a')
    t.same(found, [{ a: true }], 'documents of other collections have any type')
  })

  await t.test('operators stand between types that have them', async (t) => {
    const operators = ['=', '<>', '<', '+', '-', '*', '/', '%', '||', 'LIKE', '~', 'IN', 'BETWEEN']
    for (const [left, right] of [
      ...(['id', 'n', 'f', 'b', 't', 'd'] as const).flatMap((one) =>
        (['l', 'b', 't'] as const).map((other) => [one, other] as const),
      ),
      ['arr', '5'],
      ['arr', 'ARRAY[1::int8]'],
      ['upper(t)', '5'],
      ['id + 1', 't'],
      ['(id = 1)', '1'],
    ]) {
      const conditions = operators.map((operator) => {
        if (operator === 'IN') return `${left} NOT IN (${right})`
        return operator === 'BETWEEN'
          ? `${left} BETWEEN ${right} AND ${right}`
          : `(${left} ${operator} ${right}) IS NULL`
      })
      for (const condition of conditions) {
        await both(t, `SELECT id FROM q WHERE id < 3 AND ${condition} ORDER BY id`)
      }
      await both(t, `SELECT id FROM q WHERE ${left} IS NOT DISTINCT FROM ${right} ORDER BY id`)
    }
    await both(
      t,
      "SELECT id FROM q WHERE b = ANY ('{1,2}')",
      "SELECT id FROM q WHERE d = ANY ('{2024-01-02,x}')",
      "SELECT id FROM q WHERE d = ANY ('{2024-01-02}') AND t <> ALL ('{x,z}') AND l > ANY ('{3}')",
      "SELECT bool_or('yes') AS x, bool_and(b AND 'off') AS y FROM q",
      "SELECT bool_or('2024') FROM q",
      'SELECT id FROM q WHERE t = ANY (arr)',
      "SELECT id FROM q WHERE id = ANY (ARRAY['a', 'b'])",
      "SELECT id FROM q WHERE CASE id WHEN 'a' THEN true END",
      'SELECT id FROM q WHERE CASE id WHEN 1 THEN true WHEN true THEN true END',
      'SELECT nullif(id, true) FROM q',
      "SELECT nullif(id, 'a') FROM q",
      'SELECT -t FROM q',
      'SELECT ts + 1 FROM q',
      'SELECT sum(t) FROM q',
      'SELECT avg(b) FROM q',
      'SELECT max(b) FROM q',
      'SELECT bool_and(id) FROM q',
      'SELECT id FROM q WHERE length(t) = $$a$$',
      "SELECT id FROM q WHERE length(t) = '1' AND id + '1' = '2'",
      "SELECT id FROM q WHERE id IN ('1.5', 2.5)",
      "SELECT id FROM q WHERE id IN ('1', '2.0', 2.5) ORDER BY id",
      "SELECT id FROM q WHERE '1' IN (id, 2)",
      "SELECT 1 = '1' AS a, true = 't' AS b, '1' = '1' AS c",
      "SELECT 1 = 'a'",
      "SELECT count(*) AS n FROM q HAVING count(*) > '1'",
      'SELECT x.id FROM q x JOIN q y ON x.id = y.t',
      'SELECT 2147483647 + 1',
      'SELECT id + 2147483647 FROM q',
      'SELECT s + 32767::int2 FROM q',
      'SELECT l + 9223372036854775807 FROM q',
      'SELECT id + 1 AS x, l * 2 AS y FROM q WHERE false',
    )
  })

  await t.test('results have a common type', async (t) => {
    await both(
      t,
      'SELECT coalesce(id, t) FROM q',
      "SELECT coalesce(id, 'a') FROM q",
      'SELECT greatest(id, true) FROM q',
      'SELECT CASE WHEN b THEN id ELSE t END FROM q',
      'SELECT CASE WHEN b THEN id WHEN NOT b THEN t END FROM q',
      "SELECT CASE WHEN b THEN id ELSE 'x' END FROM q",
      'SELECT ARRAY[id, t] FROM q',
      "SELECT coalesce(n, '7') AS x, least(id, '2') AS y FROM q ORDER BY id",
      'SELECT greatest(id, 2.5) AS x FROM q ORDER BY id',
      'SELECT (coalesce(n, 3) / 2)::float8 AS x FROM q ORDER BY id',
      'SELECT (CASE WHEN id = 1 THEN 3 ELSE n END / 2)::float8 AS x FROM q ORDER BY id',
      'SELECT coalesce(f, 3) / 2 AS x FROM q ORDER BY id',
      'SELECT f::int AS x, (f + 1)::int8 AS y, round(-f) AS z, p::int AS w FROM q ORDER BY id',
      'SELECT 2.5::int AS x, 2.5::float8::int AS y, round(3.5::float8) AS z, (0.5::float8)::int AS w',
      'SELECT p - f AS x, f * n AS y, 2 / f AS z FROM q WHERE id = 1',
      "SELECT d + 2 AS x, greatest(d, date '2024-01-02') AS y, ts::date AS z FROM q ORDER BY id",
      "SELECT coalesce(d, '2024-02-03') AS x, max(d) AS y FROM q GROUP BY 1 ORDER BY 1",
      'SELECT CASE WHEN b THEN d ELSE ts END AS x FROM q ORDER BY id',
    )
  })

  await t.test('a value fits its column, or is refused where it stands', async (t) => {
    for (const [column, ...values] of [
      ['id', "'abc'", 'true', "'8'::text", '99999999999', "'99999999999'", 't', 'b', 'd'],
      ['l', "'99999999999999999999'", '99999999999999999999', "'9.5'"],
      ['s', '70000', "'70000'", 'l'],
      ['n', "'zz'", 'b', "'1e5'"],
      ['p', "'12345'", '12345', 'n'],
      ['f', "'1e999'", "t || '1'", 'd'],
      ['b', "'foo'", '1', "'on'", 'id', 't'],
      ['d', "'2024-13-01'", "'foo'", 'ts', '5', 't'],
      ['ts', "'foo'", 'd', 'n'],
      ['v', "'abcdef'", '5', 'true'],
      ['t', '5', 'true', 'id'],
      ['arr', "'{1,a}'", "'a'", "ARRAY['a']", "'{7}'", 'id'],
      ['js', '5', 't', '\'{"b":2}\''],
    ] as const) {
      for (const value of values) {
        await both(t, `UPDATE q SET ${column} = ${value} WHERE id = 1`)
        if (/^[a-z]+$/.test(value) && value !== 'true') continue
        const also = column === 't' ? '' : ', t'
        await both(
          t,
          `INSERT INTO q (${column}${column === 'id' ? '' : ', id'}${also}) VALUES (${value}${column === 'id' ? '' : ', 77'}${also === '' ? '' : ", 'i'"})`,
          'DELETE FROM q WHERE id = 77',
        )
      }
    }
    await both(t, "INSERT INTO q (id, t) VALUES (77, 'x'), ('abc', 'x')")
    await both(
      t,
      "INSERT INTO q (id, t) VALUES (1, 'z') ON CONFLICT (id) DO UPDATE SET id = 'abc'",
      "INSERT INTO q (id, t) VALUES (1, 'z') ON CONFLICT (  nosuch ) DO NOTHING",
      "INSERT INTO q (id, t) VALUES (1, 'z') ON CONFLICT (t) DO NOTHING",
      'SELECT id, t, b, arr FROM q ORDER BY id',
    )
  })
})

t.test('rows and names in errors are as in PostgreSQL', { skip: postgresMissing }, async (t) => {
  const { both } = await openBothServers(t)
  await both(
    t,
    'CREATE TABLE r (id int PRIMARY KEY, n numeric, t text NOT NULL, d date NOT NULL, ts timestamptz, b bool, a int[])',
    "INSERT INTO r VALUES (1, 2, 'x', '2024-01-01')",
  )
  await both(
    t,
    'INSERT INTO r (id, n) VALUES (2, 2)',
    "INSERT INTO r VALUES (3, 1.25, 'x', NULL, '2024-02-03T01:02:03.45Z', true, '{1,NULL}')",
    "INSERT INTO r VALUES (NULL, 2, 'x', '2024-01-01')",
    "INSERT INTO r VALUES (4, 1, repeat('x', 100), NULL)",
    "INSERT INTO r VALUES (4, 1, repeat('ä', 40), NULL)",
    'UPDATE r SET t = NULL',
    "INSERT INTO r VALUES (1, 3, 'y', '2024-01-01') ON CONFLICT (id) DO UPDATE SET t = NULL",
  )
  const upsert = "INSERT INTO r VALUES (1, 3, 'y', '2024-01-01') ON CONFLICT (id) DO UPDATE SET t ="
  await both(
    t,
    `${upsert} "EXCLUDED".t`,
    `${upsert} "excluded".t`,
    `${upsert} Excluded.T`,
    `${upsert} EXCLUDED."T"`,
    `${upsert} excluded.nosuch`,
  )
  await both(
    t,
    'SELECT public.other.n FROM r',
    'SELECT public.r.nosuch FROM r',
    'SELECT main.public.r.n FROM r',
    'SELECT public.other.n.x FROM r',
    'SELECT other.n FROM r',
    'SELECT public.other.* FROM r',
    'DELETE FROM r WHERE public.other.n IS NULL',
    'UPDATE r SET n = public.other.n',
  )
})

t.test('a deep statement is typed in time that grows with its length', async (t) => {
  const { ports } = await startGateway(t, { AUTH_MODE: 'off' })
  const { client } = await SqlClient.enter(ports.sql)
  t.teardown(() => client.close())
  const deep = (start: string, nested: (inner: string) => string): string =>
    Array.from({ length: 23 }).reduce<string>((inner) => nested(inner), start)
  for (const text of [
    deep('true', (inner) => `((${inner}) BETWEEN false AND true)`),
    deep('true', (inner) => `(CASE ${inner} WHEN true THEN true WHEN false THEN false END)`),
    deep('true', (inner) => `(NOT coalesce(nullif(${inner}, false), true))`),
    deep('1', (inner) => `(1 + ${inner})`),
  ]) {
    const answer = await client.query(`SELECT ${text} AS x`)
    t.match(answer, [['RowDescription'], ['DataRow'], ['CommandComplete'], ['ReadyForQuery']])
  }
})
