// Reads of several keys or documents on one gateway, beside a write of another one whose commit is
// held back: with a later change, a read must not miss what was made before that change.

import type { Redis } from 'ioredis'
import pg from 'pg'
import t, { type Test } from 'tap'
import { CuttingProxy } from '../support/cutting-proxy.js'
import { testKey } from '../support/gateway.js'
import { ask } from '../support/http-client.js'
import { startGateway } from '../support/live-gateway.js'
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

t.test('a serializable transaction that only reads', { skip: postgresMissing }, async (t) => {
  const { gateway, other, held } = await openPair(t)
  const open = async ({ ports }: typeof gateway) => {
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
  const both = 'SELECT v FROM pair ORDER BY id'
  const values = async () => (await reader.query(both)).rows.map(({ v }) => v)
  const headers = { authorization: `Bearer ${testKey}`, 'content-type': 'application/json' }
  const post = async (path: string, body: unknown, more = {}) =>
    (
      await ask(gateway.url, {
        path: `/api/v1${path}`,
        method: 'POST',
        headers: { ...headers, ...more },
        body: JSON.stringify(body),
      })
    ).json
  const begun = await post('/transactions', { isolation: 'serializable', readOnly: true })
  await reader.query('BEGIN ISOLATION LEVEL SERIALIZABLE READ ONLY')
  t.same(await values(), ['new', 'none'])
  const overHttp = await post('/sql', { query: both }, { 'x-sigil-transaction': String(begun.id) })
  t.match(overHttp, { result: { cursor: { firstBatch: [{ v: 'new' }, { v: 'none' }] } } })
  await reader.query('COMMIT')
  release()
  await t.rejects(copied, { code: '40001' }, 'the copy would be of what came before')
  t.same(await values(), ['new', 'none'])
})
