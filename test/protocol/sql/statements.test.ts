// The statements, kind by kind: what is read of each, with the spellings that PostgreSQL does not
// have, and what is refused by its name. (docs/sql.md)

import t, { type Test } from 'tap'
import type { Statement } from '../../../src/protocol/sql/ast.js'
import { parseStatement } from '../../../src/protocol/sql/parse.js'
import { Value } from '../../../src/value/value.js'
import { toJs } from '../../support/literal.js'
import { statementTree } from './canonical.js'

function read(text: string): Statement {
  return parseStatement(text).statement
}

/** The statement with JavaScript's values for its literals, and without places. */
function plain(node: unknown): unknown {
  if (node instanceof Value) return toJs(node)
  if (Array.isArray(node)) return node.map(plain)
  if (typeof node !== 'object' || node === null) return node
  const entries = Object.entries(node).filter(([key]) => key !== 'at')
  return Object.fromEntries(entries.map(([key, value]) => [key, plain(value)]))
}

function same(t: Test, text: string, other: string): void {
  t.same(statementTree(read(text)), statementTree(read(other)), `${text} is ${other}`)
}

t.test('windows of a result have many spellings', async (t) => {
  const ten = 'SELECT a FROM t LIMIT 10 OFFSET 5'
  for (const end of [
    ...['LIMIT 5, 10', 'OFFSET 5 LIMIT 10', 'OFFSET 5 ROWS FETCH FIRST 10 ROWS ONLY'],
    ...['FETCH NEXT 10 ROW ONLY OFFSET 5', 'OFFSET 5 ROW FETCH NEXT (10) ROWS ONLY'],
  ]) {
    same(t, `SELECT a FROM t ${end}`, ten)
  }
  same(t, 'SELECT a FROM t FETCH FIRST ROW ONLY', 'SELECT a FROM t LIMIT 1')
  same(t, 'SELECT a FROM t LIMIT ALL', 'SELECT a FROM t')
  t.match(plain(read('SELECT a FROM t LIMIT 0')), { limit: { kind: 'literal', value: 0 } })
  t.match(plain(read('SELECT a FROM t LIMIT $1')), { limit: { kind: 'parameter', index: 0 } })
  t.throws(() => read('SELECT a FROM t LIMIT 1 LIMIT 2'), {
    ...{ message: /near "LIMIT"/, extra: { sqlState: '42601' } },
  })
})

t.test('a SELECT has results, joins, groups and an order', async (t) => {
  t.match(
    plain(
      read(`SELECT DISTINCT u.name AS "Name", count(*) n FROM users AS u
        LEFT JOIN orders o ON u._id = o.user AND o.total > 5 JOIN tags USING (tag), more
        WHERE u.address.city = 'Oslo' GROUP BY u.name HAVING count(*) > 1
        ORDER BY n DESC NULLS LAST, 1`),
    ),
    {
      isDistinct: true,
      results: [
        { expression: { kind: 'column', path: ['u', 'name'] }, alias: 'Name' },
        { expression: { kind: 'call', name: 'count', isStar: true }, alias: 'n' },
      ],
      from: { name: 'users', alias: 'u' },
      joins: [
        { type: 'left', table: { name: 'orders', alias: 'o' }, on: { kind: 'and' } },
        { type: 'inner', table: { name: 'tags' }, using: ['tag'] },
        { type: 'cross', table: { name: 'more' } },
      ],
      where: { left: { path: ['u', 'address', 'city'] }, right: { value: 'Oslo' } },
      groupBy: [{ path: ['u', 'name'] }],
      having: { operator: '>' },
      orderBy: [
        { descends: true, nulls: 'last' },
        { expression: { value: 1 }, descends: false },
      ],
    },
  )
  same(t, 'TABLE users', 'SELECT * FROM users')
  t.match(plain(read('SELECT t.*, * FROM information_schema.tables t')), {
    results: [{ expression: { kind: 'star', table: 't' } }, { expression: { kind: 'star' } }],
    from: { schema: 'information_schema', name: 'tables', alias: 't' },
  })
})

t.test('paths and operators reach into documents', async (t) => {
  t.match(plain(read("SELECT a[0], a.b[1].c, a->'b'->>0, a #>> '{b,0}', ($1)[i].d")), {
    results: [
      { expression: { kind: 'column', path: ['a', 0] } },
      { expression: { kind: 'column', path: ['a', 'b', 1, 'c'] } },
      { expression: { operator: '->>', left: { operator: '->', left: { path: ['a'] } } } },
      { expression: { operator: '#>>', right: { value: '{b,0}' } } },
      { expression: { kind: 'field', name: 'd', operand: { kind: 'subscript' } } },
    ],
  })
  t.match(plain(read(`SELECT x = ANY (tags), tags @> '["a"]', ARRAY[1, 'b'], $1 <> ALL (tags)`)), {
    results: [
      { expression: { kind: 'quantified', quantifier: 'any', array: { path: ['tags'] } } },
      { expression: { operator: '@>', right: { value: '["a"]' } } },
      { expression: { kind: 'array', elements: [{ value: 1 }, { value: 'b' }] } },
      { expression: { quantifier: 'all', operator: '<>' } },
    ],
  })
})

t.test(
  'rows are inserted, into paths too, with defaults, values of JSON and conflicts',
  async (t) => {
    t.match(
      plain(
        read(`INSERT INTO c AS n (a, b.c) VALUES (1, DEFAULT), ('{"x": 1}'::jsonb, NULL)
        ON CONFLICT (a) DO UPDATE SET a = excluded.a, b.c = n.b.c + 1 WHERE n.a < 5
        RETURNING _id, *`),
      ),
      {
        table: { name: 'c', alias: 'n' },
        columns: [{ path: ['a'] }, { path: ['b', 'c'] }],
        rows: [
          [{ value: 1 }, undefined],
          [
            { kind: 'cast', operand: { value: '{"x": 1}' }, type: { name: 'jsonb' } },
            { value: null },
          ],
        ],
        conflict: {
          columns: [{ path: ['a'] }],
          action: {
            set: [{ value: { path: ['excluded', 'a'] } }, { target: { path: ['b', 'c'] } }],
            where: { operator: '<' },
          },
        },
        returning: [{ expression: { path: ['_id'] } }, { expression: { kind: 'star' } }],
      },
    )
    t.match(plain(read('INSERT INTO c DEFAULT VALUES ON CONFLICT DO NOTHING')), {
      ...{ columns: undefined, rows: undefined, conflict: { action: 'nothing', columns: [] } },
    })
    t.throws(() => read('INSERT INTO c (a) DEFAULT VALUES'), {
      ...{ message: /near "DEFAULT"/, extra: { sqlState: '42601' } },
    })
  },
)

t.test('rows are changed and deleted, also only one of them', async (t) => {
  t.match(
    plain(read("UPDATE c SET a = 1, b = b + 1, d = NULL, n.x = 'y' WHERE a > 1 RETURNING a")),
    {
      set: [
        { target: { path: ['a'] }, value: { value: 1 } },
        { target: { path: ['b'] }, value: { operator: '+' } },
        { target: { path: ['d'] }, value: { value: null } },
        { target: { path: ['n', 'x'] }, value: { value: 'y' } },
      ],
      where: { operator: '>' },
      returning: [{}],
    },
  )
  t.match(plain(read('DELETE FROM c AS d WHERE d.a = 1 LIMIT 1 RETURNING *')), {
    ...{ kind: 'delete', table: { name: 'c', alias: 'd' }, limit: { value: 1 } },
  })
  t.match(plain(read('UPDATE c SET a = DEFAULT LIMIT 1')), { limit: { value: 1 } })
  t.same(plain(read('TRUNCATE TABLE c')), { kind: 'truncate', table: { name: 'c' } })
})

t.test('indexes have a name or none, and paths', async (t) => {
  t.match(plain(read('CREATE UNIQUE INDEX IF NOT EXISTS "i" ON c (a DESC, address.city)')), {
    ...{ kind: 'createIndex', name: 'i', isUnique: true, ifNotExists: true, table: { name: 'c' } },
    columns: [
      { target: { path: ['a'] }, descends: true },
      { target: { path: ['address', 'city'] }, descends: false },
    ],
  })
  same(t, 'CREATE INDEX ON c ((address.city))', 'CREATE INDEX ON c (address.city ASC)')
  const dropped = { kind: 'dropIndex', name: 'i', table: { name: 'c' }, ifExists: true }
  t.same(plain(read('DROP INDEX IF EXISTS i ON c')), dropped)
  t.same(plain(read('DROP INDEX IF EXISTS c.i')), dropped)
  t.same(plain(read('DROP INDEX i')), { kind: 'dropIndex', name: 'i', ifExists: false })
})

t.test('tables are made with types and keys', async (t) => {
  t.match(
    plain(
      read(`CREATE TABLE IF NOT EXISTS c (_id text PRIMARY KEY, n bigint NOT NULL, "p" numeric(5,2)
        UNIQUE, tags text[], at timestamp with time zone NULL, d double precision,
        CONSTRAINT one UNIQUE (n, p), PRIMARY KEY (_id))`),
    ),
    {
      ...{ kind: 'createTable', table: { name: 'c' }, ifNotExists: true },
      columns: [
        { name: '_id', type: { name: 'text' }, isPrimaryKey: true },
        { name: 'n', type: { name: 'int8' }, isRequired: true, isUnique: false },
        { name: 'p', type: { name: 'numeric', modifiers: [5, 2] }, isUnique: true },
        { name: 'tags', type: { name: 'text', isArray: true } },
        { name: 'at', type: { name: 'timestamptz' }, isRequired: false },
        { name: 'd', type: { name: 'float8' } },
      ],
      keys: [
        { columns: ['n', 'p'], isPrimary: false },
        { columns: ['_id'], isPrimary: true },
      ],
    },
  )
  t.match(plain(read('DROP TABLE IF EXISTS c')), { kind: 'dropTable', ifExists: true })
})

t.test('what tells about tables and sessions is read', async (t) => {
  t.match(plain(read('EXPLAIN ANALYZE SELECT 1')), {
    ...{ kind: 'explain', analyzes: true, statement: { kind: 'select' } },
  })
  t.same(plain(read('SHOW TABLES')), { kind: 'showTables' })
  t.same(plain(read('SHOW INDEXES FROM c')), { kind: 'showIndexes', table: { name: 'c' } })
  t.same(plain(read('DESCRIBE "c-d"')), { kind: 'describe', table: { name: 'c-d' } })
  t.same(plain(read('SHOW server_version')), { kind: 'show', name: 'server_version' })
  t.same(plain(read("SET client_encoding TO 'UTF8'")), {
    ...{ kind: 'set', name: 'client_encoding', values: ['UTF8'], isLocal: false },
  })
})

function refusalOf(text: string): unknown {
  try {
    return read(text)
  } catch (thrown) {
    return thrown
  }
}

t.test('what begins and ends transactions is read with its modes', async (t) => {
  const serializable = { isolation: 'serializable', isReadOnly: true }
  for (const [text, statement] of [
    ['BEGIN', { kind: 'begin', modes: {}, isStart: false }],
    [
      'BEGIN ISOLATION LEVEL SERIALIZABLE, READ ONLY',
      { kind: 'begin', modes: serializable, isStart: false },
    ],
    [
      'BEGIN WORK READ ONLY READ WRITE',
      { kind: 'begin', modes: { isReadOnly: false }, isStart: false },
    ],
    [
      'START TRANSACTION NOT DEFERRABLE',
      { kind: 'begin', modes: { isDeferrable: false }, isStart: true },
    ],
    ['COMMIT WORK', { kind: 'commit', chains: false }],
    ['END AND CHAIN', { kind: 'commit', chains: true }],
    ['ROLLBACK TRANSACTION AND NO CHAIN', { kind: 'rollback', chains: false }],
    ['ABORT AND CHAIN', { kind: 'rollback', chains: true }],
    ['ROLLBACK WORK TO s', { kind: 'rollbackTo', name: 's' }],
    [
      'SET TRANSACTION ISOLATION LEVEL REPEATABLE READ',
      { kind: 'setTransaction', modes: { isolation: 'repeatable read' }, isSession: false },
    ],
    [
      'SET SESSION CHARACTERISTICS AS TRANSACTION READ ONLY',
      { kind: 'setTransaction', modes: { isReadOnly: true }, isSession: true },
    ],
    ['SET LOCAL a.b = c', { kind: 'set', name: 'a.b', values: ['c'], isLocal: true }],
  ] as const) {
    t.same(plain(read(text)), statement, text)
  }
  for (const [text, sqlState] of [
    ['BEGIN READ', '42601'],
    ['BEGIN READ ONLY,', '42601'],
    ['BEGIN ISOLATION LEVEL', '42601'],
    ['SET TRANSACTION', '42601'],
    ["SET TRANSACTION SNAPSHOT 'x'", '0A000'],
    ["COMMIT PREPARED 'x'", '0A000'],
    ['COMMIT AND', '42601'],
    ['ROLLBACK TO', '42601'],
  ] as const) {
    t.match(refusalOf(text), { extra: { sqlState } }, text)
  }
})

t.test('locking clauses name their tables', async (t) => {
  for (const [text, locks] of [
    ['SELECT a FROM t FOR UPDATE', { strength: 'UPDATE', tables: [] }],
    ['SELECT a FROM t FOR SHARE NOWAIT', { strength: 'SHARE', tables: [] }],
    [
      'SELECT a FROM t LIMIT 1 FOR NO KEY UPDATE SKIP LOCKED',
      { strength: 'NO KEY UPDATE', tables: [] },
    ],
    ['SELECT a FROM t FOR UPDATE LIMIT 1', { strength: 'UPDATE', tables: [] }],
    [
      'SELECT 1 FROM t JOIN u ON true FOR KEY SHARE OF t FOR UPDATE OF u',
      { strength: 'KEY SHARE', tables: ['t', 'u'] },
    ],
    ['SELECT 1 FROM t JOIN u ON true FOR SHARE FOR UPDATE OF u', { strength: 'SHARE', tables: [] }],
  ] as const) {
    t.match(plain(read(text)), { kind: 'select', locks }, text)
  }
  t.match(plain(read('SELECT a FROM t FOR READ ONLY')), { kind: 'select', locks: undefined })
  for (const [text, sqlState] of [
    ['SELECT a FROM t FOR', '42601'],
    ['SELECT a FROM t FOR DELETE', '42601'],
    ['SELECT a FROM t FOR UPDATE OF', '42601'],
    ['SELECT DISTINCT a FROM t FOR UPDATE', '0A000'],
    ['SELECT a FROM t GROUP BY a FOR UPDATE', '0A000'],
    ['SELECT 1 FROM t HAVING true FOR SHARE', '0A000'],
  ] as const) {
    t.match(refusalOf(text), { extra: { sqlState } }, text)
  }
})

t.test('what is not supported is refused by its name', async (t) => {
  for (const [text, message] of [
    ['SELECT a FROM t WHERE a IN (SELECT 1)', 'subqueries are not supported'],
    ['SELECT a FROM t WHERE a = ANY (SELECT 1)', 'subqueries are not supported'],
    ['SELECT a FROM t WHERE EXISTS (SELECT 1)', 'subqueries are not supported'],
    ['SELECT a FROM (SELECT 1) t', 'subqueries are not supported'],
    ['INSERT INTO t SELECT 1', 'subqueries are not supported'],
    ['WITH x AS (SELECT 1) SELECT 1', 'WITH is not supported'],
    ['SELECT 1 UNION SELECT 2', /UNION, EXCEPT and INTERSECT/],
    ['SELECT sum(a) OVER (PARTITION BY b) FROM t', 'window functions are not supported'],
    ['CREATE VIEW v AS SELECT 1', /CREATE statements/],
    ['SELECT a FROM t RIGHT JOIN u ON true', /RIGHT, FULL and NATURAL joins/],
    ['SELECT DISTINCT ON (a) a FROM t', 'DISTINCT ON lists are not supported'],
    ['UPDATE t SET a = 1 FROM u', 'joins of UPDATE are not supported'],
    ['CREATE INDEX ON t (lower(a))', 'indexes of expressions are not supported'],
    ['CREATE INDEX ON t USING gin (a)', /another kind than btree/],
    ['CREATE TABLE t (a int DEFAULT 1)', /DEFAULT, REFERENCES/],
  ] as const) {
    t.throws(() => read(text), { message, extra: { sqlState: '0A000' } }, text)
  }
})
