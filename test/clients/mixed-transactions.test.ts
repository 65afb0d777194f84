// One transaction through every protocol: documents and rows over HTTP, keys by the routes of Redis
// and Upstash, and a document of the official driver with the same lsid. Others see all or nothing.

import { type Requester, Redis as Upstash } from '@upstash/redis'
import { Redis } from 'ioredis'
import { Binary, type ClientSession, MongoClient } from 'mongodb'
import pg from 'pg'
import t, { type Test } from 'tap'
import { ask, type HttpAnswer } from '../support/http-client.js'
import { type LiveGateway, startGateway } from '../support/live-gateway.js'

/** `main` is the database of all. */
interface Room {
  readonly gateway: LiveGateway
  readonly mongo: MongoClient
  readonly redis: Redis
  readonly sql: pg.Client
  readonly upstash: (id: string) => Upstash
  readonly send: Send
}

type Send = (
  method: string,
  path: string,
  body?: unknown,
  headers?: Readonly<Record<string, string>>,
) => Promise<HttpAnswer>

async function open(t: Test): Promise<Room> {
  const gateway = await startGateway(t, { TOPOLOGY: 'router' })
  const { uri, url, key, ports } = gateway
  const mongo = await MongoClient.connect(uri)
  t.teardown(() => mongo.close())
  const redis = new Redis({ port: ports.redis ?? 0, username: 'operator', password: key })
  t.teardown(() => redis.disconnect())
  const sql = new pg.Client({
    host: '127.0.0.1',
    port: ports.sql ?? 0,
    user: 'operator',
    password: key,
    database: 'main',
  })
  await sql.connect()
  t.teardown(() => sql.end())
  const send: Send = (method, path, body, headers = {}) =>
    ask(url, {
      method,
      path,
      headers: { 'x-api-key': key, 'content-type': 'application/json', ...headers },
      ...(body === undefined ? {} : { body: JSON.stringify(body) }),
    })
  const upstash = (id: string) => new Upstash(requester(send, id))
  await sql.query('CREATE TABLE orders (id integer PRIMARY KEY, total integer)')
  await sql.query('INSERT INTO orders VALUES (1, 10)')
  await mongo.db('main').collection<Named>('people').insertOne({ _id: 'ada', age: 36 })
  await redis.set('visits', '1')
  return { gateway, mongo, redis, sql, upstash, send }
}

/** Sends the commands of a client of Upstash with the header. */
function requester(send: Send, id: string): Requester {
  return {
    request: async <T>({ path = [], body }: { path?: string[]; body?: unknown }) => {
      const { json, text } = await send('POST', `/upstash/${path.join('/')}`, body, inside(id))
      if (json.error !== undefined) throw new Error(text)
      return json as { result: T }
    },
  }
}

interface Named {
  _id: string
  age?: number
}

interface Begun {
  readonly id: string
  readonly lsid: { readonly id: string }
  readonly txnNumber: number
}

async function begin({ send }: Room, options: object = {}): Promise<Begun> {
  const { status, json } = await send('POST', '/api/v1/transactions', options)
  if (status !== 201) throw new Error(JSON.stringify(json))
  return json as unknown as Begun
}

const inside = (id: string) => ({ 'x-sigil-transaction': id })
const end = ({ send }: Room, id: string, how: 'commit' | 'abort') =>
  send('POST', `/api/v1/transactions/${id}/${how}`)

/** A session of the driver that goes on with the transaction. */
function joined(mongo: MongoClient, { lsid, txnNumber }: Begun): ClientSession {
  const session = mongo.startSession()
  session.startTransaction()
  const bytes = Buffer.from(lsid.id, 'base64')
  const inner = session as unknown as {
    serverSession: { id: object; txnNumber: number }
    transaction: { transition: (state: string) => void }
  }
  inner.serverSession.id = { id: new Binary(bytes, 4) }
  // The driver adds the one that it has noted for startTransaction.
  inner.serverSession.txnNumber = txnNumber - 1
  inner.transaction.transition('TRANSACTION_IN_PROGRESS')
  return session
}

async function writeAll(room: Room, begun: Begun): Promise<ClientSession> {
  const { send, mongo } = room
  const headers = inside(begun.id)
  const document = { document: { _id: 'ben', age: 41 } }
  const added = await send('POST', '/api/v1/collections/people/insertOne', document, headers)
  if (added.status !== 200) throw new Error(added.text)
  const query = { query: 'INSERT INTO orders VALUES ($1, $2)', params: [2, 20] }
  const row = await send('POST', '/api/v1/sql', query, headers)
  if (row.status !== 200) throw new Error(row.text)
  const key = await send('POST', '/api/v1/redis', { command: ['INCR', 'visits'] }, headers)
  if (key.status !== 200) throw new Error(key.text)
  const list = room.upstash(begun.id)
  await list.rpush('names', 'ada', 'ben')
  const session = joined(mongo, begun)
  await mongo.db('main').collection<Named>('people').insertOne({ _id: 'eve' }, { session })
  return session
}

/** What clients outside of a transaction see, each by its own protocol. */
async function seen({ mongo, redis, sql }: Room): Promise<unknown> {
  const people = await mongo
    .db('main')
    .collection<Named>('people')
    .find()
    .sort({ _id: 1 })
    .toArray()
  const { rows } = await sql.query('SELECT id FROM orders ORDER BY id')
  return {
    people: people.map(({ _id }) => _id),
    orders: rows.map(({ id }) => id),
    visits: await redis.get('visits'),
    names: await redis.lrange('names', 0, -1),
  }
}

const before = { people: ['ada'], orders: [1], visits: '1', names: [] }
const after = { people: ['ada', 'ben', 'eve'], orders: [1, 2], visits: '2', names: ['ada', 'ben'] }

t.test('what four protocols write is seen when HTTP commits', async (t) => {
  const room = await open(t)
  const begun = await begin(room)
  const session = await writeAll(room, begun)
  t.same(await seen(room), before, 'nothing before')
  const headers = inside(begun.id)
  const own = await room.send('POST', '/api/v1/collections/people/find', {}, headers)
  t.same(
    (own.json.cursor as { firstBatch: Named[] }).firstBatch.map(({ _id }) => _id),
    after.people,
  )
  const sum = { query: 'SELECT sum(total) AS s FROM orders' }
  t.match((await room.send('POST', '/api/v1/sql', sum, headers)).text, '"s":30')
  t.equal((await end(room, begun.id, 'commit')).status, 200)
  t.same(await seen(room), after)
  t.same((await end(room, begun.id, 'commit')).json, { id: begun.id, state: 'committed', ok: 1 })
  await session.endSession()
})

t.test('the driver commits what others wrote', async (t) => {
  const room = await open(t)
  const begun = await begin(room)
  const session = await writeAll(room, begun)
  await session.commitTransaction()
  t.same(await seen(room), after)
  const found = await room.send('GET', `/api/v1/transactions/${begun.id}`)
  t.match(found.json, { id: begun.id, state: 'committed', ok: 1 })
  await session.endSession()
})

t.test('an abort leaves nothing', async (t) => {
  const room = await open(t)
  const begun = await begin(room)
  await writeAll(room, begun)
  t.same((await end(room, begun.id, 'abort')).json, { id: begun.id, state: 'aborted', ok: 1 })
  t.same(await seen(room), before)
  const again = await end(room, begun.id, 'abort')
  t.match([again.status, again.json], [404, { code: 251, codeName: 'NoSuchTransaction' }])
  const late = await room.send('POST', '/api/v1/redis', { command: ['GET', 'a'] }, inside(begun.id))
  t.match([late.status, late.json], [404, { code: 251 }])
})

const plainWrites: Readonly<Record<string, (room: Room) => Promise<unknown>>> = {
  'a document of the driver': ({ mongo }) =>
    mongo.db('main').collection<Named>('people').insertOne({ _id: 'eve', age: 1 }),
  'a row of psql': ({ sql }) => sql.query('INSERT INTO orders VALUES (2, 99)'),
  'a key of redis-cli': ({ redis }) => redis.incr('visits'),
  'a document over HTTP': ({ send }) =>
    send('POST', '/api/v1/collections/people/insertOne', { document: { _id: 'ben' } }),
}

for (const [what, write] of Object.entries(plainWrites)) {
  t.test(`${what} that is written meanwhile wins, and a second try succeeds`, async (t) => {
    const room = await open(t)
    const begun = await begin(room)
    await writeAll(room, begun)
    await write(room)
    const told = await end(room, begun.id, 'commit')
    t.match([told.status, told.json], [409, { ok: 0, code: 112, codeName: 'WriteConflict' }])
    t.same(told.json.errorLabels, ['TransientTransactionError'])
    t.equal((await end(room, begun.id, 'commit')).status, 404)
    const alone = await seen(room)
    t.notSame(alone, after)
    const again = await begin(room)
    const key = { command: ['INCRBY', 'visits', '5'] }
    t.equal((await room.send('POST', '/api/v1/redis', key, inside(again.id))).status, 200)
    const query = { query: 'UPDATE orders SET total = total + 1' }
    t.equal((await room.send('POST', '/api/v1/sql', query, inside(again.id))).status, 200)
    t.equal((await end(room, again.id, 'commit')).status, 200)
    t.same(await room.redis.get('visits'), what.startsWith('a key') ? '7' : '6')
  })
}

t.test('a conflict that a statement meets ends the transaction for every protocol', async (t) => {
  const room = await open(t)
  const begun = await begin(room)
  const headers = inside(begun.id)
  await room.send('POST', '/api/v1/redis', { command: ['GET', 'visits'] }, headers)
  await room.redis.set('visits', '5')
  const lost = await room.send('POST', '/api/v1/redis', { command: ['INCR', 'visits'] }, headers)
  t.match([lost.status, lost.json], [409, { code: 112, codeName: 'WriteConflict' }])
  t.match(lost.json, { errmsg: /^TRYAGAIN/, errorLabels: ['TransientTransactionError'] })
  const sql = await room.send('POST', '/api/v1/sql', { query: 'SELECT 1' }, headers)
  t.match([sql.status, sql.json], [404, { code: 251, sqlState: '25P01' }])
  const session = joined(room.mongo, begun)
  const found = room.mongo.db('main').collection('people').findOne({}, { session })
  await t.rejects(found, { code: 251, codeName: 'NoSuchTransaction' })
  t.equal(await room.redis.get('visits'), '5')
})

t.test(
  'blocked clients and key events get what a transaction commits, and only then',
  async (t) => {
    const room = await open(t)
    await room.redis.config('SET', 'notify-keyspace-events', 'KEA')
    const listener = room.redis.duplicate()
    const blocked = room.redis.duplicate()
    t.teardown(() => {
      listener.disconnect()
      blocked.disconnect()
    })
    const events: string[] = []
    listener.on('pmessage', (_pattern: string, channel: string) => events.push(channel))
    await listener.psubscribe('__keyevent@0__:rpush')
    await blocked.ping()
    const served = blocked.blpop('queue', 0)
    const begun = await begin(room)
    const headers = inside(begun.id)
    await room.send('POST', '/api/v1/redis', { command: ['RPUSH', 'queue', 'job'] }, headers)
    await room.redis.ping()
    t.same(events, [])
    t.equal((await end(room, begun.id, 'commit')).status, 200)
    t.same(await served, ['queue', 'job'])
    await listener.ping()
    t.same(events, ['__keyevent@0__:rpush'])
  },
)
