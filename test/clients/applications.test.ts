// Applications of the key-value protocol that need no scripts: an adapter between socket servers,
// caches, subscriptions of GraphQL and the queue of jobs. Each runs on Sigil, and on a real server
// where one is installed, so that the expectations are the peer's.

import { createServer, type Server as HttpServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { Redis } from 'ioredis'
import t, { type Test } from 'tap'
import { RedisServer, redisServerMissing } from '../protocol/resp/redis-server.js'
import { startGateway } from '../support/live-gateway.js'
import { until } from '../support/shared-pair.js'
import { loadTool, toolMissing } from '../support/tools.js'

/** Where the key-value protocol answers. */
interface Peer {
  readonly url: string
  connect(): Redis
}

type Run = (t: Test, peer: Peer) => Promise<void>

const load = async <T>(name: string): Promise<T> => (await loadTool('applications', name)) as T

interface Keyv {
  set(key: string, value: unknown, ttl?: number): Promise<boolean>
  get(key: string | string[]): Promise<unknown>
  has(key: string): Promise<boolean>
  delete(key: string | string[]): Promise<boolean>
  clear(): Promise<void>
  disconnect(): Promise<void>
  iterator(namespace: string): AsyncIterable<[string, unknown]>
}

async function openKeyv(peer: Peer, namespace: string): Promise<Keyv> {
  type Store = new (url: string, options: object) => object
  const { Keyv } = await load<{ Keyv: new (store: object, options: object) => Keyv }>('keyv')
  const { default: KeyvRedis } = await load<{ default: Store }>('@keyv/redis')
  return new Keyv(new KeyvRedis(peer.url, { namespace }), { namespace })
}

const keyv: Run = async (t, peer) => {
  const cache = await openKeyv(peer, 'cache')
  const other = await openKeyv(peer, 'other')
  t.equal(await cache.set('a', { x: [1, 'é'] }), true)
  t.same(await cache.get('a'), { x: [1, 'é'] })
  await cache.set('brief', 1, 1)
  await until(async () => (await cache.get('brief')) === undefined)
  await cache.set('b', 2, 60_000)
  await other.set('a', 'untouched')
  t.same(await cache.get(['a', 'none', 'b']), [{ x: [1, 'é'] }, undefined, 2])
  t.same([await cache.has('a'), await cache.has('none')], [true, false])
  const entries: [string, unknown][] = []
  for await (const entry of cache.iterator('cache')) entries.push(entry)
  t.same(entries.sort(), [
    ['a', { x: [1, 'é'] }],
    ['b', 2],
  ])
  t.equal(await cache.delete('a'), true)
  t.equal(await cache.get('a'), undefined)
  await cache.clear()
  t.equal(await cache.get('b'), undefined)
  t.equal(await other.get('a'), 'untouched')
  for (const one of [cache, other]) await one.disconnect()
}

interface Cache {
  set(key: string, value: unknown, ttl?: number): Promise<unknown>
  get(key: string): Promise<unknown>
  mget(keys: string[]): Promise<unknown[]>
  mset(entries: { key: string; value: unknown; ttl?: number }[]): Promise<unknown>
  ttl(key: string): Promise<number>
  del(key: string): Promise<boolean>
  mdel(keys: string[]): Promise<boolean>
  wrap(key: string, make: () => Promise<unknown>): Promise<unknown>
  clear(): Promise<boolean>
  disconnect(): Promise<void>
}

const cacheManager: Run = async (t, peer) => {
  type Create = (options: object) => Cache
  const { createCache } = await load<{ createCache: Create }>('cache-manager')
  const cache = createCache({ stores: [await openKeyv(peer, 'manager')], ttl: 60_000 })
  await cache.set('k', 'v')
  t.same(await cache.mget(['k', 'none']), ['v', undefined])
  await cache.mset([
    { key: 'm', value: 1 },
    { key: 'n', value: { two: 2 }, ttl: 90_000 },
  ])
  t.same(await cache.get('n'), { two: 2 })
  t.ok((await cache.ttl('n')) > Date.now())
  let made = 0
  const make = async () => ({ made: ++made })
  t.same(await Promise.all([1, 2, 3].map(() => cache.wrap('w', make))), Array(3).fill({ made: 1 }))
  t.same(await cache.wrap('w', make), { made: 1 })
  t.equal(await cache.del('k'), true)
  t.equal(await cache.mdel(['m']), true)
  t.same(await cache.mget(['k', 'm']), [undefined, undefined])
  await cache.clear()
  t.equal(await cache.get('n'), undefined)
  await cache.disconnect()
}

interface PubSub {
  publish(channel: string, message: unknown): Promise<void>
  subscribe(
    channel: string,
    onMessage: (message: unknown) => void,
    options?: object,
  ): Promise<number>
  unsubscribe(id: number): void
  asyncIterator(channel: string): AsyncIterator<unknown>
  close(): Promise<unknown>
}

const subscriptions: Run = async (t, peer) => {
  type Class = new (options: object) => PubSub
  const { RedisPubSub } = await load<{ RedisPubSub: Class }>('graphql-redis-subscriptions')
  const watch = peer.connect()
  const pubsub = new RedisPubSub({ publisher: peer.connect(), subscriber: peer.connect() })
  const seen: unknown[] = []
  const id = await pubsub.subscribe('posts', (message) => seen.push(message))
  await pubsub.subscribe('likes.*', (message) => seen.push(message), { pattern: true })
  const listeners = async (channel: string) => (await watch.pubsub('NUMSUB', channel))[1]
  const comments = pubsub.asyncIterator('comments')
  const next = comments.next()
  await until(async () => (await listeners('comments')) === 1)
  await pubsub.publish('posts', { id: 1 })
  await pubsub.publish('likes.7', { by: 'ada' })
  await pubsub.publish('comments', { text: 'ö' })
  t.same(await next, { value: { text: 'ö' }, done: false })
  // One connection receives in order, so all that was published before is here too.
  t.same(seen, [{ id: 1 }, { by: 'ada' }])
  await comments.return?.()
  pubsub.unsubscribe(id)
  await until(async () => (await listeners('posts')) === 0)
  await pubsub.close()
  watch.disconnect()
}

interface Socket {
  readonly id: string
  on(event: string, run: (...args: never[]) => void): void
  close(): void
}

interface SocketServer extends Socket {
  emit(event: string, ...args: unknown[]): void
  in(room: string): SocketServer
  to(room: string): SocketServer
  timeout(ms: number): SocketServer
  emitWithAck(event: string, ...args: unknown[]): Promise<unknown[]>
  serverSideEmitWithAck(event: string, ...args: unknown[]): Promise<unknown[]>
  fetchSockets(): Promise<readonly { readonly id: string; readonly rooms: Set<string> }[]>
  socketsJoin(room: string): void
  disconnectSockets(): void
  of(namespace: string): { readonly adapter: { serverCount(): Promise<number> } }
}

const sockets: Run = async (t, peer) => {
  type Make = new (http: HttpServer, options: object) => SocketServer
  type Connect = (url: string, options: object) => Socket
  const { Server } = await load<{ Server: Make }>('socket.io')
  const { io } = await load<{ io: Connect }>('socket.io-client')
  const adapters = await load<{ createAdapter(publisher: Redis, subscriber: Redis): object }>(
    '@socket.io/redis-adapter',
  )
  const open = async () => {
    const http = createServer()
    const connections = [peer.connect(), peer.connect()] as const
    const server = new Server(http, { adapter: adapters.createAdapter(...connections) })
    await new Promise<void>((resolve) => http.listen(0, '127.0.0.1', resolve))
    const { port } = http.address() as AddressInfo
    const client = io(`http://127.0.0.1:${port}`, { transports: ['websocket'] })
    await new Promise<void>((resolve) => client.on('connect', resolve))
    return { server, client, connections }
  }
  const one = await open()
  const two = await open()
  const { adapter } = one.server.of('/')
  await until(async () => (await adapter.serverCount()) === 2)
  const heard = (socket: Socket, event: string) =>
    new Promise((resolve) => {
      socket.on(event, resolve)
    })
  const all = [heard(one.client, 'news'), heard(two.client, 'news')]
  one.server.emit('news', { text: 'für alle', bytes: Buffer.from([0, 255]) })
  for (const message of await Promise.all(all)) {
    t.same(message, { text: 'für alle', bytes: Buffer.from([0, 255]) })
  }
  one.server.in(two.client.id).socketsJoin('room')
  await until(async () => (await one.server.fetchSockets()).some(({ rooms }) => rooms.has('room')))
  const inRoom = heard(two.client, 'room')
  one.server.to('room').emit('room', 'x')
  t.equal(await inRoom, 'x')
  two.server.on('add', (n: number, answer: (sum: number) => void) => answer(n + 1))
  t.same(await one.server.serverSideEmitWithAck('add', 41), [42])
  for (const { client } of [one, two]) {
    client.on('ask', (answer: (id: string | undefined) => void) => answer(client.id))
  }
  const answers = await one.server.timeout(10_000).emitWithAck('ask')
  t.same(answers.sort(), [one.client.id, two.client.id].sort())
  const gone = heard(two.client, 'disconnect')
  one.server.disconnectSockets()
  t.equal(await gone, 'io server disconnect')
  for (const { server, client, connections } of [one, two]) {
    client.close()
    server.close()
    for (const connection of connections) connection.disconnect()
  }
}

interface Queue {
  connect(): Promise<void>
  end(): Promise<void>
  enqueue(queue: string, job: string, args: unknown[]): Promise<boolean>
  enqueueIn(ms: number, queue: string, job: string, args: unknown[]): Promise<boolean>
  queues(): Promise<string[]>
  length(queue: string): Promise<number>
  queued(queue: string, start: number, stop: number): Promise<readonly { args: unknown[] }[]>
  scheduledAt(queue: string, job: string, args: unknown[]): Promise<number[]>
  delDelayed(queue: string, job: string, args: unknown[]): Promise<number[]>
  del(queue: string, job: string, args: unknown[]): Promise<number>
  delQueue(queue: string): Promise<void>
  failedCount(): Promise<number>
  locks(): Promise<object>
  stats(): Promise<object>
}

const jobs: Run = async (t, peer) => {
  const { Queue } = await load<{ Queue: new (options: object) => Queue }>('node-resque')
  const redis = peer.connect()
  const queue = new Queue({ connection: { redis } })
  await queue.connect()
  for (const n of [1, 2, 3]) t.equal(await queue.enqueue('math', 'add', [n, n]), true)
  t.equal(await queue.enqueue('mail', 'send', ['é']), true)
  t.same((await queue.queues()).sort(), ['mail', 'math'])
  t.equal(await queue.length('math'), 3)
  const args = (await queue.queued('math', 0, -1)).map((job) => job.args)
  t.same(
    args,
    [1, 2, 3].map((n) => [n, n]),
  )
  t.equal(await queue.del('math', 'add', [2, 2]), 1)
  t.equal(await queue.length('math'), 2)
  t.equal(await queue.enqueueIn(3_600_000, 'mail', 'send', ['later']), true)
  t.equal((await queue.scheduledAt('mail', 'send', ['later'])).length, 1)
  t.equal((await queue.delDelayed('mail', 'send', ['later'])).length, 1)
  t.same(await queue.scheduledAt('mail', 'send', ['later']), [])
  t.same([await queue.failedCount(), await queue.locks(), await queue.stats()], [0, {}, {}])
  await queue.delQueue('math')
  t.same(await queue.queues(), ['mail'])
  await queue.end()
  redis.disconnect()
}

const applications = { keyv, cacheManager, subscriptions, sockets, jobs }

async function runAll(t: Test, peer: Peer): Promise<void> {
  for (const [name, run] of Object.entries(applications)) {
    await t.test(name, (t) => run(t, peer))
  }
}

const missing = await toolMissing('applications')
t.test('on Sigil', { skip: missing }, async (t) => {
  const { ports, key } = await startGateway(t)
  const url = `redis://operator:${key}@127.0.0.1:${ports.redis}`
  await runAll(t, { url, connect: () => new Redis({ port: ports.redis, password: key }) })
})

const skip = missing === false ? ((await redisServerMissing()) ?? false) : missing
t.test('on the real server', { skip }, async (t) => {
  const server = await RedisServer.open()
  t.teardown(() => server.close())
  const url = `redis://127.0.0.1:${server.port}`
  await runAll(t, { url, connect: () => new Redis({ port: server.port }) })
})
