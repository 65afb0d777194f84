// Reads of several keys or documents on one gateway, beside a write of another one whose commit is
// held back: with a later change, a read must not miss what was made before that change.

import type { Redis } from 'ioredis'
import pg from 'pg'
import t, { type Test } from 'tap'
import { CuttingProxy } from '../support/cutting-proxy.js'
import { testKey } from '../support/gateway.js'
import { ask } from '../support/http-client.js'
import { type LiveGateway, startGateway } from '../support/live-gateway.js'
import { postgresMissing } from '../support/postgres-reference.js'
import { redisOn } from '../support/shared-pair.js'
import { addressOn, postgresServer } from '../support/shared-stores.js'

async function openPair(t: Test) {
  const { folder } = await postgresServer(t)
  const proxy = await CuttingProxy.open(t, folder)
  const address = addressOn(folder)
  const through = address.replace(encodeURIComponent(folder), encodeURIComponent(proxy.folder))
  const gateway = await startGateway(t, { STORE: address, DURABILITY: 'none' })
  const other = await startGateway(t, { STORE: through, DURABILITY: 'none' })
  const held = () => {
    const release = new Promise<() => void>((resolve) => {
      proxy.onHeld = resolve
    })
    proxy.next = 'hold'
    return release
  }
  return { gateway, other, held }
}

const readers: Readonly<Record<string, (redis: Redis) => Promise<unknown>>> = {
  MGET: (redis) => redis.mget('source', 'target'),
  'a pipeline': async (redis) => {
    const replies = await redis.pipeline().get('source').get('target').exec()
    return replies?.map(([, reply]) => reply)
  },
  EXEC: async (redis) => {
    const replies = await redis.multi().get('source').get('target').exec()
    return replies?.map(([, reply]) => reply)
  },
}

for (const [name, read] of Object.entries(readers)) {
  t.test(`keys, read by ${name}`, { skip: postgresMissing }, async (t) => {
    const { gateway, other, held } = await openPair(t)
    const [redis, copier] = [redisOn(t, gateway), redisOn(t, other)]
    await redis.mset('source', 'old', 'target', 'none')
    t.equal(await copier.get('source'), 'old')
    const holding = held()
    const copied = copier.copy('source', 'target', 'REPLACE')
    const release = await holding
    await redis.set('source', 'new')
    t.same(await read(redis), ['new', 'none'])
    release()
    t.equal(await copied, 1)
    t.same(await read(redis), ['new', 'new'], 'the copy is made of what was seen before it')
  })
}

const both = 'SELECT v FROM pair ORDER BY id'
const isolation = 'default_transaction_isolation = serializable'

type Values = (reader: pg.Client, gateway: LiveGateway) => Promise<unknown[]>

async function valuesOf(reader: pg.Client, params?: unknown[]): Promise<unknown[]> {
  return (await reader.query(both, params)).rows.map(({ v }) => v)
}

const states: Readonly<Record<string, Values>> = {
  'a transaction of SQL': async (reader) => {
    await reader.query('BEGIN ISOLATION LEVEL SERIALIZABLE READ ONLY')
    const found = await valuesOf(reader)
    await reader.query('COMMIT')
    return found
  },
  'a transaction of HTTP': async (_, gateway) => {
    const begun = await posted(gateway, '/transactions', {
      isolation: 'serializable',
      readOnly: true,
    })
    const headers = { 'x-sigil-transaction': String(begun.id) }
    const { result } = await posted(gateway, '/sql', { query: both }, headers)
    return (result as { cursor: { firstBatch: { v: unknown }[] } }).cursor.firstBatch.map(
      ({ v }) => v,
    )
  },
  'a SELECT by itself': async (reader) => {
    await reader.query(`SET ${isolation}`)
    return valuesOf(reader)
  },
  'a prepared SELECT by itself': async (reader) => {
    await reader.query(`SET ${isolation}`)
    return valuesOf(reader, [])
  },
}

async function posted(
  { url }: LiveGateway,
  path: string,
  body: unknown,
  more: Readonly<Record<string, string>> = {},
): Promise<Readonly<Record<string, unknown>>> {
  const headers = { authorization: `Bearer ${testKey}`, 'content-type': 'application/json' }
  const { json } = await ask(url, {
    path: `/api/v1${path}`,
    method: 'POST',
    headers: { ...headers, ...more },
    body: JSON.stringify(body),
  })
  return json as Readonly<Record<string, unknown>>
}

for (const [name, read] of Object.entries(states)) {
  t.test(`what is serializable and only reads: ${name}`, { skip: postgresMissing }, async (t) => {
    const { gateway, other, held } = await openPair(t)
    const open = async ({ ports }: LiveGateway) => {
      const client = new pg.Client({ port: ports.sql, user: 'operator', password: testKey })
      await client.connect()
      t.teardown(() => client.end())
      return client
    }
    const [reader, copier] = [await open(gateway), await open(other)]
    await reader.query('CREATE TABLE pair (id int PRIMARY KEY, v text)')
    await reader.query("INSERT INTO pair VALUES (1, 'old'), (2, 'none')")
    await copier.query('BEGIN ISOLATION LEVEL SERIALIZABLE')
    const [found] = (await copier.query('SELECT v FROM pair WHERE id = 1')).rows
    await copier.query('UPDATE pair SET v = $1 WHERE id = 2', [found?.v])
    const holding = held()
    const copied = copier.query('COMMIT')
    const release = await holding
    await reader.query("UPDATE pair SET v = 'new' WHERE id = 1")
    t.same(await read(reader, gateway), ['new', 'none'])
    release()
    await t.rejects(copied, { code: '40001' }, 'the copy would be of what came before')
    t.same(await valuesOf(reader), ['new', 'none'])
  })
}
