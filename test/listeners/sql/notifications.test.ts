// LISTEN and NOTIFY, message by message, as PostgreSQL 17 has them (its pages LISTEN, NOTIFY and
// UNLISTEN): they take effect at the end of a transaction, and a session is told while it is idle.

import { Redis } from 'ioredis'
import pg from 'pg'
import t, { type Test } from 'tap'
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
} from '../../support/sql-client.js'
import { testWallet } from '../../support/wallet.js'
import { WalletClient } from '../../support/wallet-client.js'

async function enter(t: Test, sessions = 2) {
  const gateway = await startGateway(t, { AUTH_MODE: 'off' })
  const clients: SqlClient[] = []
  const pids: number[] = []
  for (let i = 0; i < sessions; i++) {
    const { client, greeting } = await SqlClient.enter(gateway.ports.sql)
    t.teardown(() => client.close())
    clients.push(client)
    pids.push(Number(greeting.find(([name]) => name === 'BackendKeyData')?.[1]))
  }
  const [a, b] = clients as [SqlClient, SqlClient]
  return { gateway, a, b, pids }
}

const told = (messages: readonly Message[]) =>
  messages
    .filter(([name]) => name === 'NotificationResponse')
    .map(([, pid, channel, payload]) => [pid, channel, payload])
const stateOf = (messages: readonly Message[]) =>
  ((messages.find(([name]) => name === 'ErrorResponse')?.[1] ?? []) as readonly string[])
    .find((each) => each.startsWith('C'))
    ?.slice(1)
const textOf = (messages: readonly Message[]) =>
  ((messages.find(([name]) => name === 'ErrorResponse')?.[1] ?? []) as readonly string[])
    .find((each) => each.startsWith('M'))
    ?.slice(1)
const rowsOf = (messages: readonly Message[]) =>
  messages.filter(([name]) => name === 'DataRow').map((row) => (row[1] as string[])[0])
const tagsOf = (messages: readonly Message[]) =>
  messages.filter(([name]) => name === 'CommandComplete').map((each) => each[1])
const namesOf = (messages: readonly Message[]) => messages.map(([name]) => name)
/** What the session is told up to now: the next statement's answer carries it. */
const toldNow = async (client: SqlClient) => told(await client.query('SELECT 1'))

t.test('an idle session is told at once, with the process that notified', async (t) => {
  const { a, b, pids } = await enter(t)
  t.same(tagsOf(await a.query('LISTEN news')), ['LISTEN'])
  t.same(tagsOf(await b.query("NOTIFY news, 'one'")), ['NOTIFY'])
  t.same(told(await a.until('NotificationResponse')), [[pids[1], 'news', 'one']])
  await b.query('NOTIFY News')
  t.same(told(await a.until('NotificationResponse')), [[pids[1], 'news', '']], 'in lower case')
  await b.query('NOTIFY "News"')
  t.same(await toldNow(a), [], 'a quoted name keeps its case')
  await b.query("SELECT pg_notify('news', 'by a function')")
  t.same(told(await a.until('NotificationResponse')), [[pids[1], 'news', 'by a function']])
})

t.test('its own notification comes before ReadyForQuery', async (t) => {
  const { a, pids } = await enter(t)
  await a.query('LISTEN mine')
  const answer = await a.query("NOTIFY mine, 'x'")
  t.same(namesOf(answer), ['CommandComplete', 'NotificationResponse', 'ReadyForQuery'])
  t.same(told(answer), [[pids[0], 'mine', 'x']])
  t.same(told(await a.query("LISTEN late; NOTIFY late, 'in one message'")), [
    [pids[0], 'late', 'in one message'],
  ])
})

t.test('a transaction notifies at COMMIT, each thing once, and not after ROLLBACK', async (t) => {
  const { a, b, pids } = await enter(t)
  await a.query('LISTEN c')
  await b.query("BEGIN; NOTIFY c, '1'; NOTIFY c, '2'; NOTIFY c, '1'; SELECT pg_notify('c', '2')")
  t.same(await toldNow(a), [])
  await b.query('COMMIT')
  const both = [...(await a.until('NotificationResponse')), ...(await a.query('SELECT 1'))]
  t.same(told(both), [
    [pids[1], 'c', '1'],
    [pids[1], 'c', '2'],
  ])
  await b.query("BEGIN; NOTIFY c, 'undone'")
  await b.query('ROLLBACK')
  await b.query("BEGIN; NOTIFY c, 'failed'")
  t.equal(stateOf(await b.query('SELECT 1/0')), '22012')
  t.equal(stateOf(await b.query("NOTIFY c, 'refused'")), '25P02')
  t.same(tagsOf(await b.query('COMMIT')), ['ROLLBACK'])
  t.equal(stateOf(await b.query("NOTIFY c, 'one message'; SELECT 1/0")), '22012')
  t.same(await toldNow(a), [])
})

t.test('a rollback to a savepoint takes back what came after it', async (t) => {
  const { a, b } = await enter(t)
  await a.query('LISTEN c')
  await b.query("BEGIN; NOTIFY c, '1'; SAVEPOINT s; NOTIFY c, '2'; LISTEN other")
  await b.query("ROLLBACK TO s; NOTIFY c, '3'; SAVEPOINT s; NOTIFY c, '4'; RELEASE s")
  await b.query('COMMIT')
  await a.until('NotificationResponse')
  t.same(
    (await toldNow(a)).map(([, , payload]) => payload),
    ['3', '4'],
  )
  t.same(rowsOf(await b.query('SELECT pg_listening_channels()')), [])
})

t.test('LISTEN and UNLISTEN take effect at COMMIT, the last word counts', async (t) => {
  const { a, b } = await enter(t)
  await a.query('BEGIN; LISTEN c')
  await b.query("NOTIFY c, 'too early'")
  t.same(rowsOf(await a.query('SELECT pg_listening_channels()')), [])
  await a.query('COMMIT')
  t.same(await toldNow(a), [])
  await b.query("NOTIFY c, 'heard'")
  t.same(told(await a.until('NotificationResponse')).length, 1)
  await a.query('BEGIN; LISTEN d; UNLISTEN *; LISTEN e; UNLISTEN nosuch; COMMIT')
  t.same(rowsOf(await a.query('SELECT * FROM pg_listening_channels()')), ['e'])
  await a.query('BEGIN; LISTEN f; ROLLBACK')
  await a.query('LISTEN e')
  t.same(rowsOf(await a.query('SELECT pg_listening_channels()')), ['e'])
  await a.query('DISCARD ALL')
  t.same(rowsOf(await a.query('SELECT pg_listening_channels()')), [])
})

t.test('a session within a transaction is told after it', async (t) => {
  const { a, b } = await enter(t)
  await a.query('LISTEN c')
  await a.query('BEGIN')
  await b.query("NOTIFY c, 'x'")
  t.same(told(await a.query('SELECT 1')), [])
  const [usage] = rowsOf(await a.query('SELECT pg_notification_queue_usage()'))
  t.ok(Number(usage) > 0 && Number(usage) < 1, `usage ${usage}`)
  t.same(told(await a.query('COMMIT')).length, 1)
  t.same(rowsOf(await a.query('SELECT pg_notification_queue_usage()')), ['0'])
})

t.test('the extended protocol notifies at Sync, and not for a description', async (t) => {
  const { a, b } = await enter(t)
  await a.query('LISTEN c')
  const text = 'SELECT pg_notify($1, $2)'
  b.send(parse('n', text), describe('S', 'n'), sync)
  const described = await b.until('ReadyForQuery')
  t.equal(stateOf(described), undefined)
  const columns = described.find(([name]) => name === 'RowDescription')?.[1]
  t.match(JSON.stringify(columns), /2278/, 'of type void')
  b.send(bind({ statement: 'n', values: ['c', 'bound'] }), execute(), flush)
  await b.until('CommandComplete')
  t.same(await toldNow(a), [])
  b.send(sync)
  await b.until('ReadyForQuery')
  t.same(
    told(await a.until('NotificationResponse')).map(([, , payload]) => payload),
    ['bound'],
  )
  // A message of a cycle that has no Sync yet: the session is not idle.
  a.send(parse('', 'SELECT 1'), flush)
  await a.until('ParseComplete')
  await b.query("NOTIFY c, 'later'")
  a.send(bind({}), execute(), sync)
  t.same(namesOf(await a.until('ReadyForQuery')).slice(-2), [
    'NotificationResponse',
    'ReadyForQuery',
  ])
  a.send(parse('', 'LISTEN d'), bind({}), execute(), parse('', 'SELECT 1/0'), bind({}), execute())
  a.send(sync)
  t.equal(stateOf(await a.until('ReadyForQuery')), '22012')
  t.same(rowsOf(await a.query('SELECT pg_listening_channels()')), ['c'], 'the cycle failed')
})

t.test('names and payloads have the bounds and errors of PostgreSQL', async (t) => {
  const { a, b } = await enter(t)
  const long = 'n'.repeat(70)
  const cut = await a.query(`LISTEN ${long}`)
  const [, fields] = cut.find(([name]) => name === 'NoticeResponse') ?? []
  t.match(String(fields), /C42622.*identifier "n{70}" will be truncated to "n{63}"/)
  t.same(rowsOf(await a.query('SELECT pg_listening_channels()')), ['n'.repeat(63)])
  await a.query(`UNLISTEN ${long}`)
  t.same(rowsOf(await a.query('SELECT pg_listening_channels()')), [])
  const refusals: readonly [sql: string, text: string][] = [
    [`SELECT pg_notify('${'n'.repeat(64)}', '')`, 'channel name too long'],
    ["SELECT pg_notify('', 'x')", 'channel name cannot be empty'],
    ["SELECT pg_notify(NULL, 'x')", 'channel name cannot be empty'],
    [`NOTIFY c, '${'x'.repeat(8000)}'`, 'payload string too long'],
    [`SELECT pg_notify('c', '${'ä'.repeat(4000)}')`, 'payload string too long'],
  ]
  for (const [sql, text] of refusals) {
    const answer = await b.query(sql)
    t.same([stateOf(answer), textOf(answer)], ['22023', text])
  }
  for (const sql of ['NOTIFY', 'LISTEN', 'LISTEN *', 'NOTIFY c,', 'NOTIFY c, 1', "LISTEN 'c'"]) {
    t.equal(stateOf(await b.query(sql)), '42601', sql)
  }
  await a.query('LISTEN c')
  await b.query(`NOTIFY c, '${'x'.repeat(7999)}'; SELECT pg_notify('c', NULL)`)
  await a.until('NotificationResponse')
  t.same(
    (await toldNow(a)).map(([, , payload]) => payload),
    [''],
  )
  t.equal(stateOf(await b.query('NOTIFY "__keyevent@0__:set", \'a\'')), '42501')
})

t.test('a function notifies once for each row that it is called for', async (t) => {
  const { a, b } = await enter(t)
  await a.query('LISTEN c')
  await b.query("INSERT INTO things (_id, n) VALUES (1, 'a'), (2, 'b'), (3, 'b')")
  t.same(rowsOf(await b.query("SELECT pg_notify('c', n) FROM things")), ['', '', ''])
  await a.until('NotificationResponse')
  t.same(
    (await toldNow(a)).map(([, , payload]) => payload),
    ['b'],
    'equal ones are folded',
  )
  await b.query("SELECT pg_notify('c', 'x') FROM things WHERE n = 'z'")
  await b.query("EXPLAIN SELECT pg_notify('c', 'x')")
  t.same(await toldNow(a), [], 'no row, no call')
})

t.test('one transaction keeps at most 10,000 notifications', async (t) => {
  const { b } = await enter(t)
  const all = "SELECT pg_notify('c', n::text) FROM generate_series(1, 10000) AS n"
  t.equal(stateOf(await b.query('BEGIN')), undefined)
  t.equal(stateOf(await b.query(all)), undefined)
  t.equal(stateOf(await b.query("NOTIFY c, '1'")), undefined, 'it is there already')
  t.equal(stateOf(await b.query("NOTIFY c, 'one more'")), '54000')
  await b.query('ROLLBACK')
})

t.test('a session that is not told in time is disconnected', async (t) => {
  const { gateway, a, b } = await enter(t)
  const redis = new Redis({ port: gateway.ports.redis })
  t.teardown(() => redis.disconnect())
  await redis.config('SET', 'client-output-buffer-limit', 'pubsub 200000 0 0')
  await a.query('LISTEN c')
  await b.query('LISTEN c')
  await a.query('BEGIN')
  await redis.publish('c', 'x'.repeat(150_000))
  t.equal(told(await b.until('NotificationResponse')).length, 1)
  t.same(rowsOf(await a.query('SELECT pg_notification_queue_usage() > 0.7')), ['t'])
  await redis.publish('c', 'x'.repeat(150_000))
  await a.rest()
  t.ok(a.isClosed)
  t.equal(told(await b.until('NotificationResponse')).length, 1, 'one that reads is kept')
  t.equal(await redis.publish('c', 'last'), 1)
})

t.test('the rights of the channels decide, and are looked at for each message', async (t) => {
  const gateway = await startGateway(t)
  const alice = await WalletClient.signIn(gateway.url, testWallet('alice'))
  const bob = await WalletClient.signIn(gateway.url, testWallet('bob'))
  const home = (client: WalletClient) => `w_${client.wallet.address.toLowerCase()}`
  const login = async (client: WalletClient, database: string, permissions = ['all']) => {
    const made = await client.issue('a key', permissions)
    const { port } = { port: gateway.ports.sql }
    const { user } = made.connection
    const own = new pg.Client({ host: '127.0.0.1', port, user, password: made.apiKey, database })
    await own.connect()
    t.teardown(() => own.end().catch(() => undefined))
    return own
  }
  const own = await login(alice, home(alice))
  const heard: string[] = []
  own.on('notification', ({ payload }) => heard.push(String(payload)))
  await own.query('LISTEN c')
  await own.query("NOTIFY c, 'mine'")
  t.same(heard, ['mine'])
  const other = await login(bob, home(alice))
  await t.rejects(other.query('LISTEN c'), { code: '42501' })
  await t.rejects(other.query('NOTIFY c'), { code: '42501' })
  await t.rejects(other.query("SELECT pg_notify('c', 'x')"), { code: '42501' })
  const main = await login(alice, 'main')
  await t.rejects(main.query('LISTEN c'), { code: '42501' }, "the server's own space")
  const reader = await login(alice, home(alice), ['read'])
  await reader.query('LISTEN c')
  await t.rejects(reader.query('NOTIFY c'), { code: '42501' })
  const text = 'permission denied for the channels of database'
  await t.rejects(reader.query('NOTIFY c'), { message: new RegExp(text) })
  await own.query('SELECT 1')
  t.same(heard, ['mine'])
})

t.test('a COMMIT whose LISTEN is refused commits nothing', async (t) => {
  const gateway = await startGateway(t, { WALLET_SUBSCRIPTIONS: '1' })
  const alice = await WalletClient.signIn(gateway.url, testWallet('alice'))
  const made = await alice.issue('a key', ['all'])
  const login = { user: made.connection.user, password: made.apiKey }
  const database = `w_${alice.wallet.address.toLowerCase()}`
  const { sql: port } = gateway.ports
  const client = new pg.Client({ host: '127.0.0.1', port, database, ...login })
  await client.connect()
  t.teardown(() => client.end())
  await client.query('CREATE TABLE rows (id integer PRIMARY KEY)')
  await client.query('LISTEN first')
  const count = async () => (await client.query('SELECT id FROM rows')).rowCount
  await client.query('BEGIN')
  await client.query('INSERT INTO rows VALUES (1)')
  await client.query('LISTEN second')
  await t.rejects(client.query('COMMIT'), { message: /max number of subscriptions/ })
  t.equal(await count(), 0, 'of an explicit transaction')
  await t.rejects(client.query('INSERT INTO rows VALUES (2); LISTEN second'), {
    message: /max number of subscriptions/,
  })
  t.equal(await count(), 0, 'of several statements in one query')
  const channels = await client.query('SELECT pg_listening_channels() AS name')
  t.same(channels.rows, [{ name: 'first' }])
})
