// One command that reads more than a write program may: it is prepared as a read that pauses, its
// large values and members are staged, and one bounded program makes all of it visible. This
// program checks that what was read still holds; otherwise the command begins again. Its later runs
// hold what they read, so it ends beside steady writers. (docs/design/transactions.md, rule 2)

import type { Bytes } from '../base/bytes/bytes.js'
import { fail, hasKind } from '../base/errors.js'
import { programRunsMax, stagingRunsMax } from '../base/limits/engine.js'
import { heldReadsMsMax, heldReadsMsMin, heldReadsRuns } from '../base/limits/store.js'
import type { Program, ReadOptions, ReadTx, Tx } from '../store/store.js'
import { largePhase, readPhase, type Sweep, writePhase } from '../store/sweep.js'
import { applyBuffer } from '../store/transactions/apply-buffer.js'
import { isHoldable } from '../store/transactions/held-keys.js'
import type { HoldOfReads } from '../store/transactions/held-reads.js'
import { type Prepared, prepare } from '../store/transactions/preparing.js'
import { ReadSet } from '../store/transactions/read-set.js'
import type { Reads } from '../store/transactions/reads.js'
import { beginValidation, type Validation } from '../store/transactions/validation.js'
import { MemberChanges } from './collection/member-changes.js'
import { discardUnused, requireStaged, Staged, StagingNeeded } from './collection/staging.js'
import { type ObservedStore, writerOf } from './observed-store.js'
import type { RemoteHold } from './remote-holds.js'

/**
 * As stagedWrite, of a program whose reads take long. `admit` throws where it may not be done: what
 * it reads is not among what the program has read, so it is asked when the changes are made.
 */
export function* preparedWrite<T>(
  store: ObservedStore,
  program: (tx: Tx, staged: Staged) => Program<T>,
  { admit, mayHold }: PreparedOptions = {},
): Sweep<T> {
  const others = MemberChanges.of(store)
  const staged = new Staged(others)
  function* attempt(options: ReadOptions, unchanged: Unchanged): Sweep<Done<T> | undefined> {
    const reads = unchanged.reads()
    others?.begin()
    try {
      const prepared = yield* readPhase(
        (tx) => prepare(tx, reads, (own) => program(own, staged)),
        options,
      )
      unchanged.isReadingOver = true
      const { buffer } = prepared
      if (!buffer.isEmpty) {
        const { changes, appended, isLarge } = buffer
        const apply = function* (tx: Tx): Program<void> {
          if (others?.isBehind === true) throw new ChangedMeanwhile()
          yield* requireStaged(tx, staged)
          yield* applyAll(tx, prepared, unchanged, admit)
        }
        unchanged.admit(apply)
        yield* isLarge ? largePhase(apply, { changes, appended }) : writePhase(apply)
      } else if (options !== snapshot) {
        // What it has seen on a snapshot is a state that it may answer from.
        yield* writePhase((tx) => unchanged.require(tx, [prepared]))
      }
      return prepared
    } catch (error) {
      if (!(error instanceof StagingNeeded)) throw error
      yield* error.stage(staged)
      // What was staged is of use only to a run that reads the same.
      yield* writePhase((tx) => unchanged.requireOf(tx, [reads]))
      return undefined
    }
  }
  try {
    return yield* untilUnchanged(store, attempt, mayHold)
  } finally {
    others?.end()
    if (staged.isUsed) yield* writePhase((tx) => discardUnused(tx, staged))
  }
}

/** A command whose changes are prepared in parts, some of which are worth being made anew alone. */
interface Parts<P, T> {
  /**
   * Asked before each reading: what is to be taken as late as can be is taken here. Each part notes
   * its reads in `reads` of its own.
   */
  begin(reads: () => Reads): (tx: ReadTx) => Program<P>
  /** The write program, which makes the changes by `unchanged.apply`. It may be run again. */
  apply(prepared: P, unchanged: Unchanged): (tx: Tx) => Program<T>
}

/** As preparedWrite, of nothing that has to be staged. */
export function* preparedParts<P, T>(store: ObservedStore, parts: Parts<P, T>): Sweep<T> {
  return yield* untilUnchanged(store, function* (options, unchanged) {
    const prepared = yield* readPhase(
      parts.begin(() => unchanged.reads()),
      options,
    )
    unchanged.isReadingOver = true
    return { value: yield* writePhase(parts.apply(prepared, unchanged)) }
  })
}

export interface PreparedOptions {
  readonly admit?: Admission | undefined
  /** Whether other writers of a key that it has read may have to wait for it; unless said, none. */
  readonly mayHold?: ((key: Bytes) => boolean) | undefined
}

/** Asked in the write program, before its changes are made and behind them. */
interface Admission {
  readonly before: (tx: Tx) => Program<unknown>
  readonly behind?: (tx: Tx) => Program<unknown>
}

interface Done<T> {
  readonly value: T
}

/**
 * Begins again what answers undefined, or has found that what it has read has changed. After the
 * first such loss its reads are held, for a bounded time; if it loses again behind that, it fails.
 */
function* untilUnchanged<T>(
  store: ObservedStore,
  attempt: (options: ReadOptions, unchanged: Unchanged) => Sweep<Done<T> | undefined>,
  mayHold?: (key: Bytes) => boolean,
): Sweep<T> {
  const validation = beginValidation(store)
  const holding = new Holding(store, mayHold)
  store.optimistic++
  try {
    let options: ReadOptions = snapshot
    let lost = 0
    for (let run = 0; lost < programRunsMax && run < stagingRunsMax; run++) {
      const unchanged = holding.begin(validation)
      try {
        const done = yield* attempt(options, unchanged)
        if (done !== undefined) return done.value
      } catch (error) {
        lost++
        if (hasKind(error, 'SnapshotTooOld')) options = present
        else if (error instanceof ChangedMeanwhile) {
          if (!holding.goesOn()) break
        } else if (options === snapshot || isEnded(error) || unchanged.isReadingOver) throw error
        // Of what changed while it was read nothing is to be concluded.
        else if (yield* writePhase((tx) => validation.isUndisturbed(tx))) throw error
      }
    }
    throw fail('WriteConflict', 'what a large command has read kept changing')
  } finally {
    store.optimistic--
    validation.end()
    holding.end()
  }
}

/** The runs of one command, and the hold of what the last two of them have read. */
class Holding {
  private readonly beganMs: number | undefined
  private last: Unchanged | undefined
  private current: Unchanged | undefined
  private hold: HoldOfReads | undefined
  private remote: RemoteHold | undefined
  /** Time of all holds so far. */
  private heldMs = 0

  constructor(
    private readonly store: ObservedStore,
    private readonly mayHold: ((key: Bytes) => boolean) | undefined,
  ) {
    this.beganMs = store.heldReads?.nowMs
  }

  begin(validation: Validation): Unchanged {
    this.last = this.current
    this.current = new Unchanged(validation, (writer) => this.hold?.admit(writer))
    return this.current
  }

  /**
   * Behind a loss: false if its time to hold is over. The first loss may come early in a run, so
   * what that took says little: a run that needs longer than its hold gets another one.
   */
  goesOn(): boolean {
    const { hold, mayHold, beganMs = 0 } = this
    const { heldReads } = this.store
    if (hold?.isOver === false) {
      this.tellOthers()
      return true
    }
    if (heldReads === undefined || mayHold === undefined) return true
    const leftMs = heldReadsMsMax - this.heldMs
    if (leftMs <= 0) return false
    const wantedMs = Math.max(heldReadsRuns * (heldReads.nowMs - beganMs), heldReadsMsMin)
    const ms = Math.min(wantedMs, leftMs)
    const reads = () => [...(this.last?.noted ?? []), ...(this.current?.noted ?? [])]
    this.hold = heldReads.hold(ms, reads, mayHold)
    this.heldMs += ms
    this.remote?.end()
    this.remote = this.store.remoteHolds?.begin(ms)
    this.tellOthers()
    return true
  }

  /** Tells the other gateways what the run that was spoilt has read. */
  private tellOthers(): void {
    const { remote, current, mayHold = () => false } = this
    if (remote === undefined) return
    for (const reads of current?.noted ?? []) {
      if (reads instanceof ReadSet) remote.add(heldOf(reads, mayHold))
    }
  }

  end(): void {
    this.hold?.end()
    this.remote?.end()
  }
}

function* heldOf(reads: ReadSet, mayHold: (key: Bytes) => boolean): Generator<Bytes> {
  for (const key of reads.noted()) if (isHoldable(key) && mayHold(key)) yield key
}

/** Whether what one attempt has read is still so. */
export class Unchanged {
  /** What fails from now on fails whatever others have changed. */
  isReadingOver = false

  /** What it has read so far. */
  readonly noted: Reads[] = []

  constructor(
    private readonly validation: Validation,
    /** This program does not wait for what the command holds. */
    readonly admit: (program: object) => void,
  ) {
    validation.begin()
  }

  reads(): Reads {
    const reads = this.validation.reads()
    this.noted.push(reads)
    return reads
  }

  /** Which of these parts can be applied as they are. */
  which(tx: ReadTx, parts: readonly Prepared<unknown>[]): Program<boolean[]> {
    return this.validation.whichHold(tx, readsOf(parts))
  }

  /** Throws ChangedMeanwhile where anything that these parts have read has changed. */
  require(tx: ReadTx, parts: readonly Prepared<unknown>[]): Program<void> {
    return this.requireOf(tx, readsOf(parts))
  }

  *requireOf(tx: ReadTx, reads: readonly Reads[]): Program<void> {
    const holds = yield* this.validation.whichHold(tx, reads)
    if (holds.includes(false)) throw new ChangedMeanwhile()
  }

  /** Makes the changes. `tx` is the observed store's own, without a guard around it. */
  apply(tx: Tx, parts: readonly Prepared<unknown>[]): void {
    this.validation.own(writerOf(tx))
    for (const { buffer } of parts) applyBuffer(tx, buffer)
  }
}

function readsOf(parts: readonly Prepared<unknown>[]): Reads[] {
  return parts.map(({ reads }) => reads)
}

/** Something that was read is no longer so: the command is begun again. */
export class ChangedMeanwhile extends Error {}

function* applyAll(
  tx: Tx,
  prepared: Prepared<unknown>,
  unchanged: Unchanged,
  admit: Admission | undefined,
): Program<void> {
  // Of what is to be begun again, nothing is refused.
  yield* unchanged.require(tx, [prepared])
  if (admit !== undefined) yield* admit.before(tx)
  unchanged.apply(tx, [prepared])
  if (admit?.behind !== undefined) yield* admit.behind(tx)
}

/** The command was killed, its client has gone or its time is over: it is not begun again. */
function isEnded(thrown: unknown): boolean {
  return hasKind(thrown, 'Interrupted', 'MaxTimeMSExpired')
}

const snapshot: ReadOptions = { snapshot: true }
/** Of what takes longer than a snapshot lasts: that nothing has changed in between is enough. */
const present: ReadOptions = {}
