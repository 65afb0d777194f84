// What PostgreSQL refuses before it reads a row, on both servers: whole rows where a value belongs,
// literals without a type, constants in ORDER BY, misplaced aggregates, lists of two lengths.

import t from 'tap'
import { openBothServers } from '../../support/both-servers.js'
import { startGateway } from '../../support/live-gateway.js'
import { postgresMissing } from '../../support/postgres-reference.js'
import { SqlClient } from '../../support/sql-client.js'
import { clauses, mixtures, openLiterals, shapes, wholeRows } from './refused-statements.js'

const tables = [
  `CREATE TABLE q (id int PRIMARY KEY, n numeric, p numeric(5,2), f float8, b bool, d date,
    ts timestamptz, t text NOT NULL, v varchar(5), s int2, l int8, arr int[], js jsonb)`,
  `INSERT INTO q VALUES (1, 5, 1.25, 1.5, true, '2024-01-01', '2024-01-01T00:00:00Z', 'x', 'v', 2, 3,
    '{1,2}', '{"a":1}'), (2, 6, 2, 2.5, false, '2024-01-02', '2024-01-02T00:00:00Z', 'y', 'w', 3, 4,
    '{3}', '{}'), (3, NULL, NULL, NULL, NULL, NULL, NULL, 'z', NULL, NULL, NULL, NULL, NULL)`,
  'CREATE TABLE r (id int, x text, n numeric)',
  "INSERT INTO r VALUES (1, 'a', 1.5), (2, 'b', 2.5)",
]

t.test('statements are refused as in PostgreSQL', { skip: postgresMissing }, async (t) => {
  const { exactly } = await openBothServers(t)
  for (const [subject, statements] of Object.entries({
    'whole rows': wholeRows,
    'literals without a type': openLiterals,
    clauses,
    shapes,
    mixtures,
  })) {
    await t.test(subject, async (t) => {
      await exactly(t, ...tables, ...statements, 'ROLLBACK', 'DROP TABLE q', 'DROP TABLE r')
    })
  }
})

t.test('SET LOCAL outside of a transaction warns and then looks at its value', async (t) => {
  const { ports } = await startGateway(t, { AUTH_MODE: 'off' })
  const { client } = await SqlClient.enter(ports.sql)
  t.teardown(() => client.close())
  const warning = ['NoticeResponse', ['SWARNING', 'VWARNING', 'C25P01']]
  const refused = await client.query("SET LOCAL timezone = 'Nowhere/Zone'")
  t.match(refused, [warning, ['ErrorResponse', ['SERROR', 'VERROR', 'C22023']], ['ReadyForQuery']])
  const taken = await client.query('SET LOCAL statement_timeout = 100')
  t.match(taken, [warning, ['CommandComplete'], ['ReadyForQuery']])
  const after = await client.query('SHOW statement_timeout')
  t.match(after, [['RowDescription'], ['DataRow', ['0']]], 'and changes nothing')
})

t.test('documents of plain collections have any type', async (t) => {
  const { ports } = await startGateway(t, { AUTH_MODE: 'off' })
  const { client } = await SqlClient.enter(ports.sql)
  t.teardown(() => client.close())
  const answered = [['RowDescription'], ['DataRow'], ['CommandComplete'], ['ReadyForQuery']]
  await client.query("INSERT INTO plain (a, n) VALUES ('5', 5)")
  for (const text of [
    "SELECT a FROM plain WHERE CASE a WHEN 5 THEN false WHEN '5' THEN true END",
    'SELECT plain FROM plain',
    "SELECT count(plain) FROM plain WHERE plain ->> 'a' = '5'",
    'SELECT -n FROM plain ORDER BY plain',
    "SELECT a || n FROM plain WHERE a || 'x' = '5x'",
    'SELECT sum(n), max(a) FROM plain GROUP BY n',
  ]) {
    t.match(await client.query(text), answered, text)
  }
})
