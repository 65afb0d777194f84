// A write program with more prepared changes than a group holds. It runs as its own group over
// several turns. Readers see its changes only after its end, and a crash before that leaves
// nothing. (docs/design/transactions.md, rule 2)

import type { Bytes } from '../../base/bytes/bytes.js'
import type { Clock } from '../../base/clock.js'
import { tickMsMax } from '../../base/limits/engine.js'
import { logPartBytes } from '../../base/limits/store.js'
import type { KeyChange, LargeChanges } from '../store.js'
import type { LargeCommit, Tables } from '../tables/tables.js'
import type { ChangeTimes } from './change-times.js'
import { Group, type Outcome, type WriteProgram } from './group.js'

/** Changes applied between two checks of the clock. */
const largeChangesAtOnce = 256

interface LargeRun {
  readonly tables: Tables
  readonly clock: Clock
  readonly nextVersion: () => number
  readonly times: ChangeTimes
  readonly program: WriteProgram
  readonly large: LargeChanges
  /** Receives the time of each turn, milliseconds. */
  readonly charge: (ms: number) => void
}

/** The outcome, and a promise of its durability. */
interface LargeOutcome {
  readonly outcome: Outcome
  readonly durable: Promise<void> | undefined
}

export class LargeGroup {
  private readonly given: LargeRun

  constructor(given: LargeRun) {
    this.given = given
  }

  /** Rejects if the store could not commit; then no change of it is kept. */
  async run(): Promise<LargeOutcome> {
    const { tables, nextVersion, times, program, large } = this.given
    const commit = tables.beginLarge()
    let isOpen = true
    times.hold()
    try {
      const group = new Group(commit.view, nextVersion, tables.onlyDeletes, times)
      const outcome = group.run(program)
      if (outcome.failed) {
        commit.undo()
        isOpen = false
        return { outcome, durable: undefined }
      }
      group.requireTaken(large.changes)
      await this.inTurns(large.changes, (change) => this.take(group, change), commit)
      await this.inTurns(large.appended ?? [], (record) => this.append(group, record), commit)
      group.writeCounters()
      const durable = commit.end()
      isOpen = false
      times.release()
      await this.tell(large)
      return { outcome, durable }
    } catch (error) {
      if (isOpen) commit.undo()
      throw error
    } finally {
      times.release()
    }
  }

  private take(group: Group, change: KeyChange): number {
    group.take(change)
    return change.value?.length ?? 0
  }

  private append(group: Group, record: Bytes): number {
    group.append(record)
    return record.length
  }

  private async tell({ changes, told, appended, toldAppended }: LargeChanges): Promise<void> {
    if (told !== undefined) await this.inTurns(changes, silently(told))
    if (toldAppended !== undefined) await this.inTurns(appended ?? [], silently(toldAppended))
  }

  /**
   * Handles several items in each turn; with `commit`, changes are written to the log as they are
   * made. `each` returns the bytes that it has written.
   */
  private async inTurns<T>(
    items: readonly T[],
    each: (item: T) => number,
    commit?: LargeCommit,
  ): Promise<void> {
    let beganMs = this.given.clock.elapsed()
    let bytes = 0
    for (let i = 0; i < items.length; i++) {
      bytes += each(items[i] as T)
      if ((i + 1) % largeChangesAtOnce > 0 && bytes < logPartBytes) continue
      bytes = 0
      while (commit?.write() === true) beganMs = await this.turn(beganMs)
      beganMs = await this.turn(beganMs)
    }
    while (commit?.write() === true) beganMs = await this.turn(beganMs)
    this.given.charge(this.given.clock.elapsed() - beganMs)
  }

  /** Ends the turn if it has lasted long enough; returns when the current one began. */
  private async turn(beganMs: number): Promise<number> {
    const { clock, charge } = this.given
    const ms = clock.elapsed() - beganMs
    if (ms < tickMsMax) return beganMs
    charge(ms)
    await new Promise((resolve) => {
      setImmediate(resolve)
    })
    return clock.elapsed()
  }
}

/** Calls an observer, which writes nothing. */
function silently<T>(told: (item: T) => void): (item: T) => number {
  return (item) => {
    told(item)
    return 0
  }
}
