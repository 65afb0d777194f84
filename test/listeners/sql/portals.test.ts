// What a session keeps from message to message: its bytes are counted by wallet and in all, and
// rows that wait in a portal are not sent to a client that lost the right to read them.

import pg from 'pg'
import t, { type Test } from 'tap'
import { type LiveGateway, startGateway } from '../../support/live-gateway.js'
import { bind, describe, execute, flush, parse, SqlClient, sync } from '../../support/sql-client.js'
import { testWallet } from '../../support/wallet.js'
import { type Made, WalletClient } from '../../support/wallet-client.js'

/** What node-postgres calls back for a submitted query of our own. */
class Portal {
  readonly rows: unknown[][] = []
  private settle: ((state: string) => void) | undefined
  private connection: Connection | undefined

  constructor(readonly text: string) {}

  submit(connection: Connection): void {
    this.connection = connection
    connection.parse({ name: '', text: this.text, types: [] }, true)
    connection.bind({ portal: '', statement: '', values: [], binary: false }, true)
  }

  /** Asks for the columns, which the server opens the portal for; answers when they are there. */
  describe(): Promise<string> {
    return this.asked(() => this.connection?.describe({ type: 'P', name: '' }, true))
  }

  /** How it ended: suspended, complete, or the SQLSTATE of the error. */
  execute(rows: number): Promise<string> {
    return this.asked(() => this.connection?.execute({ portal: '', rows }, true))
  }

  end(): void {
    this.connection?.sync()
  }

  private asked(ask: () => void): Promise<string> {
    return new Promise((resolve) => {
      this.settle = resolve
      ask()
      this.connection?.flush()
    })
  }

  handleRowDescription(): void {
    this.settle?.('described')
  }

  handleDataRow({ fields }: { fields: unknown[] }): void {
    this.rows.push(fields)
  }

  handlePortalSuspended(): void {
    this.settle?.('suspended')
  }

  handleCommandComplete(): void {
    this.settle?.('complete')
  }

  handleError({ code }: { code: string }): void {
    this.settle?.(code)
  }

  handleReadyForQuery(): void {}
}

interface Connection {
  parse(query: object, more: boolean): void
  bind(config: object, more: boolean): void
  describe(message: object, more: boolean): void
  execute(config: object, more: boolean): void
  flush(): void
  sync(): void
}

async function portal(t: Test, gateway: LiveGateway, user: string, { apiKey }: Made, text: string) {
  const client = new pg.Client({
    ...{ host: '127.0.0.1', port: gateway.ports.sql, user, database: 'main' },
    password: apiKey,
  })
  client.on('error', () => {})
  await client.connect()
  t.teardown(() => client.end())
  const made = new Portal(text)
  client.query(made)
  return made
}

const docs = '/api/v1/collections/hers'

async function sharedRows(t: Test) {
  const gateway = await startGateway(t)
  const [alice, bob] = [testWallet('alice'), testWallet('bob')]
  const owner = await WalletClient.signIn(gateway.url, alice)
  const reader = await WalletClient.signIn(gateway.url, bob)
  const rows = Array.from({ length: 1_500 }, (_, i) => `(${i})`)
  const query = `INSERT INTO hers (_id) VALUES ${rows.join(', ')}`
  const inserted = await owner.send('POST', '/api/v1/sql', { query })
  t.equal(inserted.status, 200, inserted.text)
  const grant = (action: string) =>
    owner.send('POST', `${docs}/roles`, { address: bob.address, action, role: 1 })
  const open = async (text: string) =>
    portal(t, gateway, `${bob.address}:s0`, await reader.issue(), text)
  return { gateway, owner, reader, bob, grant, open }
}

t.test('rows of a suspended portal are not sent after the role was withdrawn', async (t) => {
  const { grant, open } = await sharedRows(t)
  t.equal((await grant('grant')).status, 200)
  const held = await open('SELECT _id FROM hers ORDER BY _id')
  t.equal(await held.describe(), 'described', 'a thousand rows have been read')
  t.equal(await held.execute(2), 'suspended')
  t.equal(await held.execute(2), 'suspended')
  t.same(held.rows.map(String), ['0', '1', '2', '3'])
  t.equal((await grant('revoke')).status, 200)
  t.equal(await held.execute(2), '42501')
  t.equal(held.rows.length, 4)
  held.end()
})

t.test('nor from a cursor, and a portal that was opened for so many rows', async (t) => {
  const { grant, open } = await sharedRows(t)
  await grant('grant')
  const held = await open('SELECT _id FROM hers ORDER BY _id')
  t.equal(await held.execute(3), 'suspended')
  await grant('revoke')
  t.equal(await held.execute(3), '42501')
  t.equal(held.rows.length, 3)
  held.end()
})

t.test('nor of a collection that is private by now', async (t) => {
  const { owner, open } = await sharedRows(t)
  const mode = (privacy: string) => owner.send('POST', `${docs}/privacy`, { mode: privacy })
  t.equal((await mode('public')).status, 200)
  const held = await open('SELECT _id FROM hers LIMIT 10')
  t.equal(await held.describe(), 'described')
  await mode('private')
  t.equal(await held.execute(2), '42501', 'all of them were read, and no cursor is open')
  await mode('public')
  t.same(held.rows, [])
  held.end()
})

t.test('nor to a key that may not read any more', async (t) => {
  const { gateway, grant, reader, bob } = await sharedRows(t)
  await grant('grant')
  const made = await reader.issue()
  const user = `${bob.address}:s0`
  const held = await portal(t, gateway, user, made, 'SELECT _id FROM hers ORDER BY _id')
  t.equal(await held.describe(), 'described')
  t.equal(await held.execute(5), 'suspended')
  const path = `/api/v1/keys/${made.hash}/permissions`
  const changed = await reader.send('PUT', path, { permissions: ['write'] })
  t.equal(changed.status, 200, changed.text)
  t.equal(await held.execute(5), '42501')
  t.equal(held.rows.length, 5)
  held.end()
})

async function enter(t: Test, gateway: LiveGateway) {
  const { client } = await SqlClient.enter(gateway.ports.sql)
  t.teardown(() => client.close())
  return client
}

/** SQLSTATE of the error in what answers messages up to a Sync. */
async function stateOf(client: SqlClient, ...messages: readonly Buffer[]) {
  client.send(...messages, sync)
  const answers = await client.until('ReadyForQuery')
  const error = answers.find(([name]) => name === 'ErrorResponse')
  const fields = (error?.[1] ?? []) as readonly string[]
  return fields.find((field) => field.startsWith('C'))?.slice(1)
}

t.test('statements and portals of all connections have one share of memory', async (t) => {
  const gateway = await startGateway(t, { AUTH_MODE: 'off', MEMORY_BUDGET: '16 MB' })
  const [first, second] = [await enter(t, gateway), await enter(t, gateway)]
  const large = (size: number) => `SELECT 1 -- ${'x'.repeat(size)}`
  for (const client of [first, second]) {
    for (let i = 0; i < 16; i++) {
      const state = await stateOf(client, parse(`s${i}`, large(200_000)))
      if (state === undefined) continue
      t.equal(state, '53200')
      t.equal(client === second, true, 'half of the budget is the half of one')
      break
    }
  }
  const refused = () => stateOf(second, parse('more', large(200_000)))
  t.equal(await refused(), '53200')
  t.equal(await stateOf(second, parse('', 'SELECT 1'), bind({}), execute()), undefined)
  first.close()
  for (;;) if ((await refused()) === undefined) break
  t.pass('what a closed connection had is given back')
})

t.test('rows that a Describe has read count as long as they wait', async (t) => {
  const gateway = await startGateway(t, { AUTH_MODE: 'off', MEMORY_BUDGET: '8 MB' })
  const client = await enter(t, gateway)
  const value = 'x'.repeat(1_000_000)
  for (const id of [1, 2]) {
    const insert = parse('', 'INSERT INTO large (_id, a) VALUES ($1::int, $2)')
    t.equal(await stateOf(client, insert, bind({ values: [`${id}`, value] }), execute()), undefined)
  }
  t.equal(
    await stateOf(client, parse('b', 'BEGIN'), bind({ statement: 'b' }), execute()),
    undefined,
  )
  t.equal(await stateOf(client, parse('s', 'SELECT a FROM large ORDER BY _id')), undefined)
  const opened = async (portal: string) => {
    client.send(bind({ statement: 's', portal }), describe('P', portal), flush)
    await client.until('RowDescription')
    return stateOf(client)
  }
  t.equal(await opened('p'), undefined, 'two megabytes of four')
  t.equal(await opened('q'), undefined, 'the older one makes room')
  t.equal(await stateOf(client, execute('q')), undefined)
  t.equal(await stateOf(client, execute('p')), '34000', 'it was closed')
})

t.test('the oldest idle cursor of an owner makes room for a new one', async (t) => {
  const gateway = await startGateway(t, { AUTH_MODE: 'off', MEMORY_BUDGET: '8 MB' })
  const clients: pg.Client[] = []
  for (let i = 0; i < 3; i++) {
    const client = new pg.Client({
      ...{ host: '127.0.0.1', port: gateway.ports.sql, user: 'tester', database: 'main' },
    })
    await client.connect()
    t.teardown(() => client.end())
    clients.push(client)
  }
  const [first, second, third] = clients as [pg.Client, pg.Client, pg.Client]
  const value = 'x'.repeat(500_000)
  for (let id = 1; id <= 3; id++) await first.query('INSERT INTO t (a) VALUES ($1)', [value])
  const begins = async (client: pg.Client) => {
    await client.query('BEGIN')
    await client.query('DECLARE c CURSOR FOR SELECT a FROM t')
    return (await client.query('FETCH 1 FROM c')).rows.length
  }
  t.equal(await begins(first), 1)
  t.equal(await begins(second), 1)
  await new Promise((resolve) => setTimeout(resolve, 5))
  t.equal((await first.query('FETCH 1 FROM c')).rows.length, 1, 'now the second is the older')
  t.equal(await begins(third), 1)
  const gone = { code: '34000', message: 'cursor "c" does not exist' }
  await t.rejects(second.query('FETCH 1 FROM c'), gone)
  await t.rejects(second.query('FETCH 1 FROM c'), { code: '25P02' })
  await second.query('ROLLBACK')
  t.equal((await first.query('FETCH ALL FROM c')).rows.length, 1)
  t.equal((await third.query('FETCH ALL FROM c')).rows.length, 2)
})

t.test('columns have the types of many rows, however few are fetched', async (t) => {
  const gateway = await startGateway(t, { AUTH_MODE: 'off' })
  const client = await enter(t, gateway)
  await client.query('INSERT INTO mixed (_id, n) VALUES (1, 1), (2, 2.5), (3, 3000000000)')
  await client.query('BEGIN; DECLARE c CURSOR FOR SELECT n FROM mixed ORDER BY _id')
  for (const expected of ['1', '2.5', '3000000000']) {
    const fetched = await client.query('FETCH c')
    t.same(fetched.find(([name]) => name === 'DataRow')?.[1], [expected])
  }
  client.send(parse('', 'SELECT n FROM mixed ORDER BY _id'), bind({ portal: 'p' }))
  client.send(execute('p', 1), execute('p', 1), execute('p', 1), sync)
  const rows = (await client.until('ReadyForQuery')).filter(([name]) => name === 'DataRow')
  t.same(
    rows.map((row) => String(row[1])),
    ['1', '2.5', '3000000000'],
  )
})

t.test('a long JSON parameter is read apart, with the errors of a short one', async (t) => {
  const { ports, key } = await startGateway(t)
  const client = new pg.Client({
    ...{ host: '127.0.0.1', port: ports.sql ?? 0, database: 'main' },
    ...{ user: 'operator', password: key },
  })
  await client.connect()
  t.teardown(() => client.end())
  const long = { list: Array.from({ length: 30_000 }, (_, i) => `word ${i}`) }
  const { rows } = await client.query('SELECT $1::jsonb AS it', [JSON.stringify(long)])
  t.same(rows, [{ it: long }])
  const code = (text: string): Promise<unknown> =>
    client.query('SELECT $1::jsonb AS it', [text]).catch((error) => error.code)
  t.equal(await code(JSON.stringify(long).slice(0, -1)), '22P02')
  t.equal(await code('{'), '22P02')
  const [after] = (await client.query('SELECT $1::jsonb AS it', ['[1]'])).rows
  t.same(after, { it: [1] }, 'the session goes on')
})
