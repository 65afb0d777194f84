// Question: what do gateways on one PostgreSQL cost an operation, beside hand-written SQL on the same
// server, and beside one gateway alone? By processor time of gateways and PostgreSQL together; that
// of the clients, and what gateways cost without clients, is left out. And how long do clients wait while a gateway dies?

import { MongoClient } from 'mongodb'
import pg from 'pg'
import { createClient, type RedisClientType } from 'redis'
import { seededRandom } from '../../test/support/seeded-random.js'
import { compare, type Figure, percentile, plain } from '../support/figure.js'
import { missingPostgres, startPostgres } from '../support/postgres-server.js'
import { benchKey, type Peer, type SigilProcess, startSigil } from '../support/processes.js'
import { processTime, serverTime } from '../support/processor-sum.js'

const documents = 5_000
const concurrency = 32
/** So many that the compiler of each gateway is done within the first turns. */
const counts = { find: 10_000, insertOne: 5_000, insertMany: 10, increment: 10_000, dying: 1_000 }
const manyAtOnce = 1_000
const idleSeconds = 5
const filler = 'x'.repeat(200)

interface Row {
  _id: number
  n: number
  name: string
  text: string
}

const rowOf = (n: number): Row => ({ _id: n, n, name: `name ${n}`, text: filler })

/** Operations a second of processor time: of `work`, that does `count` of them. */
type Rate = () => Promise<number>

class Bench {
  /** The next number that no row has. */
  private next = documents
  /** Processor time of everything without clients, per millisecond. */
  private idleShare = 0

  constructor(
    private readonly postgres: Peer,
    private readonly sigils: readonly SigilProcess[],
    private readonly pool: pg.Pool,
  ) {}

  rate(count: number, work: () => Promise<void>): Rate {
    return async () => {
      const [before, began] = [this.processorMs(), performance.now()]
      await work()
      const idleMs = this.idleShare * (performance.now() - began)
      return (count / Math.max(1, this.processorMs() - before - idleMs)) * 1_000
    }
  }

  /** `count` operations, so many at a time. */
  async spread(
    count: number,
    one: (at: number) => Promise<unknown>,
    atOnce = concurrency,
  ): Promise<void> {
    let made = 0
    const worker = async () => {
      while (made < count) await one(made++)
    }
    await Promise.all(Array.from({ length: atOnce }, worker))
  }

  finds(client: MongoClient): Rate {
    const rows = client.db('main').collection<Row>('rows')
    const random = seededRandom(7)
    return this.rate(counts.find, () =>
      this.spread(counts.find, async () => {
        const _id = Math.floor(random() * documents)
        if ((await rows.findOne({ _id }))?.n !== _id) throw new Error(`${_id} was not found`)
      }),
    )
  }

  findsOfSql(): Rate {
    const random = seededRandom(7)
    const text = 'SELECT body FROM bare WHERE _id = $1'
    return this.rate(counts.find, () =>
      this.spread(counts.find, () => {
        const _id = Math.floor(random() * documents)
        return this.pool.query({ name: 'find', text, values: [_id] })
      }),
    )
  }

  inserts(client: MongoClient): Rate {
    const rows = client.db('main').collection<Row>('rows')
    return this.rate(counts.insertOne, () =>
      this.spread(counts.insertOne, () => rows.insertOne(rowOf(this.next++))),
    )
  }

  insertsOfSql(): Rate {
    const text = 'INSERT INTO bare (_id, body) VALUES ($1, $2)'
    return this.rate(counts.insertOne, () =>
      this.spread(counts.insertOne, () => {
        const n = this.next++
        return this.pool.query({ name: 'insert', text, values: [n, bodyOf(n)] })
      }),
    )
  }

  manyInserts(client: MongoClient): Rate {
    const rows = client.db('main').collection<Row>('many')
    return this.rate(counts.insertMany, async () => {
      for (let i = 0; i < counts.insertMany; i++) await rows.insertMany(this.batch())
    })
  }

  manyInsertsOfSql(): Rate {
    const text = `INSERT INTO bare_many (_id, body, n, name)
      SELECT * FROM unnest($1::bigint[], $2::bytea[], $3::bigint[], $4::text[])`
    return this.rate(counts.insertMany, async () => {
      for (let i = 0; i < counts.insertMany; i++) {
        const batch = this.batch()
        const ids = batch.map(({ _id }) => _id)
        const values = [ids, batch.map(({ n }) => bodyOf(n)), ids, batch.map(({ name }) => name)]
        await this.pool.query({ name: 'many', text, values })
      }
    })
  }

  /** Half of them finds, half updates of random documents, over those gateways. */
  mixed(clients: readonly MongoClient[], atOnce: number): Rate {
    const all = clients.map((client) => client.db('main').collection<Row>('rows'))
    const random = seededRandom(11)
    const one = async (at: number) => {
      const rows = all[at % all.length]
      const _id = Math.floor(random() * documents)
      if (random() < 0.5) await rows?.findOne({ _id })
      else await rows?.updateOne({ _id }, { $inc: { n: 0 } })
    }
    return this.rate(counts.find, () => this.spread(counts.find, one, atOnce))
  }

  /** INCR of one key, over those gateways. */
  increments(clients: readonly RedisClientType[], atOnce: number): Rate {
    const one = async (at: number) => clients[at % clients.length]?.incr('sum')
    return this.rate(counts.increment, () => this.spread(counts.increment, one, atOnce))
  }

  /** What gateways without clients ask PostgreSQL. */
  async idle(): Promise<Figure[]> {
    const transactions = async () => {
      const text = 'SELECT sum(xact_commit + xact_rollback) FROM pg_stat_database'
      return Number((await this.pool.query(text)).rows[0]?.sum)
    }
    const places = async () => {
      const text = "SELECT count(*) FROM pg_stat_activity WHERE application_name LIKE 'sigil%'"
      return Number((await this.pool.query(text)).rows[0]?.count)
    }
    const before = await transactions()
    const beforeMs = serverTime(this.postgres.pid)
    const [allBefore, began] = [this.processorMs(), performance.now()]
    await new Promise((resolve) => {
      setTimeout(resolve, idleSeconds * 1_000)
    })
    this.idleShare = (this.processorMs() - allBefore) / (performance.now() - began)
    const each = this.sigils.length * idleSeconds
    const made = (await transactions()) - before
    const ms = serverTime(this.postgres.pid) - beforeMs
    return [
      plain('transactions of a gateway without clients', made / each, 'a second'),
      plain("PostgreSQL's processor time for it", ms / each, 'ms a second'),
      plain('connections of a gateway', (await places()) / this.sigils.length, ''),
    ]
  }

  private processorMs(): number {
    const own = this.sigils.map(({ pid }) => processTime(pid))
    return serverTime(this.postgres.pid) + own.reduce((sum, ms) => sum + ms, 0)
  }

  private batch(): Row[] {
    return Array.from({ length: manyAtOnce }, () => rowOf(this.next++))
  }
}

function bodyOf(n: number): Buffer {
  return Buffer.from(JSON.stringify(rowOf(n)))
}

async function prepare(client: MongoClient, pool: pg.Pool): Promise<void> {
  const db = client.db('main')
  for (let start = 0; start < documents; start += manyAtOnce) {
    const batch = Array.from({ length: manyAtOnce }, (_, i) => rowOf(start + i))
    await db.collection<Row>('rows').insertMany(batch)
  }
  await db.collection('many').createIndexes([{ key: { n: 1 } }, { key: { name: 1 } }])
  await pool.query(`CREATE TABLE bare (_id bigint PRIMARY KEY, body bytea NOT NULL);
    CREATE TABLE bare_many (_id bigint PRIMARY KEY, body bytea NOT NULL, n bigint, name text);
    CREATE INDEX ON bare_many (n);
    CREATE INDEX ON bare_many (name)`)
  for (let n = 0; n < documents; n++) {
    await pool.query({
      name: 'insert',
      text: 'INSERT INTO bare (_id, body) VALUES ($1, $2)',
      values: [n, bodyOf(n)],
    })
  }
}

export async function storeGateways(): Promise<Figure[]> {
  const missing = missingPostgres()
  if (missing !== undefined) throw new Error(missing)
  const postgres = await startPostgres()
  const environment = {
    STORE: `postgres://bench@127.0.0.1:${postgres.port}/postgres?schema=gateways`,
    DURABILITY: 'commit',
    TOPOLOGY: 'router',
    RATE_LIMITS: 'off',
  }
  const sigils: SigilProcess[] = []
  for (let i = 0; i < 4; i++) sigils.push(await startSigil({ environment }))
  const place = { host: '127.0.0.1', port: postgres.port, user: 'bench', database: 'postgres' }
  const pool = new pg.Pool({ ...place, max: concurrency })
  const options = { authSource: 'admin', maxPoolSize: concurrency }
  const clients = await Promise.all(sigils.map(({ uri }) => MongoClient.connect(uri, options)))
  try {
    const [one] = clients as [MongoClient]
    await prepare(one, pool)
    const bench = new Bench(postgres, sigils, pool)
    const figures = await bench.idle()
    figures.push(...(await costs(bench, one)))
    figures.push(...(await growth(bench, clients, sigils)))
    figures.push(...(await dying(bench, sigils)))
    return figures
  } finally {
    await Promise.all(clients.map((client) => client.close()))
    await pool.end()
    await Promise.all(sigils.map((sigil) => sigil.stop()))
    await postgres.stop()
  }
}

const unit = 'ops/cpu s'

/** One gateway beside hand-written SQL. */
async function costs(bench: Bench, one: MongoClient): Promise<Figure[]> {
  const beside = `${concurrency} at a time, beside SQL by hand`
  return [
    await compare(`find by _id, ${beside}`, unit, bench.finds(one), bench.findsOfSql()),
    await compare(`insertOne, ${beside}`, unit, bench.inserts(one), bench.insertsOfSql()),
    await compare(
      'insertMany of 1,000, two indexes, beside SQL by hand',
      unit,
      bench.manyInserts(one),
      bench.manyInsertsOfSql(),
    ),
  ]
}

/** Several gateways beside one. */
async function growth(
  bench: Bench,
  clients: readonly MongoClient[],
  sigils: readonly SigilProcess[],
): Promise<Figure[]> {
  const figures: Figure[] = []
  const keys = await Promise.all(sigils.map(openKeys))
  // As many clients in all, or as many on each gateway.
  for (const [where, atOnceOn] of [
    ['in all', () => concurrency],
    ['on each', (count: number) => count * concurrency],
  ] as const) {
    for (const count of [2, 4]) {
      const several = bench.mixed(clients.slice(0, count), atOnceOn(count))
      const alone = bench.mixed(clients.slice(0, 1), concurrency)
      const name = `finds and updates, ${count} gateways, ${concurrency} ${where}, beside one`
      figures.push(await compare(name, unit, several, alone, 3))
    }
    const four = bench.increments(keys, atOnceOn(keys.length))
    const single = bench.increments(keys.slice(0, 1), concurrency)
    const name = `INCR of one key, 4 gateways, ${concurrency} ${where}, beside one`
    figures.push(await compare(name, unit, four, single, 3))
  }
  for (const client of keys) client.destroy()
  return figures
}

async function openKeys({ redisPort }: SigilProcess): Promise<RedisClientType> {
  const client: RedisClientType = createClient({
    url: `redis://:${benchKey}@127.0.0.1:${redisPort}`,
  })
  await client.connect()
  return client
}

/** Waits of clients while nothing happens, and while one of three gateways is killed. */
async function dying(bench: Bench, sigils: readonly SigilProcess[]): Promise<Figure[]> {
  const [, ...three] = sigils
  const hosts = three.map(({ wirePort }) => `127.0.0.1:${wirePort}`)
  const uri = `mongodb://operator:${benchKey}@${hosts.join(',')}/main?authSource=admin`
  const client = await MongoClient.connect(uri, { maxPoolSize: concurrency })
  const rows = client.db('main').collection<Row>('rows')
  const random = seededRandom(13)
  let errors = 0
  const waits = async (onHalf: () => void) => {
    const times: number[] = []
    await bench.spread(counts.dying, async (at) => {
      if (at === counts.dying / 2) onHalf()
      const _id = Math.floor(random() * documents)
      const began = performance.now()
      await (random() < 0.5
        ? rows.findOne({ _id })
        : rows.updateOne({ _id }, { $inc: { n: 0 } })
      ).catch(() => errors++)
      times.push(performance.now() - began)
    })
    return percentile(times, 0.99)
  }
  try {
    await waits(() => undefined)
    const quiet = await waits(() => undefined)
    const [, , victim] = three
    const lost = await waits(() => process.kill(victim?.pid ?? 0, 'SIGKILL'))
    return [
      {
        name: 'p99 while one of 3 gateways dies',
        ours: lost,
        peer: quiet,
        ratio: lost / quiet,
        unit: 'ms',
      },
      plain('errors that clients saw meanwhile', errors, 'errors'),
    ]
  } finally {
    await client.close()
  }
}
