// Publish and subscribe, keyspace events and LISTEN reach the clients of another gateway: all
// messages of one publisher, in its order, equal ones and large ones too.

import pg from 'pg'
import t, { type Test } from 'tap'
import { testKey } from '../support/gateway.js'
import type { LiveGateway } from '../support/live-gateway.js'
import { postgresMissing } from '../support/postgres-reference.js'
import { openPair, redisOn, until } from '../support/shared-pair.js'

t.test('publish and subscribe', { skip: postgresMissing }, async (t) => {
  const { gateways } = await openPair(t)
  const [one, two] = gateways
  const publisher = redisOn(t, one)
  const subscriber = redisOn(t, two)
  const here = redisOn(t, one)
  const [received, receivedHere] = [[] as string[], [] as string[]]
  subscriber.on('message', (_, text: string) => received.push(text))
  subscriber.on('pmessage', (pattern: string, _, text: string) =>
    received.push(`${pattern} ${text.slice(0, 9)}`),
  )
  here.on('message', (_, text: string) => receivedHere.push(text))
  await subscriber.subscribe('news')
  await subscriber.psubscribe('l*ge')
  await here.subscribe('news')
  t.equal(await publisher.publish('news', 'same'), 1, 'the count is of the own gateway')
  t.equal(await publisher.publish('news', 'same'), 1)
  const texts = Array.from({ length: 300 }, (_, n) => `${n} ${'x'.repeat(n)}`)
  const pipeline = publisher.pipeline()
  for (const text of texts) pipeline.publish('news', text)
  await pipeline.exec()
  await publisher.publish('large', 'y'.repeat(3_000_000))
  await publisher.publish('news', 'last')
  const all = ['same', 'same', ...texts]
  await until(async () => received.length >= all.length + 2)
  t.same(received, [...all, 'l*ge yyyyyyyyy', 'last'])
  t.same(receivedHere, [...all, 'last'])
  t.same(await publisher.pubsub('NUMSUB', 'news', 'l'), ['news', 1, 'l', 0])
  t.same(await redisOn(t, two).pubsub('NUMPAT'), 1)
  t.same(await publisher.pubsub('NUMPAT'), 0)
})

t.test('keyspace events', { skip: postgresMissing }, async (t) => {
  const { gateways, third } = await openPair(t)
  const [one, two] = gateways
  const writer = redisOn(t, one)
  const subscriber = redisOn(t, two)
  const received: string[] = []
  subscriber.on('message', (channel: string, text: string) => received.push(`${channel} ${text}`))
  await subscriber.subscribe('__keyevent@0__:set', '__keyevent@0__:del')
  await writer.config('SET', 'notify-keyspace-events', 'KEA')
  await writer.set('k', 1)
  const other = redisOn(t, two)
  await until(async () => String(await other.config('GET', 'notify-keyspace-events')).includes('A'))
  await other.del('k')
  await until(async () => received.length >= 2)
  t.same(received, ['__keyevent@0__:set k', '__keyevent@0__:del k'])
  const late = redisOn(t, await third())
  await until(async () => String(await late.config('GET', 'notify-keyspace-events')).includes('A'))
  await late.set('late', 1)
  await until(async () => received.length >= 3)
  t.equal(received[2], '__keyevent@0__:set late')
})

t.test('LISTEN and NOTIFY', { skip: postgresMissing }, async (t) => {
  const { gateways } = await openPair(t)
  const [one, two] = gateways
  const notifier = await sqlOn(t, one)
  const listener = await sqlOn(t, two)
  const received: string[] = []
  listener.on('notification', ({ channel, payload = '', processId }) =>
    received.push(`${channel} ${payload} ${processId}`),
  )
  await listener.query('LISTEN jobs')
  await notifier.query("NOTIFY jobs, 'a'")
  await notifier.query('BEGIN')
  await notifier.query("NOTIFY jobs, 'never'")
  await notifier.query('ROLLBACK')
  await notifier.query("BEGIN; NOTIFY jobs, 'b'; NOTIFY jobs, 'c'; COMMIT")
  await redisOn(t, one).publish('jobs', 'd')
  await until(async () => {
    await listener.query('SELECT 1')
    return received.length >= 4
  })
  t.same(received, ['jobs a 0', 'jobs b 0', 'jobs c 0', 'jobs d 0'])
})

async function sqlOn(t: Test, { ports }: LiveGateway): Promise<pg.Client> {
  const client = new pg.Client({
    connectionString: `postgres://operator:${testKey}@127.0.0.1:${ports.sql}/main`,
  })
  await client.connect()
  t.teardown(() => client.end())
  return client
}
