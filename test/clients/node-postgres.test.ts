// node-postgres unmodified: logins by wallets' keys and the operator's, values of every type,
// prepared statements, pools, errors with their places, and the end of a key.

import pg from 'pg'
import t, { type Test } from 'tap'
import { type LiveGateway, startGateway } from '../support/live-gateway.js'
import { testWallet } from '../support/wallet.js'
import { WalletClient } from '../support/wallet-client.js'

async function connect(t: Test, gateway: LiveGateway, user = 'operator', password?: string) {
  const client = new pg.Client({
    ...{ host: '127.0.0.1', port: gateway.ports.sql, user, database: 'main' },
    password: password ?? gateway.key,
  })
  client.on('error', () => {})
  await client.connect()
  t.teardown(() => client.end())
  return client
}

t.test('values come back as what they went as', async (t) => {
  const client = await connect(t, await startGateway(t))
  await client.query(
    'CREATE TABLE people (_id text, name text, age int, born timestamptz, extra jsonb)',
  )
  const born = new Date('2001-02-03T04:05:06.789Z')
  const inserted = await client.query(
    'INSERT INTO people (_id, name, age, born, extra) VALUES ($1, $2, $3, $4, $5) RETURNING *',
    ['a', 'Ann', 30, born, { tags: ['x', 1] }],
  )
  t.same(inserted.rows, [{ _id: 'a', name: 'Ann', age: 30, born, extra: { tags: ['x', 1] } }])
  t.equal(inserted.command, 'INSERT')
  t.equal(inserted.rowCount, 1)
  await client.query("INSERT INTO people (_id, name, age) VALUES ('b', 'Bob', 41)")
  const older = await client.query('SELECT name, age, born FROM people WHERE age > $1', [35])
  t.same(older.rows, [{ name: 'Bob', age: 41, born: null }])
  t.same(
    older.fields.map(({ dataTypeID }) => dataTypeID),
    [25, 23, 1184],
    'what no row has is of its declared type',
  )
  const since = await client.query('SELECT _id FROM people WHERE born >= $1', [born])
  t.same(since.rows, [{ _id: 'a' }])
  const listed = await client.query('SELECT _id FROM people WHERE age = ANY($1)', [[30, 31]])
  t.same(listed.rows, [{ _id: 'a' }])
  const counted = await client.query('UPDATE people SET age = age + $1 WHERE name = $2', [1, 'Ann'])
  t.equal(counted.rowCount, 1)
  const removed = await client.query('DELETE FROM people WHERE age = $1 RETURNING name', [31])
  t.same(removed.rows, [{ name: 'Ann' }])
  t.same((await client.query('SELECT count(*) FROM people')).rows, [{ count: '1' }])
})

t.test('a prepared statement runs again and again', async (t) => {
  const client = await connect(t, await startGateway(t))
  await client.query('INSERT INTO numbers (_id, n) VALUES (1, 10), (2, 20)')
  const query = { name: 'by-id', text: 'SELECT n FROM numbers WHERE _id = $1' }
  for (const [id, n] of [
    [1, 10],
    [2, 20],
    [1, 10],
  ]) {
    t.same((await client.query({ ...query, values: [id] })).rows, [{ n }])
  }
  const rows = await client.query({ text: 'SELECT n, n * 2 FROM numbers', rowMode: 'array' })
  t.same(rows.rows, [
    [10, 20],
    [20, 40],
  ])
})

t.test('the same text tells its columns as they are each time', async (t) => {
  const client = await connect(t, await startGateway(t))
  await client.query("INSERT INTO mixed (_id, v) VALUES (1, 10), (2, 'ten')")
  const ask = async (id: number, binary = false): Promise<unknown> => {
    const text = 'SELECT v FROM mixed WHERE _id = $1'
    const { rows, fields } = await client.query({ text, values: [id], binary })
    return [rows[0]?.v, fields[0]?.dataTypeID, fields[0]?.format]
  }
  const whole = [10, 23, 'text']
  t.same(await ask(1), whole)
  t.same(await ask(1), whole)
  t.same(await ask(2), ['ten', 25, 'text'])
  t.same(await ask(1), whole)
  t.same(await ask(1, true), [10, 23, 'binary'])
  t.same(await ask(1), whole)
})

t.test('errors have their SQLSTATE and their place', async (t) => {
  const client = await connect(t, await startGateway(t))
  await t.rejects(client.query('SELECT 1 FRM t WHERE'), { code: '42601', position: '14' })
  await t.rejects(client.query('SELECT nosuch(1)'), { code: '42883' })
  await t.rejects(client.query('SELECT 1 / 0'), { code: '22012' })
  await t.rejects(client.query('SELECT $1::int', ['x']), { code: '22P02' })
  await client.query('INSERT INTO t (_id) VALUES (1)')
  await t.rejects(client.query('INSERT INTO t (_id) VALUES (1)'), { code: '23505' })
  await t.rejects(client.query('INSERT INTO admin.t (_id) VALUES (1)'), { message: /./ })
  t.same((await client.query('SELECT 1 AS one')).rows, [{ one: 1 }])
})

t.test('what clients ask of a server has an answer', async (t) => {
  const client = await connect(t, await startGateway(t))
  const told = await client.query(
    'SELECT version(), current_user, current_database(), current_schema()',
  )
  t.match(told.rows, [
    {
      ...{ version: /^PostgreSQL 15/, current_user: 'operator' },
      ...{ current_database: 'main', current_schema: 'public' },
    },
  ])
  t.same((await client.query('SHOW server_version_num')).rows, [{ server_version_num: '150000' }])
  const version = await client.query("SELECT current_setting('server_version_num')::int/100 as v")
  t.same(version.rows, [{ v: 1500 }])
})

t.test('a pool of connections works on one collection', async (t) => {
  const { ports, key } = await startGateway(t)
  const pool = new pg.Pool({
    ...{ host: '127.0.0.1', port: ports.sql, user: 'operator', password: key, max: 4 },
    database: 'main',
  })
  // Told of the stop when the test ends.
  pool.on('error', () => {})
  t.teardown(() => pool.end())
  const inserts = Array.from({ length: 40 }, (_, i) =>
    pool.query('INSERT INTO pooled (_id) VALUES ($1::int)', [i]),
  )
  await Promise.all(inserts)
  t.same((await pool.query('SELECT count(*)::int AS n FROM pooled')).rows, [{ n: 40 }])
})

t.test('a wallet signs in by the name of each of its keys, and ends with it', async (t) => {
  const gateway = await startGateway(t)
  const alice = testWallet('alice')
  const wallet = await WalletClient.signIn(gateway.url, alice)
  const issued = await wallet.issue()
  const onChain = await wallet.register()
  for (const [user, made] of [
    [alice.address, onChain],
    [alice.address.toLowerCase(), onChain],
    [`${alice.address}:0`, onChain],
    [`${alice.address}:s0`, issued],
  ] as const) {
    const client = await connect(t, gateway, user, made.apiKey)
    const { rows } = await client.query('SELECT current_user AS me')
    t.same(rows, [{ me: made.connection.user }])
  }
  const line = /^psql "(postgresql:.*)"$/.exec(issued.connection.sql)?.[1] ?? ''
  const copied = new pg.Client({ connectionString: line })
  await copied.connect()
  const home = `w_${alice.address.toLowerCase()}`
  t.same((await copied.query('SELECT current_database() AS db')).rows, [{ db: home }])
  await copied.end()
  await t.rejects(connect(t, gateway, alice.address, issued.apiKey), { code: '28P01' })
  await t.rejects(connect(t, gateway, 'unknown', issued.apiKey), { code: '28P01' })
  const client = await connect(t, gateway, `${alice.address}:s0`, issued.apiKey)
  await client.query("INSERT INTO hers (_id) VALUES ('x')")
  const operatorClient = await connect(t, gateway)
  t.same(
    (await operatorClient.query('SELECT _id FROM hers')).rows,
    [{ _id: 'x' }],
    'the operator may',
  )
  const ended = new Promise<void>((resolve) => client.on('end', resolve))
  await wallet.send('DELETE', `/api/v1/keys/${issued.hash}`)
  await ended
  await t.rejects(client.query('SELECT 1'))
})
