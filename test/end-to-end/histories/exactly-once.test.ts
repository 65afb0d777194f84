// Exactly-once writes by the official driver with its defaults: the server is killed again and again
// while clients write, and the driver sends what was not answered once more. Every write takes effect
// once, and every answer is the one of that effect. The long counts run 200 rounds.

import { type Collection, MongoClient } from 'mongodb'
import t from 'tap'
import { startKilledSigil } from '../../support/fixed-ports.js'
import { runs } from '../../support/runs.js'
import { isLong, seed } from '../../support/seed.js'
import { seededRandom } from '../../support/seeded-random.js'

/** Of some 13 s each. The long counts are 200, in CI 14. */
const roundsEach = isLong && process.env.CI !== 'true' ? 20 : 4

interface Row {
  _id: string
  n: number
  by: number
}

/** What one client has done, and what its rows must have. Each writes rows of its own. */
class Writer {
  writes = 0
  readonly problems: string[] = []
  private readonly expected = new Map<string, number>()

  constructor(
    private readonly rows: Collection<Row>,
    private readonly at: number,
    private readonly random: () => number,
  ) {}

  async start(): Promise<void> {
    const { at } = this
    await this.rows.insertOne({ _id: this.counter, n: 0, by: at })
    this.expected.set(this.counter, 0)
  }

  async writeOne(): Promise<void> {
    const kinds = [
      () => this.increment(),
      () => this.findAndIncrement(),
      () => this.insert(),
      () => this.insertMany(),
      () => this.bulk(),
      () => this.findAndDelete(),
    ]
    await kinds[Math.floor(this.random() * kinds.length)]?.()
    this.writes++
  }

  /** Compares everything that is stored with what was answered. */
  async verify(): Promise<readonly string[]> {
    const found = await this.rows.find({ by: this.at }).sort({ _id: 1 }).toArray()
    const told = [...this.expected].sort(([one], [other]) => (one < other ? -1 : 1))
    const stored = JSON.stringify(found.map(({ _id, n }) => [_id, n]))
    if (stored !== JSON.stringify(told)) {
      this.problems.push(`stored ${stored}, answered ${JSON.stringify(told)}`)
    }
    return this.problems
  }

  private get counter(): string {
    return `counter-${this.at}`
  }

  private async increment(): Promise<void> {
    const { matchedCount, modifiedCount } = await this.rows.updateOne(
      { _id: this.counter },
      { $inc: { n: 1 } },
    )
    const now = this.add(this.counter)
    this.require(matchedCount === 1 && modifiedCount === 1, `updateOne to ${now}`)
  }

  private async findAndIncrement(): Promise<void> {
    const isAfter = this.random() < 0.5
    const row = await this.rows.findOneAndUpdate(
      { _id: this.counter },
      { $inc: { n: 1 } },
      { returnDocument: isAfter ? 'after' : 'before' },
    )
    const now = this.add(this.counter)
    const told = isAfter ? now : now - 1
    this.require(row?.n === told, `findOneAndUpdate answered ${row?.n}, not ${told}`)
  }

  private async insert(): Promise<void> {
    const [id] = this.newIds(1)
    await this.rows.insertOne({ _id: id as string, n: 1, by: this.at })
    this.expected.set(id as string, 1)
  }

  private async insertMany(): Promise<void> {
    const ids = this.newIds(5)
    const { insertedCount } = await this.rows.insertMany(
      ids.map((_id) => ({ _id, n: 2, by: this.at })),
    )
    for (const id of ids) this.expected.set(id, 2)
    this.require(insertedCount === 5, `insertMany answered ${insertedCount}`)
  }

  private async bulk(): Promise<void> {
    const [made, upserted] = this.newIds(2) as [string, string]
    const update = { $inc: { n: 1 } }
    const result = await this.rows.bulkWrite([
      { updateOne: { filter: { _id: this.counter }, update } },
      { insertOne: { document: { _id: made, n: 3, by: this.at } } },
      {
        updateOne: {
          filter: { _id: upserted },
          update: { ...update, $set: { by: this.at } },
          upsert: true,
        },
      },
      { updateOne: { filter: { _id: this.counter }, update } },
      { replaceOne: { filter: { _id: made }, replacement: { n: 4, by: this.at } } },
    ])
    this.add(this.counter)
    this.add(this.counter)
    this.expected.set(made, 4)
    this.expected.set(upserted, 1)
    const { insertedCount, matchedCount, modifiedCount, upsertedCount } = result
    const told = [insertedCount, matchedCount, modifiedCount, upsertedCount].join()
    this.require(told === '1,3,3,1', `bulkWrite answered ${told}`)
  }

  private async findAndDelete(): Promise<void> {
    const id = [...this.expected.keys()].find((one) => one !== this.counter)
    if (id === undefined) return
    const row = await this.rows.findOneAndDelete({ _id: id })
    const n = this.expected.get(id)
    this.expected.delete(id)
    this.require(row?.n === n, `findOneAndDelete answered ${row?.n}, not ${n}`)
  }

  private newIds(count: number): string[] {
    return Array.from({ length: count }, (_, i) => `${this.at}-${this.writes}-${i}`)
  }

  private add(id: string): number {
    const now = (this.expected.get(id) ?? 0) + 1
    this.expected.set(id, now)
    return now
  }

  private require(holds: boolean, text: string): void {
    if (!holds) this.problems.push(`write ${this.writes}: ${text}`)
  }
}

t.test('every write takes effect once, however often the server is killed', async (t) => {
  const settings = { AUTH_MODE: 'off', TOPOLOGY: 'router', RATE_LIMITS: 'off' }
  const { ports, restart } = await startKilledSigil(t, settings)
  let retried = 0
  const random = seededRandom(seed)
  const writers = Array.from({ length: 6 }, (_, at) => {
    const client = openClient(ports.wire)
    t.teardown(() => client.close())
    client.on('commandFailed', ({ commandName }) => {
      if (commandName !== 'hello' && commandName !== 'find') retried++
    })
    return new Writer(client.db('main').collection<Row>('rows'), at, random)
  })
  for (const writer of writers) await writer.start()
  let isOver = false
  const busy = writers.map(async (writer) => {
    while (!isOver) await writer.writeOne()
  })
  const failed = Promise.all(busy)
  const rounds = runs(roundsEach)
  for (let round = 0; round < rounds; round++) {
    const enough = 5 + Math.floor(random() * 40)
    const before = writers.map(({ writes }) => writes)
    // Every client has written since the last kill, so that no write meets two.
    const isReached = () => {
      const made = writers.map(({ writes }, at) => writes - (before[at] ?? 0))
      return made.every((one) => one > 1) && made.reduce((sum, one) => sum + one) >= enough
    }
    await Promise.race([failed, progress(isReached)])
    await restart()
  }
  isOver = true
  await failed
  for (const [at, writer] of writers.entries()) {
    t.same(await writer.verify(), [], `SIGIL_SEED=${seed}: client ${at}`)
  }
  const writes = writers.reduce((sum, one) => sum + one.writes, 0)
  t.ok(retried > 0, `${retried} of ${writes} writes were sent again in ${rounds} rounds`)
})

/**
 * One for each writer, and no hello that waits: this driver sends a write again only if its own
 * connection is the first that it finds closed.
 */
function openClient(port: number): MongoClient {
  return new MongoClient(`mongodb://127.0.0.1:${port}`, {
    serverMonitoringMode: 'poll',
    serverSelectionTimeoutMS: 300_000,
    monitorCommands: true,
  })
}

async function progress(reached: () => boolean): Promise<void> {
  while (!reached()) await new Promise((resolve) => setImmediate(resolve))
}
