// One attempt of a write group, as one serializable transaction. First all programs run side by
// side, to learn what they read in few round trips. Then they take effect in order: a program runs
// again on the changes of the earlier ones if they concern it. All are written with the commit.
// (docs/design/transactions.md, rule 4)

import type { Clock } from '../../base/clock.js'
import { groupBytesMax } from '../../base/limits/store.js'
import { work } from '../../base/work/work-budget.js'
import { writeStretchUnits, writeTurnUnits } from '../../base/work/work-figures.js'
import { changeRange } from '../layout.js'
import { type Applied, AskingTx } from '../programs/asking.js'
import { ChangeTimes } from '../programs/change-times.js'
import type { Outcome, WriteProgram } from '../programs/group.js'
import { NumberRanges } from '../programs/number-ranges.js'
import { WriteBuffer } from '../programs/write-buffer.js'
import type { Ask, Entry, KeyChange, LargeChanges, Numbers } from '../store.js'
import { readRange } from './asks.js'
import { Away, failureOf } from './failures.js'
import type { GatewayRow } from './gateway-row.js'
import type { Guesses } from './guesses.js'
import { Known, type ReadBeside } from './known.js'
import { type LearnedRun, type Learner, learn } from './learning.js'
import { type Link, settled } from './link.js'
import type { NumberBlocks, ProgramNumbers } from './numbers.js'
import { versionsAtOnce } from './schema.js'
import type { Row, Statement } from './statement.js'
import { type Put, writeCounts, writePairs } from './writes.js'

const begin: Statement = { name: 'begin_w', text: 'BEGIN ISOLATION LEVEL SERIALIZABLE' }
const commit: Statement = { name: 'commit', text: 'COMMIT' }
const rollback: Statement = { name: 'rollback', text: 'ROLLBACK' }
/**
 * Groups that record changes commit one after the other over all gateways, so the order of the
 * records is that of the commits. The snapshot begins when the lock is held.
 */
const lockRecording: Statement = {
  name: 'lock_recording',
  text: 'LOCK TABLE recording IN EXCLUSIVE MODE',
}
/** Groups that had a conflict go one after the other over all gateways, so each comes to an end. */
const lockTurn: Statement = { name: 'lock_turn', text: 'LOCK TABLE turns IN EXCLUSIVE MODE' }
/**
 * Every commit with changes counts on in this table, so no other gateway commits any until this
 * group has ended. Taken last, because groups that hold the locks above count on too.
 */
const lockCommits: Statement = {
  name: 'lock_commits',
  text: 'LOCK TABLE gateways IN SHARE ROW EXCLUSIVE MODE',
}
const drawVersions: Statement = {
  name: 'draw',
  text: "SELECT nextval('versions') FROM generate_series(1, $1::bigint)",
}

/** Changes of a large write that are sent at once: their number and bytes. */
const largeAtOnce = { changes: 5_000, bytes: 4 * 1_048_576 }

/** A program of the group, and how it ended. */
export interface Ended {
  readonly outcome: Outcome
  readonly applied: readonly Applied[]
}

interface GroupRunOptions {
  readonly link: Link
  readonly row: GatewayRow
  readonly clock: Clock
  readonly beside: ReadBeside
  readonly numbers: NumberBlocks
  readonly guesses: Guesses
  /** Take the lock for recorded changes first: the group before had some. */
  readonly isRecording: boolean
  /** Wait for the other gateways' groups that had conflicts. */
  readonly waitsForTurn: boolean
  /** Let no other gateway commit meanwhile. */
  readonly isAlone: boolean
  /** Insert what was seen to be missing: a conflict if it is not. */
  readonly inserts: boolean
}

/** Thrown when the group records changes but has not taken the lock. */
export class NeedsRecording extends Error {}

export class GroupRun {
  /** Whether the commit was sent with changes: if no answer comes, its outcome is unknown. */
  hasSentCommit = false
  /** Time of the programs' own work, milliseconds. */
  workedMs = 0
  private readonly known: Known
  private readonly foreseen: Numbers
  /** What its programs were given. */
  private readonly numbers: ProgramNumbers[] = []
  /** How the programs have ended, if the commit takes effect. */
  ended: readonly Ended[] = []
  private readonly versions = new NumberRanges()
  private versionsLeft = 0
  private isShort = false
  private hasBegun = false
  /** Why nothing more can be asked. */
  private lost: Error | undefined
  private largeBytes = 0
  private learnVersion = 0

  constructor(private readonly options: GroupRunOptions) {
    const { beside, numbers, guesses, link } = options
    numbers.useOn(link)
    this.known = new Known(beside, numbers, guesses)
    this.foreseen = numbers.foreseen()
  }

  /** Begins the transaction, and resolves when its locks are held; else `run` does so. */
  async begin(): Promise<void> {
    const { link } = this.options
    try {
      await settled(this.begun())
    } catch (error) {
      link.run(rollback).catch(() => undefined)
      throw error
    }
  }

  /** Resolves after the commit. Only the first programs may have run: the group has bounds. */
  async run(programs: readonly WriteProgram[], large?: LargeChanges): Promise<Ended[]> {
    const { link, isRecording } = this.options
    const started = this.hasBegun ? [] : this.begun()
    started.push(this.draw(1))
    try {
      const [, learners] = await Promise.all([settled(started), this.learn(programs)])
      const appended = large?.appended ?? []
      const records = appended.length > 0 || learners.some(({ hasRecorded }) => hasRecorded)
      if (!isRecording && records) throw new NeedsRecording()
      const ended = await this.runInOrder(learners)
      // A program may record only because of what an earlier one has changed.
      if (!isRecording && this.hasRecorded) throw new NeedsRecording()
      this.ended = ended
      const isKept = large !== undefined && ended[0]?.outcome.failed === false
      if (isKept) {
        await this.writeLarge(large.changes)
        for (const record of appended) this.known.appended.push(record)
      }
      await this.commit(isKept)
      return ended
    } catch (error) {
      if (!this.hasSentCommit) {
        link.run(rollback).catch(() => undefined)
        for (const numbers of this.numbers.reverse()) numbers.giveBack()
      }
      throw error
    }
  }

  private begun(): Promise<readonly Row[]>[] {
    const { link, isRecording, waitsForTurn, isAlone } = this.options
    this.hasBegun = true
    const started = [link.run(begin)]
    if (waitsForTurn) started.push(link.run(lockTurn))
    if (isRecording) started.push(link.run(lockRecording))
    if (isAlone) started.push(link.run(lockCommits))
    return started
  }

  get hasRecorded(): boolean {
    return this.known.appended.length > 0
  }

  /** Bytes of what was changed. */
  get bytes(): number {
    return this.known.changes.bytes + this.largeBytes
  }

  private learn(programs: readonly WriteProgram[]): Promise<readonly Learner[]> {
    const { link, guesses, row } = this.options
    return learn(programs, {
      link,
      guesses,
      known: this.known,
      foreseen: this.foreseen,
      gateway: row.life,
      nextVersion: () => ++this.learnVersion,
      slice: (act) => this.slice(act),
    })
  }

  private async runInOrder(learners: readonly Learner[]): Promise<Ended[]> {
    const needed = this.learnVersion - this.versionsLeft
    if (needed > 0) await this.draw(Math.ceil(needed / versionsAtOnce))
    const ended: Ended[] = []
    for (const learner of learners) {
      const { run } = learner
      ended.push(run === undefined ? await this.runOne(learner.make) : await this.keep(run))
      if (this.known.changes.bytes >= groupBytesMax) break
    }
    return ended
  }

  /** No earlier program has changed what it read: it would do the same again. */
  private async keep({ value, buffer, applied }: LearnedRun): Promise<Ended> {
    const needed = buffer.changes.length - this.versionsLeft
    if (needed > 0) await this.draw(Math.ceil(needed / versionsAtOnce))
    try {
      this.slice(() => {
        for (const { check } of applied) check()
      })
    } catch (error) {
      return { outcome: { failed: true, value: error }, applied: [] }
    }
    this.known.take(buffer, () => this.nextVersion())
    return { outcome: { failed: false, value }, applied }
  }

  private async runOne(make: WriteProgram): Promise<Ended> {
    for (;;) {
      this.isShort = false
      const ended = await this.tryOne(make)
      if (!this.isShort) return ended
      await this.draw(8)
    }
  }

  private async tryOne(make: WriteProgram): Promise<Ended> {
    const buffer = new WriteBuffer(() => this.nextVersion())
    const numbers = this.options.numbers.given()
    const tx = new AskingTx(buffer, this.options.row.life, numbers)
    try {
      const program = this.slice(() => make(tx))
      let next = this.slice(() => program.next())
      while (next.done !== true) {
        const { value } = await this.answer(next.value)
        next = this.slice(() => program.next(value))
      }
      this.slice(() => {
        for (const { check } of tx.applied) check()
      })
      if (this.isShort) numbers.giveBack()
      else {
        this.known.take(buffer)
        numbers.keepUsed()
        this.numbers.push(numbers)
      }
      return { outcome: { failed: false, value: next.value }, applied: tx.applied }
    } catch (error) {
      numbers.giveBack()
      if (this.lost !== undefined) throw this.lost
      return { outcome: { failed: true, value: error }, applied: [] }
    }
  }

  /** What the programs before it leave, or what is stored. */
  private async answer(ask: Ask): Promise<{ readonly value: unknown }> {
    const { known } = this
    for (;;) {
      const answered = known.answer(ask)
      if (answered !== undefined) return answered
      try {
        await known.learn(this.options.link, [ask])
      } catch (thrown) {
        this.lost = failureOf(thrown)
        throw thrown
      }
    }
  }

  private async writeLarge(changes: readonly KeyChange[]): Promise<void> {
    await this.draw(Math.ceil(changes.length / versionsAtOnce))
    await this.writeMany(changes.length, (at) => {
      const { key, value } = changes[at] as KeyChange
      return { key, value, version: value === undefined ? 0 : this.nextVersion() }
    })
  }

  private async writeMany(count: number, putAt: (at: number) => Put): Promise<void> {
    const { link } = this.options
    let some: Put[] = []
    let bytes = 0
    for (let at = 0; at < count; at++) {
      const put = putAt(at)
      some.push(put)
      const size = put.key.length + (put.value?.length ?? 0)
      bytes += size
      this.largeBytes += size
      if (some.length < largeAtOnce.changes && bytes < largeAtOnce.bytes) continue
      await settled(writePairs(link, some))
      some = []
      bytes = 0
    }
    await settled(writePairs(link, some))
  }

  private async commit(isLarge: boolean): Promise<void> {
    const { link, row, inserts } = this.options
    const { known } = this
    if (known.isEmpty && !isLarge) {
      await link.run(commit)
      return
    }
    const records = known.appended.length === 0 ? [] : await this.records()
    const isNew = inserts ? (put: Put) => known.isNew(put) : undefined
    const sent = [
      row.countOn(link),
      ...writePairs(link, [...known.changes.changes, ...records], isNew),
      ...writeCounts(link, row.no, known.changes.changes, known.additions),
      link.run(commit),
    ]
    this.hasSentCommit = true
    try {
      await settled(sent)
    } catch (error) {
      // PostgreSQL has refused a statement, so the commit has rolled back.
      if (!(failureOf(error) instanceof Away)) this.hasSentCommit = false
      throw error
    }
    row.counted()
    this.guessWritten()
  }

  /** What the next groups read, unless another gateway changes it. */
  private guessWritten(): void {
    for (const { key, value, version } of this.known.changes.changes) {
      this.options.guesses.note(key, value === undefined ? undefined : { value, version })
    }
  }

  /**
   * Under the lock, so no other group makes records. Many are written now; few are returned, to be
   * sent with the commit.
   */
  private async records(): Promise<readonly Put[]> {
    const { link, clock } = this.options
    const { appended } = this.known
    const entries: Entry[] = await readRange(link, { ...changeRange, reverse: true }, 1)
    const times = new ChangeTimes(clock)
    const view = { scan: () => ({ entries }) }
    await this.draw(Math.ceil(appended.length / versionsAtOnce))
    const putAt = (at: number): Put => {
      return { key: times.nextKey(view), value: appended[at], version: this.nextVersion() }
    }
    if (appended.length <= largeAtOnce.changes) return appended.map((_, at) => putAt(at))
    await this.writeMany(appended.length, putAt)
    return []
  }

  /** Runs a slice of a program within its work budget. */
  private slice<T>(act: () => T): T {
    const { clock } = this.options
    const beganMs = clock.elapsed()
    work.begin(writeTurnUnits, writeStretchUnits)
    try {
      return act()
    } finally {
      work.end()
      this.workedMs += clock.elapsed() - beganMs
    }
  }

  private nextVersion(): number {
    if (this.versionsLeft > 0) {
      this.versionsLeft--
      return this.versions.take(1)
    }
    this.isShort = true
    return 0
  }

  /** In this transaction's snapshot: who writes a key later has drawn later. */
  private async draw(times: number): Promise<readonly Row[]> {
    if (times === 0) return []
    const rows = await this.options.link.run(drawVersions, [times])
    for (const [value] of rows) {
      this.versions.add(Number(value), versionsAtOnce)
      this.versionsLeft += versionsAtOnce
    }
    return rows
  }
}
