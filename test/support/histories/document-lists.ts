// Lists as arrays of documents, by the official driver: plain commands of every kind that read or
// append, and transactions of a session.

import {
  type ClientSession,
  type Collection,
  MongoBulkWriteError,
  MongoClient,
  MongoError,
  MongoNetworkError,
  MongoServerError,
} from 'mongodb'
import { DriverHangs } from './driver-hangs.js'
import type { Level, Outcome } from './history.js'
import { type ListClient, type PlannedStep, type Ran, Steps } from './list-workload.js'

interface ListDocument {
  _id: string
  /** As `_id`, with an index. */
  name: string
  values: number[]
}

type Lists = Collection<ListDocument>

interface Given {
  readonly uri: string
  readonly random: () => number
}

/** Makes what the clients use. */
export async function prepareDocumentLists(uri: string): Promise<void> {
  const client = await MongoClient.connect(uri)
  await client.db('main').collection<ListDocument>('lists').createIndex({ name: 1 })
  await client.close()
}

export class DocumentLists implements ListClient {
  private readonly client: MongoClient
  private readonly hangs: DriverHangs
  private readonly lists: Lists
  private readonly random: () => number

  constructor({ uri, random }: Given) {
    // A server that starts again may take long on a busy machine.
    this.client = new MongoClient(uri, { serverSelectionTimeoutMS: 300_000 })
    this.hangs = new DriverHangs(this.client)
    this.lists = this.client.db('main').collection<ListDocument>('lists')
    this.random = random
  }

  run(planned: readonly PlannedStep[]): Promise<Ran> {
    const [first] = planned
    return planned.length === 1 && first !== undefined
      ? this.runPlain(first)
      : this.client.withSession((session) => this.runTransaction(session, planned))
  }

  close(): Promise<void> {
    return this.client.close()
  }

  private async runPlain(planned: PlannedStep): Promise<Ran> {
    const steps = new Steps()
    const ended = (outcome: Outcome): Ran => {
      return { level: 'serializable', outcome, steps: steps.made }
    }
    try {
      await this.step(planned, steps)
      return ended('committed')
    } catch (error) {
      return ended(outcomeOf(error))
    }
  }

  private async runTransaction(
    session: ClientSession,
    planned: readonly PlannedStep[],
  ): Promise<Ran> {
    const steps = new Steps()
    const level: Level = 'snapshot'
    const ended = (outcome: Outcome): Ran => ({ level, outcome, steps: steps.made })
    session.startTransaction()
    try {
      for (const one of planned) await this.step(one, steps, session)
    } catch (error) {
      outcomeOf(error)
      await this.abort(session)
      return ended('aborted')
    }
    if (this.random() < 0.1) {
      await this.abort(session)
      return ended('aborted')
    }
    return ended(await this.commit(session))
  }

  private step(planned: PlannedStep, steps: Steps, session?: ClientSession): Promise<void> {
    const { list, value } = planned
    return this.hangs.ended(() =>
      value === undefined
        ? this.read(list, steps, session)
        : this.append(list, value, { steps, session }),
    )
  }

  private abort(session: ClientSession): Promise<void> {
    return this.hangs.ended(() => session.abortTransaction()).catch(ignoreLost)
  }

  /**
   * Sends it again while its outcome is not known, as drivers tell applications to; the driver does
   * not tell of a connection that it could not open for its own second try.
   */
  private async commit(session: ClientSession): Promise<Outcome> {
    for (let tries = 0; ; tries++) {
      try {
        await this.hangs.ended(() => session.commitTransaction())
        return 'committed'
      } catch (error) {
        const isUnknown =
          error instanceof MongoError && error.hasErrorLabel('UnknownTransactionCommitResult')
        if (!isUnknown && outcomeOf(error) !== 'unknown') return 'aborted'
        if (tries >= 5) return 'unknown'
      }
    }
  }

  private async read(list: string, steps: Steps, session?: ClientSession): Promise<void> {
    const options = session === undefined ? {} : { session }
    const { random, lists } = this
    const filter = random() < 0.5 ? { _id: list } : { name: list }
    const found =
      random() < 0.8
        ? await lists.findOne(filter, options)
        : (await lists.aggregate<ListDocument>([{ $match: filter }], options).toArray())[0]
    steps.read(list, found?.values ?? [])
  }

  private async append(
    list: string,
    value: number,
    given: { readonly steps: Steps; readonly session: ClientSession | undefined },
  ): Promise<void> {
    const { steps, session } = given
    const filter = { _id: list }
    const change = { $push: { values: value }, $set: { name: list } }
    const options = { upsert: true, ...(session === undefined ? {} : { session }) }
    steps.append(list, value)
    const kind = this.random()
    if (kind < 0.3) await this.lists.updateOne(filter, change, options)
    else if (kind < 0.4) {
      await this.lists.bulkWrite(
        [{ updateOne: { filter, update: change, upsert: true } }],
        session === undefined ? {} : { session },
      )
    } else if (kind < 0.7) {
      const before = await this.lists.findOneAndUpdate(filter, change, {
        ...options,
        returnDocument: 'before',
      })
      steps.readBefore(list, before?.values ?? [])
    } else {
      const after = await this.lists.findOneAndUpdate(filter, change, {
        ...options,
        returnDocument: 'after',
      })
      steps.read(list, after?.values ?? [])
    }
  }
}

/** A transaction whose abort is not answered ends by itself. */
function ignoreLost(error: unknown): void {
  if (!(error instanceof MongoNetworkError)) throw error
}

/** Conflicts change nothing, a lost connection may have; anything else is a fault of the server. */
function outcomeOf(error: unknown): Outcome {
  if (error instanceof MongoNetworkError) return 'unknown'
  // A bulkWrite puts its own error around it.
  const cause: unknown = error instanceof MongoBulkWriteError ? error.errorResponse : undefined
  if (cause instanceof MongoNetworkError) return 'unknown'
  if (error instanceof MongoServerError) {
    // The database is away: a read has no answer, a write may have taken effect.
    if (error.code === 91 && !error.hasErrorLabel('TransientTransactionError')) return 'unknown'
    if (error.hasErrorLabel('TransientTransactionError')) return 'aborted'
    if (error.codeName === 'WriteConflict') return 'aborted'
    if (error.hasErrorLabel('RetryableWriteError')) return 'unknown'
  }
  throw error
}
