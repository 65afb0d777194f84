// information_schema and pg_catalog: what psql 15 and Grafana ask, over what the caller may read.

import tap from 'tap'
import { pgColumnsMax } from '../../../../src/base/limits/sql.js'
import { MiB } from '../../../../src/base/units.js'
import { type CommandRoom, eachRoom, type Reply } from '../../../support/command-room.js'
import { identities } from '../../../support/identities.js'
import { openPlace } from '../../../support/rights-room.js'
import { rowsOf, stateOfStatement } from '../select/selecting.js'

async function filled(room: CommandRoom): Promise<(text: string) => Promise<Reply[]>> {
  await room.insert('people', { _id: 1, name: 'Ada', born: new Date(0), tags: [] }, { _id: 2 })
  const name = { key: { name: 1, born: -1 }, name: 'by_name', unique: true }
  await room.run({ createIndexes: 'people', indexes: [name] })
  await room.run({ create: 'adults', viewOn: 'people', pipeline: [] })
  return (text) => rowsOf(room, text)
}

eachRoom(tap, 'information_schema tells tables and columns', async (t, room) => {
  const rows = await filled(room)
  const tables = `SELECT table_name, table_type FROM information_schema.tables
    WHERE table_schema = 'public' ORDER BY 1`
  t.same(await rows(tables), [
    { table_name: 'adults', table_type: 'VIEW' },
    { table_name: 'people', table_type: 'BASE TABLE' },
  ])
  const columns = `SELECT column_name AS c, data_type AS t, is_nullable AS n
    FROM information_schema.columns WHERE table_name = 'people' ORDER BY ordinal_position`
  t.same(await rows(columns), [
    { c: '_id', t: 'integer', n: 'NO' },
    { c: 'name', t: 'text', n: 'YES' },
    { c: 'born', t: 'timestamp with time zone', n: 'YES' },
    { c: 'tags', t: 'jsonb', n: 'YES' },
  ])
  const keys = `SELECT k.column_name AS c, c.constraint_type AS t
    FROM information_schema.table_constraints c
    JOIN information_schema.key_column_usage k USING (constraint_name)
    WHERE c.table_name = 'people' ORDER BY c.constraint_type, k.ordinal_position`
  t.same(await rows(keys), [
    { c: '_id', t: 'PRIMARY KEY' },
    { c: 'name', t: 'UNIQUE' },
    { c: 'born', t: 'UNIQUE' },
  ])
  t.equal((await rows('SELECT count(*) FROM information_schema.schemata'))[0]?.count, 3)
})

eachRoom(tap, "psql's \\dt, \\di and \\l", async (t, room) => {
  const rows = await filled(room)
  const relations = (kinds: string, more = '', joins = ''): string =>
    `SELECT n.nspname as "Schema", c.relname as "Name",
      CASE c.relkind WHEN 'r' THEN 'table' WHEN 'v' THEN 'view' WHEN 'i' THEN 'index' END as "Type",
      pg_catalog.pg_get_userbyid(c.relowner) as "Owner"${more}
    FROM pg_catalog.pg_class c
      LEFT JOIN pg_catalog.pg_namespace n ON n.oid = c.relnamespace
      LEFT JOIN pg_catalog.pg_am am ON am.oid = c.relam ${joins}
    WHERE c.relkind IN (${kinds}) AND n.nspname <> 'pg_catalog' AND n.nspname !~ '^pg_toast'
      AND n.nspname <> 'information_schema' AND pg_catalog.pg_table_is_visible(c.oid)
    ORDER BY 1,2;`
  const owner = { Schema: 'public', Owner: 'operator' }
  t.same(await rows(relations("'r','p',''")), [{ ...owner, Name: 'people', Type: 'table' }])
  t.same(
    (await rows(relations("'r','v'"))).map(({ Name }) => Name),
    ['adults', 'people'],
  )
  const joins = `LEFT JOIN pg_catalog.pg_index i ON i.indexrelid = c.oid
    LEFT JOIN pg_catalog.pg_class c2 ON i.indrelid = c2.oid`
  t.same(await rows(relations("'i','I',''", ', c2.relname as "Table"', joins)), [
    { ...owner, Name: '_id_', Type: 'index', Table: 'people' },
    { ...owner, Name: 'by_name', Type: 'index', Table: 'people' },
  ])
  const databases = `SELECT d.datname as "Name", pg_catalog.pg_get_userbyid(d.datdba) as "Owner",
      pg_catalog.pg_encoding_to_char(d.encoding) as "Encoding",
      pg_catalog.array_to_string(d.datacl, E'\\n') AS "Access privileges"
    FROM pg_catalog.pg_database d ORDER BY 1;`
  const database = { Name: 'test', Owner: 'operator', Encoding: 'UTF8' }
  t.same(await rows(databases), [{ ...database, 'Access privileges': null }])
})

eachRoom(tap, "psql's \\d of a table", async (t, room) => {
  const rows = await filled(room)
  const [found] = await rows(`SELECT c.oid, n.nspname, c.relname FROM pg_catalog.pg_class c
    LEFT JOIN pg_catalog.pg_namespace n ON n.oid = c.relnamespace
    WHERE c.relname OPERATOR(pg_catalog.~) '^(people)$' COLLATE pg_catalog.default
      AND pg_catalog.pg_table_is_visible(c.oid) ORDER BY 2, 3;`)
  t.match(found, { nspname: 'public', relname: 'people' })
  const oid = String(found?.oid)
  const [table] = await rows(`SELECT c.relchecks, c.relkind, c.relhasindex, false AS relhasoids, '',
      CASE WHEN c.reloftype = 0 THEN '' ELSE c.reloftype::pg_catalog.regtype::pg_catalog.text END,
      c.relpersistence, am.amname
    FROM pg_catalog.pg_class c
      LEFT JOIN pg_catalog.pg_class tc ON (c.reltoastrelid = tc.oid)
      LEFT JOIN pg_catalog.pg_am am ON (c.relam = am.oid)
    WHERE c.oid = '${oid}';`)
  t.match(table, { relkind: 'r', relhasindex: true, reloftype: '', amname: 'heap' })
  const columns = await rows(`SELECT a.attname, pg_catalog.format_type(a.atttypid, a.atttypmod),
      (SELECT pg_catalog.pg_get_expr(d.adbin, d.adrelid, true) FROM pg_catalog.pg_attrdef d
        WHERE d.adrelid = a.attrelid AND d.adnum = a.attnum AND a.atthasdef),
      a.attnotnull,
      (SELECT c.collname FROM pg_catalog.pg_collation c, pg_catalog.pg_type t
        WHERE c.oid = a.attcollation AND t.oid = a.atttypid
          AND a.attcollation <> t.typcollation) AS attcollation,
      a.attidentity, a.attgenerated
    FROM pg_catalog.pg_attribute a
    WHERE a.attrelid = '${oid}' AND a.attnum > 0 AND NOT a.attisdropped ORDER BY a.attnum;`)
  t.same(
    columns.map(({ attname, format_type, attnotnull }) => [attname, format_type, attnotnull]),
    [
      ['_id', 'integer', true],
      ['name', 'text', false],
      ['born', 'timestamp with time zone', false],
      ['tags', 'jsonb', false],
    ],
  )
  const indexes = await rows(`SELECT c2.relname, i.indisprimary, i.indisunique, i.indisvalid,
      pg_catalog.pg_get_indexdef(i.indexrelid, 0, true),
      pg_catalog.pg_get_constraintdef(con.oid, true), contype, condeferrable, c2.reltablespace
    FROM pg_catalog.pg_class c, pg_catalog.pg_class c2, pg_catalog.pg_index i
      LEFT JOIN pg_catalog.pg_constraint con ON (conrelid = i.indrelid
        AND conindid = i.indexrelid AND contype IN ('p','u','x'))
    WHERE c.oid = '${oid}' AND c.oid = i.indrelid AND i.indexrelid = c2.oid
    ORDER BY i.indisprimary DESC, c2.relname;`)
  t.match(indexes, [
    {
      ...{ relname: '_id_', indisprimary: true, contype: 'p' },
      pg_get_indexdef: 'CREATE UNIQUE INDEX _id_ ON public.people USING btree (_id)',
      pg_get_constraintdef: 'PRIMARY KEY (_id)',
    },
    {
      relname: 'by_name',
      pg_get_indexdef: 'CREATE UNIQUE INDEX by_name ON public.people USING btree (name, born DESC)',
    },
  ])
  t.same(await rows(`SELECT pol.polname FROM pg_policy pol WHERE pol.polrelid = '${oid}'`), [])
})

eachRoom(tap, 'names of tables and OIDs stand for each other', async (t, room) => {
  const rows = await filled(room)
  const [one] = await rows("SELECT 'people'::regclass AS oid, to_regclass('none') AS none")
  t.type(one?.oid, 'number')
  t.equal(one?.none, null)
  t.same(await rows(`SELECT relname FROM pg_class WHERE oid = 'people'::regclass`), [
    { relname: 'people' },
  ])
  t.equal(await stateOfStatement(room, "SELECT 'none'::regclass"), '42P01')
  t.equal(await stateOfStatement(room, 'SELECT nothing FROM pg_class'), '42703')
  t.same(await rows('SELECT typname FROM pg_type WHERE oid = 23'), [{ typname: 'int4' }])
})

eachRoom(tap, '* of a virtual table has its columns, with rows or without', async (t, room) => {
  const { columns } = await room.run({ sqlSelect: 'SELECT * FROM pg_namespace WHERE false' })
  const names = [
    ['oid', 'int4'],
    ['nspname', 'text'],
    ['nspowner', 'int4'],
    ['nspacl', 'text'],
  ]
  t.same(
    columns.map(({ name, type }: Reply) => [name, type]),
    names,
  )
  const none = await room.run({ sqlSelect: 'SELECT * FROM pg_collation' })
  t.equal(none.columns.length, 3)
})

tap.test('each caller sees of the catalog what it may read', async (t) => {
  const { room, reset } = await openPlace()
  await reset('private')
  t.teardown(() => room.engine.close())
  const seen = async (who: keyof typeof identities, table: string): Promise<string> => {
    const session = room.sessionOf(identities[who])
    const reply = await room.run({ sqlSelect: `SELECT * FROM ${table}` }, 'test', session)
    return JSON.stringify(reply.cursor.firstBatch)
  }
  const tables = ['information_schema.tables', 'information_schema.columns', 'pg_class']
  for (const table of [...tables, 'pg_indexes']) {
    t.match(await seen('owner', table), '"c"', table)
    t.notMatch(await seen('otherWallet', table), '"c"', table)
    t.match(await seen('otherWallet', table), '"open"', table)
  }
  t.notMatch(await seen('otherWallet', 'pg_attribute'), '"u"')
})

eachRoom(tap, 'what a database without such things has none of is asked for', async (t, room) => {
  const rows = await filled(room)
  const statements = [
    'SELECT schemaname, matviewname, ispopulated FROM pg_matviews',
    'SELECT pg_catalog.pg_opclass.oid, opcname FROM pg_catalog.pg_opclass WHERE NOT opcdefault',
    'SELECT sequencename, last_value FROM pg_sequences',
    'SELECT policyname, with_check FROM pg_policies',
    'SELECT rulename FROM pg_rules',
    'SELECT partattrs FROM pg_partitioned_table',
    'SELECT ftoptions, srvname FROM pg_foreign_table JOIN pg_foreign_server s ON s.oid = ftserver',
    'SELECT evtname FROM pg_event_trigger',
    'SELECT umuser FROM pg_user_mapping',
    'SELECT defaclobjtype FROM pg_default_acl',
  ]
  for (const text of statements) t.same(await rows(text), [], text)
})

eachRoom(tap, 'what documents are sampled for columns has a bound', async (t, room) => {
  const text = 'a'.repeat(3 * MiB)
  await room.insert('large', { _id: 1, a: text }, { _id: 2, b: text })
  await room.insert('large', { _id: 3, c: 1 })
  const named = `SELECT column_name AS c FROM information_schema.columns WHERE table_name = 'large'`
  t.same(await rowsOf(room, named), [{ c: '_id' }, { c: 'a' }, { c: 'b' }])
  const described = await room.run({ sqlShow: 'DESCRIBE large' })
  t.same(
    described.cursor.firstBatch.map(({ column }: Reply) => column),
    ['_id', 'a', 'b'],
  )
  const many = Array.from({ length: pgColumnsMax + 5 }, (_, i) => [`f${i}`, i])
  await room.insert('wide', Object.fromEntries([['_id', 1], ...many]))
  const count = `SELECT count(*) AS n FROM information_schema.columns WHERE table_name = 'wide'`
  t.same(await rowsOf(room, count), [{ n: pgColumnsMax }])
})
