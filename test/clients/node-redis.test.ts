// node-redis, unmodified, in two majors and both versions of the protocol: typical use of each kind.

import { createClient } from 'redis'
import t, { type Test } from 'tap'
import { startGateway } from '../support/live-gateway.js'
import { loadTool, toolMissing } from '../support/tools.js'

/** The newest major is typed as the other: their calls here are the same. */
interface Client {
  readonly createClient: typeof createClient
}

const majors = [
  { major: 5, skip: false, load: async (): Promise<Client> => ({ createClient }) },
  {
    major: 6,
    skip: await toolMissing('redis-6'),
    load: async () => (await loadTool('redis-6', 'redis')) as Client,
  },
] as const
const versions = majors.flatMap((one) => [
  { ...one, RESP: 2 as const },
  { ...one, RESP: 3 as const },
])
type Version = (typeof versions)[number]

async function open(t: Test, { load, RESP }: Version) {
  const { ports, key } = await startGateway(t)
  const url = `redis://operator:${key}@127.0.0.1:${ports.redis}`
  const client = (await load()).createClient({ url, RESP })
  client.on('error', (error: Error) => t.fail(error.message))
  await client.connect()
  t.teardown(() => client.destroy())
  return client
}

for (const version of versions) {
  const { major, RESP, skip } = version
  t.test(
    `redis ${major}, RESP${RESP}: strings, hashes, lists, sets and sorted sets`,
    { skip },
    async (t) => {
      const redis = await open(t, version)
      t.equal(await redis.set('a', '1', { expiration: { type: 'EX', value: 100 } }), 'OK')
      t.equal(await redis.incrBy('a', 41), 42)
      t.ok((await redis.ttl('a')) > 0)
      t.same(await redis.mGet(['a', 'none']), ['42', null])
      t.equal(await redis.hSet('h', { f: 'v', g: 'w' }), 2)
      t.same({ ...(await redis.hGetAll('h')) }, { f: 'v', g: 'w' })
      t.equal(await redis.rPush('l', ['x', 'y', 'z']), 3)
      t.same(await redis.lRange('l', 0, -1), ['x', 'y', 'z'])
      t.equal(await redis.sAdd('s', ['m', 'n', 'm']), 2)
      t.same([...(await redis.sMembers('s'))].sort(), ['m', 'n'])
      t.equal(await redis.zAdd('z', { score: 1.5, value: 'a' }), 1)
      t.equal(await redis.zScore('z', 'a'), 1.5)
      t.same(await redis.zRangeWithScores('z', 0, -1), [{ value: 'a', score: 1.5 }])
      await t.rejects(redis.lPush('a', 'x'), /^WRONGTYPE/)
      const found: string[] = []
      for await (const keys of redis.scanIterator({ MATCH: '?' })) found.push(...keys)
      t.same(found.sort(), ['a', 'h', 'l', 's', 'z'])
    },
  )

  t.test(
    `redis ${major}, RESP${RESP}: transactions, also where a watched key has changed`,
    { skip },
    async (t) => {
      const redis = await open(t, version)
      const other = await redis.duplicate().connect()
      t.teardown(() => other.destroy())
      t.same(await redis.multi().set('a', '1').incr('a').get('a').exec(), ['OK', 2, '2'])
      await redis.watch('a')
      await other.set('a', 'changed')
      await t.rejects(redis.multi().set('a', 'mine').exec(), /WATCH/i)
    },
  )

  t.test(
    `redis ${major}, RESP${RESP}: subscriptions by name and by pattern`,
    { skip },
    async (t) => {
      const redis = await open(t, version)
      const subscriber = await redis.duplicate().connect()
      t.teardown(() => subscriber.destroy())
      const messages: string[][] = []
      let all: () => void = () => {}
      const received = new Promise<void>((resolve) => {
        all = resolve
      })
      const listener = (message: string, channel: string) => {
        messages.push([channel, message])
        if (messages.length === 3) all()
      }
      await subscriber.subscribe('news', listener)
      await subscriber.pSubscribe('n*', listener)
      t.equal(await redis.publish('news', 'hello'), 2)
      t.equal(await redis.publish('none', 'bye'), 1)
      await received
      t.same(messages, [
        ['news', 'hello'],
        ['news', 'hello'],
        ['none', 'bye'],
      ])
      await subscriber.unsubscribe('news')
      await subscriber.pUnsubscribe('n*')
      t.equal(await redis.publish('news', 'late'), 0)
      t.equal(String(await subscriber.ping()), 'PONG', 'other commands are possible again')
    },
  )
}
