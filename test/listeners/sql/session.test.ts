// Statements about a session: poolers wipe it, drivers forget what they prepared, results are
// fetched by cursors, and notices tell what IF EXISTS has passed over.

import t, { type Test } from 'tap'
import type { GatewayError } from '../../../src/base/errors.js'
import { parseStatement } from '../../../src/protocol/sql/parse.js'
import { startup } from '../../protocol/pgwire/frontend.js'
import { startGateway } from '../../support/live-gateway.js'
import {
  bind,
  describe,
  execute,
  flush,
  type Message,
  parse,
  SqlClient,
  sync,
  version3,
} from '../../support/sql-client.js'

async function enter(t: Test, parameters: Readonly<Record<string, string>> = {}) {
  const gateway = await startGateway(t, { AUTH_MODE: 'off' })
  const { client } = await SqlClient.enter(gateway.ports.sql, parameters)
  t.teardown(() => client.close())
  return client
}

function fieldsOf(messages: readonly Message[], name: string): readonly string[] {
  return (messages.find(([each]) => each === name)?.[1] ?? []) as readonly string[]
}

const field = (messages: readonly Message[], name: string, code: string) =>
  fieldsOf(messages, name)
    .find((each) => each.startsWith(code))
    ?.slice(1)

const stateOf = (messages: readonly Message[]) => field(messages, 'ErrorResponse', 'C')
const noticeOf = (messages: readonly Message[]) =>
  ['S', 'C', 'M'].map((code) => field(messages, 'NoticeResponse', code))
const rowsOf = (messages: readonly Message[]) =>
  messages.filter(([name]) => name === 'DataRow').map((row) => String(row[1]))
const tagsOf = (messages: readonly Message[]) =>
  messages.filter(([name]) => name === 'CommandComplete').map((each) => each[1])
const namesOf = (messages: readonly Message[]) => messages.map(([name]) => name)

async function ask(client: SqlClient, ...messages: readonly Buffer[]) {
  client.send(...messages, sync)
  return client.until('ReadyForQuery')
}

t.test('DISCARD ALL leaves nothing of what a client had', async (t) => {
  const client = await enter(t, { application_name: 'first' })
  await client.query('SET application_name = second; SET my.own = 1; SET statement_timeout = 5000')
  t.equal(stateOf(await ask(client, parse('kept', 'SELECT 1'))), undefined)
  const discarded = await client.query('DISCARD ALL')
  t.same(tagsOf(discarded), ['DISCARD ALL'])
  const told = discarded.filter(([name]) => name === 'ParameterStatus')
  t.same(told, [['ParameterStatus', 'application_name', 'first']], 'as the start packet had it')
  t.same(rowsOf(await client.query('SHOW application_name; SHOW statement_timeout')), [
    'first',
    '0',
  ])
  t.equal(stateOf(await client.query('SHOW my.own')), '42704')
  t.equal(stateOf(await ask(client, bind({ statement: 'kept' }))), '26000')
  t.same(
    rowsOf(await ask(client, parse('kept', 'SELECT 2'), bind({ statement: 'kept' }), execute())),
    ['2'],
  )
  await client.query('BEGIN')
  t.equal(stateOf(await client.query('DISCARD ALL')), '25001')
  await client.query('ROLLBACK')
  const parts = await client.query('DISCARD PLANS; DISCARD SEQUENCES; DISCARD TEMPORARY')
  t.same(tagsOf(parts), ['DISCARD PLANS', 'DISCARD SEQUENCES', 'DISCARD TEMP'])
  const asyncpg = 'SELECT pg_advisory_unlock_all(); CLOSE ALL; UNLISTEN *; RESET ALL;'
  t.same(tagsOf(await client.query(asyncpg)), ['SELECT 1', 'CLOSE CURSOR ALL', 'UNLISTEN', 'RESET'])
})

t.test('prepared statements are forgotten by name, or all of them', async (t) => {
  const client = await enter(t)
  for (const name of ['a', 'b', 'C d']) await ask(client, parse(name, 'SELECT 1'))
  t.same(tagsOf(await client.query('DEALLOCATE a')), ['DEALLOCATE'])
  t.equal(stateOf(await client.query('DEALLOCATE a')), '26000')
  t.equal(stateOf(await ask(client, bind({ statement: 'a' }))), '26000')
  t.same(tagsOf(await client.query('DEALLOCATE PREPARE "C d"; DEALLOCATE ALL')), [
    'DEALLOCATE',
    'DEALLOCATE ALL',
  ])
  t.equal(stateOf(await ask(client, bind({ statement: 'b' }))), '26000')
  const deallocated = await ask(client, parse('', 'DEALLOCATE ALL'), bind({}), execute())
  t.same(tagsOf(deallocated), ['DEALLOCATE ALL'])
})

t.test('RESET gives one setting back', async (t) => {
  const client = await enter(t, { application_name: 'x' })
  await client.query('SET application_name = y; SET extra_float_digits = 3')
  await client.query('RESET application_name')
  t.same(rowsOf(await client.query('SHOW application_name; SHOW extra_float_digits')), ['x', '3'])
  await client.query('SET application_name = z; SET application_name = DEFAULT')
  t.same(rowsOf(await client.query('SHOW application_name')), ['x'])
  t.same(tagsOf(await client.query('RESET SESSION AUTHORIZATION; RESET ROLE; RESET TIME ZONE')), [
    'RESET',
    'RESET',
    'RESET',
  ])
  t.equal(stateOf(await client.query('RESET nosuch')), '42704')
  t.equal(stateOf(await client.query('RESET server_version')), '55P02')
})

t.test('a cursor is fetched from until it is closed, or its transaction ends', async (t) => {
  const client = await enter(t)
  const values = Array.from({ length: 2_500 }, (_, i) => `(${i})`)
  await client.query(`INSERT INTO numbers (_id) VALUES ${values.join(', ')}`)
  t.equal(stateOf(await client.query('DECLARE c CURSOR FOR SELECT 1')), '25P01')
  const declare = 'DECLARE c NO SCROLL CURSOR WITHOUT HOLD FOR SELECT _id FROM numbers ORDER BY _id'
  t.same(tagsOf(await client.query(`BEGIN; ${declare};`)), ['BEGIN', 'DECLARE CURSOR'])
  const first = await client.query('FETCH FORWARD 2 FROM c')
  t.same(namesOf(first), [
    ...['RowDescription', 'DataRow', 'DataRow', 'CommandComplete', 'ReadyForQuery'],
  ])
  t.same(rowsOf(first), ['0', '1'])
  t.same(tagsOf(first), ['FETCH 2'])
  const more = await client.query('FETCH c; FETCH NEXT FROM c; FETCH 3 IN c; FETCH FROM c')
  t.same(rowsOf(more), ['2', '3', '4', '5', '6', '7'])
  const all = await client.query('FETCH ALL FROM c')
  t.same(tagsOf(all), ['FETCH 2492'])
  t.same(rowsOf(all).at(-1), '2499')
  t.same(tagsOf(await client.query('FETCH 5 FROM c')), ['FETCH 0'])
  t.equal(stateOf(await client.query('FETCH FROM nosuch')), '34000')
  await client.query('ROLLBACK')
  await client.query(`BEGIN; ${declare}`)
  t.same(tagsOf(await client.query('CLOSE c')), ['CLOSE CURSOR'])
  t.equal(stateOf(await client.query('FETCH c')), '34000')
  await client.query(`ROLLBACK; BEGIN; ${declare}; FETCH c; COMMIT`)
  t.equal(stateOf(await client.query('FETCH c')), '34000', 'it ended with its transaction')
  await client.query('BEGIN')
  t.equal(stateOf(await client.query(`${declare}; ${declare}`)), '42P03')
  await client.query('ROLLBACK')
  for (const [sql, state] of [
    ['FETCH PRIOR FROM c', '55000'],
    ['FETCH BACKWARD ALL IN c', '55000'],
    ['FETCH -1 FROM c', '55000'],
    ['FETCH 0 FROM c', '55000'],
    ['DECLARE c SCROLL CURSOR FOR SELECT 1', '0A000'],
    ['DECLARE c CURSOR WITH HOLD FOR SELECT 1', '0A000'],
    ['DECLARE c BINARY CURSOR FOR SELECT 1', '0A000'],
    ['DECLARE c CURSOR FOR DELETE FROM numbers', '42601'],
    ['MOVE 1 FROM c', '0A000'],
  ] as const) {
    t.equal(stateOf(await client.query(sql)), state, sql)
  }
})

t.test('a cursor has parameters, and is fetched from in binary', async (t) => {
  const client = await enter(t)
  await client.query('INSERT INTO numbers (_id, n) VALUES (1, 10), (2, 20), (3, 30)')
  await client.query('BEGIN')
  const declare = parse('', 'DECLARE c CURSOR FOR SELECT n FROM numbers WHERE _id > $1 ORDER BY n')
  t.same(tagsOf(await ask(client, declare, bind({ values: ['1'] }), execute())), ['DECLARE CURSOR'])
  const fetch = [parse('f', 'FETCH 1 FROM c'), describe('S', 'f'), bind({ statement: 'f' })]
  const fetched = await ask(client, ...fetch, describe('P'), execute())
  t.equal(namesOf(fetched).filter((name) => name === 'RowDescription').length, 2)
  t.same(rowsOf(fetched), ['20'])
  const binary = await ask(client, bind({ statement: 'f', results: [1] }), execute())
  t.same(rowsOf(binary).length, 1)
  t.not(rowsOf(binary)[0], '30', 'four bytes')
  t.same(tagsOf(binary), ['FETCH 1'])
  client.send(bind({ statement: 'f' }), execute(), flush)
  t.same(tagsOf(await client.until('CommandComplete')), ['FETCH 0'])
})

t.test('IF EXISTS and IF NOT EXISTS tell what they passed over', async (t) => {
  const client = await enter(t)
  const created = 'CREATE TABLE IF NOT EXISTS t (a int)'
  t.same(noticeOf(await client.query(created)), [undefined, undefined, undefined])
  const again = await client.query(created)
  t.same(noticeOf(again), ['NOTICE', '42P07', 'relation "t" already exists, skipping'])
  t.same(tagsOf(again), ['CREATE TABLE'])
  await client.query('CREATE INDEX i ON t (a)')
  t.same(noticeOf(await client.query('CREATE INDEX IF NOT EXISTS i ON t (a)')), [
    ...['NOTICE', '42P07', 'relation "i" already exists, skipping'],
  ])
  t.same(noticeOf(await client.query('DROP INDEX IF EXISTS nosuch')), [
    ...['NOTICE', '00000', 'index "nosuch" does not exist, skipping'],
  ])
  const dropped = await ask(client, parse('', 'DROP TABLE IF EXISTS nosuch'), bind({}), execute())
  t.same(noticeOf(dropped), ['NOTICE', '00000', 'table "nosuch" does not exist, skipping'])
  await client.query('SET client_min_messages = warning')
  t.same(noticeOf(await client.query(created)), [undefined, undefined, undefined], 'not wanted')
  t.equal(noticeOf(await client.query('COMMIT'))[0], 'WARNING')
})

t.test('statements about a session are read in all their spellings', async (t) => {
  const read = (sql: string) => parseStatement(sql).statement
  t.same(read('deallocate prepare prepare'), { kind: 'deallocate', name: 'prepare' })
  t.same(read('DEALLOCATE prepare;'), { kind: 'deallocate', name: 'prepare' })
  t.same(read('Reset my.Own'), { kind: 'reset', name: 'my.own' })
  t.same(read('FETCH FORWARD +2 IN c'), { kind: 'fetch', name: 'c', rows: 2 })
  t.same(read('FETCH next'), { kind: 'fetch', name: 'next', rows: 1 })
  t.same(read('FETCH FORWARD ALL "x y";'), { kind: 'fetch', name: 'x y', rows: undefined })
  t.match(read('DECLARE c INSENSITIVE CURSOR FOR TABLE t'), { kind: 'declare', text: 'TABLE t' })
  for (const sql of [
    'DISCARD',
    'DISCARD ALL x',
    'DEALLOCATE',
    'CLOSE',
    'FETCH',
    'FETCH + c',
    'DECLARE c FOR',
  ]) {
    let state: unknown
    try {
      read(sql)
    } catch (error) {
      state = (error as GatewayError).extra.sqlState
    }
    t.equal(state, '42601', sql)
  }
})

t.test('a statement of the session is nothing for a route', async (t) => {
  const gateway = await startGateway(t, { AUTH_MODE: 'off' })
  for (const query of ['DISCARD ALL', 'RESET ALL', 'FETCH c', 'CLOSE ALL', 'DEALLOCATE ALL']) {
    const answer = await fetch(`${gateway.url}/api/v1/sql`, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({ query }),
    })
    const { sqlState } = (await answer.json()) as { sqlState?: string }
    t.equal(answer.status, 400, query)
    t.equal(sqlState, '0A000', query)
  }
})

t.test('a cursor ends with its transaction, also where both stand in one text', async (t) => {
  const client = await enter(t)
  const both = 'BEGIN; DECLARE c CURSOR FOR SELECT 1; FETCH c; COMMIT'
  const again = await client.query(`${both}; ${both}`)
  t.same(stateOf(again), undefined)
  t.same(rowsOf(again), ['1', '1'])
  const late = await client.query(`${both}; BEGIN; FETCH c`)
  t.equal(stateOf(late), '34000')
  await client.query('ROLLBACK')
})

t.test('what PostgreSQL takes behind a cursor, and is not served, is told as that', async (t) => {
  const client = await enter(t)
  for (const query of ['VALUES (1)', 'WITH a AS (SELECT 1) SELECT 1']) {
    await client.query('BEGIN')
    t.equal(stateOf(await client.query(`DECLARE c CURSOR FOR ${query}`)), '0A000', query)
    await client.query('ROLLBACK')
  }
})

t.test('the encoding of a client may be spelled as the reference server takes it', async (t) => {
  const gateway = await startGateway(t, { AUTH_MODE: 'off' })
  // The second is asyncpg's.
  for (const encoding of ['UTF8', "'utf-8'", 'Unicode', 'utf_8']) {
    const { client } = await SqlClient.enter(gateway.ports.sql, { client_encoding: encoding })
    t.same(rowsOf(await client.query('SHOW client_encoding')), ['UTF8'], encoding)
    client.close()
  }
  const other = await SqlClient.open(gateway.ports.sql)
  other.send(startup(version3, { user: 'tester', client_encoding: "'latin-1'" }))
  t.equal(stateOf(await other.rest()), '22023')
})
