// The hosted service's client library, unmodified, with its address set to `<base>/upstash`:
// commands (which it sends as pipelines by itself), pipelines, transactions, subscriptions.

import { Redis } from '@upstash/redis'
import t, { type Test } from 'tap'
import { startGateway } from '../support/live-gateway.js'

async function open(t: Test, options: { enableAutoPipelining?: boolean } = {}): Promise<Redis> {
  const { url, key } = await startGateway(t)
  const more = { retry: false, enableTelemetry: false } as const
  return new Redis({ url: `${url}/upstash`, token: key, ...more, ...options })
}

for (const enableAutoPipelining of [true, false]) {
  t.test(`values keep their kind, auto-pipelining ${enableAutoPipelining}`, async (t) => {
    const redis = await open(t, { enableAutoPipelining })
    t.equal(await redis.set('a', { x: [1, 'ü'] }, { ex: 100 }), 'OK')
    t.same(await redis.get('a'), { x: [1, 'ü'] })
    t.ok((await redis.ttl('a')) > 0)
    t.equal(await redis.get('none'), null)
    t.equal(await redis.incrby('n', 41), 41)
    t.equal(await redis.hset('h', { f: 'v', g: 2 }), 2)
    t.same(await redis.hgetall('h'), { f: 'v', g: 2 })
    t.equal(await redis.rpush('l', 'x', 'y'), 2)
    t.same(await redis.lrange('l', 0, -1), ['x', 'y'])
    t.same(await redis.mget('a', 'none', 'n'), [{ x: [1, 'ü'] }, null, 41])
    t.equal(await redis.sadd('s', 'm', 'n'), 2)
    t.same((await redis.smembers('s')).sort(), ['m', 'n'])
    t.equal(await redis.zadd('z', { score: 1.5, member: 'a' }), 1)
    t.same(await redis.zrange('z', 0, -1, { withScores: true }), ['a', 1.5])
    t.equal(await redis.ping(), 'PONG')
    const [cursor, keys] = await redis.scan(0, { match: '?' })
    t.equal(cursor, '0')
    t.same(keys.sort(), ['a', 'h', 'l', 'n', 's', 'z'])
    await t.rejects(redis.lpush('a', 'x'), /WRONGTYPE/)
  })
}

t.test('pipelines and transactions', async (t) => {
  const redis = await open(t)
  t.same(await redis.pipeline().set('a', 1).incr('a').get('a').exec(), ['OK', 2, 2])
  t.same(await redis.multi().incr('a').get('a').exec(), [3, 3])
  const mixed = await redis.pipeline().get('a').lpush('a', 'x').exec({ keepErrors: true })
  t.match(mixed, [{ result: 3 }, { error: /WRONGTYPE/ }])
})

t.test('a wrong key is refused', async (t) => {
  const { url } = await startGateway(t)
  const more = { retry: false, enableTelemetry: false } as const
  const redis = new Redis({ url: `${url}/upstash`, token: 'wrong', ...more })
  await t.rejects(redis.get('a'), /the key is not valid/)
})

t.test('subscriptions by name and by pattern', async (t) => {
  const redis = await open(t)
  const named = redis.subscribe<{ x: number }>(['news'])
  const matched = redis.psubscribe<{ x: number }>(['n*'])
  const ready = [named, matched].map(
    (subscriber, i) =>
      new Promise((resolve) => subscriber.on(i === 0 ? 'subscribe' : 'psubscribe', resolve)),
  )
  t.same(await Promise.all(ready), [1, 1])
  const received = Promise.all([
    new Promise((resolve) => named.on('message', resolve)),
    new Promise((resolve) => matched.on('pmessage', resolve)),
  ])
  t.equal(await redis.publish('news', { x: 1 }), 2)
  t.match(await received, [
    { channel: 'news', message: { x: 1 } },
    { pattern: 'n*', channel: 'news', message: { x: 1 } },
  ])
  await Promise.all([named.unsubscribe(), matched.unsubscribe()])
})
