// What applications do with ioredis, example by example: for Sigil, and for ioredis-mock where that
// answers as Redis does. Each begins on an empty database.

import type { Redis } from 'ioredis'
import type { Test } from 'tap'

interface Example {
  readonly name: string
  /** Why it does not run on ioredis-mock; undefined where it does. */
  readonly notMocked?: string
  readonly run: (t: Test, redis: Redis) => Promise<void>
}

export const examples: readonly Example[] = [
  {
    name: 'a cache with times to live',
    run: async (t, redis) => {
      t.equal(await redis.get('page'), null)
      t.equal(await redis.set('page', '<html>', 'EX', 60), 'OK')
      t.equal(await redis.get('page'), '<html>')
      t.equal(await redis.ttl('page'), 60)
      t.equal(await redis.persist('page'), 1)
      t.equal(await redis.ttl('page'), -1)
      t.equal(await redis.expire('page', 10), 1)
      t.equal(await redis.del('page', 'none'), 1)
      t.equal(await redis.ttl('page'), -2)
    },
  },
  {
    name: 'counters and a limit on requests',
    run: async (t, redis) => {
      t.equal(await redis.incr('hits'), 1)
      t.equal(await redis.incrby('hits', 10), 11)
      t.equal(await redis.decr('hits'), 10)
      t.equal(await redis.incrbyfloat('load', 1.5), '1.5')
      const allowed: boolean[] = []
      for (let i = 0; i < 4; i++) {
        const count = await redis.incr('limit:user')
        if (count === 1) await redis.expire('limit:user', 60)
        allowed.push(count <= 3)
      }
      t.same(allowed, [true, true, true, false])
      t.equal(await redis.ttl('limit:user'), 60)
    },
  },
  {
    name: 'a session as a hash',
    run: async (t, redis) => {
      t.equal(await redis.hset('session', { user: 'ann', visits: '1' }), 2)
      t.equal(await redis.hincrby('session', 'visits', 2), 3)
      t.same(await redis.hgetall('session'), { user: 'ann', visits: '3' })
      t.same(await redis.hmget('session', 'user', 'none'), ['ann', null])
      t.equal(await redis.hexists('session', 'none'), 0)
      t.equal(await redis.hdel('session', 'visits', 'none'), 1)
      t.equal(await redis.hlen('session'), 1)
      t.same(await redis.hgetall('none'), {})
    },
  },
  {
    name: 'a queue of jobs',
    run: async (t, redis) => {
      t.equal(await redis.rpush('jobs', 'a', 'b', 'c'), 3)
      t.equal(await redis.rpoplpush('jobs', 'working'), 'c')
      t.equal(await redis.lpop('jobs'), 'a')
      t.same(await redis.lrange('jobs', 0, -1), ['b'])
      t.equal(await redis.lrem('working', 1, 'c'), 1)
      t.equal(await redis.llen('working'), 0)
      t.equal(await redis.lpush('log', 'one', 'two', 'three'), 3)
      t.equal(await redis.ltrim('log', 0, 1), 'OK')
      t.same(await redis.lrange('log', 0, -1), ['three', 'two'])
    },
  },
  {
    name: 'a lock of one owner',
    run: async (t, redis) => {
      t.equal(await redis.set('lock', 'me', 'PX', 30_000, 'NX'), 'OK')
      t.equal(await redis.set('lock', 'you', 'PX', 30_000, 'NX'), null)
      t.equal(await redis.get('lock'), 'me')
      t.equal(await redis.del('lock'), 1)
      t.equal(await redis.setnx('lock', 'you'), 1)
    },
  },
  {
    name: 'tags as sets',
    run: async (t, redis) => {
      t.equal(await redis.sadd('red', 'apple', 'cherry', 'apple'), 2)
      t.equal(await redis.sadd('sweet', 'cherry', 'banana'), 2)
      t.same(await redis.sinter('red', 'sweet'), ['cherry'])
      t.same((await redis.sunion('red', 'sweet')).sort(), ['apple', 'banana', 'cherry'])
      t.same(await redis.sdiff('red', 'sweet'), ['apple'])
      t.equal(await redis.sinterstore('both', 'red', 'sweet'), 1)
      t.equal(await redis.sismember('both', 'cherry'), 1)
      t.equal(await redis.smove('red', 'both', 'apple'), 1)
      t.equal(await redis.scard('both'), 2)
    },
  },
  {
    name: 'a table of scores',
    run: async (t, redis) => {
      t.equal(await redis.zadd('scores', 10, 'ann', 20, 'bob', 15, 'eve'), 3)
      t.equal(await redis.zincrby('scores', 7, 'ann'), '17')
      t.same(await redis.zrevrange('scores', 0, 1, 'WITHSCORES'), ['bob', '20', 'ann', '17'])
      t.equal(await redis.zrank('scores', 'eve'), 0)
      t.same(await redis.zrangebyscore('scores', 16, '+inf'), ['ann', 'bob'])
      t.equal(await redis.zremrangebyscore('scores', '-inf', 15), 1)
      t.equal(await redis.zcard('scores'), 2)
      t.equal(await redis.zscore('scores', 'none'), null)
    },
  },
  {
    name: 'many at once',
    run: async (t, redis) => {
      t.equal(await redis.mset('a', '1', 'b', '2'), 'OK')
      t.same(await redis.mget('a', 'none', 'b'), ['1', null, '2'])
      t.same(await redis.pipeline().incr('a').get('b').exec(), [
        [null, 2],
        [null, '2'],
      ])
      t.same(await redis.multi().set('c', '3').get('c').exec(), [
        [null, 'OK'],
        [null, '3'],
      ])
      const keys: string[] = []
      for await (const page of redis.scanStream({ match: '?' })) keys.push(...page)
      t.same(keys.sort(), ['a', 'b', 'c'])
      t.equal(await redis.dbsize(), 3)
    },
  },
  {
    name: 'channels',
    run: async (t, redis) => {
      const subscriber = redis.duplicate()
      const received = new Promise<string[]>((resolve) => {
        subscriber.once('message', (channel: string, text: string) => resolve([channel, text]))
      })
      t.equal(await subscriber.subscribe('news'), 1)
      t.equal(await redis.publish('news', 'hello'), 1)
      t.same(await received, ['news', 'hello'])
      subscriber.disconnect()
    },
  },
  {
    name: 'bytes that are no text',
    run: async (t, redis) => {
      const bytes = Buffer.from([0xff, 0x00, 0x80, 0x0d, 0x0a])
      t.equal(await redis.set('bytes', bytes), 'OK')
      t.same(await redis.getBuffer('bytes'), bytes)
      t.equal(await redis.strlen('bytes'), 5)
    },
  },
  {
    name: 'refusals',
    notMocked: 'it neither counts arguments nor looks at types',
    run: async (t, redis) => {
      await redis.set('text', 'abc')
      await t.rejects(redis.lpush('text', 'x'), /^WRONGTYPE /)
      await t.rejects(redis.incr('text'), /^ERR value is not an integer or out of range$/)
      await t.rejects(redis.call('GET'), /^ERR wrong number of arguments for 'get' command$/)
      await t.rejects(redis.rename('none', 'b'), /^ERR no such key$/)
    },
  },
  {
    name: 'a transaction that another client disturbs',
    notMocked: 'its databases are shared by all its clients, WATCH among them',
    run: async (t, redis) => {
      const other = redis.duplicate()
      await redis.watch('balance')
      await other.set('balance', '1')
      t.equal(await redis.multi().incr('balance').exec(), null)
      other.disconnect()
    },
  },
  {
    name: 'what needs scripts or streams',
    notMocked: 'it has them',
    run: async (t, redis) => {
      const unknown = (name: string) =>
        new RegExp(`^ERR unknown command '${name}', with args beginning with: `)
      await t.rejects(redis.eval('return 1', 0), unknown('eval'))
      await t.rejects(redis.evalsha('0'.repeat(40), 0), unknown('evalsha'))
      await t.rejects(redis.xadd('stream', '*', 'f', 'v'), unknown('xadd'))
      redis.defineCommand('double', { numberOfKeys: 1, lua: 'return 2' })
      await t.rejects((redis as unknown as Doubling).double('k'), unknown('eval'))
    },
  },
]

/** What defineCommand adds. */
interface Doubling {
  double(key: string): Promise<unknown>
}
