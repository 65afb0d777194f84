// Runs read programs: each works until its budget of the tick is used up, then waits its turn
// behind the others. A snapshot program keeps a pinned view; the others continue on the state that
// is committed by then. (docs/design/transactions.md, rule 1)

import type { Bytes } from '../../base/bytes/bytes.js'
import type { Clock } from '../../base/clock.js'
import { assert, fail } from '../../base/errors.js'
import { scanStepMax, tickMsMax } from '../../base/limits/engine.js'
import {
  snapshotKeptBytesMax,
  snapshotKeptMsMax,
  snapshotMsMax,
  snapshotsKeptMax,
  snapshotsMax,
  transactionsMax,
} from '../../base/limits/store.js'
import type { Account } from '../../base/work/accounts.js'
import type { FairQueue } from '../../base/work/fair-queue.js'
import { backgroundOwner, type Scheduler } from '../../base/work/scheduler.js'
import { work } from '../../base/work/work-budget.js'
import {
  apartUnits,
  clockUnits,
  entryUnits,
  readBytesPerUnit,
  stretchUnits,
  turnUnits,
} from '../../base/work/work-figures.js'
import { AfterPause, Asked, Done, nothing, requireBounded, Stretches, unbounded } from '../steps.js'
import type {
  Ask,
  Awaitable,
  Count,
  Elsewhere,
  Entry,
  Fetched,
  HeldState,
  KeyRange,
  Program,
  ReadOptions,
  ReadTx,
  Step,
  Versioned,
} from '../store.js'
import type { Scanned, Snapshot, Tables, View } from '../tables/tables.js'
import { decodeCount } from './counters.js'
import { fetchEach, getEach } from './fetching.js'

/** How often a program that waits for work elsewhere checks whether it was killed, milliseconds. */
const awayLookMs = 50

/** A paused program and the promise of its caller. */
interface Paused {
  readonly tx: Reading
  readonly program: Program<unknown>
  readonly options: ReadOptions
  readonly resolve: (value: unknown) => void
  readonly reject: (error: unknown) => void
  /** How the program resumes, if not by `next`. */
  again?: (() => IteratorResult<Ask, unknown>) | undefined
}

export class ReadPrograms {
  private readonly tables: Tables
  private readonly clock: Clock
  /** Grouped by owner; a program that pauses again goes behind its owner's other programs. */
  private readonly queue: FairQueue<Paused>
  private pumping = false
  private snapshots = 0
  private kept = 0
  /** Functions that release the states that are held for transactions. */
  private readonly held = new Set<() => void>()
  /** Functions that end the work that programs wait for. */
  private readonly away = new Set<(error: unknown) => void>()
  private drained: (() => void) | undefined
  /** When the work of this tick was first timed; undefined at the start of a tick. */
  private tickStartedAt: number | undefined

  constructor(
    tables: Tables,
    clock: Clock,
    private readonly scheduler: Scheduler,
  ) {
    this.tables = tables
    this.clock = clock
    this.queue = scheduler.queue()
  }

  run<T>(make: (tx: ReadTx) => Program<T>, options: ReadOptions): Awaitable<T> {
    return this.start(make, new Reading(this.tables.current, this), options)
  }

  /**
   * Holds the newest committed state for the programs of a transaction. `isNewest` answers for as
   * long as nothing is committed.
   */
  hold(isNewest: () => boolean): HeldState {
    if (this.held.size >= transactionsMax) {
      throw fail('SnapshotTooOld', 'too many transactions are open')
    }
    const snapshot = this.tables.snapshot()
    const release = () => {
      if (this.held.delete(release)) snapshot.release()
    }
    this.held.add(release)
    return {
      read: (make, { account, onPause } = {}) => {
        if (!this.held.has(release)) throw fail('ShutdownInProgress', 'the store is closed')
        return this.start(make, new Reading(snapshot, this, true), { account, onPause })
      },
      get heldBytes() {
        return snapshot.heldBytes
      },
      get isNewest() {
        return isNewest()
      },
      release,
    }
  }

  /** Releases all held states, once no program is paused. */
  releaseHeld(): void {
    for (const release of this.held) release()
  }

  private start<T>(
    make: (tx: ReadTx) => Program<T>,
    tx: Reading,
    options: ReadOptions,
  ): Awaitable<T> {
    const program = make(tx)
    const interrupted = work.interrupt()
    tx.startTurn()
    let first: IteratorResult<Ask, T>
    try {
      first = program.next()
    } finally {
      work.resume(interrupted)
    }
    if (first.done === true) return first.value
    return new Promise<T>((resolve, reject) => {
      const paused = { tx, program, options, resolve: resolve as (value: unknown) => void, reject }
      this.park(paused, first.value)
    })
  }

  /** Resolves when no program is paused; ends the work that programs wait for. */
  idle(): Promise<void> {
    for (const end of this.away) end(fail('ShutdownInProgress', 'the server is shutting down'))
    if (this.queue.length === 0) return Promise.resolve()
    return new Promise((resolve) => {
      this.drained = resolve
    })
  }

  /** Whether the work of this tick has used up its time. */
  tickIsOver(): boolean {
    const now = this.clock.elapsed()
    if (this.tickStartedAt === undefined) {
      this.tickStartedAt = now
      setImmediate(() => {
        this.tickStartedAt = undefined
      })
      return false
    }
    return now - this.tickStartedAt >= tickMsMax
  }

  private park(paused: Paused, ask: Ask): void {
    const isAway = ask.kind === 'elsewhere'
    assert(isAway || ask.kind === 'pause', 'an embedded store answers at once')
    if (paused.options.snapshot === true && paused.tx.pinned === undefined) {
      try {
        paused.tx.pin(this.pin())
      } catch (error) {
        this.go(paused, () => paused.program.throw(error))
        return
      }
    }
    if (isAway) this.leave(paused, ask.begin)
    else this.wait(paused)
  }

  private wait(paused: Paused): void {
    this.queue.push(this.accountOf(paused), paused)
    if (!this.pumping) this.pump()
  }

  /** Lets the program wait for work elsewhere, unless it is ended before. */
  private leave(paused: Paused, begin: Elsewhere['begin']): void {
    const { program, options } = paused
    const begun = begin(this.accountOf(paused).owner)
    const back = (again?: () => IteratorResult<Ask, unknown>): void => {
      if (!this.away.delete(end)) return
      clearInterval(looking)
      paused.again = again
      this.wait(paused)
    }
    const end = (error: unknown): void => {
      back(() => program.throw(error))
      begun.end()
    }
    this.away.add(end)
    const looking = setInterval(() => {
      try {
        options.onPause?.()
      } catch (error) {
        end(error)
      }
    }, awayLookMs)
    begun.done.then(
      () => back(),
      (error) => back(() => program.throw(error)),
    )
  }

  private pin(): Pinned {
    if (this.snapshots >= snapshotsMax) throw fail('SnapshotTooOld', 'too many snapshots are open')
    const snapshot = this.tables.snapshot()
    this.snapshots++
    return { snapshot, sinceMs: this.clock.elapsed(), isKept: false }
  }

  /** An old snapshot is kept while few others are and while it holds little memory. */
  private mayStay(pinned: Pinned): boolean {
    const ms = this.clock.elapsed() - pinned.sinceMs
    if (ms <= snapshotMsMax) return true
    if (ms > snapshotKeptMsMax || pinned.snapshot.heldBytes > snapshotKeptBytesMax) return false
    if (pinned.isKept) return true
    if (this.kept >= snapshotsKeptMax) return false
    pinned.isKept = true
    this.kept++
    return true
  }

  private release({ tx }: Paused): void {
    if (tx.pinned === undefined) return
    if (tx.pinned.isKept) this.kept--
    tx.pinned.snapshot.release()
    this.snapshots--
  }

  private accountOf({ options: { account } }: Paused): Account {
    return account ?? this.scheduler.of(backgroundOwner)
  }

  /**
   * Runs at most one turn of each program and tickMsMax in all, then lets sockets and writes run.
   */
  private pump(): void {
    this.pumping = true
    setImmediate(() => {
      const startedAt = this.clock.elapsed()
      this.tickStartedAt = startedAt
      let turns = this.queue.length
      let nowMs = startedAt
      do {
        const next = this.queue.take()
        if (next === undefined) break
        this.resume(next)
        const beganMs = nowMs
        nowMs = this.clock.elapsed()
        this.scheduler.charge(this.accountOf(next), nowMs - beganMs)
      } while (--turns > 0 && nowMs - startedAt < tickMsMax)
      this.tickStartedAt = undefined
      this.pumping = false
      if (this.queue.length > 0) this.pump()
      else this.drained?.()
    })
  }

  private resume(paused: Paused): void {
    paused.tx.startTurn()
    paused.tx.follow(this.tables.current)
    try {
      paused.options.onPause?.()
      const { pinned } = paused.tx
      if (pinned !== undefined && !this.mayStay(pinned)) {
        throw fail('SnapshotTooOld', 'the snapshot of this operation is too old')
      }
    } catch (error) {
      this.go(paused, () => paused.program.throw(error))
      return
    }
    const { again } = paused
    paused.again = undefined
    this.go(paused, again ?? (() => paused.program.next()))
  }

  private go(paused: Paused, step: () => IteratorResult<Ask, unknown>): void {
    let next: IteratorResult<Ask, unknown>
    try {
      next = step()
      work.end()
    } catch (error) {
      work.end()
      this.release(paused)
      paused.reject(error)
      return
    }
    if (next.done !== true) {
      this.park(paused, next.value)
      return
    }
    this.release(paused)
    paused.resolve(next.value)
  }
}

interface Pinned {
  readonly snapshot: Snapshot
  readonly sinceMs: number
  /** Whether it is one of the few snapshots that may be old. */
  isKept: boolean
}

/** The transaction of one read program: it reads synchronously while its budget lasts. */
class Reading implements ReadTx {
  pinned: Pinned | undefined
  private view: View
  private readonly programs: ReadPrograms
  private readonly isHeld: boolean
  /** Work units at which the clock is checked next, and at which the turn ends. */
  private checkAt = 0
  private turnEnd = 0

  /** `isHeld`: it reads this state to its end. */
  constructor(view: View, programs: ReadPrograms, isHeld = false) {
    this.view = view
    this.programs = programs
    this.isHeld = isHeld
  }

  pin(pinned: Pinned): void {
    this.pinned = pinned
    this.view = pinned.snapshot
  }

  /** Without a snapshot, it continues on the newest committed state. */
  follow(current: View): void {
    if (this.pinned === undefined && !this.isHeld) this.view = current
  }

  startTurn(): void {
    work.begin(turnUnits, stretchUnits, apartUnits)
    this.turnEnd = work.spent + turnUnits
    this.checkAt = work.spent + clockUnits
  }

  // A closure has a cost even when it is not created, so the usual path has none.
  get(key: Bytes): Step<Bytes | undefined> {
    return this.isSpent() ? this.getLater(key) : new Done(this.getNow(key))
  }

  getVersioned(key: Bytes): Step<Versioned | undefined> {
    return this.isSpent() ? this.getVersionedLater(key) : new Done(this.getVersionedNow(key))
  }

  getMany(
    keys: readonly Bytes[],
    bytesMax = Number.POSITIVE_INFINITY,
  ): Step<(Bytes | undefined)[]> {
    return this.step(() => getEach(keys, bytesMax, (key) => this.getNow(key)))
  }

  getVersions(keys: readonly Bytes[]): Step<(number | undefined)[]> {
    return this.step(() => {
      worked(keys.length)
      return keys.map((key) => this.view.versionOf(key))
    })
  }

  scan(range: KeyRange, limit: number): Step<Entry[]> {
    return this.scanThen(range, limit, (entries) => entries)
  }

  scanFetch(range: KeyRange, limit: number): Step<Fetched[]> {
    return this.scanThen(unbounded(range), limit, (entries) =>
      fetchEach(entries, range, (key) => this.getNow(key)),
    )
  }

  count(key: Bytes): Step<Count> {
    return this.step(() => decodeCount(this.getNow(key)))
  }

  pause(units = 0): Step<void> {
    work.note(units)
    return this.isSpent() ? new AfterPause(() => undefined) : nothing
  }

  elsewhere({ begin }: Elsewhere): Step<void> {
    return new Asked({ kind: 'elsewhere', begin }, () => undefined)
  }

  private step<T>(read: () => T): Step<T> {
    return this.isSpent() ? new AfterPause(read) : new Done(read())
  }

  private getNow(key: Bytes): Bytes | undefined {
    const value = this.view.get(key)
    worked(1, value?.length)
    return value
  }

  private getLater(key: Bytes): Step<Bytes | undefined> {
    return new AfterPause(() => this.getNow(key))
  }

  private getVersionedNow(key: Bytes): Versioned | undefined {
    const found = this.view.getVersioned(key)
    worked(1, found?.value.length)
    return found
  }

  private getVersionedLater(key: Bytes): Step<Versioned | undefined> {
    return new AfterPause(() => this.getVersionedNow(key))
  }

  private scanThen<T>(range: KeyRange, limit: number, answer: (found: Entry[]) => T): Step<T> {
    requireBounded(limit)
    if (this.isSpent()) return this.scanLater([], range, limit, answer)
    const { entries, rest } = this.scanNow(range, limit)
    if (rest === undefined) return new Done(answer(entries))
    return this.scanLater(entries, rest, limit, answer)
  }

  /** Continues a scan after a pause. */
  private scanLater<T>(
    found: Entry[],
    range: KeyRange,
    limit: number,
    answer: (found: Entry[]) => T,
  ): Step<T> {
    let left = range
    const stretch = () => {
      const { entries, rest } = this.scanNow(left, limit - found.length)
      for (const entry of entries) found.push(entry)
      if (rest !== undefined) left = rest
      return rest === undefined
    }
    return new Stretches(stretch, () => answer(found))
  }

  private scanNow(range: KeyRange, limit: number): Scanned {
    const scanned = this.view.scan(range, limit)
    for (const entry of scanned.entries) worked(1, entry.value.length)
    worked(scanned.rest === undefined ? 1 : scanStepMax)
    return scanned
  }

  private isSpent(): boolean {
    const { spent } = work
    if (spent < this.checkAt) return false
    if (spent >= this.turnEnd || this.programs.tickIsOver()) return true
    this.checkAt = Math.min(spent + clockUnits, this.turnEnd)
    return false
  }
}

/** Counts read entries and the bytes of their values as work. */
function worked(entries: number, bytes = 0): void {
  work.note(entries * entryUnits + Math.floor(bytes / readBytesPerUnit))
}
