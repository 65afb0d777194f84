// Write programs of a gateway: those that wait form a group, one group at a time. After a conflict
// the group runs again, in turn with such groups of other gateways. Where conflicts are frequent,
// groups wait for their turn at once. (docs/design/transactions.md, rule 4)

import type { Clock } from '../../base/clock.js'
import { fail } from '../../base/errors.js'
import { programRunsMax } from '../../base/limits/engine.js'
import type { Account } from '../../base/work/accounts.js'
import type { FairQueue } from '../../base/work/fair-queue.js'
import { backgroundOwner, type Scheduler } from '../../base/work/scheduler.js'
import type { WriteProgram } from '../programs/group.js'
import { groupProgramsMax } from '../programs/write-groups.js'
import { Postponed } from '../steps.js'
import type { GroupStats, LargeChanges, Program, Tx } from '../store.js'
import { Caution } from './caution.js'
import { Away, awayError, Conflict, Fenced, failureOf } from './failures.js'
import { type Ended, GroupRun, NeedsRecording } from './group-run.js'
import type { Guesses } from './guesses.js'
import type { ReadBeside } from './known.js'
import type { NumberBlocks } from './numbers.js'
import type { Writer } from './writer.js'

interface Pending {
  readonly account: Account
  readonly program: WriteProgram
  readonly large: LargeChanges | undefined
  readonly resolve: (value: unknown) => void
  readonly reject: (error: unknown) => void
}

/** Attempts of a whole group that fails, not by a conflict, before its programs run one by one. */
const groupAttemptsMax = 2
/** Attempts of a group until the others wait for it: one that reads long would never end. */
const sharedAttemptsMax = 6
/** Longest wait before a program runs again after a conflict, milliseconds. */
const backoffMsMax = 50

export class WriteLane {
  /** Why the last group could not be committed; undefined while writes succeed. */
  refusing: string | undefined
  private readonly queue: FairQueue<Pending>
  private again: Pending[] = []
  private isRunning = false
  private isRecording = false
  /** Programs of a group: few behind one that ended early, then more and more. */
  private programsMax = groupProgramsMax
  private readonly caution = new Caution()
  private postponed = 0
  private drained: (() => void)[] = []
  private groups = 0
  private programs = 0
  /** Groups and programs that ran again because of others. */
  conflicts = 0

  constructor(
    private readonly writer: Writer,
    private readonly clock: Clock,
    private readonly scheduler: Scheduler,
    private readonly beside: ReadBeside,
    private readonly numbers: NumberBlocks,
    private readonly guesses: Guesses,
    /** Called with the bytes that a commit has added. */
    private readonly grown: (bytes: number) => void,
  ) {
    this.queue = scheduler.queue()
  }

  run<T>(
    program: (tx: Tx) => Program<T>,
    account = this.scheduler.of(backgroundOwner),
    large?: LargeChanges,
  ): Promise<T> {
    return new Promise<T>((resolve, reject) => {
      const told = resolve as (value: unknown) => void
      this.queue.push(account, { account, program, large, resolve: told, reject })
      this.schedule()
    })
  }

  stats(): GroupStats {
    return { groups: this.groups, programs: this.programs, queued: this.waiting }
  }

  /** Resolves when every program has its result. */
  idle(): Promise<void> {
    if (!this.isRunning && this.waiting === 0 && this.postponed === 0) return Promise.resolve()
    return new Promise((resolve) => {
      this.drained.push(resolve)
    })
  }

  private get waiting(): number {
    return this.queue.length + this.again.length
  }

  private schedule(): void {
    if (this.isRunning) return
    this.isRunning = true
    setImmediate(() => void this.work())
  }

  private async work(): Promise<void> {
    while (this.waiting > 0) await this.process(() => this.takeGroup())
    this.isRunning = false
    if (this.postponed === 0) for (const resolve of this.drained.splice(0)) resolve()
  }

  private takeGroup(): Pending[] {
    const group: Pending[] = []
    while (group.length < this.programsMax) {
      const next = this.again.shift() ?? this.queue.take()
      if (next === undefined) break
      if (next.large !== undefined && group.length > 0) {
        this.again.unshift(next)
        break
      }
      group.push(next)
      if (next.large !== undefined) break
    }
    return group
  }

  /** Never rejects. A group that waits for its turn is taken when that has come, so it may grow. */
  private async process(take: () => readonly Pending[]): Promise<void> {
    const waits = this.caution.waits()
    let group = waits ? [] : take()
    const taking = () => {
      if (group.length === 0) group = take()
      return group
    }
    for (let attempt = 1; ; attempt++) {
      const end = await this.attempt(taking, attempt, waits)
      if (!waits && attempt === 1 && !(end instanceof NeedsRecording)) {
        this.caution.note(end instanceof Conflict)
      }
      if (end === undefined) return
      if (end instanceof NeedsRecording) {
        this.isRecording = true
        attempt--
        continue
      }
      this.conflicts++
      if (!(end instanceof Conflict) && group.length > 1 && attempt >= groupAttemptsMax) {
        for (const pending of group) await this.process(() => [pending])
        return
      }
      if (!(end instanceof Conflict) || attempt >= programRunsMax) {
        const text = 'the operation conflicts with others, try it again'
        const error = end instanceof Conflict ? fail('WriteConflict', text) : end
        for (const { reject } of group) reject(error)
        return
      }
      await this.backOff(attempt)
    }
  }

  /** Undefined if every program has its result; otherwise why the group has to run again. */
  private async attempt(
    taking: () => readonly Pending[],
    attempt: number,
    waits: boolean,
  ): Promise<Error | undefined> {
    let run: GroupRun | undefined
    try {
      const writing = await this.writer.ready()
      run = new GroupRun({
        link: writing.link,
        row: writing.row,
        clock: this.clock,
        beside: this.beside,
        numbers: this.numbers,
        guesses: this.guesses,
        isRecording: this.isRecording,
        waitsForTurn: waits || attempt > 1,
        isAlone: attempt > sharedAttemptsMax,
        inserts: attempt === 1,
      })
      if (waits) await run.begin()
      const group = taking()
      const programs = group.map(({ program }) => program)
      const ended = await run.run(programs, group[0]?.large)
      this.charge(group, run.workedMs)
      this.isRecording = run.hasRecorded
      this.finish(group, ended, run)
      return undefined
    } catch (thrown) {
      if (thrown instanceof NeedsRecording) return thrown
      return this.failed(taking(), run, failureOf(thrown))
    }
  }

  private charge(group: readonly Pending[], ms: number): void {
    for (const { account } of group) this.scheduler.charge(account, ms / group.length)
  }

  private async failed(
    group: readonly Pending[],
    run: GroupRun | undefined,
    failure: Error,
  ): Promise<Error | undefined> {
    if (failure instanceof Conflict) return failure
    this.refusing = failure.message
    if (!(failure instanceof Away) && !(failure instanceof Fenced)) return failure
    try {
      const fate = await this.writer.recover()
      if (run?.hasSentCommit !== true || fate === 'not committed') {
        return new Conflict('the connection was lost before the commit')
      }
      if (fate === 'committed') {
        this.finish(group, run.ended, run)
        return undefined
      }
    } catch (thrown) {
      this.refusing = failureOf(thrown).message
    }
    for (const { reject } of group) reject(awayError())
    return undefined
  }

  /** The group is committed. */
  private finish(group: readonly Pending[], ended: readonly Ended[], run: GroupRun): void {
    this.refusing = undefined
    this.groups++
    this.programs += ended.length
    this.programsMax =
      ended.length < group.length ? ended.length : Math.min(2 * this.programsMax, groupProgramsMax)
    this.grown(run.bytes)
    for (const { applied } of ended) for (const { told } of applied) told()
    for (const [index, { outcome }] of ended.entries()) {
      const pending = group[index] as Pending
      const { failed, value } = outcome
      if (!failed) {
        const { large } = pending
        for (const change of large?.changes ?? []) large?.told?.(change)
        for (const record of large?.appended ?? []) large?.toldAppended?.(record)
        pending.resolve(value)
      } else if (value instanceof Postponed) this.postpone(pending, value)
      else pending.reject(value)
    }
    this.again = [...group.slice(ended.length), ...this.again]
  }

  /** Runs the program again when `until` resolves. */
  private postpone(pending: Pending, { until }: Postponed): void {
    this.postponed++
    until.then(() => {
      this.postponed--
      this.queue.push(pending.account, pending)
      this.schedule()
    })
  }

  /** Gateways wait for different times, so they do not meet again. */
  private backOff(attempt: number): Promise<void> {
    const { no } = this.writer.current.row
    const ms = Math.min(backoffMsMax, attempt * (1 + (no % 5)))
    return new Promise((resolve) => {
      setTimeout(resolve, ms)
    })
  }
}
