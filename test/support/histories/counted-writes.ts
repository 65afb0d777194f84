// Counters that a driver with all gateways in its URI adds to, by retryable writes and by
// transactions: each acknowledged addition is there once, and no other one more than once.

import type { Collection, MongoClient } from 'mongodb'
import { DriverHangs } from './driver-hangs.js'

interface Counter {
  readonly _id: string
  readonly n: number
}

export class CountedWrites {
  acknowledged = 0
  /** Their outcome is not known. */
  unknown = 0
  /** Errors that reached the application, each with what it had asked for. */
  readonly errors: string[] = []
  private readonly counters: Collection<Counter>
  private readonly hangs: DriverHangs
  private readonly id: string

  constructor(
    private readonly client: MongoClient,
    at: number,
  ) {
    this.counters = client.db('main').collection<Counter>('counters')
    this.hangs = new DriverHangs(client)
    this.id = `counter${at}`
  }

  async start(): Promise<void> {
    const { counters, id } = this
    await counters.insertMany([`${id}a`, `${id}b`].map((_id) => ({ _id, n: 0 })))
  }

  /** Adds one to both halves of the counter, or finds them. */
  async next(random: () => number): Promise<void> {
    const kind = random()
    if (kind < 0.3) return this.noted('find', () => this.find())
    this.unknown++
    await (kind < 0.6
      ? this.noted('transaction', () => this.addInTransaction())
      : this.noted('write', () => this.add()))
  }

  /** What is stored that was not answered so; undefined if all is well. */
  async problem(): Promise<string | undefined> {
    const { acknowledged, unknown } = this
    const [a = -1, b = -1] = await this.find()
    const isWrong = (n: number) => n < acknowledged || n > acknowledged + unknown
    if (!isWrong(a) && !isWrong(b)) return undefined
    return `${this.id} is ${a} and ${b}: ${acknowledged} acknowledged, ${unknown} unknown`
  }

  private async noted(what: string, work: () => Promise<unknown>): Promise<void> {
    try {
      await this.hangs.ended(work)
      if (what === 'find') return
      this.unknown--
      this.acknowledged++
    } catch (error) {
      this.errors.push(`${what}: ${String(error)}`)
    }
  }

  private async find(): Promise<number[]> {
    const ids = { $in: [`${this.id}a`, `${this.id}b`] }
    const found = await this.counters.find({ _id: ids }).sort({ _id: 1 }).toArray()
    return found.map(({ n }) => n)
  }

  private async add(): Promise<void> {
    const change = { $inc: { n: 1 } }
    const filters = [`${this.id}a`, `${this.id}b`].map((_id) => ({ _id }))
    await this.counters.bulkWrite(
      filters.map((filter) => ({ updateOne: { filter, update: change } })),
    )
  }

  private async addInTransaction(): Promise<void> {
    const { client, counters, id } = this
    await client.withSession((session) =>
      session.withTransaction(async () => {
        for (const _id of [`${id}a`, `${id}b`]) {
          const n = ((await counters.findOne({ _id }, { session }))?.n ?? 0) + 1
          await counters.updateOne({ _id }, { $set: { n } }, { session })
        }
      }),
    )
  }
}
