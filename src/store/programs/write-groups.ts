// Runs write programs: those of a tick form a group that is committed as one, and each sees the
// changes of the earlier ones. No caller gets a result, good or bad, before the group is durable as
// configured, because it may depend on another program's writes. (docs/design/transactions.md, rule
// 4)

import type { Clock } from '../../base/clock.js'
import { groupBytesMax } from '../../base/limits/store.js'
import type { Account } from '../../base/work/accounts.js'
import type { FairQueue } from '../../base/work/fair-queue.js'
import { backgroundOwner, type Scheduler } from '../../base/work/scheduler.js'
import { Postponed } from '../steps.js'
import type { GroupStats, LargeChanges, Program, Tx } from '../store.js'
import type { GroupView, Tables } from '../tables/tables.js'
import { ChangeTimes } from './change-times.js'
import { Group, type Outcome, type WriteProgram } from './group.js'
import { LargeGroup } from './large-group.js'

/** Programs and milliseconds of one write group. */
export const groupProgramsMax = 64
const groupMsMax = 2

interface Pending {
  readonly account: Account
  readonly program: WriteProgram
  /** If set, the program runs as its own group over several turns. */
  readonly large: LargeChanges | undefined
  readonly resolve: (value: unknown) => void
  readonly reject: (error: unknown) => void
}

export class WriteGroups {
  /** Why the last group could not be committed; undefined while writes succeed. */
  refusing: string | undefined
  private readonly tables: Tables
  private readonly clock: Clock
  private readonly queue: FairQueue<Pending>
  /** Programs of a group that was not committed: they run before all others. */
  private again: Pending[] = []
  private scheduled = false
  /**
   * This many of the next programs run alone: their group failed, and one of them may be the cause.
   */
  private alone = 0
  private lastVersion: number
  /** Number of programs whose group is written but not yet durable. */
  private undecided = 0
  private drained: (() => void)[] = []
  private groups = 0
  private programs = 0
  readonly times: ChangeTimes
  private readonly nextVersion = () => ++this.lastVersion

  constructor(
    tables: Tables,
    clock: Clock,
    private readonly scheduler: Scheduler,
  ) {
    this.tables = tables
    this.clock = clock
    this.queue = scheduler.queue()
    this.lastVersion = tables.lastVersion
    this.times = new ChangeTimes(clock)
  }

  run<T>(
    program: (tx: Tx) => Program<T>,
    account = this.scheduler.of(backgroundOwner),
    large?: LargeChanges,
  ): Promise<T> {
    return new Promise<T>((resolve, reject) => {
      const told = resolve as (value: unknown) => void
      const pending = { account, program, large, resolve: told, reject }
      this.queue.push(account, pending)
      if (!this.scheduled) this.schedule()
    })
  }

  stats(): GroupStats {
    return { groups: this.groups, programs: this.programs, queued: this.waiting }
  }

  /** Resolves when every program has its result. */
  idle(): Promise<void> {
    if (this.isIdle()) return Promise.resolve()
    return new Promise((resolve) => {
      this.drained.push(resolve)
    })
  }

  private isIdle(): boolean {
    return this.waiting === 0 && this.undecided === 0
  }

  private get waiting(): number {
    return this.queue.length + this.again.length
  }

  private schedule(): void {
    this.scheduled = true
    setImmediate(this.turn)
  }

  /** Runs one group in each turn of the event loop, so that sockets and reads run in between. */
  private readonly turn = (): void => {
    const room = this.tables.room()
    if (room !== undefined) {
      room.then(this.turn)
      return
    }
    const large = this.takeLarge()
    if (large !== undefined) {
      this.runLarge(large)
      return
    }
    this.scheduled = false
    this.runGroup()
    this.goOn()
  }

  private goOn(): void {
    if (this.waiting > 0) this.schedule()
    else this.tellIdle()
  }

  /**
   * Takes the next program if its changes need several turns; otherwise leaves the queue unchanged.
   */
  private takeLarge(): Pending | undefined {
    const next = this.take()
    if (next?.large !== undefined) return next
    if (next !== undefined) this.again.unshift(next)
    return undefined
  }

  /** Runs a large group. It stays scheduled, so no other group begins before its end. */
  private runLarge(pending: Pending): void {
    const { tables, clock, nextVersion, times, scheduler } = this
    const { account, program, large, reject } = pending
    const charge = (ms: number) => scheduler.charge(account, ms)
    const given = { program, large: large as LargeChanges, charge }
    const run = { tables, clock, nextVersion, times, ...given }
    this.undecided++
    const over = () => {
      this.undecided--
      this.scheduled = false
      this.goOn()
    }
    new LargeGroup(run).run().then(
      ({ outcome, durable }) => {
        this.refusing = undefined
        this.groups++
        this.programs++
        if (durable === undefined) this.tell([pending], [outcome])
        else this.tellWhen(durable, [pending], [outcome])
        over()
      },
      (error: unknown) => {
        this.refusing = textOf(error)
        reject(error)
        over()
      },
    )
  }

  private tellIdle(): void {
    if (this.drained.length === 0 || !this.isIdle()) return
    for (const resolve of this.drained.splice(0)) resolve()
  }

  private runGroup(): void {
    const most = this.alone > 0 ? 1 : groupProgramsMax
    const outcomes: Outcome[] = []
    const group: Pending[] = []
    const { accounts } = this.scheduler
    const chargedMs = accounts.totalMs
    const startedMs = this.clock.elapsed()
    let durable: Promise<void> | undefined
    try {
      durable = this.tables.commit((view) => this.runPrograms(view, most, group, outcomes))
    } catch (error) {
      this.failed(group, error)
      return
    }
    const commitMs = this.clock.elapsed() - startedMs - (accounts.totalMs - chargedMs)
    this.share(group, commitMs)
    this.refusing = undefined
    this.groups++
    this.programs += outcomes.length
    this.alone = Math.max(0, this.alone - group.length)
    if (durable === undefined) this.tell(group, outcomes)
    else this.tellWhen(durable, group, outcomes)
  }

  private runPrograms(view: GroupView, most: number, taken: Pending[], outcomes: Outcome[]): void {
    const group = new Group(view, this.nextVersion, this.tables.onlyDeletes, this.times)
    const startedAt = this.clock.elapsed()
    let nowMs = startedAt
    do {
      const pending = this.take()
      if (pending === undefined) break
      if (pending.large !== undefined) {
        this.again.unshift(pending)
        break
      }
      taken.push(pending)
      outcomes.push(group.run(pending.program))
      const beganMs = nowMs
      nowMs = this.clock.elapsed()
      this.scheduler.charge(pending.account, nowMs - beganMs)
    } while (
      outcomes.length < most &&
      group.bytes < groupBytesMax &&
      nowMs - startedAt < groupMsMax
    )
    group.writeCounters()
  }

  /** Charges the time of the commit, log writes included, in equal parts. */
  private share(group: readonly Pending[], ms: number): void {
    if (!(ms > 0)) return
    const each = ms / group.length
    let sum = 0
    for (let i = 0; i < group.length; i++) {
      const { account } = group[i] as Pending
      sum += each
      if (group[i + 1]?.account === account) continue
      this.scheduler.charge(account, sum)
      sum = 0
    }
  }

  private take(): Pending | undefined {
    return this.again.length > 0 ? this.again.shift() : this.queue.take()
  }

  private tellWhen(durable: Promise<void>, group: Pending[], outcomes: readonly Outcome[]): void {
    this.undecided += group.length
    const decided = () => {
      this.undecided -= group.length
      this.tellIdle()
    }
    durable.then(
      () => {
        this.tell(group, outcomes)
        decided()
      },
      (error: unknown) => {
        this.refusing = textOf(error)
        for (const { reject } of group) reject(error)
        decided()
      },
    )
  }

  private tell(group: readonly Pending[], outcomes: readonly Outcome[]): void {
    for (let i = 0; i < group.length; i++) {
      const pending = group[i] as Pending
      const { failed, value } = outcomes[i] as Outcome
      if (!failed) pending.resolve(value)
      else if (value instanceof Postponed) this.postpone(pending, value)
      else pending.reject(value)
    }
  }

  /** Reruns the program when `until` resolves; its caller waits until then. */
  private postpone(pending: Pending, { until }: Postponed): void {
    this.undecided++
    until.then(() => {
      this.undecided--
      this.queue.push(pending.account, pending)
      if (!this.scheduled) this.schedule()
    })
  }

  /**
   * The group was not committed. A lone program gets the error; programs of a larger group each run
   * again alone.
   */
  private failed(group: readonly Pending[], error: unknown): void {
    this.refusing = textOf(error)
    if (group.length > 1) {
      this.alone = group.length
      this.again = [...group, ...this.again]
      return
    }
    this.alone = Math.max(0, this.alone - 1)
    group[0]?.reject(error)
  }
}

function textOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error)
}
