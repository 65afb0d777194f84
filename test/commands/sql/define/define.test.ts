// CREATE and DROP, SHOW, DESCRIBE and EXPLAIN on the bus: what they make of the catalog, and what
// they tell of it.

import t from 'tap'
import type { CommandRoom, Reply } from '../../../support/command-room.js'
import { eachRoom } from '../../../support/command-room.js'

function define(room: CommandRoom, text: string): Promise<Reply> {
  return room.run({ sqlDefine: text })
}

async function refusal(room: CommandRoom, command: Readonly<Record<string, string>>) {
  const { extra, codeName } = await room.refusal(command)
  return extra.sqlState ?? codeName
}

async function linesOf(room: CommandRoom, text: string): Promise<string[]> {
  const { cursor } = await room.run({ sqlExplain: text })
  return cursor.firstBatch.map((row: Reply) => row['QUERY PLAN'])
}

await eachRoom(t, 'indexes by CREATE and DROP INDEX', async (t, room) => {
  await room.insert('c', { _id: 1, a: 1, n: { x: 1 } }, { _id: 2, a: 1 }, { _id: 3 })
  const made = await define(room, 'CREATE INDEX ON c (a DESC, n.x)')
  t.match(made, { acknowledged: true, indexName: 'a_-1_n.x_1', cursor: { firstBatch: [] } })
  await define(room, 'CREATE INDEX named ON c (n)')
  t.equal(await refusal(room, { sqlDefine: 'CREATE INDEX named ON c (n)' }), '42P07')
  const again = await define(room, 'CREATE INDEX IF NOT EXISTS named ON c (n)')
  t.match(again.note, /already exists, skipping/)
  t.equal(await refusal(room, { sqlDefine: 'CREATE INDEX ON c (a, a)' }), '42701')
  t.equal(await refusal(room, { sqlDefine: 'CREATE UNIQUE INDEX ON c (a)' }), 'DuplicateKey')
  const partial = "CREATE UNIQUE INDEX big ON c (a) WHERE a > 1 AND (b = 'x' OR n IS NOT NULL)"
  await define(room, partial)
  await room.run({ sqlChange: "INSERT INTO c (_id, a, b) VALUES (4, 2, 'x')" })
  const twice = { sqlChange: "INSERT INTO c (_id, a, b) VALUES (5, 2, 'x')" }
  t.equal((await room.refusal(twice)).code, 11000)
  await room.run({ sqlChange: "INSERT INTO c (_id, a, b, n) VALUES (5, 2, 'y', NULL)" })
  for (const where of ['a <> 1', 'a IS NULL', 'lower(b) = 1', 'a = b', 'NOT a', 'a IN (NULL)']) {
    const text = `CREATE INDEX w ON c (a) WHERE ${where}`
    t.equal(await refusal(room, { sqlDefine: text }), '0A000', where)
  }
  await define(room, 'CREATE INDEX named ON d (x)')
  t.equal(await refusal(room, { sqlDefine: 'DROP INDEX named' }), '42P09')
  await define(room, 'DROP INDEX d.named')
  await define(room, 'DROP INDEX named')
  t.equal(await refusal(room, { sqlDefine: 'DROP INDEX named' }), '42704')
  t.equal(await refusal(room, { sqlDefine: 'DROP INDEX x ON missing' }), '42P01')
  t.equal(await refusal(room, { sqlDefine: 'DROP INDEX _id_ ON c' }), 'InvalidOptions')
  t.match((await define(room, 'DROP INDEX IF EXISTS x ON missing')).note, /skipping/)
  const shown = await room.run({ sqlShow: 'SHOW INDEXES FROM c' })
  t.same(
    shown.cursor.firstBatch.map(({ name, columns, unique }: Reply) => [name, columns, unique]),
    [
      ['_id_', '_id', true],
      ['a_-1_n.x_1', 'a DESC, n.x', false],
      ['big', 'a', true],
    ],
  )
  t.same(shown.columns[2], { name: 'unique', type: 'bool' })
  t.equal(await refusal(room, { sqlShow: 'SHOW INDEXES FROM missing' }), '42P01')
})

await eachRoom(t, 'a table has its columns, types and keys', async (t, room) => {
  await define(
    room,
    'CREATE TABLE people (id int PRIMARY KEY, name varchar(5) NOT NULL, at timestamptz, ' +
      'tags text[], data jsonb, score numeric, UNIQUE (name, at))',
  )
  t.equal(await refusal(room, { sqlDefine: 'CREATE TABLE people (a int)' }), '42P07')
  const again = 'CREATE TABLE IF NOT EXISTS people (a int)'
  t.match((await define(room, again)).note, /skipping/)
  const change = (text: string, params: readonly unknown[] = []) => ({ sqlChange: text, params })
  await room.run(change("INSERT INTO people VALUES (1, 'Ada', '2026-01-02T03:04:05Z', '{a,b}')"))
  await room.run(change("INSERT INTO people VALUES ('2', 'Bob', NULL, NULL, '{\"k\":[1]}', 1.5)"))
  const [ada, bob] = await room.all('people', {})
  t.match(ada, { id: 1, name: 'Ada', at: new Date('2026-01-02T03:04:05Z'), tags: ['a', 'b'] })
  t.match(bob, { id: 2, data: { k: [1] }, at: null })
  const cases: readonly [string, unknown][] = [
    ["INSERT INTO people VALUES ('x', 'Ada')", '22P02'],
    ["INSERT INTO people VALUES (3, 'too long')", '22001'],
    ['INSERT INTO people VALUES (3, NULL)', '23502'],
    ['INSERT INTO people (id) VALUES (3)', '23502'],
    ["INSERT INTO people VALUES (1, 'Eve')", 'DuplicateKey'],
    ["INSERT INTO people VALUES (1, 'Eve', NULL, NULL, NULL, 1, 2)", '42601'],
    ['UPDATE people SET name = NULL', '23502'],
    ["UPDATE people SET id = 'x'", '22P02'],
    ['UPDATE people SET name = DEFAULT', '23502'],
  ]
  for (const [text, state] of cases)
    t.equal(await refusal(room, change(text) as never), state, text)
  const other = { insert: 'people', documents: [{ _id: 9, id: 'no number', name: 'Eve' }] }
  t.match((await room.run(other)).writeErrors, [{ code: 121 }], 'the types hold other protocols')
  const described = await room.run({ sqlShow: 'DESCRIBE people' })
  t.same(
    described.cursor.firstBatch.map(({ column, type, nullable }: Reply) => [
      column,
      type,
      nullable,
    ]),
    [
      ['id', 'int4', false],
      ['name', 'varchar(5)', false],
      ['at', 'timestamptz', true],
      ['tags', 'text[]', true],
      ['data', 'jsonb', true],
      ['score', 'numeric', true],
    ],
  )
  for (const [text, state] of [
    ['CREATE TABLE t (a int, a text)', '42701'],
    ['CREATE TABLE t (a int PRIMARY KEY, b int PRIMARY KEY)', '42P16'],
    ['CREATE TABLE t (a int, UNIQUE (b))', '42703'],
    ['CREATE TABLE t (a nonsense)', '42704'],
  ] as const) {
    t.equal(await refusal(room, { sqlDefine: text }), state, text)
  }
  const shown = await room.run({ sqlShow: 'SHOW TABLES' })
  t.same(shown.cursor.firstBatch, [{ name: 'people', type: 'table' }], 'refused ones made nothing')
  await define(room, 'DROP TABLE people')
  t.equal(await refusal(room, { sqlDefine: 'DROP TABLE people' }), '42P01')
  t.match((await define(room, 'DROP TABLE IF EXISTS people')).note, /skipping/)
})

await eachRoom(t, 'EXPLAIN names the index and the operation', async (t, room) => {
  await room.insert('c', ...[1, 2, 3].map((n) => ({ _id: n, a: n, b: n % 2 })))
  await room.run({ createIndexes: 'c', indexes: [{ key: { a: 1 }, name: 'a_1' }] })
  t.match(await linesOf(room, 'EXPLAIN SELECT * FROM c WHERE a = 2 ORDER BY b LIMIT 1'), [
    'Limit',
    '  ->  Sort',
    '        ->  Index Scan using a_1 on c',
    /Index Cond: .*"a":\["\[2, 2\]"\]/,
    /Filter: .*"a"/,
  ])
  t.match(await linesOf(room, 'EXPLAIN SELECT count(*) FROM c'), [
    'Aggregate',
    '  ->  Seq Scan on c',
  ])
  t.match(await linesOf(room, 'EXPLAIN SELECT * FROM c WHERE _id = 2'), [
    'Index Scan using _id_ on c',
  ])
  t.match(await linesOf(room, 'EXPLAIN SELECT * FROM c ORDER BY a'), ['Index Scan using a_1 on c'])
  const joined = await linesOf(room, 'EXPLAIN SELECT * FROM c x LEFT JOIN c y ON x.a = y.b')
  t.match(joined, ['Hash Left Join', /Seq Scan on c x/, /Seq Scan on c y/])
  const changed = await linesOf(room, 'EXPLAIN ANALYZE DELETE FROM c WHERE a > 1')
  t.match(changed, ['Delete on c', /Index Scan using a_1 on c/])
  t.match(changed.join('\n'), /Actual: rows=\d+ keys examined=2 documents examined=2/)
  t.equal((await room.all('c')).length, 3, 'nothing is changed')
  const { explain, columns } = await room.run({
    sqlExplain: 'EXPLAIN UPDATE c SET b = 1 WHERE a = 1',
  })
  t.same(columns, [{ name: 'QUERY PLAN', type: 'text' }])
  t.match(explain, {
    statement: 'update',
    tables: [
      {
        operation: { update: 'c', filter: { a: { $eq: 1 } } },
        plan: { queryPlanner: { winningPlan: { stage: 'UPDATE' } } },
      },
    ],
  })
  t.same(await linesOf(room, 'EXPLAIN INSERT INTO c (a) VALUES (1)'), [
    'Insert on c',
    '  ->  Result',
  ])
  t.equal(await refusal(room, { sqlExplain: 'EXPLAIN DROP TABLE c' }), '0A000')
  await room.run({ create: 'v', viewOn: 'c', pipeline: [] })
  t.match(await linesOf(room, 'EXPLAIN SELECT * FROM v'), ['View Scan on v'])
  t.match(await linesOf(room, 'EXPLAIN SELECT 1'), ['Result'])
})
