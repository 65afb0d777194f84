// The engine as one thing: a store, the background jobs that belong to its data, and the cursors of
// this process. Programs need none of it but the store; commands find everything here.

import type { Clock, Random } from '../base/clock.js'
import type { ByteShares } from '../base/heap/byte-shares.js'
import { MemoryAccount } from '../base/heap/memory-account.js'
import { memoryBudgetBytes } from '../base/limits.js'
import type { Log } from '../base/log.js'
import type { Store } from '../store/store.js'
import { Awaiting } from './awaiting.js'
import { CursorExpiry } from './background/cursor-expiry-job.js'
import { DocumentExpiry } from './background/document-expiry-job.js'
import { GarbageJob } from './background/garbage-job.js'
import { ClockPace, type Pace } from './background/pace-job.js'
import { countOwners, indexCatalog, markOldKeys } from './collection/catalog/catalog-upgrade-job.js'
import { dropReplacements } from './collection/replacement.js'
import { IndexBuilds } from './index/index-build-job.js'
import { IndexUse } from './index/index-use.js'
import { ObservedStore } from './observed-store.js'
import { Cursors } from './sources/cursors.js'
import type { SpillFolder } from './sources/spill.js'

interface EngineParts {
  readonly store: Store
  readonly clock: Clock
  readonly random: Random
  readonly log: Log
  /** How background work makes room; a test may give one that never waits. */
  readonly pace?: Pace
  /** Where sorts and groups put what memory does not hold; without it they are refused. */
  readonly spills?: SpillFolder | undefined
  /** What clients hold; one of its own, of the default size, unless given. */
  readonly memory?: MemoryAccount
}

/** Background work that stops after its step. */
interface Job {
  close(): Promise<void>
}

export class Engine {
  readonly store: ObservedStore
  readonly clock: Clock
  readonly random: Random
  readonly cursors: Cursors
  readonly awaiting: Awaiting
  readonly indexUse: IndexUse
  readonly builds: IndexBuilds
  readonly garbage: GarbageJob
  /** How background work makes room. */
  readonly pace: Pace
  readonly documentExpiry: DocumentExpiry
  readonly spills: SpillFolder | undefined
  /** What is held for clients, of all protocols. */
  readonly memory: MemoryAccount
  private readonly expiry: CursorExpiry
  private readonly attached: Job[] = []

  constructor(parts: EngineParts) {
    const { clock, random, log, pace = new ClockPace(clock) } = parts
    this.memory = parts.memory ?? new MemoryAccount(memoryBudgetBytes)
    const store = new ObservedStore(parts.store)
    this.store = store
    this.spills = parts.spills
    this.pace = pace
    this.clock = clock
    this.random = random
    this.cursors = new Cursors(clock, random, this.memory.shares)
    this.memory.shares.reclaim = (owner) => this.cursors.reclaim(owner)
    this.awaiting = new Awaiting(store)
    this.indexUse = new IndexUse(clock.now())
    this.builds = new IndexBuilds({ store, clock, log, pace }, random)
    this.garbage = new GarbageJob({ store, clock, log, pace })
    this.documentExpiry = new DocumentExpiry({ store, clock, log, pace })
    this.expiry = new CursorExpiry({ cursors: this.cursors, clock, log, pace })
  }

  /** What queries hold in memory, by owner. */
  get queryMemory(): ByteShares {
    return this.memory.shares
  }

  /** Takes up what the last process left: resolves before the first client may be served. */
  start(): Promise<void> {
    this.spills?.clear()
    this.expiry.start()
    this.documentExpiry.start()
    return indexCatalog(this.store)
      .then(() => this.garbage.start())
      .then(() => countOwners(this.store))
      .then(() => markOldKeys(this.store))
      .then(() => this.store.write(dropReplacements))
      .then(() => this.builds.resume())
  }

  /** A job that ends with the engine. */
  attach(job: Job): void {
    this.attached.push(job)
  }

  /** Stops the jobs after their step; the store is its owner's to close. */
  close(): Promise<void> {
    const jobs: Job[] = [
      this.garbage,
      this.builds,
      this.documentExpiry,
      this.expiry,
      ...this.attached,
    ]
    return Promise.all(jobs.map((job) => job.close())).then(() => undefined)
  }
}
