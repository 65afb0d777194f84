// The PostgreSQL listener message by message, over a whole gateway: the start, simple and extended
// queries, portals, errors, cancellation, encryption, and the ways to an end.

import { createHash } from 'node:crypto'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import t, { type Test } from 'tap'
import { systemClock, systemRandom } from '../../src/base/clock.js'
import { MemoryAccount } from '../../src/base/heap/memory-account.js'
import { loginDelayMs } from '../../src/base/limits/identity.js'
import { silentLog } from '../../src/base/log.js'
import { subscriberBounds } from '../../src/bus/keyvalue/settings.js'
import { Space } from '../../src/engine/keyspace/spaces.js'
import type { Credentials } from '../../src/identity/sign-in/login.js'
import { LoginDelay } from '../../src/identity/sign-in/login-delay.js'
import type { ChannelHost } from '../../src/listeners/sql/notifications.js'
import { openSql } from '../../src/listeners/sql.js'
import { openMemoryStore } from '../../src/store/memory.js'
import { OpenTransactions } from '../../src/store/transactions/open-transactions.js'
import { int16, int32, message, startup, text } from '../protocol/pgwire/frontend.js'
import { makeCertificate } from '../support/certificate.js'
import { startGateway } from '../support/live-gateway.js'
import {
  bind,
  closing,
  describe,
  execute,
  flush,
  type Message,
  parse,
  SqlClient,
  sync,
  terminate,
  version3,
} from '../support/sql-client.js'

const open = { AUTH_MODE: 'off' }

/** Of a server that admits no sign-in. */
const noChannels: ChannelHost = {
  get channels(): never {
    throw new Error('there are no channels')
  },
  spaceOf: () => new Space('main', true),
  requireChannels: () => undefined,
  bounds: () => subscriberBounds,
}

const noCredentials: Credentials = {
  account: () => Promise.reject(new Error('there is no sign-in')),
  identityOf: () => undefined,
  identify: () => undefined,
}

async function enter(t: Test, environment: Readonly<Record<string, string>> = open) {
  const gateway = await startGateway(t, environment)
  const { client, greeting } = await SqlClient.enter(gateway.ports.sql)
  t.teardown(() => client.close())
  return { gateway, client, greeting }
}

const names = (messages: readonly Message[]) => messages.map(([name]) => String(name))

function fieldsOf(message: Message | undefined): readonly string[] {
  return (message?.[1] ?? []) as readonly string[]
}

/** SQLSTATE of an error or a notice. */
function stateOf(messages: readonly Message[], name = 'ErrorResponse'): string | undefined {
  const found = messages.find(([each]) => each === name)
  return fieldsOf(found)
    .find((field) => field.startsWith('C'))
    ?.slice(1)
}

function rowsOf(messages: readonly Message[]): unknown[] {
  return messages.filter(([name]) => name === 'DataRow').map((row) => row[1])
}

function tagsOf(messages: readonly Message[]): unknown[] {
  return messages.filter(([name]) => name === 'CommandComplete').map((each) => each[1])
}

const statusOf = (messages: readonly Message[]) => messages.at(-1)?.[1]

async function filled(client: SqlClient, count: number): Promise<void> {
  for (let from = 0; from < count; from += 1_000) {
    const rows = Array.from(
      { length: Math.min(1_000, count - from) },
      (_, i) => `(${from + i}, 'name ${from + i}')`,
    )
    await client.query(`INSERT INTO things (_id, name) VALUES ${rows.join(', ')}`)
  }
}

t.test('a session begins with its parameters, a cancel key and ReadyForQuery', async (t) => {
  const { greeting } = await enter(t)
  const parameters = Object.fromEntries(
    greeting.filter(([name]) => name === 'ParameterStatus').map(([, name, value]) => [name, value]),
  )
  t.match(parameters, {
    ...{ server_encoding: 'UTF8', client_encoding: 'UTF8', TimeZone: 'UTC' },
    ...{ server_version: /^15\.0 \(Sigil/, DateStyle: 'ISO, MDY', integer_datetimes: 'on' },
    ...{ standard_conforming_strings: 'on', session_authorization: 'tester' },
  })
  t.same(names(greeting).slice(-2), ['BackendKeyData', 'ReadyForQuery'])
  t.equal(statusOf(greeting), 'I')
})

t.test('several statements are one transaction, and end at the first error', async (t) => {
  const { client } = await enter(t)
  const answer = await client.query("SELECT 1 AS a; SELECT 'b' AS b; ;")
  t.same(rowsOf(answer), [['1'], ['b']])
  t.same(tagsOf(answer), ['SELECT 1', 'SELECT 1'])
  const failed = await client.query('CREATE TABLE c (a int); SELECT 1/0; CREATE TABLE d (a int)')
  t.same(tagsOf(failed), ['CREATE TABLE'])
  t.equal(stateOf(failed), '22012')
  t.same(rowsOf(await client.query('SHOW TABLES')), [], 'the first one is undone')
  t.same(names(await client.query(' -- nothing\n ;')), ['EmptyQueryResponse', 'ReadyForQuery'])
})

t.test('the place of an error counts from the start of all statements', async (t) => {
  const { client } = await enter(t)
  const failed = await client.query("SELECT '𝄞'; selec 1")
  t.equal(stateOf(failed), '42601')
  t.ok(fieldsOf(failed.find(([name]) => name === 'ErrorResponse')).includes('P13'))
})

t.test('a portal gives so many rows at a time, and goes on from its cursor', async (t) => {
  const { client } = await enter(t)
  await filled(client, 2_500)
  client.send(message('Q', text('BEGIN')))
  await client.until('ReadyForQuery')
  client.send(parse('', 'SELECT _id FROM things ORDER BY _id'), bind({ portal: 'p' }))
  client.send(execute('p', 1_700), sync)
  const first = await client.until('ReadyForQuery')
  t.equal(rowsOf(first).length, 1_700)
  t.equal(names(first).at(-2), 'PortalSuspended')
  client.send(execute('p', 0), sync)
  const rest = await client.until('ReadyForQuery')
  t.equal(rowsOf(rest).length, 800)
  t.same(rowsOf(rest)[0], ['1700'])
  t.same(tagsOf(rest), ['SELECT 800'])
  client.send(closing('P', 'p'), execute('p', 0), sync)
  t.equal(stateOf(await client.until('ReadyForQuery')), '34000')
  t.equal(statusOf(await client.query('ROLLBACK')), 'I')
  client.send(parse('', 'SELECT 1'), bind({ portal: 'q' }), sync, execute('q'), sync)
  await client.until('ReadyForQuery')
  t.equal(stateOf(await client.until('ReadyForQuery')), '34000', 'a Sync ends what is open')
})

t.test('what statements and portals of a connection keep is bounded', async (t) => {
  const { client } = await enter(t)
  await client.query('BEGIN')
  client.send(parse('s', 'SELECT length($1)'), sync)
  await client.until('ReadyForQuery')
  const values = ['x'.repeat(3_000_000)]
  const states: (string | undefined)[] = []
  for (const portal of 'abcdefghijkl') {
    client.send(bind({ statement: 's', portal, values }), sync)
    states.push(stateOf(await client.until('ReadyForQuery')))
  }
  t.same(states, [...Array(11).fill(undefined), '53400'])
  await client.query('ROLLBACK')
  client.send(bind({ statement: 's', portal: 'f', values }), execute('f'), sync)
  t.same(rowsOf(await client.until('ReadyForQuery')), [['3000000']], 'and given back')
})

t.test('rows that wait in suspended portals are bounded', async (t) => {
  const { client } = await enter(t)
  await client.query("INSERT INTO large (_id, a) VALUES (2, 'small')")
  client.send(parse('', 'INSERT INTO large (_id, a) VALUES (1, $1)'))
  client.send(bind({ values: ['x'.repeat(15_000_000)] }), execute(), sync)
  t.equal(stateOf(await client.until('ReadyForQuery')), undefined)
  await client.query('BEGIN')
  client.send(parse('s', 'SELECT a FROM large ORDER BY _id'), sync)
  await client.until('ReadyForQuery')
  const states: (string | undefined)[] = []
  for (const portal of ['a', 'b', 'c', 'd', 'e']) {
    client.send(bind({ statement: 's', portal }), describe('P', portal), flush)
    await client.until('RowDescription')
    client.send(sync)
    states.push(stateOf(await client.until('ReadyForQuery')))
  }
  t.same(states, Array(5).fill(undefined))
  client.send(execute('e', 1), sync)
  t.equal(stateOf(await client.until('ReadyForQuery')), undefined)
  client.send(execute('a', 1), sync)
  t.equal(stateOf(await client.until('ReadyForQuery')), '34000', 'the oldest is closed')
})

t.test('answers of many statements are sent as the client takes them', async (t) => {
  const { gateway, client } = await enter(t)
  client.send(parse('', 'INSERT INTO large (_id, a) VALUES (2, $1)'))
  client.send(bind({ values: ['x'.repeat(1_000_000)] }), execute(), sync)
  t.equal(stateOf(await client.until('ReadyForQuery')), undefined)
  client.pause()
  client.send(message('Q', text(`${'SELECT a FROM large;'.repeat(100)} DELETE FROM large`)))
  const other = await SqlClient.enter(gateway.ports.sql)
  t.teardown(() => other.client.close())
  const seen = new Set<string>()
  for (let i = 0; i < 60; i++) {
    seen.add(JSON.stringify(rowsOf(await other.client.query('SELECT count(*) FROM large'))))
  }
  t.same([...seen], ['[["1"]]'], 'the last has to wait')
})

t.test('many small statements leave turns to others, and can be cancelled', async (t) => {
  const { gateway, client, greeting } = await enter(t)
  const [, processId, secret] = greeting.find(([name]) => name === 'BackendKeyData') ?? []
  const other = await SqlClient.open(gateway.ports.sql)
  t.teardown(() => other.close())
  client.send(message('Q', text('SELECT 1;'.repeat(10_000))))
  await client.until('DataRow')
  other.cancel(Number(processId), Buffer.from(String(secret), 'hex'))
  t.equal(stateOf(await client.until('ReadyForQuery')), '57014')
})

t.test('behind an error everything is passed over until Sync', async (t) => {
  const { client } = await enter(t)
  client.send(parse('', 'SELECT nosuch('), bind({}), execute(), closing('S', 'x'), sync)
  t.same(names(await client.until('ReadyForQuery')), ['ErrorResponse', 'ReadyForQuery'])
  t.same(rowsOf(await client.query('SELECT 2')), [['2']])
})

t.test('Describe tells parameters and columns before anything is bound', async (t) => {
  const { client } = await enter(t)
  await client.query('CREATE TABLE people (name text, age int)')
  await client.query("INSERT INTO people (_id, name, age) VALUES (1, 'Ann', 30), (2, 'Bob', 41)")
  client.send(parse('s', 'SELECT name, age FROM people WHERE age > $1'), describe('S', 's'), flush)
  const [, parameters] = await client.until('ParameterDescription')
  t.same(parameters, ['ParameterDescription', [23]])
  const [columns] = await client.until('RowDescription')
  t.same(columns?.[1], [
    ['name', 0, 0, 25, -1, -1, 0],
    ['age', 0, 0, 23, 4, -1, 0],
  ])
  client.send(bind({ statement: 's', values: ['35'] }), execute(), sync)
  t.same(rowsOf(await client.until('ReadyForQuery')), [['Bob', '41']])
  client.send(parse('d', 'DELETE FROM people WHERE name = $1'), describe('S', 'd'), sync)
  t.same(names(await client.until('ReadyForQuery')).slice(-2), ['NoData', 'ReadyForQuery'])
})

t.test('a change is described before it is run, and runs once', async (t) => {
  const { client } = await enter(t)
  const insert = 'INSERT INTO people (_id, name) VALUES ($1::int, $2) RETURNING *'
  client.send(parse('', insert), bind({ values: ['1', 'Ann'] }), describe('P'), sync)
  const described = await client.until('ReadyForQuery')
  t.ok(names(described).includes('RowDescription'))
  t.same(rowsOf(await client.query('SELECT * FROM people')), [], 'nothing has run')
  client.send(parse('', insert), bind({ values: ['1', 'Ann'] }), describe('P'), execute(), sync)
  const ran = await client.until('ReadyForQuery')
  t.same(rowsOf(ran), [['1', 'Ann']])
  t.same(tagsOf(ran), ['INSERT 0 1'])
})

t.test('values travel in binary both ways', async (t) => {
  const { client } = await enter(t)
  const sql = 'SELECT $1::int4 AS i, $2::int8 AS l, $3::float8 AS f, $4::bool AS b, $5::text AS t'
  const double = Buffer.alloc(8)
  double.writeDoubleBE(2.5)
  const long = Buffer.alloc(8)
  long.writeBigInt64BE(2n ** 40n)
  const values = [int32(7), long, double, Buffer.of(1), Buffer.from('ä')]
  client.send(parse('', sql), bind({ values, formats: [1], results: [1] }), describe('P'))
  client.send(execute(), sync)
  const answer = await client.until('ReadyForQuery')
  const latin = values.map((bytes) => bytes.toString('latin1'))
  t.same(rowsOf(answer), [latin])
  const columns = fieldsOf(answer.find(([name]) => name === 'RowDescription'))
  t.same(
    columns.map((column) => column[3]),
    [23, 20, 701, 16, 25],
  )
  client.send(parse('', 'SELECT 1, 2'), bind({ results: [1, 1, 1] }), execute(), sync)
  t.equal(stateOf(await client.until('ReadyForQuery')), '08P01')
})

t.test('a transaction that has failed leaves nothing', async (t) => {
  const { client } = await enter(t)
  t.equal(statusOf(await client.query('BEGIN')), 'T')
  t.equal(stateOf(await client.query('BEGIN'), 'NoticeResponse'), '25001')
  await client.query('INSERT INTO things (_id) VALUES (1)')
  const failed = await client.query('INSERT INTO things (_id) VALUES (1)')
  t.equal(stateOf(failed), '23505')
  t.equal(statusOf(failed), 'E')
  t.equal(stateOf(await client.query('SELECT 1')), '25P02')
  const ended = await client.query('COMMIT')
  t.same(tagsOf(ended), ['ROLLBACK'])
  t.notOk(ended.some(([name]) => name === 'NoticeResponse'))
  t.equal(statusOf(ended), 'I')
  t.equal(stateOf(await client.query('COMMIT'), 'NoticeResponse'), '25P01')
  t.equal(stateOf(await client.query('SELECT _id FROM things')), '42P01')
})

t.test('settings are kept, shown and refused', async (t) => {
  const { client } = await enter(t)
  const set = await client.query("SET application_name = 'me'; SHOW application_name")
  t.same(rowsOf(set), [['me']])
  t.ok(set.some(([name, of]) => name === 'ParameterStatus' && of === 'application_name'))
  t.equal(stateOf(await client.query('SET nosuch = 1')), '42704')
  t.equal(stateOf(await client.query("SET client_encoding = 'LATIN1'")), '22023')
  t.equal(stateOf(await client.query('SET ROLE another')), '42601')
  t.same(tagsOf(await client.query("SET extra_float_digits = 3; SET my.own = 'x'")), ['SET', 'SET'])
  t.same(tagsOf(await client.query('SET SESSION CHARACTERISTICS AS TRANSACTION READ WRITE')), [
    'SET',
  ])
})

t.test('a cancel request ends the statement at work, with the right key alone', async (t) => {
  const { gateway, client, greeting } = await enter(t)
  await filled(client, 1_000)
  const [, processId, secret] = greeting.find(([name]) => name === 'BackendKeyData') ?? []
  const slow = 'SELECT count(*) FROM things a CROSS JOIN things b CROSS JOIN things c'
  client.send(message('Q', text(slow)))
  const cancelling = async (key: Buffer): Promise<void> => {
    const other = await SqlClient.open(gateway.ports.sql)
    other.cancel(Number(processId), key)
    await other.rest()
  }
  await cancelling(Buffer.from('00000000', 'hex'))
  await cancelling(Buffer.from(String(secret), 'hex'))
  const answer = await client.until('ReadyForQuery')
  t.equal(stateOf(answer), '57014')
  t.same(rowsOf(await client.query('SELECT 1')), [['1']])
})

t.test('cancel requests with wrong keys wait as failed logins do, right ones never', async (t) => {
  const waits: number[] = []
  const delay = new LoginDelay({ clock: systemClock, sleep: async (ms) => waits.push(ms) })
  const run = async () => Uint8Array.of(5, 0, 0, 0, 0)
  const listener = await openSql({
    ...{ host: '127.0.0.1', port: 0, tls: undefined, allowInsecure: false, authOff: true },
    bus: { run, inFlight: () => [] },
    transactions: new OpenTransactions({ store: openMemoryStore(systemClock), clock: systemClock }),
    credentials: { ...noCredentials, delay },
    channels: noChannels,
    ...{ memory: new MemoryAccount(1_000_000), clock: systemClock, random: systemRandom },
    ...{ log: silentLog, database: 'main', version: '0.0.0-test' },
  })
  t.teardown(() => listener.close(0))
  const { client, greeting } = await SqlClient.enter(listener.port)
  t.teardown(() => client.close())
  const [, processId, secret] = greeting.find(([name]) => name === 'BackendKeyData') ?? []
  const cancelling = async (id: number, key: Buffer): Promise<void> => {
    const other = await SqlClient.open(listener.port)
    other.cancel(id, key)
    await other.rest()
  }
  for (let i = 0; i < 5; i++) await cancelling(Number(processId), Buffer.from('00000000', 'hex'))
  t.same(waits, [loginDelayMs, loginDelayMs * 2])
  for (let i = 0; i < 17; i++) await cancelling(1_000 + i, Buffer.from('00000000', 'hex'))
  t.same(waits.slice(2), [loginDelayMs, loginDelayMs * 2], 'of one address, whatever they name')
  await cancelling(Number(processId), Buffer.from(String(secret), 'hex'))
  t.equal(waits.length, 4)
})

t.test('a statement has the time that statement_timeout gives it', async (t) => {
  const { client } = await enter(t)
  await filled(client, 1_000)
  await client.query('SET statement_timeout = 50')
  const slow = 'SELECT count(*) FROM things a CROSS JOIN things b CROSS JOIN things c'
  t.equal(stateOf(await client.query(slow)), '57014')
})

t.test('who does not read is not written to without end', async (t) => {
  const { client } = await enter(t)
  const big = 'x'.repeat(100_000)
  const rows = Array.from({ length: 9 }, (_, i) => `(${i}, '${big}')`).join(', ')
  for (let i = 0; i < 10; i++) {
    await client.query(`INSERT INTO things (n, t) VALUES ${rows}`)
  }
  client.pause()
  client.send(message('Q', text('SELECT t FROM things')))
  client.send(message('Q', text('SELECT 1')))
  client.resume()
  t.equal(rowsOf(await client.until('ReadyForQuery')).length, 90)
  t.same(rowsOf(await client.until('ReadyForQuery')), [['1']])
})

t.test('what is no start is refused in the words of the protocol', async (t) => {
  const { gateway } = await enter(t)
  const refusalOf = async (...parts: readonly Buffer[]): Promise<string | undefined> => {
    const client = await SqlClient.open(gateway.ports.sql)
    client.send(...parts)
    return stateOf(await client.rest())
  }
  t.equal(await refusalOf(startup(131_072, { user: 'a' })), '0A000')
  t.equal(await refusalOf(startup(version3, { database: 'main' })), '28000')
  t.equal(await refusalOf(startup(version3, { user: 'a', replication: 'true' })), '0A000')
  t.equal(await refusalOf(startup(version3, { user: 'a', database: 'no/such' })), '3D000')
  t.equal(await refusalOf(startup(version3, { user: 'a', client_encoding: 'LATIN1' })), '22023')
  t.equal(await refusalOf(int32(1_000_000)), '08P01')
  t.equal(await refusalOf(Buffer.from('nonsense, and no startup\r\n')), '08P01')
  const { client } = await SqlClient.enter(gateway.ports.sql)
  client.send(message('?', int16(1)))
  t.equal(stateOf(await client.rest()), '08P01')
})

t.test('a newer minor version is answered with ours', async (t) => {
  const { gateway } = await enter(t)
  const client = await SqlClient.open(gateway.ports.sql)
  client.send(startup(version3 + 2, { user: 'a', '_pq_.x': '1' }))
  const [first] = await client.until('ReadyForQuery')
  t.same(first, ['NegotiateProtocolVersion', version3, ['_pq_.x']])
  client.close()
})

t.test('TLS begins when it is asked for, and nothing may come before it', async (t) => {
  const folder = mkdtempSync(join(tmpdir(), 'sigil-sql-'))
  t.teardown(() => rmSync(folder, { recursive: true }))
  const { cert, key } = makeCertificate()
  writeFileSync(join(folder, 'cert'), cert)
  writeFileSync(join(folder, 'key'), key)
  const gateway = await startGateway(t, {
    ...open,
    ...{ TLS_CERT: join(folder, 'cert'), TLS_KEY: join(folder, 'key') },
  })
  const client = await SqlClient.open(gateway.ports.sql)
  t.equal(await client.askTls(), 'S')
  await client.secure(cert)
  client.send(startup(version3, { user: 'a' }))
  await client.until('ReadyForQuery')
  t.same(rowsOf(await client.query('SELECT 1')), [['1']])
  client.close()
  const early = await SqlClient.open(gateway.ports.sql)
  early.send(int32(8), int32(80_877_103), startup(version3, { user: 'a' }))
  t.same(await early.rest().catch(() => []), [], 'what came in the clear is not taken')
})

t.test('without a certificate TLS is declined, and the client goes on or away', async (t) => {
  const { gateway } = await enter(t)
  const client = await SqlClient.open(gateway.ports.sql)
  t.equal(await client.askTls(), 'N')
  client.send(startup(version3, { user: 'a' }))
  await client.until('ReadyForQuery')
  client.send(terminate)
  t.same(await client.rest(), [])
})

t.test('a stop tells every session, once what is in flight is answered', async (t) => {
  const { gateway, client } = await enter(t)
  await client.query('SELECT 1')
  const stopped = gateway.close()
  const last = await client.rest()
  t.same(names(last), ['ErrorResponse'])
  t.equal(stateOf(last), '57P01')
  await stopped
})

t.test(
  'a wrong key, an unknown user and a foreign mechanism fail alike at the login',
  async (t) => {
    const gateway = await startGateway(t)
    const saltOf = async (user: string): Promise<readonly [string, string | undefined]> => {
      const client = await SqlClient.open(gateway.ports.sql)
      client.send(startup(version3, { user }))
      const [asked] = await client.until('Sasl')
      t.same(asked, ['Sasl', 10, ['SCRAM-SHA-256']])
      const first = Buffer.from('n,,n=,r=abcdefghijklmnopqrstuvwx')
      client.send(message('p', text('SCRAM-SHA-256'), int32(first.length), first))
      const [continued] = await client.until('SaslContinue')
      const [, nonce = '', salt = ''] =
        /^r=([^,]+),s=([^,]+),i=4096$/.exec(String(continued?.[1])) ?? []
      const proof = createHash('sha256').update('wrong').digest('base64')
      client.send(message('p', Buffer.from(`c=biws,r=${nonce},p=${proof}`)))
      return [salt, stateOf(await client.rest())]
    }
    const [known, refused] = await saltOf('operator')
    t.equal(refused, '28P01')
    t.ok(known.length > 0)
    const [unknown, refusedToo] = await saltOf('unknown')
    t.equal(refusedToo, '28P01')
    t.equal((await saltOf('unknown'))[0], unknown, 'a stable salt tells nothing')
    const client = await SqlClient.open(gateway.ports.sql)
    client.send(startup(version3, { user: 'operator' }))
    await client.until('Sasl')
    client.send(message('p', text('SCRAM-SHA-1'), int32(-1)))
    t.equal(stateOf(await client.rest()), '08P01')
  },
)
