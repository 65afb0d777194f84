// Commands of thousands of keys, members or documents that read ahead: few statements in all, where
// one for each would hold up the other writes of their gateway.

import type { Redis } from 'ioredis'
import type { Collection } from 'mongodb'
import t from 'tap'
import { Link } from '../../../src/store/postgres/link.js'
import { startGateway } from '../../support/live-gateway.js'
import { postgresMissing } from '../../support/postgres-reference.js'
import { mongoOn, redisOn } from '../../support/shared-pair.js'
import { sharedAddress } from '../../support/shared-stores.js'

/** Keys and members are more than a write program may change, so some commands are prepared. */
const count = 2_000
const documentCount = 800
/** Far below one for each, and above what the background jobs read meanwhile. */
const statementsMax = documentCount / 10

interface Counted {
  readonly _id: number
  readonly n: number
  readonly u: number
}

type Act = readonly [name: string, act: () => Promise<unknown>]

const names = Array.from({ length: count }, (_, i) => `k${i}`)
const others = names.map((name) => `other ${name}`)
const ids = Array.from({ length: documentCount }, (_, i) => i)

t.test('large commands that read ahead', { skip: postgresMissing }, async (t) => {
  const gateway = await startGateway(t, { STORE: await sharedAddress(t), DURABILITY: 'none' })
  const documents = (await mongoOn(t, gateway)).db('main').collection<Counted>('c')
  await documents.createIndex({ n: 1 })
  await documents.createIndex({ u: 1 }, { unique: true })
  const keys = redisOn(t, gateway)
  const acts = [...keyActs(keys), ...memberActs(keys), ...documentActs(documents)]
  for (const [name, act] of acts) {
    const before = sent
    await act()
    t.ok(sent - before < statementsMax, `${name}: ${sent - before} statements read`)
  }
})

function keyActs(keys: Redis): Act[] {
  const pairs = names.flatMap((name, i) => [name, i])
  return [
    ['MSET of new keys', () => keys.mset(pairs)],
    ['MSET of existing keys', () => keys.mset(pairs)],
    ['MSETNX', () => keys.msetnx(others.flatMap((name) => [name, 'v']))],
    ['MGET', () => keys.mget(names)],
    ['EXISTS', () => keys.exists(...names)],
    ['TOUCH', () => keys.touch(...names)],
    ['DEL', () => keys.del(...names)],
    ['UNLINK', () => keys.unlink(...others)],
  ]
}

function memberActs(keys: Redis): Act[] {
  const pairs = names.flatMap((name, i) => [name, i])
  const scored = (of: readonly string[]) => of.flatMap((name, i) => [i, name])
  return [
    ['HSET of a new key', () => keys.hset('h', pairs)],
    ['HSET of existing fields', () => keys.hset('h', pairs)],
    ['HSET of new fields', () => keys.hset('h', ...others.flatMap((name) => [name, 1]))],
    ['HMGET', () => keys.hmget('h', ...names)],
    ['HRANDFIELD', () => keys.hrandfield('h', -100)],
    ['HDEL', () => keys.hdel('h', ...names)],
    ['SADD of a new key', () => keys.sadd('s', names)],
    ['SADD of existing members', () => keys.sadd('s', names)],
    ['SADD of new members', () => keys.sadd('s', others)],
    ['SMISMEMBER', () => keys.smismember('s', ...names)],
    ['SRANDMEMBER', () => keys.srandmember('s', -100)],
    ['SADD of a few', () => keys.sadd('few', names.slice(0, 400))],
    ['SINTER of few and many', () => keys.sinter('few', 's')],
    ['SREM', () => keys.srem('s', names)],
    ['ZADD of a new key', () => keys.zadd('z', ...scored(names))],
    ['ZADD of existing members', () => keys.zadd('z', ...scored([...names].reverse()))],
    ['ZADD of new members', () => keys.zadd('z', ...scored(others))],
    ['ZMSCORE', () => keys.zmscore('z', ...names)],
    ['ZADD of a few', () => keys.zadd('few z', ...scored(names.slice(0, 200)))],
    ['ZINTER of few and many', () => keys.zinter(2, 'few z', 'z')],
    ['ZDIFF of few and many', () => keys.zdiff(2, 'few z', 'z')],
    ['ZREM', () => keys.zrem('z', names)],
    ['RPUSH', () => keys.rpush('l', ...names)],
  ]
}

function documentActs(documents: Collection<Counted>): Act[] {
  const all = ids.map((i) => ({ _id: i, n: i, u: i }))
  const listed = { _id: { $in: ids } }
  const plus = { $inc: { n: 1 } }
  const each = <T>(operationOf: (i: number) => T): T[] => ids.map(operationOf)
  return [
    ['insertMany', () => documents.insertMany(all)],
    ['insertMany of duplicates', () => rejected(documents.insertMany(all, { ordered: false }))],
    ['find by many _id', () => documents.find(listed).toArray()],
    ['updateMany', () => documents.updateMany({}, plus)],
    ['updateMany by many _id', () => documents.updateMany(listed, plus)],
    [
      'many updateOne',
      () => documents.bulkWrite(each((i) => ({ updateOne: { filter: { _id: i }, update: plus } }))),
    ],
    [
      'many deleteOne',
      () => documents.bulkWrite(each((i) => ({ deleteOne: { filter: { _id: i } } }))),
    ],
    ['insertMany again', () => documents.insertMany(all)],
    ['deleteMany by many _id', () => documents.deleteMany({ _id: { $in: ids.slice(1) } })],
    ['insertMany of the rest', () => documents.insertMany(all.slice(1))],
    ['deleteMany', () => documents.deleteMany({})],
  ]
}

async function rejected(promise: Promise<unknown>): Promise<void> {
  await promise.then(
    () => t.fail('duplicates were inserted'),
    () => undefined,
  )
}

let sent = 0
/** What reads records, members and entries. */
const reading = new Set(['points', 'scan_up', 'scan_down', 'fetch_up', 'fetch_down'])
const { run } = Link.prototype
Link.prototype.run = function (statement, values) {
  if (reading.has(statement.name)) sent++
  return run.call(this, statement, values)
}
t.teardown(() => {
  Link.prototype.run = run
})
