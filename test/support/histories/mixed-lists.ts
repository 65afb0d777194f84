// Lists that one transaction reaches through several protocols over HTTP: strings in documents, read
// and changed by document and by SQL routes, and strings of the key-value database.

import { setTimeout as sleep } from 'node:timers/promises'
import type { Level, Outcome } from './history.js'
import { type ListClient, type PlannedStep, type Ran, Steps } from './list-workload.js'

interface Given {
  readonly url: string
  readonly random: () => number
  /** The operator's key, where the server asks for one. */
  readonly key?: string
}

interface Answer {
  readonly status: number
  readonly body: Readonly<Record<string, unknown>>
}

/** The request had no answer, or the database is away. */
class NoAnswer extends Error {}

/** The server has ended the transaction, or refused the command without a trace. */
class Refused extends Error {}

const listsMax = 300
const commitTriesMax = 5

const isKey = (list: string) => Number(list.replace(/\D/g, '')) % 3 === 2

/** Documents for the lists, so that an UPDATE of SQL finds them. */
export async function prepareMixedLists(url: string, key?: string): Promise<void> {
  const documents = Array.from({ length: listsMax }, (_, at) => ({ _id: `list${at}`, v: '' }))
  const { status } = await post({ url, key }, '/collections/lists/insertMany', { documents })
  if (status >= 300) throw new Error(`insertMany: ${status}`)
}

export class MixedLists implements ListClient {
  private readonly server: Server
  private readonly random: () => number

  constructor({ url, random, key }: Given) {
    this.server = { url, key }
    this.random = random
  }

  async run(planned: readonly PlannedStep[]): Promise<Ran> {
    await this.untilReached()
    const [first] = planned
    if (planned.length > 1 || first === undefined) return this.runTransaction(planned)
    const steps = new Steps()
    const outcome = await outcomeOf(() => this.step(first, steps))
    return { level: 'serializable', outcome, steps: steps.made }
  }

  async close(): Promise<void> {}

  /** While the server starts again it refuses connections. */
  private async untilReached(): Promise<void> {
    const ping = () => this.ask('/redis', { command: ['PING'] })
    while ((await outcomeOf(ping)) === 'unknown') await sleep(20)
  }

  private async runTransaction(planned: readonly PlannedStep[]): Promise<Ran> {
    const level: Level = this.random() < 0.5 ? 'serializable' : 'snapshot'
    const steps = new Steps()
    const ended = (outcome: Outcome): Ran => ({ level, outcome, steps: steps.made })
    let id: string | undefined
    const made = await outcomeOf(async () => {
      const { body } = await this.ask('/transactions', { isolation: level })
      id = String(body.id)
      for (const one of planned) await this.step(one, steps, id)
    })
    if (made !== 'committed' || id === undefined) return ended('aborted')
    if (this.random() < 0.1) {
      await outcomeOf(() => this.ask(`/transactions/${id}/abort`, {}))
      return ended('aborted')
    }
    return ended(await this.commit(id))
  }

  /** Asked again until it is answered: what was committed says so after a restart too. */
  private async commit(id: string): Promise<Outcome> {
    for (let tries = 0; tries < commitTriesMax; tries++) {
      const outcome = await outcomeOf(() => this.ask(`/transactions/${id}/commit`, {}))
      if (outcome !== 'unknown') return outcome
      await this.untilReached()
    }
    return 'unknown'
  }

  private step({ list, value }: PlannedStep, steps: Steps, id?: string): Promise<void> {
    if (value === undefined) return this.read(list, steps, id)
    steps.append(list, value)
    return this.append(list, `,${value}`, id)
  }

  private async read(list: string, steps: Steps, id?: string): Promise<void> {
    steps.read(list, numbersIn(await this.textOf(list, id)))
  }

  private async textOf(list: string, id?: string): Promise<unknown> {
    if (isKey(list)) return (await this.ask('/redis', { command: ['GET', list] }, id)).body.result
    if (this.random() < 0.5) {
      const query = `SELECT v FROM lists WHERE _id = '${list}'`
      const { result } = (await this.ask('/sql', { query }, id)).body
      const { cursor } = result as { cursor: { firstBatch: readonly { v: string }[] } }
      return cursor.firstBatch[0]?.v
    }
    const { body } = await this.ask('/collections/lists/findOne', { filter: { _id: list } }, id)
    return (body.document as { v: string }).v
  }

  private async append(list: string, text: string, id?: string): Promise<void> {
    if (isKey(list)) {
      await this.ask('/redis', { command: ['APPEND', list, text] }, id)
      return
    }
    if (this.random() < 0.5) {
      const query = `UPDATE lists SET v = v || '${text}' WHERE _id = '${list}'`
      await this.ask('/sql', { query }, id)
      return
    }
    const update = [{ $set: { v: { $concat: ['$v', text] } } }]
    await this.ask('/collections/lists/updateOne', { filter: { _id: list }, update }, id)
  }

  private async ask(path: string, body: unknown, id?: string): Promise<Answer> {
    const answer = await post(this.server, path, body, id)
    if (answer.status < 300) return answer
    const text = `${path}: ${answer.status} ${JSON.stringify(answer.body)}`
    // The database is away.
    if (answer.status === 503) throw new NoAnswer(text)
    // A conflict, or a transaction that a restart has forgotten.
    if (answer.status === 409 || answer.body.code === 251) throw new Refused(text)
    throw new Error(text)
  }
}

interface Server {
  readonly url: string
  readonly key: string | undefined
}

async function post(
  { url, key }: Server,
  path: string,
  body: unknown,
  id?: string,
): Promise<Answer> {
  const headers = {
    'content-type': 'application/json',
    ...(key === undefined ? {} : { authorization: `Bearer ${key}` }),
    ...(id === undefined ? {} : { 'x-sigil-transaction': id }),
  }
  const sent = { method: 'POST', headers, body: JSON.stringify(body) }
  try {
    const response = await fetch(`${url}/api/v1${path}`, sent)
    return { status: response.status, body: (await response.json()) as Answer['body'] }
  } catch (error) {
    throw new NoAnswer('no answer', { cause: error })
  }
}

/** `committed` where everything was answered. */
async function outcomeOf(work: () => Promise<unknown>): Promise<Outcome> {
  try {
    await work()
    return 'committed'
  } catch (error) {
    if (error instanceof Refused) return 'aborted'
    if (error instanceof NoAnswer) return 'unknown'
    throw error
  }
}

function numbersIn(text: unknown): number[] {
  return String(text ?? '')
    .split(',')
    .slice(1)
    .map(Number)
}
