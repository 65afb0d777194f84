// A store that many gateways share: an ordered map in a table of PostgreSQL, which does the
// concurrency control. (docs/design/many-gateways.md)

import { hash } from 'node:crypto'
import type { Bytes } from '../../base/bytes/bytes.js'
import { type Clock, systemClock } from '../../base/clock.js'
import { fail } from '../../base/errors.js'
import type { Log } from '../../base/log.js'
import type { Account } from '../../base/work/accounts.js'
import { Scheduler } from '../../base/work/scheduler.js'
import { Backups } from '../backup/backup.js'
import type {
  Backup,
  BackupOptions,
  Gateways,
  HeldState,
  HoldOptions,
  LargeChanges,
  Program,
  ReadOptions,
  ReadTx,
  Store,
  StoreStats,
  Tx,
} from '../store.js'
import type { Address } from './address.js'
import { readPoints } from './asks.js'
import { DatabaseClock } from './database-clock.js'
import { clientError, openingError } from './failures.js'
import { addressOf, isOver } from './gateway-row.js'
import { Guesses } from './guesses.js'
import { Link, type LinkOptions } from './link.js'
import { Notices } from './notices.js'
import { NumberBlocks } from './numbers.js'
import { requireSession } from './poolers.js'
import { ReadRuns } from './reads/read-runs.js'
import { prepareSchema } from './schema.js'
import type { Statement } from './statement.js'
import { WriteLane } from './write-lane.js'
import { Writer } from './writer.js'

interface PostgresOptions {
  readonly address: Address
  readonly durability: 'commit' | 'interval' | 'none'
  readonly clock: Clock
  readonly log: Log
}

/** How often the row of the gateway is renewed and the size is read, milliseconds. */
const beatMs = 5_000
/** How often the database's clock is looked at, milliseconds. */
const measureMs = 1_000
const askTime: Statement = {
  name: 'ask_time',
  text: 'SELECT (extract(epoch FROM clock_timestamp()) * 1000)::float8::text',
}
const noOptions: ReadOptions = {}

/** Connects, and creates the tables if there are none. Rejects with OperationFailed. */
export async function openPostgresStore(options: PostgresOptions): Promise<Store> {
  const { address, durability, log } = options
  // A clock that a test passes is followed as it is.
  const clock = options.clock === systemClock ? new DatabaseClock(systemClock) : options.clock
  const links: LinkOptions = {
    connectionString: address.connectionString,
    schema: address.schema,
    synchronousCommit: durability === 'commit' ? 'on' : 'off',
  }
  try {
    const link = await Link.open(links, 'sigil start')
    try {
      await requireSession(link, links)
      await prepareSchema(link, address.schema)
    } finally {
      await link.close()
    }
    const writer = await Writer.open(links, clock, log)
    const { no, epoch } = writer.current.row
    try {
      const exchange = await Notices.open({
        links,
        clock,
        log,
        // No other process ever has the same.
        name: `${no}.${epoch}`,
        channel: `sigil_${hash('sha256', address.schema).slice(0, 32)}`,
      })
      const script = new URL('./copy/backup-worker.js', import.meta.url)
      const backups = new Backups({ worker: { script, store: { links } }, clock, log })
      const store = new PostgresStore(links, writer, clock, exchange, backups)
      await store.beat()
      await store.measureTime()
      return store
    } catch (error) {
      await writer.close()
      throw error
    }
  } catch (thrown) {
    throw openingError(thrown)
  }
}

class PostgresStore implements Store {
  readonly scheduler = new Scheduler()
  readonly gateways: Gateways
  private readonly reads: ReadRuns
  private readonly lane: WriteLane
  private readonly beating: NodeJS.Timeout
  private readonly measuring: NodeJS.Timeout
  /** As of the last look, and what was written since. */
  private sizeBytes = 0
  private closed: Promise<void> | undefined
  /** Address of HTTP, for other gateways; empty before it is known. */
  private servesAt = ''

  constructor(
    options: LinkOptions,
    private readonly writer: Writer,
    readonly sharedClock: Clock,
    readonly exchange: Notices,
    private readonly backups: Backups,
  ) {
    const guesses = new Guesses()
    this.reads = new ReadRuns(options, sharedClock, this.scheduler, guesses)
    this.gateways = {
      get self() {
        return writer.current.row.life
      },
      isGone: (gateway) => this.asked((link) => isOver(link, gateway)),
      get number() {
        return writer.current.row.no
      },
      announce: (address) => {
        this.servesAt = address
        return this.beat()
      },
      addressOf: (number) => this.asked((link) => addressOf(link, number)),
    }
    const beside = (keys: readonly Bytes[]) => this.beside((link) => readPoints(link, keys))
    const numbers = new NumberBlocks((run) => this.beside(run))
    const grown = (bytes: number) => {
      this.sizeBytes += bytes
    }
    const { scheduler } = this
    this.lane = new WriteLane(writer, sharedClock, scheduler, beside, numbers, guesses, grown)
    this.beating = setInterval(() => {
      // While PostgreSQL is away there is nothing to renew.
      this.beat().catch(() => undefined)
    }, beatMs)
    this.beating.unref()
    this.measuring = setInterval(() => {
      this.measureTime().catch(() => undefined)
    }, measureMs)
    this.measuring.unref()
  }

  async read<T>(program: (tx: ReadTx) => Program<T>, options = noOptions): Promise<T> {
    this.requireOpen()
    return this.reads.run(program, options)
  }

  async write<T>(program: (tx: Tx) => Program<T>, account?: Account): Promise<T> {
    this.requireOpen()
    return this.lane.run(program, account)
  }

  async writeLarge<T>(
    program: (tx: Tx) => Program<T>,
    large: LargeChanges,
    account?: Account,
  ): Promise<T> {
    this.requireOpen()
    return this.lane.run(program, account, large)
  }

  async hold(options?: HoldOptions): Promise<HeldState> {
    this.requireOpen()
    return this.reads.hold(options)
  }

  /** A commit is acknowledged when it is visible: no group has to end before the state is fixed. */
  async backup(options: BackupOptions): Promise<Backup> {
    this.requireOpen()
    return this.backups.start({ atRest: (body) => body() }, options)
  }

  stats(): StoreStats {
    const { lane, sizeBytes } = this
    const backup = this.backups.stats()
    return {
      type: 'PostgreSQL',
      sizeBytes,
      groups: lane.stats(),
      ...(lane.refusing === undefined ? {} : { refusing: lane.refusing }),
      ...(backup === undefined ? {} : { backup }),
    }
  }

  close(): Promise<void> {
    this.closed ??= this.end()
    return this.closed
  }

  /** Renews the row of the gateway, and looks how large the store is. */
  async beat(): Promise<void> {
    const { links } = this.reads
    const link = await links.take()
    try {
      const lives = await this.writer.current.row.beat(link, this.servesAt)
      if (!lives) this.writer.isTakenForGone = true
      const [row] = await link.command(
        "SELECT pg_total_relation_size('pairs') + pg_total_relation_size('counts')",
      )
      this.sizeBytes = Number(row?.[0])
    } catch (thrown) {
      throw clientError(thrown)
    } finally {
      links.give(link)
    }
  }

  async measureTime(): Promise<void> {
    const { sharedClock: clock } = this
    if (!(clock instanceof DatabaseClock)) return
    const { links } = this.reads
    const link = await links.take()
    try {
      const sentMs = clock.elapsed()
      const [row] = await link.run(askTime)
      clock.measured(sentMs, clock.elapsed(), Number(row?.[0]))
    } finally {
      links.give(link)
    }
  }

  private async asked<T>(ask: (link: Link) => Promise<T>): Promise<T> {
    try {
      return await this.beside(ask)
    } catch (thrown) {
      throw clientError(thrown)
    }
  }

  /** On a connection for reads, outside of any transaction. */
  private async beside<T>(ask: (link: Link) => Promise<T>): Promise<T> {
    const { links } = this.reads
    const link = await links.take()
    try {
      return await ask(link)
    } finally {
      links.give(link)
    }
  }

  private async end(): Promise<void> {
    clearInterval(this.beating)
    clearInterval(this.measuring)
    await Promise.all([this.reads.idle(), this.lane.idle(), this.backups.close()])
    await this.reads.close()
    await this.exchange.close()
    await this.writer.close()
  }

  private requireOpen(): void {
    if (this.closed !== undefined) throw fail('ShutdownInProgress', 'the store is closed')
  }
}
