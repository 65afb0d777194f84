// A connection to PostgreSQL. Statements are prepared once and pipelined: they may be sent before
// the answers of earlier ones have come.

import pg from 'pg'
import { typeParser } from './packed.js'
import { PreparedQuery } from './prepared-query.js'
import type { Row, Statement, Value } from './statement.js'

export interface LinkOptions {
  readonly connectionString: string
  readonly schema: string
  readonly synchronousCommit: 'on' | 'off'
  /** Of statements outside of transactions, which only read then. */
  readonly isolation?: 'serializable'
}

/** Time to connect, milliseconds. */
const connectMsMax = 5_000

/**
 * Every read takes the index of its key: a sequential scan would lock the whole table for
 * serializable transactions. The other settings keep plans and transactions free of surprises.
 */
const sessionSettings = {
  bytea_output: 'hex',
  enable_bitmapscan: 'off',
  enable_hashjoin: 'off',
  enable_mergejoin: 'off',
  enable_seqscan: 'off',
  enable_sort: 'off',
  jit: 'off',
  lock_timeout: '0',
  max_parallel_workers_per_gather: '0',
  plan_cache_mode: 'force_generic_plan',
  statement_timeout: '0',
}

export class Link {
  /** Why it can no longer be used. */
  broken: Error | undefined
  private ended: (() => void) | undefined
  private isGathering = false

  private constructor(private readonly client: pg.Client) {
    client.on('error', (error) => this.break(error))
    client.on('end', () => this.break(new Error('the connection has ended')))
  }

  /**
   * Rejects with the error of the connection or of PostgreSQL. A transaction that waits for this
   * process longer than `idleMs` is ended, as its locks stop other gateways; 0 for never.
   */
  static async open(options: LinkOptions, name: string, idleMs = 0): Promise<Link> {
    const client = new pg.Client({
      connectionString: options.connectionString,
      application_name: name,
      connectionTimeoutMillis: connectMsMax,
      keepAlive: true,
      pipeline: true,
      types: { getTypeParser: typeParser },
    })
    const link = new Link(client)
    try {
      await client.connect()
      const settings = {
        ...sessionSettings,
        idle_in_transaction_session_timeout: String(idleMs),
        synchronous_commit: options.synchronousCommit,
        ...(options.isolation === undefined ? {} : readingOnly(options.isolation)),
      }
      const texts = Object.entries(settings).map(([key, value]) => `SET ${key} = '${value}'`)
      await client.query([...texts, `SET search_path = "${options.schema}"`].join('; '))
      return link
    } catch (error) {
      await link.close()
      throw error
    }
  }

  /** Process of the server's side. */
  get backend(): number {
    return this.client.processID ?? 0
  }

  run(statement: Statement, values: readonly Value[] = []): Promise<readonly Row[]> {
    const { broken } = this
    if (broken !== undefined) return Promise.reject(broken)
    this.gather()
    return new Promise((resolve, reject) => {
      this.client.query(new PreparedQuery(statement, values, resolve, reject))
    })
  }

  /** Without a name or parameters. */
  async command(text: string): Promise<readonly Row[]> {
    if (this.broken !== undefined) throw this.broken
    const { rows } = await this.client.query({ text, rowMode: 'array' })
    return rows as unknown as readonly Row[]
  }

  /** Calls `tell` with the content of each notification. */
  whenTold(tell: (payload: string) => void): void {
    this.client.on('notification', ({ payload = '' }) => tell(payload))
  }

  /** Calls `tell` once, when the connection can no longer be used. */
  whenEnded(tell: () => void): void {
    if (this.broken === undefined) this.ended = tell
    else tell()
  }

  async close(): Promise<void> {
    this.break(new Error('the connection is closed'))
    await this.client.end().catch(() => undefined)
  }

  /** All statements of this turn go out in one write: a system call costs more than a statement. */
  private gather(): void {
    if (this.isGathering) return
    this.isGathering = true
    const { stream } = this.client.connection
    stream.cork()
    process.nextTick(() => {
      this.isGathering = false
      stream.uncork()
    })
  }

  private break(error: Error): void {
    this.broken ??= error
    const { ended } = this
    this.ended = undefined
    ended?.()
  }
}

function readingOnly(isolation: string): Readonly<Record<string, string>> {
  return { default_transaction_isolation: isolation, default_transaction_read_only: 'on' }
}

/** Waits for all, also when one fails; then throws the first error. */
export async function settled<T>(all: readonly Promise<T>[]): Promise<T[]> {
  const ends = await Promise.allSettled(all)
  return ends.map((end) => {
    if (end.status === 'rejected') throw end.reason
    return end.value
  })
}
