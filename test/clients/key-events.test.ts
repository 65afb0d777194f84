// Keyspace events of keys that are written as documents, by a driver or SQL, as ioredis hears them.
// (Redis, Keyspace notifications; docs/key-value.md, "Keyspace events")

import { Redis } from 'ioredis'
import { Binary, MongoClient } from 'mongodb'
import pg from 'pg'
import t, { type Test } from 'tap'
import { type LiveGateway, startGateway } from '../support/live-gateway.js'
import { testWallet } from '../support/wallet.js'
import { WalletClient } from '../support/wallet-client.js'

interface KeyDocument {
  readonly _id: string | Binary
  readonly type: string
  readonly value: unknown
  readonly expiresAt?: Date
}

/** Hears all events of the keys; `until` answers those before a key is deleted that marks the end. */
class Ear {
  private readonly heard: string[] = []
  private ends = 0

  private constructor(
    redis: Redis,
    private readonly other: Redis,
  ) {
    redis.on('pmessage', (_pattern, channel, payload) => {
      this.heard.push(`${channel.replace(/^__key|__/g, '')} ${payload}`)
      this.wake?.()
    })
  }

  private wake: (() => void) | undefined

  static async open(t: Test, login: () => Redis, letters = 'KEA'): Promise<Ear> {
    const [redis, other] = [login(), login()]
    t.teardown(() => {
      redis.disconnect()
      other.disconnect()
    })
    await redis.psubscribe('__keyspace@*')
    if (letters !== '') await other.config('SET', 'notify-keyspace-events', letters)
    return new Ear(redis, other)
  }

  async told(): Promise<string[]> {
    const end = `space@0:end${this.ends++}`
    await this.other.set(end.slice('space@0:'.length), 'x')
    const isEnd = (text: string) => text.startsWith(end)
    while (!this.heard.some(isEnd)) {
      await new Promise<void>((resolve) => {
        this.wake = resolve
      })
    }
    const found = this.heard.splice(0, this.heard.findIndex(isEnd) + 1)
    return found.slice(0, -1)
  }
}

function operatorOf({ ports, key }: LiveGateway): () => Redis {
  return () => new Redis({ port: ports.redis, username: 'operator', password: key })
}

async function keysOf(t: Test, { uri }: LiveGateway, database = 'main') {
  const client = await MongoClient.connect(uri)
  t.teardown(() => client.close())
  const keys = client.db(database).collection<KeyDocument>('kv0')
  return { client, keys }
}

const later = new Date('2030-01-01')

t.test('each write of a document tells the event of its type', async (t) => {
  const gateway = await startGateway(t)
  const { keys } = await keysOf(t, gateway)
  const ear = await Ear.open(t, operatorOf(gateway))
  await keys.insertMany([
    { _id: 's', type: 'string', value: 'x' },
    { _id: 'l', type: 'list', value: ['x'] },
    { _id: 'm', type: 'set', value: ['x'] },
    { _id: 'z', type: 'zset', value: [{ member: 'x', score: 1 }] },
    { _id: 'h', type: 'hash', value: { f: 'x' } },
    { _id: 't', type: 'string', value: 'x', expiresAt: later },
  ])
  const kinds = ['s set', 'l rpush', 'm sadd', 'z zadd', 'h hset', 't set', 't expire']
  t.same(
    await ear.told(),
    kinds.map((kind) => `space@0:${kind}`),
  )
  await keys.updateOne({ _id: 's' }, { $set: { value: 'y' } })
  await keys.updateOne({ _id: 's' }, { $set: { value: 'y' } })
  await keys.updateOne({ _id: 's' }, { $set: { expiresAt: later } })
  await keys.updateOne({ _id: 's' }, { $unset: { expiresAt: '' } })
  await keys.replaceOne({ _id: 't' }, { type: 'hash', value: { f: 'x' } })
  await keys.findOneAndUpdate({ _id: 'l' }, { $push: { value: 'y' } } as object)
  await keys.deleteOne({ _id: 'h' })
  await keys.findOneAndDelete({ _id: 'm' })
  await keys.updateOne({ _id: 'up' }, { $set: { type: 'string', value: '1' } }, { upsert: true })
  const changes = [
    's set',
    's expire',
    's persist',
    't hset',
    'l rpush',
    'h del',
    'm del',
    'up set',
  ]
  t.same(
    await ear.told(),
    changes.map((kind) => `space@0:${kind}`),
  )
  await keys.deleteMany({ _id: { $in: ['l', 's'] } })
  t.same((await ear.told()).sort(), ['space@0:l del', 'space@0:s del'])
})

t.test('SQL tells the same, and a refused write tells nothing', async (t) => {
  const gateway = await startGateway(t)
  const { keys } = await keysOf(t, gateway)
  const ear = await Ear.open(t, operatorOf(gateway))
  const { ports, key: password } = gateway
  const sql = new pg.Client({
    ...{ host: '127.0.0.1', port: ports.sql, user: 'operator', password, database: 'main' },
  })
  await sql.connect()
  t.teardown(() => sql.end())
  await sql.query("INSERT INTO kv0 (_id, type, value) VALUES ('a', 'string', '1')")
  await sql.query("UPDATE kv0 SET value = '2' WHERE _id = 'a'")
  await t.rejects(sql.query("INSERT INTO kv0 (_id, type, value) VALUES ('b', 'nosuch', '1')"))
  await t.rejects(keys.insertOne({ _id: 'a', type: 'string', value: 'taken' }))
  await sql.query("DELETE FROM kv0 WHERE _id = 'a'")
  t.same(await ear.told(), ['space@0:a set', 'space@0:a set', 'space@0:a del'])
})

t.test('a transaction tells at its commit, and nothing when it is aborted', async (t) => {
  const gateway = await startGateway(t)
  const { client, keys } = await keysOf(t, gateway)
  const ear = await Ear.open(t, operatorOf(gateway))
  const session = client.startSession()
  t.teardown(() => session.endSession())
  session.startTransaction()
  await keys.insertOne({ _id: 'a', type: 'string', value: '1' }, { session })
  await keys.updateOne({ _id: 'a' }, { $set: { value: '2' } }, { session })
  t.same(await ear.told(), [])
  await session.commitTransaction()
  t.same(await ear.told(), ['space@0:a set', 'space@0:a set'])
  session.startTransaction()
  await keys.deleteOne({ _id: 'a' }, { session })
  await session.abortTransaction()
  t.same(await ear.told(), [])
})

t.test('the letters choose, and names are bytes', async (t) => {
  const gateway = await startGateway(t)
  const { keys } = await keysOf(t, gateway)
  const ear = await Ear.open(t, operatorOf(gateway), 'K$n')
  await keys.insertOne({ _id: 'a', type: 'string', value: '1', expiresAt: later })
  await keys.insertOne({ _id: 'h', type: 'hash', value: { f: 'x' } })
  const told = (await ear.told()).filter((text) => !text.endsWith('new') || !text.includes('end'))
  t.same(told, ['space@0:a new', 'space@0:a set', 'space@0:h new'])
  const redis = operatorOf(gateway)()
  t.teardown(() => redis.disconnect())
  const names: Buffer[] = []
  const heard = new Promise<void>((resolve) => {
    redis.on('messageBuffer', (_channel, payload: Buffer) => {
      names.push(payload)
      resolve()
    })
  })
  await redis.subscribe('__keyevent@0__:set')
  const other = operatorOf(gateway)()
  t.teardown(() => other.disconnect())
  await other.config('SET', 'notify-keyspace-events', 'E$')
  const odd = Buffer.from([0xff, 0x00, 0x61])
  await keys.insertOne({ _id: new Binary(odd), type: 'string', value: '1' })
  await heard
  t.same(names, [odd])
})

t.test('an expired key that a document replaces tells of both', async (t) => {
  const gateway = await startGateway(t)
  const { keys } = await keysOf(t, gateway)
  const ear = await Ear.open(t, operatorOf(gateway))
  const past = new Date(0)
  await keys.insertOne({ _id: 'a', type: 'string', value: '1', expiresAt: past })
  await keys.insertOne({ _id: 'a', type: 'string', value: '2' })
  t.same(
    await ear.told(),
    ['a set', 'a expire', 'a expired', 'a set'].map((x) => `space@0:${x}`),
  )
})

t.test('only readers of the database hear, in its space alone', async (t) => {
  const gateway = await startGateway(t)
  const { ports } = gateway
  const alice = await WalletClient.signIn(gateway.url, testWallet('alice'))
  const made = await alice.issue()
  const login = () =>
    new Redis({ port: ports.redis, username: made.connection.user, password: made.apiKey })
  const operator = await Ear.open(t, operatorOf(gateway))
  const own = await Ear.open(t, login, '')
  const { keys } = await keysOf(t, gateway)
  await keys.insertOne({ _id: 'in main', type: 'string', value: '1' })
  const home = `w_${alice.wallet.address.toLowerCase()}`
  const path = `/api/v1/collections/kv0/insertOne?database=${home}`
  const document = { _id: 'at home', type: 'string', value: '1' }
  t.equal((await alice.send('POST', path, { document })).status, 200)
  t.same(await own.told(), ['space@0:at home set'])
  t.same(await operator.told(), ['space@0:in main set'])
})
