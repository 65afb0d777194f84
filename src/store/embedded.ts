// A store in this process: read programs and write groups over its own tables. Memory and LMDB
// share this code, so both follow the same rules.

import type { Clock } from '../base/clock.js'
import { fail } from '../base/errors.js'
import type { Account } from '../base/work/accounts.js'
import { Scheduler } from '../base/work/scheduler.js'
import type { ClusterTime } from './layout.js'
import { ReadPrograms } from './programs/read-programs.js'
import { WriteGroups } from './programs/write-groups.js'
import type {
  Awaitable,
  Backup,
  BackupOptions,
  HeldState,
  LargeChanges,
  Program,
  ReadOptions,
  ReadTx,
  Store,
  StoreStats,
  Tx,
} from './store.js'
import type { Tables } from './tables/tables.js'

const noOptions: ReadOptions = {}

export class EmbeddedStore implements Store {
  readonly ownsData = true
  readonly scheduler: Scheduler
  private readonly tables: Tables
  private readonly reads: ReadPrograms
  private readonly writes: WriteGroups
  private closed: Promise<void> | undefined

  constructor(tables: Tables, clock: Clock) {
    this.tables = tables
    this.scheduler = new Scheduler()
    this.reads = new ReadPrograms(tables, clock, this.scheduler)
    this.writes = new WriteGroups(tables, clock, this.scheduler)
  }

  read<T>(program: (tx: ReadTx) => Program<T>, options = noOptions): Awaitable<T> {
    this.requireOpen()
    return this.reads.run(program, options)
  }

  write<T>(program: (tx: Tx) => Program<T>, account?: Account): Promise<T> {
    if (this.closed !== undefined) return Promise.reject(storeClosed())
    return this.writes.run(program, account)
  }

  writeLarge<T>(
    program: (tx: Tx) => Program<T>,
    large: LargeChanges,
    account?: Account,
  ): Promise<T> {
    if (this.closed !== undefined) return Promise.reject(storeClosed())
    return this.writes.run(program, account, large)
  }

  hold(): HeldState {
    this.requireOpen()
    const { writes } = this
    const { groups } = writes.stats()
    return this.reads.hold(() => writes.stats().groups === groups)
  }

  changeTime(): ClusterTime {
    return this.writes.times.told()
  }

  stats(): StoreStats {
    const { tables, writes } = this
    const { refusing = writes.refusing, ...figures } = tables.stats()
    const stats = { type: tables.type, ...figures, groups: writes.stats() }
    return refusing === undefined ? stats : { ...stats, refusing }
  }

  async backup(options: BackupOptions): Promise<Backup> {
    this.requireOpen()
    const { tables } = this
    if (tables.backup !== undefined) return tables.backup(options)
    throw fail('CommandNotSupported', `a store of type ${tables.type} has no backups`)
  }

  close(): Promise<void> {
    this.closed ??= Promise.all([this.reads.idle(), this.writes.idle()]).then(() => {
      this.reads.releaseHeld()
      return this.tables.close()
    })
    return this.closed
  }

  private requireOpen(): void {
    if (this.closed !== undefined) throw storeClosed()
  }
}

function storeClosed(): Error {
  return fail('ShutdownInProgress', 'the store is closed')
}
