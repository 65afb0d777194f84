// The engine: a store, its background jobs, and the cursors of this process. Programs need only the
// store; commands find everything here.

import type { Clock, Random } from '../base/clock.js'
import type { ByteShares } from '../base/heap/byte-shares.js'
import { MemoryAccount } from '../base/heap/memory-account.js'
import { memoryBudgetBytes } from '../base/limits/connections.js'
import type { Log } from '../base/log.js'
import type { Store } from '../store/store.js'
import { HeldReads } from '../store/transactions/held-reads.js'
import { OpenTransactions } from '../store/transactions/open-transactions.js'
import { Awaiting } from './awaiting.js'
import type { BackgroundLoop } from './background/background-loop-job.js'
import { ChangeRetention } from './background/change-retention-job.js'
import { cursorExpiry } from './background/cursor-expiry-job.js'
import { DocumentExpiry } from './background/document-expiry-job.js'
import { GarbageJob } from './background/garbage-job.js'
import { ClockPace, type Pace } from './background/pace-job.js'
import { SecondLook } from './background/second-look-job.js'
import { transactionExpiry } from './background/transaction-expiry-job.js'
import { countOwners, indexCatalog, markOldKeys } from './collection/catalog/catalog-upgrade-job.js'
import { dropReplacements } from './collection/replacement.js'
import { IndexBuilds } from './index/index-build-job.js'
import { IndexUse } from './index/index-use.js'
import { ObservedStore } from './observed-store.js'
import { RemoteHolds } from './remote-holds.js'
import { RemoteWakes } from './remote-wakes.js'
import { Cursors } from './sources/cursors.js'
import type { SpillFolder } from './sources/spill.js'

interface EngineParts {
  readonly store: Store
  readonly clock: Clock
  readonly random: Random
  readonly log: Log
  /** Slows background work in favour of clients; tests may pass one that never waits. */
  readonly pace?: Pace
  /** Folder for spilled sorts and groups; without it, those that exceed memory fail. */
  readonly spills?: SpillFolder | undefined
  /** Memory held for clients; by default a separate account of the default size. */
  readonly memory?: MemoryAccount
}

/** Background work that stops after its current step. */
interface Job {
  close(): Promise<void>
}

export class Engine {
  readonly store: ObservedStore
  readonly clock: Clock
  readonly random: Random
  readonly cursors: Cursors
  readonly transactions: OpenTransactions
  readonly awaiting: Awaiting
  readonly indexUse: IndexUse
  readonly builds: IndexBuilds
  readonly garbage: GarbageJob
  /** Slows background work in favour of clients. */
  readonly pace: Pace
  readonly documentExpiry: DocumentExpiry
  readonly spills: SpillFolder | undefined
  /** Memory held for clients of all protocols. */
  readonly memory: MemoryAccount
  readonly changeRetention: ChangeRetention
  private readonly expiry: BackgroundLoop
  private readonly transactionExpiry: BackgroundLoop
  private readonly secondLook: SecondLook | undefined
  private readonly attached: Job[] = []

  constructor(parts: EngineParts) {
    const { clock, random, log, pace = new ClockPace(clock) } = parts
    this.memory = parts.memory ?? new MemoryAccount(memoryBudgetBytes)
    const store = new ObservedStore(parts.store)
    this.store = store
    const { exchange } = store
    if (exchange !== undefined) {
      const wakes = new RemoteWakes(exchange, clock)
      store.wakes = wakes
      this.secondLook = new SecondLook({ store, wakes, log, pace })
    }
    this.spills = parts.spills
    this.pace = pace
    this.clock = clock
    this.random = random
    this.cursors = new Cursors(clock, random, this.memory.shares)
    this.cursors.gateway = store.gateways
    this.transactions = new OpenTransactions({ store, clock, shares: this.memory.shares })
    store.held = this.transactions.held
    store.heldReads = new HeldReads(clock)
    if (exchange !== undefined) store.remoteHolds = new RemoteHolds(exchange, store.heldReads)
    this.memory.shares.reclaim = (owner) => this.cursors.reclaim(owner)
    const { transactions } = this
    this.transactionExpiry = transactionExpiry({ transactions, log, pace })
    this.awaiting = new Awaiting(store)
    this.indexUse = new IndexUse(clock.now())
    this.builds = new IndexBuilds({ store, clock, log, pace }, random)
    this.garbage = new GarbageJob({ store, clock, log, pace })
    this.documentExpiry = new DocumentExpiry({ store, clock, log, pace })
    this.changeRetention = new ChangeRetention({ store, cursors: this.cursors, clock, log, pace })
    this.expiry = cursorExpiry({ cursors: this.cursors, clock, log, pace })
  }

  /** Memory of queries, by owner. */
  get queryMemory(): ByteShares {
    return this.memory.shares
  }

  /** Resumes the work of the previous process; resolves before the first client may be served. */
  start(): Promise<void> {
    this.spills?.clear()
    this.expiry.start()
    this.changeRetention.start()
    this.transactionExpiry.start()
    this.secondLook?.start()
    this.documentExpiry.start()
    return indexCatalog(this.store)
      .then(() => this.garbage.start())
      .then(() => countOwners(this.store))
      .then(() => markOldKeys(this.store))
      .then(() => this.dropReplacements())
      .then(() => this.changeRetention.begin())
      .then(() => this.builds.resume())
  }

  /** With other gateways, the garbage job drops those of gateways that are gone. */
  private dropReplacements(): Promise<void> | undefined {
    return this.store.gateways === undefined ? this.store.write(dropReplacements) : undefined
  }

  /** Registers a job that is closed with the engine. */
  attach(job: Job): void {
    this.attached.push(job)
  }

  /** Stops the jobs after their current step; the owner of the store closes it. */
  close(): Promise<void> {
    this.transactions.close()
    const jobs: Job[] = [
      this.garbage,
      this.builds,
      this.documentExpiry,
      this.expiry,
      this.changeRetention,
      this.transactionExpiry,
      ...(this.secondLook === undefined ? [] : [this.secondLook]),
      ...this.attached,
    ]
    return Promise.all(jobs.map((job) => job.close())).then(() => undefined)
  }
}
