// What each library of the key-value protocol says from its first byte on, in each of the ways in
// which it is usually opened. Arguments: the library's way, and the port to connect to.

import { RedisStore } from 'connect-redis'
import { Redis } from 'ioredis'
import { createClient, createClientPool } from 'redis'
import { testKey } from '../../support/gateway.js'

type Program = (port: number) => Promise<void>

async function nodeRedis(port: number, RESP: 2 | 3): Promise<void> {
  const url = `redis://operator:${testKey}@127.0.0.1:${port}/1`
  const client = await createClient({ url, RESP, name: 'recorded' }).connect()
  await client.set('a', '1', { expiration: { type: 'EX', value: 1_000 } })
  await client.hSet('h', { f: 'v' })
  await client.hGetAll('h')
  await client.zAdd('z', { score: 1.5, value: 'm' })
  await client.zRangeWithScores('z', 0, -1)
  await client.multi().incr('a').get('a').exec()
  await client.flushDb()
  await client.close()
}

const programs: Readonly<Record<string, Program>> = {
  ioredis: async (port) => {
    const client = new Redis({ port, password: testKey })
    await client.set('a', '1', 'EX', 1_000)
    await client.hset('h', { f: 'v' })
    await client.hgetall('h')
    await client.pipeline().incr('a').get('a').exec()
    await client.multi().incr('a').get('a').exec()
    await client.flushdb()
    await client.quit()
  },
  'ioredis-options': async (port) => {
    const user = { username: 'operator', password: testKey }
    const client = new Redis({ port, ...user, db: 3, connectionName: 'recorded' })
    await client.ping()
    await client.quit()
  },
  'ioredis-subscriber': async (port) => {
    const client = new Redis({ port, password: testKey })
    await client.subscribe('news')
    await client.psubscribe('w*')
    await client.ping()
    await client.unsubscribe('news')
    await client.punsubscribe('w*')
    await client.quit()
  },
  'ioredis-monitor': async (port) => {
    const client = new Redis({ port, password: testKey })
    const monitor = await client.monitor()
    const seen = new Promise((resolve) => monitor.once('monitor', resolve))
    await client.set('a', 'b c')
    await seen
    monitor.disconnect()
    await client.quit()
  },
  'node-redis-2': (port) => nodeRedis(port, 2),
  'node-redis-3': (port) => nodeRedis(port, 3),
  'node-redis-pool': async (port) => {
    const url = `redis://:${testKey}@127.0.0.1:${port}`
    const pool = createClientPool({ url }, { minimum: 1, maximum: 1 })
    await pool.connect()
    await pool.execute(async (client) => {
      await client.watch('a')
      await client.multi().set('a', '1').exec()
    })
    await pool.close()
  },
  'connect-redis': async (port) => {
    const url = `redis://:${testKey}@127.0.0.1:${port}`
    const client = await createClient({ url }).connect()
    const store = new RedisStore({ client, ttl: 1_000 })
    await store.set('one', { cookie: { originalMaxAge: null } })
    await store.get('one')
    await store.touch('one', { cookie: { originalMaxAge: null } })
    await store.all()
    await store.destroy('one')
    await client.close()
  },
}

const [name = '', port] = process.argv.slice(2)
await programs[name]?.(Number(port))
