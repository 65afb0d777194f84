// The change log holds every way in: a random mix of documents, SQL, key-value commands, HTTP,
// transactions, drops and renames over one database. The events of its change stream, replayed,
// give the state that the driver reads.

import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { Redis } from 'ioredis'
import { BSON, type ChangeStream, type ClientSession, type Collection, MongoClient } from 'mongodb'
import pg from 'pg'
import t from 'tap'
import { systemClock } from '../../src/base/clock.js'
import { silentLog } from '../../src/base/log.js'
import { checkStore } from '../../src/engine/check/check.js'
import { changeRange } from '../../src/store/layout.js'
import { openStore } from '../../src/store/open.js'
import { ReplayedState } from '../support/change-replay.js'
import { type LiveGateway, startGateway } from '../support/live-gateway.js'
import { seed } from '../support/seed.js'
import { seededRandom } from '../support/seeded-random.js'

const steps = process.env.SIGIL_LONG === undefined ? 400 : 5_000
const names = ['a', 'b', 'c']

/** Exact types: as canonical EJSON. */
const exact = { promoteValues: false, promoteBuffers: false } as const
type Row = { _id: number; [name: string]: unknown }
type UpTo = (n: number) => number

class Clients {
  private constructor(
    readonly mongo: MongoClient,
    readonly redis: Redis,
    readonly sql: pg.Client,
    private readonly http: (path: string, body: unknown) => Promise<unknown>,
    readonly upTo: UpTo,
  ) {}

  static async open({ uri, ports, key, url }: LiveGateway, upTo: UpTo): Promise<Clients> {
    const mongo = await MongoClient.connect(uri)
    const redis = new Redis({ port: ports.redis, password: key })
    const of = { user: 'operator', password: key, database: 'main' }
    const sql = new pg.Client({ host: '127.0.0.1', port: ports.sql, ...of })
    await sql.connect()
    const headers = { 'content-type': 'application/json', 'x-api-key': key }
    const http = (path: string, body: unknown) =>
      fetch(`${url}${path}`, { method: 'POST', headers, body: JSON.stringify(body) })
    return new Clients(mongo, redis, sql, http, upTo)
  }

  async close(): Promise<void> {
    this.redis.disconnect()
    await this.sql.end()
    await this.mongo.close()
  }

  get db() {
    return this.mongo.db('main')
  }

  get name(): string {
    return names[this.upTo(names.length)] as string
  }

  rows(name = this.name): Collection<Row> {
    return this.db.collection<Row>(name)
  }

  async step(): Promise<void> {
    const { upTo } = this
    const kinds = [
      () => this.document(),
      () => this.document(),
      () => this.keyValue(),
      () => this.keyValue(),
      () => this.statement(),
      () => this.definition(),
      () => this.transaction(),
      () => this.post(),
    ]
    // A refused command is a part of the mix: it must leave nothing in the log.
    await kinds[upTo(kinds.length)]?.().catch(() => undefined)
  }

  private async document(session?: ClientSession): Promise<void> {
    const { upTo } = this
    const rows = this.rows()
    const _id = upTo(12)
    const given = session === undefined ? {} : { session }
    const changes = [
      { $set: { [`f${upTo(3)}`]: { x: upTo(9), list: [1, upTo(3)] } } },
      { $set: { [`f${upTo(3)}.x`]: upTo(9) } },
      { $unset: { [`f${upTo(3)}`]: 1 } },
      { $inc: { n: 1 } },
      { $push: { tags: upTo(9) } },
      { $pull: { tags: upTo(9) } },
      { $pop: { tags: 1 } },
      { $rename: { f1: 'f2' } },
    ] as never[]
    const change = changes[upTo(changes.length)] as never
    const runs = [
      () => rows.insertMany([{ _id, n: upTo(9) }, { _id: _id + 1 }], { ordered: false, ...given }),
      () => rows.updateOne({ _id }, change, { upsert: upTo(2) === 0, ...given }),
      () => rows.updateMany({}, change, given),
      () => rows.replaceOne({ _id }, { n: upTo(9), text: 'replaced' }, { upsert: true, ...given }),
      () => rows.deleteOne({ _id }, given),
      () => rows.deleteMany({ n: { $lt: upTo(3) } }, given),
      () => rows.findOneAndUpdate({ _id }, change, given),
      () => rows.findOneAndDelete({ _id }, given),
      () => rows.insertOne({ _id: 100 + _id, text: 'x'.repeat(300_000) }, given),
      () => rows.updateOne({ _id: 100 + _id }, { $set: { n: upTo(9) } }, given),
      () => rows.deleteOne({ _id: 100 + _id }, given),
    ]
    await runs[upTo(runs.length)]?.()
  }

  private async definition(): Promise<void> {
    const { upTo, db, name } = this
    const other = names[upTo(names.length)] as string
    const runs = [
      () => this.rows(name).drop(),
      () => db.renameCollection(name, other, { dropTarget: true }),
      () =>
        this.rows(name)
          .aggregate([{ $limit: 4 }, { $out: other }])
          .toArray(),
      () =>
        this.rows(name)
          .aggregate([{ $merge: { into: other } }])
          .toArray(),
      () => this.rows(name).createIndex({ n: 1 }),
      () => this.rows(name).dropIndexes(),
      () => db.createCollection('capped', { capped: true, size: 4_096, max: 3 }),
      () => this.rows('capped').insertMany([{ _id: upTo(1e9) }, { _id: upTo(1e9) }]),
      () => this.rows('capped').insertMany([{ _id: upTo(1e9) }, { _id: upTo(1e9) }]),
      () => db.command({ convertToCapped: name, size: 8_192 }),
    ]
    await runs[upTo(runs.length)]?.()
  }

  private async transaction(): Promise<void> {
    const session = this.mongo.startSession()
    try {
      session.startTransaction()
      for (let i = this.upTo(3); i >= 0; i--) await this.document(session)
      if (this.upTo(3) === 0) await session.abortTransaction()
      else await session.commitTransaction()
    } finally {
      await session.endSession()
    }
  }

  private async post(): Promise<void> {
    const { upTo, name } = this
    const route = `/api/v1/collections/${name}`
    const filter = { _id: upTo(12) }
    const runs = [
      () => this.http(`${route}/insertMany`, { documents: [{ _id: upTo(12), by: 'http' }] }),
      () => this.http(`${route}/updateOne`, { filter, update: { $set: { by: 'http' } } }),
      () => this.http(`${route}/deleteOne`, { filter }),
    ]
    await runs[upTo(runs.length)]?.()
  }

  private async statement(): Promise<void> {
    const { upTo, sql } = this
    const id = upTo(9)
    const runs = [
      'CREATE TABLE t (_id int, n int, s text)',
      `INSERT INTO t (_id, n, s) VALUES (${id}, ${upTo(9)}, 'x'), (${id + 1}, 2, NULL)`,
      `INSERT INTO t (_id, n) VALUES (${id}, 5) ON CONFLICT (_id) DO UPDATE SET n = t.n + 1`,
      `UPDATE t SET n = n + 1 WHERE _id < ${id}`,
      `UPDATE t SET s = NULL WHERE _id = ${id}`,
      `DELETE FROM t WHERE _id = ${id}`,
      'TRUNCATE t',
      `BEGIN; UPDATE t SET n = 77 WHERE _id = ${id}; DELETE FROM t WHERE _id = ${id + 1}; COMMIT`,
      `BEGIN; DELETE FROM t; ROLLBACK`,
      `UPDATE a SET by_sql = ${id}`,
      'DROP TABLE t',
    ]
    // Tables live long enough to be changed.
    const at = upTo(runs.length)
    await sql.query('ROLLBACK')
    await sql.query(runs[at === runs.length - 1 && upTo(3) > 0 ? 0 : at] as string)
  }

  private async keyValue(): Promise<void> {
    const { upTo, redis } = this
    const key = `k${upTo(6)}`
    const field = `f${upTo(4)}`
    const many = Array.from({ length: 400 }, (_, i) => [`m${i}`, 'v'.repeat(40)]).flat()
    const text = String(upTo(99))
    const runs = [
      () => redis.set(key, text),
      () => redis.set(key, text, 'EX', 1_000),
      () => redis.set(key, 'x'.repeat(300_000)),
      () => redis.mset(key, text, `k${upTo(6)}`, text),
      () => redis.append(key, text),
      () => redis.setrange(key, upTo(9), text),
      () => redis.incr('count'),
      () => redis.incrbyfloat('count', 1),
      () => redis.hset(`h${key}`, field, text),
      () => redis.hdel(`h${key}`, field),
      () => redis.hset(`big${key}`, ...many),
      () => redis.hset(`big${key}`, field, text),
      () => redis.rpush(`l${key}`, text, field),
      () => redis.lpop(`l${key}`),
      () => redis.lset(`l${key}`, 0, text),
      () => redis.ltrim(`l${key}`, 0, 2),
      () => redis.sadd(`s${key}`, text, field),
      () => redis.srem(`s${key}`, field),
      () => redis.zadd(`z${key}`, text, field),
      () => redis.zpopmin(`z${key}`),
      () => redis.del(key, `h${key}`, `big${key}`),
      () => redis.rename(key, `k${upTo(6)}`),
      () => redis.copy(`h${key}`, `h${upTo(6)}`),
      () => redis.persist(key),
      () => redis.expire(key, 2_000),
      () => redis.pexpire(key, 1),
      () => redis.multi().set(key, text).hset(`h${key}`, field, text).del(`l${key}`).exec(),
      () => redis.pipeline().incr('count').set(key, text).rpush(`l${key}`, text).exec(),
      () => (upTo(4) > 0 ? redis.flushdb() : redis.swapdb(0, 1)),
      () => redis.move(key, 1),
      () => redis.getdel(key),
    ]
    await runs[upTo(runs.length)]?.()
  }
}

/** All events up to the insertion of a new document. */
async function eventsOf(stream: ChangeStream, clients: Clients): Promise<unknown[]> {
  const marks = clients.db.collection<Row>('marks')
  const mark = (await marks.countDocuments()) + 1
  await marks.insertOne({ _id: mark })
  const events: unknown[] = []
  for (;;) {
    const event = plain(await stream.next())
    events.push(event)
    if (event.ns?.coll === 'marks' && Number(event.documentKey._id.$numberInt) === mark)
      return events
  }
}

// biome-ignore lint/suspicious/noExplicitAny: documents and events of any shape
function plain(value: unknown): any {
  return BSON.EJSON.serialize(value as object, { relaxed: false })
}

// biome-ignore lint/suspicious/noExplicitAny: as above
function lives(document: any, nowMs: number): boolean {
  const at = document.expiresAt?.$date?.$numberLong
  return at === undefined || Number(at) > nowMs
}

function texts(documents: Iterable<unknown>, nowMs: number): string[] {
  return [...documents].filter((one) => lives(one, nowMs)).map((one) => JSON.stringify(one))
}

t.test('replayed events of every way in give the state', async (t) => {
  const gateway = await startGateway(t)
  const random = seededRandom(seed)
  const clients = await Clients.open(gateway, (n) => Math.floor(random() * n))
  t.teardown(() => clients.close())
  for (const name of names) await clients.rows(name).insertOne({ _id: 0, n: 0 })
  const state = new ReplayedState()
  for (const name of names) {
    const first = await clients.rows(name).find({}, exact).toArray()
    for (const one of first) state.of(name).set(JSON.stringify(plain(one)._id), plain(one))
  }
  const stream = clients.db.watch([], exact)
  t.teardown(() => stream.close())
  await stream.tryNext()
  for (let step = 0; step < steps; step++) {
    await clients.step()
    if (step % 50 !== 49) continue
    for (const event of await eventsOf(stream, clients)) state.apply(event)
    // Keys that expire meanwhile are left out on both sides.
    const nowMs = Date.now() + 60_000
    const listed = await clients.db.listCollections({}, { nameOnly: true }).toArray()
    const all = new Set([...listed.map(({ name }) => name), ...state.collections.keys()])
    for (const name of all) {
      const found = await clients.db.collection(name).find({}, exact).toArray()
      const shown = texts(found.map(plain), nowMs).sort()
      t.same(texts(state.of(name).values(), nowMs).sort(), shown, `${name}, seed ${seed}`)
    }
  }
})

t.test('the same mix writes no record while nothing is watched', async (t) => {
  const folder = await mkdtemp(join(tmpdir(), 'sigil-changes-'))
  t.teardown(() => rm(folder, { recursive: true }))
  const gateway = await startGateway({ teardown: () => undefined }, { STORE: `lmdb:${folder}` })
  const random = seededRandom(seed)
  const clients = await Clients.open(gateway, (n) => Math.floor(random() * n))
  for (let step = 0; step < steps / 4; step++) await clients.step()
  await clients.close()
  await gateway.close()
  const options = { durability: 'none', clock: systemClock, log: silentLog } as const
  const store = await openStore(`lmdb:${folder}`, options)
  const records = await store.read(function* (tx) {
    return yield* tx.scan(changeRange, 10)
  })
  t.same(records, [])
  t.same(await checkStore(store), [])
  await store.close()
})
