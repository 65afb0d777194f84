// Transactions of the SQL port: what is undone, what is seen, what loses against another client and
// what runs again instead, tables made inside, implicit transactions of messages and pipelines, and
// bounds.

import t, { type Test } from 'tap'
import { systemClock } from '../../../src/base/clock.js'
import { pgReplayStatementsMax } from '../../../src/base/limits/sql.js'
import { transactionsMax } from '../../../src/base/limits/store.js'
import { startGateway } from '../../support/live-gateway.js'
import {
  bind,
  execute,
  flush,
  type Message,
  parse,
  SqlClient,
  sync,
} from '../../support/sql-client.js'

const fieldsOf = (messages: readonly Message[], of = 'ErrorResponse') =>
  (messages.find(([name]) => name === of)?.[1] ?? []) as string[]

function errorIn(messages: readonly Message[], code: 'C' | 'M' = 'C'): string | undefined {
  return fieldsOf(messages)
    .find((each) => each.startsWith(code))
    ?.slice(1)
}

const tagsOf = (messages: readonly Message[]) =>
  messages.filter(([name]) => name === 'CommandComplete').map(([, tag]) => tag)
const rowsOf = (messages: readonly Message[]) =>
  messages.filter(([name]) => name === 'DataRow').map(([, cells]) => cells)
const stateOf = (messages: readonly Message[]) =>
  messages.findLast(([name]) => name === 'ReadyForQuery')?.[1]

async function open(t: Test, count = 2): Promise<SqlClient[]> {
  const { ports } = await startGateway(t, { AUTH_MODE: 'off' })
  const clients: SqlClient[] = []
  for (let i = 0; i < count; i++) {
    const { client } = await SqlClient.enter(ports.sql)
    t.teardown(() => client.close())
    clients.push(client)
  }
  await (clients[0] as SqlClient).query('CREATE TABLE t (id int PRIMARY KEY, n int)')
  await (clients[0] as SqlClient).query('INSERT INTO t VALUES (1, 0), (2, 0)')
  return clients
}

async function openTwo(t: Test): Promise<[SqlClient, SqlClient]> {
  return (await open(t)) as [SqlClient, SqlClient]
}

const all = 'SELECT id, n FROM t ORDER BY id'

t.test('a change is seen by others from its commit on, and never after a rollback', async (t) => {
  const [one, other] = await openTwo(t)
  await one.query('BEGIN')
  await one.query('UPDATE t SET n = 5 WHERE id = 1')
  t.same(rowsOf(await one.query(all)), [
    ['1', '5'],
    ['2', '0'],
  ])
  t.same(rowsOf(await other.query(all)), [
    ['1', '0'],
    ['2', '0'],
  ])
  t.same(tagsOf(await one.query('COMMIT')), ['COMMIT'])
  t.same(rowsOf(await other.query(all)), [
    ['1', '5'],
    ['2', '0'],
  ])
  const undone = 'BEGIN; DELETE FROM t; INSERT INTO t VALUES (3, 3); ROLLBACK'
  t.same(tagsOf(await one.query(undone)), ['BEGIN', 'DELETE 2', 'INSERT 0 1', 'ROLLBACK'])
  t.same(rowsOf(await one.query(all)), [
    ['1', '5'],
    ['2', '0'],
  ])
})

t.test('an increment at READ COMMITTED never fails, however many commit', async (t) => {
  const clients = await open(t, 8)
  const errors: unknown[] = []
  await Promise.all(
    clients.map(async (client) => {
      for (let i = 0; i < 5; i++) {
        for (const each of ['BEGIN', 'UPDATE t SET n = n + 1 WHERE id = 1', 'COMMIT']) {
          const error = errorIn(await client.query(each), 'M')
          if (error !== undefined) errors.push(error)
        }
      }
    }),
  )
  t.same(errors, [])
  t.same(rowsOf(await (clients[0] as SqlClient).query(all)), [
    ['1', '40'],
    ['2', '0'],
  ])
})

t.test('statements run again only if they tell the same', async (t) => {
  const [one, other] = await openTwo(t)
  const lost = async (...texts: readonly string[]) => {
    await one.query('BEGIN')
    for (const each of texts) t.equal(errorIn(await one.query(each)), undefined, each)
    await other.query('UPDATE t SET n = n + 1 WHERE id = 1')
    const ended = await one.query('COMMIT')
    t.equal(stateOf(ended), 'I')
    return errorIn(ended)
  }
  const change = 'UPDATE t SET n = n + 10 WHERE id = 1'
  t.equal(await lost(change, change), undefined, 'two counts')
  t.equal(await lost(all, change), undefined, 'rows before the first change')
  t.equal(await lost(change, 'SELECT n FROM t WHERE id = 2'), undefined, 'the same rows')
  t.equal(await lost(change, all), '40001', 'other rows')
  t.equal(await lost(`${change} RETURNING n`), '40001', 'other rows returned')
  t.equal(await lost('DELETE FROM t WHERE id = 1 AND n = 45'), '40001', 'another count')
  const named = ['SAVEPOINT s', change, 'ROLLBACK TO s', 'UPDATE t SET n = n + 10 WHERE id = 2']
  t.equal(await lost(...named), undefined, 'what was rolled back is not run')
  t.equal(await lost('SAVEPOINT a', change, 'SAVEPOINT b', change, 'RELEASE a'), undefined)
  const many = Array.from({ length: pgReplayStatementsMax + 1 }, () => change)
  t.equal(await lost(...many), '40001', 'too many')
  t.same(rowsOf(await one.query(all)), [
    ['1', '69'],
    ['2', '10'],
  ])
})

t.test('a duplicate that came meanwhile is told at the commit', async (t) => {
  const [one, other] = await openTwo(t)
  await one.query('BEGIN; INSERT INTO t VALUES (9, 1)')
  t.same(tagsOf(await other.query('INSERT INTO t VALUES (9, 2)')), ['INSERT 0 1'])
  const ended = await one.query('COMMIT')
  t.equal(errorIn(ended), '23505')
  t.equal(stateOf(ended), 'I')
})

t.test('REPEATABLE READ and SERIALIZABLE keep their state, and lose with 40001', async (t) => {
  const [one, other] = await openTwo(t)
  for (const level of ['REPEATABLE READ', 'SERIALIZABLE']) {
    const before = rowsOf(await one.query(all))
    await one.query(`BEGIN ISOLATION LEVEL ${level}`)
    t.same(rowsOf(await one.query(all)), before)
    await other.query('UPDATE t SET n = n + 1 WHERE id = 1')
    t.same(rowsOf(await one.query(all)), before, level)
    const failed = await one.query('UPDATE t SET n = n + 1 WHERE id = 1')
    t.equal(errorIn(failed), '40001')
    t.equal(errorIn(failed, 'M'), 'could not serialize access due to concurrent update')
    t.equal(stateOf(failed), 'E')
    t.same(tagsOf(await one.query('COMMIT')), ['ROLLBACK'])
  }
})

t.test('SERIALIZABLE refuses what others have read otherwise, counts too', async (t) => {
  const [one, other] = await openTwo(t)
  for (const read of ['SELECT count(*) FROM t', all, 'SELECT n FROM t WHERE id = 2']) {
    for (const client of [one, other]) await client.query('BEGIN ISOLATION LEVEL SERIALIZABLE')
    await one.query(read)
    const [[last] = []] = rowsOf(await other.query('SELECT max(id) FROM t')) as string[][]
    const change = 'UPDATE t SET n = n + 1 WHERE id = 2'
    await other.query(`${change}; INSERT INTO t VALUES (${Number(last) + 1}, 0)`)
    await one.query('UPDATE t SET n = n + 1 WHERE id = 1')
    t.same(tagsOf(await other.query('COMMIT')), ['COMMIT'], read)
    const lost = await one.query('COMMIT')
    t.equal(errorIn(lost), '40001', read)
    t.match(errorIn(lost, 'M'), /read\/write dependencies among transactions/)
  }
  await one.query('BEGIN ISOLATION LEVEL SERIALIZABLE')
  await one.query('SELECT count(*) FROM t')
  await other.query('DELETE FROM t WHERE id = 2')
  t.same(tagsOf(await one.query('COMMIT')), ['COMMIT'], 'what only reads is valid as of its state')
})

t.test('locked rows come under the check', async (t) => {
  const [one, other] = await openTwo(t)
  for (const [lock, code] of [
    ['', undefined],
    ['FOR UPDATE', '40001'],
    ['FOR SHARE', '40001'],
    ['FOR UPDATE OF t SKIP LOCKED', '40001'],
  ] as const) {
    await one.query('BEGIN')
    await one.query(`SELECT n FROM t WHERE id = 2 ${lock}`)
    await one.query('UPDATE t SET n = n + 1 WHERE id = 1')
    await other.query('UPDATE t SET n = n + 1 WHERE id = 2')
    t.equal(errorIn(await one.query('COMMIT')), code, lock)
  }
  t.equal(errorIn(await one.query('SELECT n FROM t FOR UPDATE OF u')), '42P01')
  t.equal(errorIn(await one.query('SELECT count(*) FROM t FOR UPDATE')), '0A000')
})

t.test('tables and indexes are part of the transaction that makes or drops them', async (t) => {
  const [one, other] = await openTwo(t)
  await one.query('BEGIN')
  await one.query('CREATE TABLE made (id int PRIMARY KEY, v text)')
  await one.query('CREATE INDEX ON made (v)')
  t.same(tagsOf(await one.query("INSERT INTO made VALUES (1, 'a')")), ['INSERT 0 1'])
  one.send(parse('', 'SELECT v FROM made WHERE id = $1'), bind({ values: ['1'] }))
  one.send(execute(''), sync)
  t.same(rowsOf(await one.until('ReadyForQuery')), [['a']], 'its placeholders have types')
  t.equal(errorIn(await other.query('SELECT * FROM made')), '42P01')
  await one.query('ROLLBACK')
  t.equal(errorIn(await one.query('SELECT * FROM made')), '42P01')
  await one.query('BEGIN; DROP TABLE t; CREATE TABLE t (id int PRIMARY KEY, w text)')
  t.same(tagsOf(await one.query("INSERT INTO t VALUES (1, 'x')")), ['INSERT 0 1'])
  t.same(rowsOf(await other.query(all)).length, 2)
  await one.query('ROLLBACK')
  t.same(rowsOf(await one.query(all)), [
    ['1', '0'],
    ['2', '0'],
  ])
  t.same(tagsOf(await one.query('BEGIN; TRUNCATE t; INSERT INTO t VALUES (7, 7)')).length, 3)
  t.same(rowsOf(await one.query(all)), [['7', '7']])
  await other.query('INSERT INTO t VALUES (3, 3)')
  t.same(tagsOf(await one.query('COMMIT')), ['COMMIT'], 'emptied again, with the row that came')
  t.same(rowsOf(await other.query(all)), [['7', '7']])
  t.same(rowsOf(await other.query('SELECT count(*) FROM t')), [['1']], 'the counter is exact')
  t.same(tagsOf(await one.query('BEGIN; DROP TABLE t; COMMIT')).at(-1), 'COMMIT')
  t.equal(errorIn(await other.query(all)), '42P01')
})

t.test('an index of rows is built outside of explicit transactions', async (t) => {
  const [one] = await openTwo(t)
  await one.query('BEGIN')
  const refused = await one.query('CREATE INDEX t_n ON t (n)')
  t.equal(errorIn(refused), '0A000')
  t.equal(stateOf(refused), 'E')
  await one.query('ROLLBACK')
  const script = 'INSERT INTO t VALUES (3, 3); CREATE INDEX t_n ON t (n); SELECT 1/0'
  t.equal(errorIn(await one.query(script)), '22012')
  t.same(rowsOf(await one.query('SELECT id FROM t WHERE n = 3')), [['3']])
  t.equal(errorIn(await one.query('CREATE INDEX t_n ON t (n)')), '42P07', 'it was made')
})

t.test('what is read-only writes nothing', async (t) => {
  const [one] = await openTwo(t)
  for (const begin of ['BEGIN READ ONLY', 'BEGIN; SET TRANSACTION READ ONLY']) {
    for (const [what, change] of [
      ['INSERT', 'INSERT INTO t VALUES (5, 5)'],
      ['DROP TABLE', 'DROP TABLE t'],
      ['SELECT FOR UPDATE', 'SELECT n FROM t FOR UPDATE'],
    ]) {
      await one.query(begin)
      t.equal(stateOf(await one.query(all)), 'T')
      const refused = await one.query(change as string)
      t.equal(errorIn(refused), '25006')
      t.equal(errorIn(refused, 'M'), `cannot execute ${what} in a read-only transaction`)
      await one.query('ROLLBACK')
    }
  }
  await one.query('SET default_transaction_read_only = on')
  t.equal(errorIn(await one.query('DELETE FROM t')), '25006', 'without a transaction too')
  await one.query('BEGIN READ WRITE; DELETE FROM t WHERE id = 2; COMMIT')
  await one.query('RESET default_transaction_read_only')
  t.same(rowsOf(await one.query(all)), [['1', '0']])
})

t.test('settings of a transaction go back with it', async (t) => {
  const [one] = await openTwo(t)
  const shown = async () => rowsOf(await one.query('SHOW application_name'))
  await one.query("BEGIN; SET application_name = 'a'; SAVEPOINT s; SET application_name = 'b'")
  t.same(await shown(), [['b']])
  const back = await one.query('ROLLBACK TO s')
  t.ok(
    back.some(
      ([name, of, value]) =>
        name === 'ParameterStatus' && `${of} ${value}` === 'application_name a',
    ),
  )
  await one.query('ROLLBACK')
  t.same(await shown(), [['']])
  await one.query("BEGIN; SET LOCAL application_name = 'c'")
  t.same(await shown(), [['c']])
  await one.query('COMMIT')
  t.same(await shown(), [['']])
  await one.query("BEGIN; SELECT set_config('my.user', 'x', true)")
  t.same(rowsOf(await one.query('SHOW my.user')), [['x']])
  t.same(rowsOf(await one.query("SELECT current_setting('my.user')")), [['x']])
  await one.query('COMMIT')
  t.same(rowsOf(await one.query('SHOW my.user')), [['']])
  const alone = await one.query("SET LOCAL application_name = 'd'")
  t.match(fieldsOf(alone, 'NoticeResponse'), ['SWARNING', 'VWARNING', 'C25P01'])
  await one.query('SET SESSION CHARACTERISTICS AS TRANSACTION ISOLATION LEVEL SERIALIZABLE')
  t.same(rowsOf(await one.query('SHOW transaction_isolation')), [['serializable']])
  await one.query('BEGIN ISOLATION LEVEL REPEATABLE READ')
  t.same(rowsOf(await one.query('SHOW TRANSACTION ISOLATION LEVEL')), [['repeatable read']])
})

t.test('several statements of a message are one transaction', async (t) => {
  const [one] = await openTwo(t)
  const failed = await one.query('DELETE FROM t; SELECT 1/0')
  t.equal(errorIn(failed), '22012')
  t.equal(stateOf(failed), 'I')
  t.equal(rowsOf(await one.query(all)).length, 2)
  await one.query('DELETE FROM t WHERE id = 1; COMMIT; DELETE FROM t WHERE id = 2; SELECT 1/0')
  t.same(rowsOf(await one.query(all)), [['2', '0']], 'up to the COMMIT')
  await one.query('UPDATE t SET n = 9; BEGIN; UPDATE t SET n = 8')
  await one.query('ROLLBACK')
  t.same(rowsOf(await one.query(all)), [['2', '0']], 'BEGIN takes over what was before')
  t.equal(errorIn(await one.query('UPDATE t SET n = 1; SAVEPOINT s')), '25P01')
  t.equal(errorIn(await one.query('SELECT 1; COMMIT AND CHAIN')), '25P01')
  const cursor = 'DECLARE c CURSOR FOR SELECT id FROM t; FETCH ALL FROM c'
  t.same(rowsOf(await one.query(cursor)), [['2']])
})

t.test('the statements up to Sync are one transaction', async (t) => {
  const [one, other] = await openTwo(t)
  const change = (id: number, to: string) => [
    parse('', `UPDATE t SET n = ${to} WHERE id = ${id}`),
    bind({}),
    execute(''),
  ]
  one.send(...change(1, '5'), ...change(2, '1/0'), sync)
  const failed = await one.until('ReadyForQuery')
  t.equal(errorIn(failed), '22012')
  t.equal(stateOf(failed), 'I')
  t.same(rowsOf(await one.query(all)), [
    ['1', '0'],
    ['2', '0'],
  ])
  one.send(...change(1, '5'), ...change(2, '6'), sync)
  t.same(tagsOf(await one.until('ReadyForQuery')), ['UPDATE 1', 'UPDATE 1'])
  t.same(rowsOf(await other.query(all)), [
    ['1', '5'],
    ['2', '6'],
  ])
  one.send(...change(1, '7'), flush)
  await one.until('CommandComplete')
  t.same(
    rowsOf(await other.query(all)),
    [
      ['1', '5'],
      ['2', '6'],
    ],
    'not before the Sync',
  )
  one.send(sync)
  await one.until('ReadyForQuery')
  t.same(rowsOf(await other.query(all)), [
    ['1', '7'],
    ['2', '6'],
  ])
})

t.test('cursors and portals see the changes of their transaction', async (t) => {
  const [one, other] = await openTwo(t)
  await one.query('BEGIN; UPDATE t SET n = 1')
  await one.query('DECLARE c CURSOR FOR SELECT id, n FROM t ORDER BY id')
  t.same(rowsOf(await one.query('FETCH 1 FROM c')), [['1', '1']])
  await other.query('DELETE FROM t WHERE id = 2')
  t.same(rowsOf(await one.query('FETCH 1 FROM c')), [['2', '1']], 'the rest of its state')
  await one.query('ROLLBACK')
  t.equal(errorIn(await one.query('FETCH 1 FROM c')), '34000')
})

t.test('who is gone leaves nothing', async (t) => {
  const [one, other] = await openTwo(t)
  await one.query('BEGIN; UPDATE t SET n = 1')
  one.close()
  await one.rest()
  t.same(rowsOf(await other.query(all)), [
    ['1', '0'],
    ['2', '0'],
  ])
})

t.test('beyond the number of transactions the oldest ends, and its client is told', async (t) => {
  const clients = await open(t, transactionsMax + 1)
  for (const client of clients) await client.query('BEGIN; UPDATE t SET n = 1 WHERE id = 1')
  const [first] = clients as [SqlClient]
  const failed = await first.query(all)
  t.equal(errorIn(failed), '25P03')
  t.match(errorIn(failed, 'M'), /terminating transaction: .*oldest of too many/)
  t.equal(stateOf(failed), 'E')
  t.same(tagsOf(await first.query('ROLLBACK')), ['ROLLBACK'])
  t.equal(errorIn(await first.query('BEGIN; UPDATE t SET n = 2; COMMIT')), undefined)
})

t.test('now() is the begin of the transaction, other clocks run', async (t) => {
  // Each look at the clock is a millisecond later than the one before.
  let ms = Date.UTC(2026, 0, 1)
  const clock = { ...systemClock, now: () => ++ms }
  const { ports } = await startGateway(t, { AUTH_MODE: 'off' }, { clock })
  const { client } = await SqlClient.enter(ports.sql)
  t.teardown(() => client.close())
  const moments = async (text: string) => {
    const rows = rowsOf(await client.query(text)) as string[][]
    return rows.flat().map((cell) => Date.parse(`${cell.replace(' ', 'T')}:00`))
  }
  const all = 'now(), current_timestamp, transaction_timestamp(), statement_timestamp()'
  const [plain = 0, ...same] = await moments(`SELECT ${all}`)
  t.same(same, [plain, plain, plain], 'of one statement')
  await client.query('CREATE TABLE times (id int, at timestamptz)')
  for (const level of ['READ COMMITTED', 'REPEATABLE READ']) {
    await client.query(`BEGIN ISOLATION LEVEL ${level}`)
    const [one = 0, , , early = 0] = await moments(`SELECT ${all}`)
    await client.query('INSERT INTO times VALUES (1, now())')
    const [two, three, four, late = 0] = await moments(`SELECT ${all}`)
    t.same([two, three, four], [one, one, one], level)
    t.ok(one < early && early < late, 'the statement began later')
    const [changed] = await moments('UPDATE times SET id = 2 RETURNING now()')
    t.equal(changed, one)
    t.same(await moments('SELECT at FROM times WHERE id = 2 ORDER BY at DESC LIMIT 1'), [one])
    await client.query('COMMIT AND CHAIN')
    const [chained = 0] = await moments('SELECT now()')
    t.ok(chained > late)
    await client.query('ROLLBACK')
  }
  const [first, second] = await moments('SELECT now(); SELECT now()')
  t.equal(first, second, 'the statements of a message are a transaction')
  const running = await moments('SELECT clock_timestamp() FROM generate_series(1, 3)')
  t.equal(new Set(running).size, 3)
  t.ok((running[0] ?? 0) > (second ?? 0))
})

t.test('a statement that runs again takes back its notices', async (t) => {
  const [one, other, listener] = (await open(t, 3)) as [SqlClient, SqlClient, SqlClient]
  await listener.query('LISTEN c')
  const told = async () => {
    const messages = await listener.query('SELECT 1')
    return messages
      .filter(([name]) => name === 'NotificationResponse')
      .map((message) => message.slice(1).flat().at(-1))
  }
  const change = "UPDATE t SET n = n + 1 WHERE id = 1 RETURNING pg_notify('c', 'n ' || n)"
  await one.query('BEGIN')
  await one.query("NOTIFY c, 'before'")
  await one.query('SAVEPOINT s')
  t.same(rowsOf(await one.query(change)), [['']])
  await one.query("NOTIFY c, 'after'")
  await other.query('UPDATE t SET n = 10 WHERE id = 1')
  t.same(tagsOf(await one.query('COMMIT')), ['COMMIT'])
  t.same(rowsOf(await one.query('SELECT n FROM t WHERE id = 1')), [['11']])
  const first = await told()
  t.same([...first].sort(), ['after', 'before', 'n 11'])
  await one.query('BEGIN')
  await one.query('SAVEPOINT s')
  await one.query(change)
  await one.query("NOTIFY c, 'undone'")
  await one.query('ROLLBACK TO s')
  await one.query("NOTIFY c, 'kept'")
  await one.query('COMMIT')
  t.same(await told(), ['kept'])
})
