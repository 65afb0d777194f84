// Lists as texts of a table, by node-postgres: single statements of every kind that reads or appends,
// and transactions of both levels that keep one state.

import { setTimeout as sleep } from 'node:timers/promises'
import pg, { type Result } from 'pg'
import type { Level, Outcome } from './history.js'
import { type ListClient, type PlannedStep, type Ran, Steps } from './list-workload.js'

interface Given {
  readonly port: number
  readonly random: () => number
  /** The operator's key, where the server asks for one. */
  readonly key?: string
}

/** The server refused the statement without a trace; the connection goes on. */
class Refused extends Error {}

/** The connection was lost before the answer. */
class NoAnswer extends Error {}

const listsMax = 300

/** A serialization failure, and a statement of a transaction that has failed. */
const refusals: ReadonlySet<unknown> = new Set(['40001', '25P02'])
/** The server ends, or its database is away: a statement may have taken effect. */
const shutdown = '57P01'

const levels: Readonly<Record<Level, string>> = {
  snapshot: 'REPEATABLE READ',
  serializable: 'SERIALIZABLE',
}

/** Rows for the lists, so that an UPDATE finds them. */
export async function prepareSqlLists(port: number, key?: string): Promise<void> {
  const client = await connect(port, key)
  await client.query('CREATE TABLE sql_lists (name text PRIMARY KEY, items text NOT NULL)')
  const rows = Array.from({ length: listsMax }, (_, at) => `('list${at}', '')`)
  await client.query(`INSERT INTO sql_lists (name, items) VALUES ${rows.join(', ')}`)
  await client.end()
}

export class SqlLists implements ListClient {
  private readonly port: number
  private readonly random: () => number
  private readonly key: string | undefined
  private client: pg.Client | undefined

  constructor({ port, random, key }: Given) {
    this.port = port
    this.random = random
    this.key = key
  }

  async run(planned: readonly PlannedStep[]): Promise<Ran> {
    await this.untilReached()
    const [first] = planned
    if (planned.length > 1 || first === undefined) return this.runTransaction(planned)
    const steps = new Steps()
    const outcome = await outcomeOf(() => this.step(first, steps))
    return { level: 'serializable', outcome, steps: steps.made }
  }

  async close(): Promise<void> {
    await this.client?.end().catch(() => undefined)
  }

  /** While the server starts again it refuses connections. */
  private async untilReached(): Promise<void> {
    while (this.client === undefined) {
      try {
        this.client = await connect(this.port, this.key)
      } catch {
        await sleep(20)
      }
    }
  }

  private async runTransaction(planned: readonly PlannedStep[]): Promise<Ran> {
    const level: Level = this.random() < 0.5 ? 'serializable' : 'snapshot'
    const steps = new Steps()
    const ended = (outcome: Outcome): Ran => ({ level, outcome, steps: steps.made })
    const made = await outcomeOf(async () => {
      await this.ask(`BEGIN ISOLATION LEVEL ${levels[level]}`)
      for (const one of planned) await this.stepOrSavepoint(one, steps)
    })
    // What was never asked to commit leaves nothing.
    if (made === 'unknown') return ended('aborted')
    if (made === 'aborted' || this.random() < 0.1) {
      await outcomeOf(() => this.ask('ROLLBACK'))
      return ended('aborted')
    }
    let tag = ''
    const outcome = await outcomeOf(async () => {
      tag = (await this.ask('COMMIT')).command
    })
    return ended(outcome === 'committed' && tag !== 'COMMIT' ? 'aborted' : outcome)
  }

  private async stepOrSavepoint(planned: PlannedStep, steps: Steps): Promise<void> {
    const isSaved = this.random() < 0.2
    if (isSaved) await this.ask('SAVEPOINT inner_step')
    await this.step(planned, steps)
    // What was only read is not undone.
    const back = planned.value === undefined && this.random() < 0.5
    if (isSaved) await this.ask(`${back ? 'ROLLBACK TO' : 'RELEASE'} SAVEPOINT inner_step`)
  }

  private step({ list, value }: PlannedStep, steps: Steps): Promise<void> {
    if (value === undefined) return this.read(list, steps)
    steps.append(list, value)
    return this.append(list, value, steps)
  }

  private async read(list: string, steps: Steps): Promise<void> {
    const kinds = ['', ' FOR UPDATE', ' FOR SHARE']
    const lock = this.random() < 0.7 ? '' : kinds[Math.floor(this.random() * kinds.length)]
    const { rows } = await this.ask(`SELECT items FROM sql_lists WHERE name = $1${lock}`, [list])
    steps.read(list, numbersIn(rows[0]))
  }

  private async append(list: string, value: number, steps: Steps): Promise<void> {
    const kind = this.random()
    if (kind < 0.4) {
      await this.ask('UPDATE sql_lists SET items = items || $2 WHERE name = $1', [
        list,
        `,${value}`,
      ])
      return
    }
    const text =
      kind < 0.7
        ? 'UPDATE sql_lists SET items = items || $2 WHERE name = $1 RETURNING items'
        : `INSERT INTO sql_lists (name, items) VALUES ($1, $2)
           ON CONFLICT (name) DO UPDATE SET items = sql_lists.items || EXCLUDED.items
           RETURNING items`
    const { rows } = await this.ask(text, [list, `,${value}`])
    steps.read(list, numbersIn(rows[0]))
  }

  private async ask(text: string, values: readonly string[] = []): Promise<Result> {
    const { client } = this
    if (client === undefined) throw new NoAnswer('there is no connection')
    try {
      return await client.query(text, [...values])
    } catch (error) {
      // An error of the server has a severity, one of the connection has none.
      const isTold = error instanceof Error && 'severity' in error && 'code' in error
      if (isTold && error.code !== shutdown) {
        throw refusals.has(error.code) ? new Refused(text, { cause: error }) : error
      }
      this.client = undefined
      void client.end().catch(() => undefined)
      throw new NoAnswer(text, { cause: error })
    }
  }
}

async function connect(port: number, key?: string): Promise<pg.Client> {
  const as = key === undefined ? { user: 'anyone' } : { user: 'operator', password: key }
  const client = new pg.Client({ host: '127.0.0.1', port, database: 'main', ...as })
  // The query that is under way tells it.
  client.on('error', () => undefined)
  await client.connect()
  return client
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

function numbersIn(row: Readonly<Record<string, unknown>> | undefined): number[] {
  return String(row?.items ?? '')
    .split(',')
    .slice(1)
    .map(Number)
}
