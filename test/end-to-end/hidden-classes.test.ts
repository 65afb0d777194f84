// Usual commands make no hidden classes. V8 (11.3) makes one for each field behind a spread, as in
// `{ ...a, b }`, where `{ b, ...a }` makes none: 1.2 µs instead of 0.08. It also makes one for each
// generator function that is made inside of another. A class is old at once, so a generator keeps
// what it refers to until the next major collection: ten kilobytes for an update.

import { closeSync, fstatSync, openSync, readSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { MongoClient } from 'mongodb'
import pg from 'pg'
import { createClient } from 'redis'
import t from 'tap'
import { testKey } from '../support/gateway.js'
import { endSigil, settingsFor, startSigil } from '../support/sigil-process.js'
import { temporaryFolder } from '../support/stores.js'

const documents = 500
/** Before the first count, so that V8 has seen each shape. */
const warmUps = 120
const runs = 120
/** The log of V8 is written in blocks. */
const flushMs = 100

const folder = await temporaryFolder(t)
const log = join(folder, 'maps.log')
const sigil = await startSigil({ ...settingsFor(folder), RATE_LIMITS: 'off' }, undefined, [
  '--expose-gc',
  '--log-maps',
  `--logfile=${log}`,
  '--no-logfile-per-isolate',
])
t.teardown(() => endSigil(sigil, 'SIGTERM'))
const { wirePort, redisPort, sqlPort } = sigil
const mongo = await MongoClient.connect(
  `mongodb://operator:${testKey}@127.0.0.1:${wirePort}/main?authSource=admin`,
)
t.teardown(() => mongo.close())
const redis = await createClient({ url: `redis://:${testKey}@127.0.0.1:${redisPort}` }).connect()
t.teardown(() => redis.destroy())
const place = { host: '127.0.0.1', port: sqlPort, user: 'operator', database: 'main' }
const sql = new pg.Client({ ...place, password: testKey })
await sql.connect()
t.teardown(() => sql.end())

interface Row {
  _id: number
  n?: number
  name?: string
}

const rows = mongo.db('main').collection<Row>('rows')
await rows.insertMany(Array.from({ length: documents }, (_, n) => ({ _id: n, n, name: `n${n}` })))
await rows.createIndex({ n: 1 })
await sql.query('CREATE TABLE people (id int PRIMARY KEY, name text, age int)')
for (let id = 0; id < documents; id++) {
  await sql.query({
    name: 'fill',
    text: 'INSERT INTO people VALUES ($1, $2, 1)',
    values: [id, 'a'],
  })
}

let next = documents
const some = () => next++ % documents

/** Commands of the document protocol, of keys and of SQL. */
const commands: Readonly<Record<string, () => Promise<unknown>>> = {
  'find by _id': () => rows.findOne({ _id: some() }),
  'find by an index': () => rows.find({ n: { $gte: some() } }, { limit: 3 }).toArray(),
  'find with a projection': () => rows.findOne({ n: some() }, { projection: { name: 1 } }),
  insertOne: () => rows.insertOne({ _id: documents + next++ }),
  'updateOne by _id': () => rows.updateOne({ _id: some() }, { $inc: { n: 1 } }),
  'updateOne by an index': () => rows.updateOne({ n: some() }, { $set: { name: 'other' } }),
  updateMany: () => rows.updateMany({ n: { $in: [some(), some()] } }, { $set: { name: 'x' } }),
  upsert: () => rows.updateOne({ _id: documents + next++ }, { $set: { n: 1 } }, { upsert: true }),
  replaceOne: () => rows.replaceOne({ _id: some() }, { n: 1 }),
  bulkWrite: () =>
    rows.bulkWrite([
      { updateOne: { filter: { _id: some() }, update: { $set: { name: 'y' } } } },
      { insertOne: { document: { _id: documents + next++ } } },
    ]),
  findOneAndUpdate: () => rows.findOneAndUpdate({ _id: some() }, { $inc: { n: 1 } }),
  deleteOne: () => rows.deleteOne({ _id: -1 }),
  get: () => redis.get('a'),
  set: () => redis.set('a', 'b'),
  incr: () => redis.incr('counter'),
  hset: () => redis.hSet('hash', { a: '1', b: '2' }),
  hgetall: () => redis.hGetAll('hash'),
  rpush: () => redis.rPush('list', 'x'),
  lrange: () => redis.lRange('list', 0, 5),
  lpop: () => redis.lPop('list'),
  sadd: () => redis.sAdd('set', `m${some()}`),
  sismember: () => redis.sIsMember('set', 'm1'),
  zadd: () => redis.zAdd('sorted', { score: some(), value: `m${some()}` }),
  zrange: () => redis.zRange('sorted', 0, 5),
  zrangebyscore: () => redis.zRangeByScore('sorted', 1, 50),
  'select by key': () =>
    sql.query({ name: 'key', text: 'SELECT * FROM people WHERE id = $1', values: [some()] }),
  'insert of SQL': () =>
    sql.query({
      name: 'insert',
      text: 'INSERT INTO people VALUES ($1, $2, 1)',
      values: [documents + next++, 'a'],
    }),
  'update of SQL': () =>
    sql.query({
      name: 'update',
      text: 'UPDATE people SET age = age + 1 WHERE id = $1',
      values: [some()],
    }),
  'delete of SQL': () =>
    sql.query({ name: 'delete', text: 'DELETE FROM people WHERE id = $1', values: [-1] }),
}

for (const [name, run] of Object.entries(commands)) {
  t.test(name, async (t) => {
    for (let i = 0; i < warmUps; i++) await run()
    await sleep(flushMs)
    const file = openSync(log, 'r')
    const before = fstatSync(file).size
    for (let i = 0; i < runs; i++) await run()
    await sleep(flushMs)
    const bytes = Buffer.alloc(fstatSync(file).size - before)
    readSync(file, bytes, 0, bytes.length, before)
    closeSync(file)
    t.strictSame(madeByMost(bytes.toString('latin1')), [], 'line and column in the built file')
  })
}

/** What half of the commands made: `line:column field`. */
function madeByMost(text: string): string[] {
  const counts = new Map<string, number>()
  for (const line of text.split('\n')) {
    const [kind, what, , , , , row, column, , field = ''] = line.split(',')
    if (kind !== 'map' || what === 'map-details') continue
    const made = `${what} ${row}:${column} ${field.replace(/0x[0-9a-f]+ ?/g, '')}`
    counts.set(made, (counts.get(made) ?? 0) + 1)
  }
  return [...counts].filter(([, count]) => count >= runs / 2).map(([made]) => made)
}
