// ioredis, unmodified and with default settings, in two majors: typical use of each kind,
// subscriptions, MONITOR.

import { Redis as Redis5 } from 'ioredis'
import { Redis as Redis6 } from 'ioredis6'
import t, { type Test } from 'tap'
import { startGateway } from '../support/live-gateway.js'

type Redis = Redis5

/** A major is typed as the other: their calls here are the same. */
const majors: readonly (readonly [number, typeof Redis5])[] = [
  [5, Redis5],
  [6, Redis6 as unknown as typeof Redis5],
]

function once<T>(target: Redis, event: string, pick: (...words: string[]) => T): Promise<T> {
  return new Promise((resolve) => {
    target.once(event, (...words: string[]) => resolve(pick(...words)))
  })
}

for (const [major, Redis] of majors) {
  const open = async (t: Test, count = 1): Promise<Redis[]> => {
    const { ports, key } = await startGateway(t)
    const clients = Array.from(
      { length: count },
      () => new Redis({ port: ports.redis, password: key }),
    )
    t.teardown(() => clients.map((client) => client.disconnect()))
    return clients
  }

  t.test(`ioredis ${major}: signs in, and a wrong key is refused`, async (t) => {
    const { ports, key } = await startGateway(t)
    const named = new Redis({ port: ports.redis, username: 'operator', password: key, db: 3 })
    await named.set('a', '1')
    const url = new Redis(`redis://operator:${key}@127.0.0.1:${ports.redis}/3`)
    t.equal(await url.get('a'), '1')
    const wrong = new Redis({ port: ports.redis, password: 'wrong', retryStrategy: () => null })
    const errors: string[] = []
    wrong.on('error', (error: Error) => errors.push(error.message))
    await t.rejects(wrong.get('a'))
    t.match(errors.join(), /WRONGPASS/)
    for (const client of [named, url, wrong]) client.disconnect()
  })

  t.test(`ioredis ${major}: strings, hashes, lists, sets and sorted sets`, async (t) => {
    const [redis] = await open(t)
    if (redis === undefined) return
    t.equal(await redis.set('a', '1', 'EX', 100, 'NX'), 'OK')
    t.equal(await redis.set('a', '1', 'NX'), null)
    t.equal(await redis.incrby('a', 41), 42)
    t.ok((await redis.ttl('a')) > 0)
    t.same(await redis.mget('a', 'none'), ['42', null])
    t.equal(await redis.hset('h', { f: 'v', g: 'w' }), 2)
    t.same(await redis.hgetall('h'), { f: 'v', g: 'w' })
    t.equal(await redis.rpush('l', 'x', 'y', 'z'), 3)
    t.same(await redis.lrange('l', 0, -1), ['x', 'y', 'z'])
    t.equal(await redis.sadd('s', 'm', 'n', 'm'), 2)
    t.same((await redis.smembers('s')).sort(), ['m', 'n'])
    t.equal(await redis.zadd('z', 2, 'b', 1.5, 'a'), 2)
    t.same(await redis.zrange('z', 0, -1, 'WITHSCORES'), ['a', '1.5', 'b', '2'])
    t.same(await redis.getBuffer('a'), Buffer.from('42'))
    await t.rejects(redis.lpush('a', 'x'), /^WRONGTYPE/)
    const found: string[] = []
    for await (const keys of redis.scanStream({ match: '?' })) found.push(...keys)
    t.same(found.sort(), ['a', 'h', 'l', 's', 'z'])
  })

  t.test(`ioredis ${major}: pipelines and transactions`, async (t) => {
    const [redis, other] = await open(t, 2)
    if (redis === undefined || other === undefined) return
    t.same(await redis.pipeline().set('a', '1').incr('a').get('a').exec(), [
      [null, 'OK'],
      [null, 2],
      [null, '2'],
    ])
    t.same(await redis.multi().incr('a').get('a').exec(), [
      [null, 3],
      [null, '3'],
    ])
    await redis.watch('a')
    await other.set('a', 'changed')
    t.equal(await redis.multi().set('a', 'mine').exec(), null)
  })

  t.test(
    `ioredis ${major}: subscriptions by name and by pattern, and other commands after the last`,
    async (t) => {
      const [subscriber, publisher] = await open(t, 2)
      if (subscriber === undefined || publisher === undefined) return
      t.equal(await subscriber.subscribe('news', 'sport'), 2)
      t.equal(await subscriber.psubscribe('w*'), 3)
      // Version 6 speaks RESP3, where a subscriber is answered as any other client.
      t.same(await subscriber.ping(), major === 5 ? ['pong', ''] : 'PONG')
      const message = once(subscriber, 'message', (channel, text) => [channel, text])
      t.equal(await publisher.publish('news', 'hello'), 1)
      t.same(await message, ['news', 'hello'])
      const matched = once(subscriber, 'pmessage', (...words) => words)
      t.equal(await publisher.publish('weather', 'rain'), 1)
      t.same(await matched, ['w*', 'weather', 'rain'])
      t.equal(await subscriber.punsubscribe('w*'), 2)
      t.equal(await subscriber.unsubscribe(), 0)
      t.equal(await subscriber.set('a', '1'), 'OK')
    },
  )

  t.test(`ioredis ${major}: MONITOR shows what others run`, async (t) => {
    const [redis] = await open(t)
    if (redis === undefined) return
    // ioredis takes a line for a reply if it comes in one piece with the reply to MONITOR.
    await redis.ping()
    const monitor = await redis.monitor()
    const seen = new Promise<string[]>((resolve) => {
      // What clients say at their start may come between.
      monitor.on('monitor', (_time: string, args: string[]) => {
        if (args[0] === 'set') resolve(args)
      })
    })
    await redis.set('a', 'b c')
    t.same(await seen, ['set', 'a', 'b c'])
    monitor.disconnect()
  })

  t.test(`ioredis ${major}: a blocked client gets what another pushes`, async (t) => {
    const [blocked, other] = await open(t, 2)
    if (blocked === undefined || other === undefined) return
    const popped = blocked.blpop('queue', 0)
    await other.rpush('queue', 'job')
    t.same(await popped, ['queue', 'job'])
  })
}
