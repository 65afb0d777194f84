// Statements over tables of CREATE TABLE on PostgreSQL and on the SQL port: names, columns, rows,
// placeholders and what is refused.

import t, { type Test } from 'tap'
import { openBothServers } from '../../support/both-servers.js'
import { postgresMissing } from '../../support/postgres-reference.js'

async function openBoth(t: Test) {
  const opened = await openBothServers(t)
  const { both } = opened
  await both(
    t,
    'CREATE TABLE s (id int PRIMARY KEY, a int, b text)',
    "INSERT INTO s VALUES (1, 2, 'x'), (2, NULL, 'y'), (3, 2, NULL)",
    'CREATE TABLE Upper (Id int, w bigint, "Quoted" text, n numeric, f float8, k bool, PRIMARY KEY (ID))',
    `INSERT INTO UPPER (ID, "Quoted", N) VALUES (1, 'q', 1.50), (7, 'r', NULL)`,
    'CREATE TABLE empty (x int, y varchar(10), z text[], w int[])',
  )
  return opened
}

t.test('the SQL port answers as PostgreSQL', { skip: postgresMissing }, async (t) => {
  const { both, types, own } = await openBoth(t)

  await t.test('names without quotes are folded', async (t) => {
    await both(
      t,
      'SELECT S.A, B AS Total FROM S ORDER BY ID',
      'SELECT "Quoted", quoted FROM upper',
      'SELECT U."Quoted", u.ID FROM Upper AS U ORDER BY 2',
      'UPDATE UPPER SET N = 2 WHERE Id = 1 RETURNING ID, "Quoted" AS Q',
      'INSERT INTO Upper (Id, K) VALUES (9, true) ON CONFLICT (ID) DO UPDATE SET K = EXCLUDED.K',
      'DELETE FROM Upper WHERE ID = 9 RETURNING Upper.*',
      'CREATE INDEX Upper_N ON Upper (N)',
      "SELECT TABLE_NAME FROM INFORMATION_SCHEMA.TABLES WHERE TABLE_NAME = 'upper' AND 1 = 2",
      'DROP INDEX Upper_N',
    )
  })

  await t.test('* is the declared columns', async (t) => {
    await both(
      t,
      'SELECT * FROM s ORDER BY id',
      'SELECT * FROM empty',
      'SELECT s.*, y FROM s LEFT JOIN empty ON s.id = x ORDER BY s.id',
      'SELECT * FROM s JOIN upper USING (id) ORDER BY s.id',
      'SELECT * FROM s LEFT JOIN upper USING (id) ORDER BY s.id',
      'SELECT DISTINCT * FROM s ORDER BY id DESC',
      'SELECT * FROM s GROUP BY id, a, b ORDER BY 1',
      'INSERT INTO s (id) VALUES (10) RETURNING *',
      'DELETE FROM s WHERE id = 10 RETURNING *',
    )
    await types(
      t,
      'SELECT * FROM empty WHERE x = $1',
      'INSERT INTO s VALUES (11) RETURNING *',
      'UPDATE S SET A = $1 RETURNING ID, B AS Q',
      'SELECT A, Upper.W FROM S, Upper WHERE N = $1 AND A = $2',
      'SELECT A, B AS Q FROM S WHERE ID = $1',
    )
  })

  await t.test('columns without a table are found in joins', async (t) => {
    await both(
      t,
      'SELECT a, y FROM s, empty',
      'SELECT b, n FROM s JOIN upper ON s.id = upper.id WHERE a = 2',
      'SELECT id FROM s, upper',
      'SELECT count(*), max(n) FROM s, upper WHERE a = 2 AND k IS NULL',
    )
  })

  await t.test('what a declared table has not is refused where it stands', async (t) => {
    await both(
      t,
      'SELECT nope FROM s',
      'SELECT s.nope FROM s',
      'SELECT id, z.nope FROM s',
      'SELECT * FROM s WHERE id = 1 AND nope = 2',
      'SELECT id FROM s ORDER BY nope',
      'SELECT id FROM s GROUP BY id HAVING nope > 1',
      'INSERT INTO s (id, nope) VALUES (1, 2)',
      'UPDATE s SET nope = 1',
      'UPDATE s SET a = nope',
      'DELETE FROM s WHERE nope = 1',
      'SELECT z.* FROM s',
      'SELECT * FROM nosuch',
      'SELECT * FROM s JOIN nosuch ON true',
      'UPDATE nosuch SET a = 1',
      'DELETE FROM nosuch',
    )
  })

  await t.test("errors have PostgreSQL's texts and places", async (t) => {
    await both(
      t,
      "INSERT INTO s VALUES (1, 1, 'z')",
      'UPDATE s SET id = 1 WHERE id = 2',
      'SELECT 1 / 0',
      "SELECT 'abc'::int",
      "SELECT id, 'abc'::int FROM s",
      "SELECT '2024-13-01'::date",
      "SELECT '2024-02-30'::timestamp",
      "SELECT 'zzz'::date",
      'SELECT foo(1)',
      "SELECT foo('a', NULL, id) FROM s",
      'SELECT upper(1)',
      'SELECT 1 + true',
      "SELECT -'a'::text",
      'SELECT id, count(*) FROM s',
      'SELECT id FROM s ORDER BY 7',
      'SELECT id FROM s GROUP BY 9',
      'SELECT x.id FROM s x, s x',
      'SELECT 1::nosuch',
    )
    await both(t, 'CREATE UNIQUE INDEX s_a ON s (a)')
    await both(t, 'CREATE TABLE pair (a int, b text, UNIQUE (a, b))')
    await both(t, "INSERT INTO pair VALUES (1, 'x')", "INSERT INTO pair VALUES (1, 'x')")
  })

  await t.test('rows, groups, limits and orders', async (t) => {
    await both(
      t,
      'SELECT s FROM s ORDER BY id',
      'SELECT count(s) FROM s',
      'SELECT (s).a FROM s ORDER BY (s).id',
      'SELECT a FROM s ORDER BY a',
      'SELECT a FROM s ORDER BY a DESC LIMIT 2',
      "SELECT id FROM s ORDER BY id LIMIT '1'",
      'SELECT id FROM s ORDER BY id LIMIT 1.5',
      "SELECT id FROM s LIMIT 'abc'",
      'SELECT id FROM s LIMIT true',
      'SELECT id FROM s LIMIT id',
      "SELECT id FROM s WHERE id IN ('1', '3') ORDER BY id",
      "SELECT id FROM s WHERE id BETWEEN '2' AND '3' ORDER BY id",
    )
    const groups = 'SELECT -x.a AS a FROM s AS x GROUP BY a HAVING NOT (x.a) IS NULL'
    await both(t, groups, 'SELECT -a AS a, count(*) FROM s AS x GROUP BY x.a ORDER BY 1')
    const [row] = await own.unsafe('SELECT to_json(s) AS j FROM s WHERE id = 1')
    t.same(row, { j: { id: 1, a: 2, b: 'x' } })
  })

  await t.test('arrays have the types of their elements', async (t) => {
    await types(
      t,
      'SELECT id FROM s WHERE id = ANY ($1)',
      'SELECT id FROM s WHERE b = ANY ($1) AND a <> ALL ($2)',
      'SELECT id FROM upper WHERE n = ANY ($1) OR f = ANY ($2) OR w = ANY ($3)',
      'SELECT $1::int[], $2::text[], $3::bool[]',
      'INSERT INTO empty VALUES ($1, $2, $3, $4), (1, NULL, $5, NULL)',
      'SELECT x FROM empty WHERE z = $1 OR w = $2',
    )
    await both(
      t,
      "SELECT ARRAY[1, 2] AS i, ARRAY['a b', NULL, '\"'] AS t, ARRAY[[1, 2], [3, 4]] AS m",
      'SELECT array_agg(id ORDER BY id) AS i, array_agg(b ORDER BY id) AS t FROM s',
      "SELECT '{1,2}'::int[] AS i, '{}'::text[] AS t, string_to_array('a,b', ',') AS s",
      "SELECT string_to_array('aé,,b', ',') AS a, string_to_array('a,b', '') AS b, string_to_array('', ',') AS c",
      "SELECT string_to_array('a😀b', NULL) AS d, string_to_array('axxbxx', 'xx', 'b') AS e, string_to_array(NULL::text, ',') AS f",
      "INSERT INTO empty VALUES (1, 'v', '{a,b}', '{1,2}')",
      'SELECT z, w FROM empty',
    )
    const some = await own`SELECT id FROM s WHERE id = ANY (${[1, 3]}) ORDER BY id`
    t.same(some, [{ id: 1 }, { id: 3 }])
  })

  await t.test('texts and placeholders beside arrays have the type of these', async (t) => {
    await both(
      t,
      'CREATE TABLE lists (id int, a int[], n numeric[], v varchar(9)[])',
      "INSERT INTO lists VALUES (1, '{1,2}', '{1.5}', '{x,y}'), (2, '{3}', '{}', NULL)",
    )
    await types(
      t,
      'SELECT id FROM lists WHERE $1 = ANY (a) AND $2 = ALL (v) AND $3 <> SOME (n)',
      'SELECT id FROM lists WHERE $1 < ANY (lists.a) AND a = $2 AND a @> $3',
      'SELECT $1 = ANY (ARRAY[1, 2]) AS a, $2 = ANY ($3::int8[]) AS b',
      'UPDATE lists SET id = 1 WHERE $1 = ANY (a)',
    )
    await both(
      t,
      "SELECT id FROM lists WHERE '2' = ANY (a)",
      "SELECT id FROM lists WHERE '2' <> ALL (a) OR '1' < SOME (a) ORDER BY id",
      "SELECT id FROM lists WHERE '1.50' = ANY (n) AND 'y' = ANY (v)",
      "SELECT id FROM lists WHERE a = '{3}'",
      "SELECT id FROM lists WHERE '{ 1, 2 }' = a",
      "SELECT id FROM lists WHERE a <> '{3}' AND a < '{2}' AND a @> '{1}' AND a <@ '{1,2,4}'",
      "SELECT id FROM lists WHERE a IN ('{3}', '{4}') OR a BETWEEN '{1}' AND '{1,2}' ORDER BY id",
      "SELECT id FROM lists WHERE a IS NOT DISTINCT FROM '{3}'",
      "SELECT id, '3' = ANY (a) AS is_in FROM lists ORDER BY '3' = ANY (a), id",
      "SELECT id FROM lists WHERE 'zz' = ANY (a)",
      "SELECT '2' = ANY (ARRAY[1, 2]) AS a, '2' = ALL ('{2}'::int[]) AS b",
      "UPDATE lists SET id = 3 WHERE '3' = ANY (a) RETURNING id, a = '{3}' AS b",
      "DELETE FROM lists WHERE a = '{3}'",
    )
    const some = await own`SELECT id FROM lists WHERE ${2} = ANY (a)`
    t.same(some, [{ id: 1 }])
  })

  await t.test('a text beside a typed column has the type of the column', async (t) => {
    await both(
      t,
      'CREATE TABLE typed (id int PRIMARY KEY, n numeric, f float8, b bool, d date, ts timestamptz, l int8)',
      `INSERT INTO typed VALUES (1, 5, 1.5, true, '2024-01-01', '2024-01-01T00:00:00Z', 3),
        (2, NULL, NULL, false, NULL, NULL, 4)`,
    )
    for (const [column, same, other] of [
      ['id', ' 1 ', '2'],
      ['n', '5.0', '7'],
      ['f', '15e-1', '2'],
      ['b', 't', 'off'],
      ['d', '2024-01-01', '2024-02-01'],
      ['ts', '2024-01-01T01:00:00+01:00', '2024-02-01'],
      ['l', '3', '4'],
    ]) {
      await both(
        t,
        ...['=', '<>', '<', '>='].map(
          (operator) => `SELECT id FROM typed WHERE ${column} ${operator} '${same}' ORDER BY id`,
        ),
        `SELECT id FROM typed WHERE '${same}' = ${column} AND NOT (typed.${column} = '${other}')`,
        `SELECT id FROM typed WHERE ${column} IN ('${same}', '${other}') ORDER BY id`,
        `SELECT id FROM typed WHERE ${column} NOT IN ('${other}') ORDER BY id`,
        `SELECT id FROM typed WHERE ${column} IS DISTINCT FROM '${same}' ORDER BY id`,
        `SELECT id FROM typed WHERE ${column} BETWEEN '${same}' AND '${same}'`,
        `SELECT ${column} = '${same}' AS is_same FROM typed ORDER BY ${column} = '${same}', id`,
        `SELECT id FROM typed WHERE ${column} = 'abc'`,
        `DELETE FROM typed WHERE ${column} <> 'abc'`,
        `UPDATE typed SET id = 9 WHERE ${column} NOT IN ('${same}', 'abc')`,
        `SELECT o.id FROM typed JOIN typed AS o ON o.${column} = '${same}' WHERE typed.id = '1'`,
      )
    }
    await both(t, 'SELECT count(*) FROM typed')
    await both(
      t,
      'CREATE TABLE others (id int PRIMARY KEY, t text, v varchar(5), b bool, d date, n numeric)',
      "INSERT INTO others VALUES (1, '5', '5', true, '2024-01-01', 5)",
    )
    for (const condition of [
      ...['id <> true', 't <> 5', 'b <> 0', 'd <> 5', 't <> id', 'n = v', 'v > 1.5', 'NOT t = 5'],
      ...['id = NULL', 't <> NULL', 'id = n', 't = v', 'id IN (1, NULL)', 'b = (id = 1)'],
      ...['n < 1e3', 'd = d'],
    ]) {
      await both(
        t,
        `SELECT id FROM others WHERE ${condition}`,
        `DELETE FROM others WHERE ${condition} AND id = 7`,
      )
    }
    for (const condition of [
      ...['id IN (1, true)', 'id NOT IN (true)', 't BETWEEN 1 AND 2', 't NOT BETWEEN 1 AND 2'],
      'b IS DISTINCT FROM 0',
    ]) {
      const refused = own.unsafe(`DELETE FROM others WHERE ${condition}`)
      await t.rejects(refused, { code: '42883' }, condition)
    }
  })

  await t.test('functions stand in FROM', async (t) => {
    await both(
      t,
      'SELECT * FROM current_schema()',
      'SELECT * FROM pg_catalog.current_schema() AS x (y)',
      'SELECT g FROM generate_series(1, 3) AS g WHERE g > 1',
      'SELECT n FROM generate_series(5, 1, -2) AS g (n)',
      "SELECT * FROM unnest(ARRAY['a', 'b']) AS u (v)",
      "SELECT word FROM pg_get_keywords() WHERE catcode = 'R' ORDER BY word",
      'SELECT * FROM current_schema() AS x (y, z)',
      'SELECT s.id, g FROM s JOIN generate_series(1, 2) AS g ON s.id = g ORDER BY 1',
      "SELECT set_config('search_path', 'public', false)",
      'SHOW search_path',
      "SELECT set_config('nosuch', 'x', false)",
      'SELECT * FROM current_user WHERE false',
      'SELECT c.x FROM current_schema AS c (x), current_role WHERE 1 = 2',
      'SELECT count(*) FROM session_user u, current_catalog',
      'SELECT * FROM current_user()',
      'SELECT * FROM current_user + 1',
      'SELECT * FROM "current_user"',
      "SELECT to_regtype('integer')::oid::int AS a, to_regtype('nosuch')::text AS b",
    )
  })
})

t.test('current_setting tells what SHOW tells', { skip: postgresMissing }, async (t) => {
  const { both, own } = await openBoth(t)
  const told = (name: string) => `SELECT current_setting('${name}') AS v`
  const unset = "SELECT current_setting('my.var', true) AS v"
  await both(t, "SET application_name = 'bar'", told('application_name'), told('Application_Name'))
  await both(
    t,
    "SELECT set_config('application_name', 'baz', false)",
    told('application_name'),
    'RESET application_name',
  )
  await both(t, 'SET search_path = public, x', told('search_path'), 'RESET search_path')
  await both(t, told('search_path'))
  await both(t, "SET statement_timeout = '250ms'", told('statement_timeout'))
  await both(t, 'RESET statement_timeout', told('statement_timeout'))
  await both(t, told('my.var'), unset, "SELECT current_setting('nosuch', true) AS v")
  await both(t, "SELECT set_config('my.var', 'x', false)", told('my.var'), told('MY.VAR'), unset)
  await both(t, "SELECT id FROM s WHERE b = current_setting('my.var')")
  await both(t, "UPDATE s SET b = current_setting('my.var') WHERE id = 2 RETURNING b")
  await both(t, 'BEGIN', "SET LOCAL my.var = 'y'", told('my.var'), 'COMMIT', told('my.var'))
  await both(t, 'BEGIN', "SET my.var = 'z'", 'ROLLBACK', told('my.var'))
  await both(t, 'BEGIN', "SET LOCAL my.new = 'n'", 'COMMIT', told('my.new'))
  await both(t, 'BEGIN ISOLATION LEVEL REPEATABLE READ', told('transaction_isolation'), 'COMMIT')
  await both(t, told('transaction_isolation'), 'SELECT current_setting(NULL) AS v')
  for (const zone of [
    ...['Europe/Berlin', 'us/pacific', 'EST5EDT', 'zulu', '+02:00', 'GMT-02:00', '<+03>-3', 'abc3'],
    ...['nosuch', 'Europe/Nowhere', 'Z', 'foo bar', ''],
  ]) {
    await both(t, `SET timezone = '${zone}'`, `SET TIME ZONE '${zone}'`)
  }
  await both(t, 'SET TIME ZONE LOCAL', 'SET TIME ZONE -7')
  await both(t, "SELECT set_config('timezone', 'nosuch', false)")
  const [zone] = await own.unsafe(told('timezone'))
  t.same(zone, { v: 'UTC' })
  const [row] = await own.unsafe('SELECT * FROM current_user')
  t.same(row, { current_user: 'operator' })
})

t.test('the catalogue says what CREATE TABLE said', { skip: postgresMissing }, async (t) => {
  const { both } = await openBoth(t)
  const texts = [
    `SELECT column_name::text, ordinal_position::int, is_nullable::text, data_type::text
       FROM information_schema.columns WHERE table_name IN ('s', 'upper', 'empty')
       ORDER BY table_name, ordinal_position`,
    `SELECT constraint_name::text, constraint_type::text FROM information_schema.table_constraints
       WHERE table_name IN ('s', 'upper') AND constraint_type <> 'CHECK' ORDER BY 1`,
    `SELECT constraint_name::text, column_name::text FROM information_schema.key_column_usage
       WHERE table_name IN ('s', 'upper') ORDER BY 1`,
    `SELECT attname::text, attnum::int, attnotnull FROM pg_attribute
       WHERE attrelid = 's'::regclass AND attnum > 0 ORDER BY attnum`,
    `SELECT c.relname::text, i.indisprimary, i.indisunique, i.indkey[0]::int AS k
       FROM pg_index i JOIN pg_class c ON c.oid = i.indexrelid
       WHERE i.indrelid IN ('s'::regclass, 'upper'::regclass) ORDER BY 1`,
    `SELECT conname::text, contype::text, conkey[1]::int AS k FROM pg_constraint
       WHERE conrelid = 's'::regclass ORDER BY 1`,
    `SELECT a.attname::text FROM pg_index i JOIN pg_attribute a
       ON a.attrelid = i.indrelid AND a.attnum = ANY (i.indkey)
       WHERE i.indrelid = 's'::regclass AND i.indisprimary`,
    `SELECT indexname::text, indexdef FROM pg_indexes WHERE tablename IN ('s', 'upper') ORDER BY 1`,
  ]
  await both(t, ...texts)
})

t.test(
  'a placeholder beside a column of the catalog is of its type',
  { skip: postgresMissing },
  async (t) => {
    const { types, own } = await openBoth(t)
    await types(
      t,
      'SELECT 1 AS one FROM pg_attribute WHERE attnum >= $1 AND attrelid = $2 AND attname = $3',
      'SELECT 1 AS one FROM pg_class c JOIN pg_namespace n ON n.oid = relnamespace WHERE nspname = $1 AND relkind = $2',
      'SELECT 1 AS one FROM pg_class WHERE oid = ANY ($1) OR relname = ANY ($2)',
    )
    const found = await own`SELECT count(*)::int AS n FROM pg_attribute
    WHERE attnum >= ${1} AND attrelid = 's'::regclass`
    t.same(found, [{ n: 3 }])
  },
)
