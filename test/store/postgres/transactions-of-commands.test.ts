// Commands of one document, key or row: each takes one transaction of PostgreSQL, and a write asks
// for all that it reads in one round trip. A read is one statement, without BEGIN and COMMIT. Each
// transaction asks for the descriptor of the collection or checks it, so these are counted: what
// jobs read meanwhile is left out.

import type { Redis } from 'ioredis'
import type { Collection } from 'mongodb'
import pg from 'pg'
import t from 'tap'
import { Link } from '../../../src/store/postgres/link.js'
import { testKey } from '../../support/gateway.js'
import { startGateway } from '../../support/live-gateway.js'
import { postgresMissing } from '../../support/postgres-reference.js'
import { mongoOn, redisOn } from '../../support/shared-pair.js'
import { sharedAddress } from '../../support/shared-stores.js'

interface Counted {
  readonly _id: number
  readonly n: number
}

/** Runs it for a number that no other run has; `transactions` of one run, if that is not 1. */
type Act = readonly [name: string, act: (id: number) => Promise<unknown>, transactions?: number]

const runs = 20
/** A group that loses against a job of the gateway runs again. */
const spare = 3

t.test('commands of one document, key or row', { skip: postgresMissing }, async (t) => {
  const gateway = await startGateway(t, { STORE: await sharedAddress(t), DURABILITY: 'none' })
  const documents = (await mongoOn(t, gateway)).db('main').collection<Counted>('c')
  const keys = redisOn(t, gateway)
  const login = { user: 'operator', password: testKey, database: 'main' }
  const sql = new pg.Client({ ...login, host: '127.0.0.1', port: gateway.ports.sql })
  await sql.connect()
  t.teardown(() => sql.end())
  const acts = [...documentActs(documents), ...keyActs(keys), ...sqlActs(sql)]
  for (const [name, act, transactions = 1] of acts) {
    // The first one may make the collection.
    await act(runs)
    begun = 0
    asked = 0
    for (let id = 0; id < runs; id++) await act(id)
    const most = runs * transactions + spare
    t.ok(begun >= runs && begun <= most, `${name}: ${begun} transactions of ${runs} runs`)
    if (transactions === 1) t.ok(asked <= most, `${name}: ${asked} reads of write groups`)
  }
})

function documentActs(c: Collection<Counted>): Act[] {
  const plus = { $inc: { n: 1 } }
  return [
    ['insertOne', (_id) => c.insertOne({ _id, n: 1 })],
    ['updateOne', (_id) => c.updateOne({ _id }, plus)],
    ['replaceOne', (_id) => c.replaceOne({ _id }, { n: 5 })],
    ['an upsert that adds', (_id) => c.updateOne({ _id: _id + 100 }, plus, { upsert: true })],
    ['an upsert that changes', (_id) => c.updateOne({ _id: _id + 100 }, plus, { upsert: true })],
    ['findOneAndUpdate', (_id) => c.findOneAndUpdate({ _id }, plus)],
    ['findOne', (_id) => c.findOne({ _id })],
    ['countDocuments', (_id) => c.countDocuments({ _id })],
    ['aggregate', (_id) => c.aggregate([{ $match: { _id } }]).toArray()],
    // One to search, one to change.
    ['updateOne by another field', () => c.updateOne({ n: { $gt: 0 } }, plus), 2],
    ['findOneAndDelete', (_id) => c.findOneAndDelete({ _id })],
    ['deleteOne', (_id) => c.deleteOne({ _id: _id + 100 })],
  ]
}

t.test('insertMany of 1,000 documents', { skip: postgresMissing }, async (t) => {
  const gateway = await startGateway(t, { STORE: await sharedAddress(t), DURABILITY: 'none' })
  const documents = (await mongoOn(t, gateway)).db('main').collection<Counted>('c')
  await documents.createIndex({ n: 1 })
  await documents.createIndex({ n: -1 })
  begun = 0
  for (let run = 0; run < 5; run++) {
    await documents.insertMany(
      Array.from({ length: 1_000 }, (_, i) => ({ _id: 1_000 * run + i, n: i })),
    )
  }
  t.ok(begun >= 5 && begun <= 5 + spare, `${begun} transactions of 5 runs`)
})

t.test('updateMany and deleteMany of 5,000 documents', { skip: postgresMissing }, async (t) => {
  const gateway = await startGateway(t, { STORE: await sharedAddress(t), DURABILITY: 'none' })
  const documents = (await mongoOn(t, gateway)).db('main').collection<Counted>('c')
  await documents.insertMany(Array.from({ length: 5_000 }, (_, _id) => ({ _id, n: 1 })))
  const acts: readonly Act[] = [
    ['updateMany', () => documents.updateMany({}, { $inc: { n: 1 } })],
    ['deleteMany', () => documents.deleteMany({})],
  ]
  for (const [name, act] of acts) {
    begun = 0
    await act(0)
    // Ten reads and ten programs of 500, and a few smaller ones at first.
    t.ok(begun >= 20 && begun <= 30, `${name}: ${begun} transactions`)
  }
})

function keyActs(keys: Redis): Act[] {
  return [
    ['SET', (i) => keys.set('text', i)],
    ['GET', () => keys.get('text')],
    ['INCR', () => keys.incr('text')],
    ['HSET', (i) => keys.hset('hash', `f${i}`, i)],
    ['HGET', (i) => keys.hget('hash', `f${i}`)],
    ['SADD', (i) => keys.sadd('set', i)],
    ['ZADD', (i) => keys.zadd('sorted', i, `m${i}`)],
    ['ZRANGE', () => keys.zrange('sorted', 0, -1)],
    ['RPUSH', (i) => keys.rpush('list', i)],
    ['LPOP', () => keys.lpop('list')],
    ['EXPIRE', () => keys.expire('text', 100)],
    ['DEL', () => keys.del('text')],
  ]
}

function sqlActs(sql: pg.Client): Act[] {
  const onConflict = 'ON CONFLICT (_id) DO UPDATE SET n = r.n + 1'
  return [
    ['INSERT', (i) => sql.query(`INSERT INTO r (_id, n) VALUES (${i}, 1)`)],
    ['INSERT of placeholders', (i) => sql.query('INSERT INTO r (_id) VALUES ($1)', [i + 100])],
    ['UPDATE', (i) => sql.query(`UPDATE r SET n = n + 1 WHERE _id = ${i}`)],
    ['RETURNING', (i) => sql.query('UPDATE r SET n = 1 WHERE $1 = r._id RETURNING n', [i])],
    ['UPDATE with LIMIT', (i) => sql.query(`UPDATE r SET n = 7 WHERE _id = ${i} LIMIT 1`)],
    ['ON CONFLICT', (i) => sql.query(`INSERT INTO r (_id, n) VALUES (${i}, 1) ${onConflict}`)],
    ['UPDATE by another column', () => sql.query('UPDATE r SET n = n + 1 WHERE n > 0'), 2],
    ['DELETE', (i) => sql.query(`DELETE FROM r WHERE _id = ${i} AND n > 0`)],
  ]
}

/** Transactions that have asked for a collection of the tests; a statement of its own is one. */
let begun = 0
/** Statements by which write groups have read. */
let asked = 0
/** Connections with a transaction, and whether that has asked for the collection. */
const inside = new Map<Link, boolean>()
const writing = new Set<Link>()
const reading = new Set(['points', 'scan_up', 'scan_down', 'fetch_up', 'fetch_down'])
const naming = new Set(['points', 'checked', 'versions'])
const { run } = Link.prototype
Link.prototype.run = function (statement, values = []) {
  const { name } = statement
  if (name.startsWith('begin')) inside.set(this, false)
  if (name === 'commit' || name === 'rollback') inside.delete(this)
  if (name === 'begin_w') writing.add(this)
  if (reading.has(name) && writing.has(this)) asked++
  if (naming.has(name) && inside.get(this) !== true && values.some(namesCollection)) {
    if (inside.has(this)) inside.set(this, true)
    begun++
  }
  return run.call(this, statement, values)
}
t.teardown(() => {
  Link.prototype.run = run
})

/** Of the memory, jobs read some. */
function namesCollection(keys: unknown): boolean {
  const text = keys instanceof Buffer ? keys.toString('latin1') : ''
  return text.includes('\x01\x01main\0') && !text.includes('main\0memory')
}
