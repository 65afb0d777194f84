// One command that reads more than a write program may: it is prepared as a read that pauses, its
// large values and members are staged, and one bounded program makes all of it visible. What is
// changed meanwhile is noted, so that this program need not look at everything again; where it is
// something that was read, the command is begun again.

import { type Bytes, mapKey } from '../base/bytes/bytes.js'
import { assert, fail, hasKind } from '../base/errors.js'
import { preparedChangesMax, programRunsMax } from '../base/limits/engine.js'
import { applyPrepared, isLookedAt, type Prepared, prepare } from '../store/programs/prepared.js'
import type { Program, ReadOptions, ReadTx, Tx } from '../store/store.js'
import { largePhase, readPhase, type Sweep, writePhase } from '../store/sweep.js'
import { discardUnused, Staged, StagingNeeded } from './collection/staging.js'
import { type ObservedStore, whenRun, writerOf } from './observed-store.js'

/**
 * As stagedWrite, of a program whose reads take long. `admit` throws where it may not be done: what
 * it reads may be changed past the observed store, so it is asked when the changes are made.
 */
export function* preparedWrite<T>(
  store: ObservedStore,
  program: (tx: Tx, staged: Staged) => Program<T>,
  admit?: Admission,
): Sweep<T> {
  const staged = new Staged()
  function* attempt(options: ReadOptions, changed: Changes): Sweep<Done<T> | undefined> {
    try {
      const prepared = yield* readPhase((tx) => prepare(tx, (own) => program(own, staged)), options)
      changed.isReadingOver = true
      if (!prepared.buffer.isEmpty) {
        const { buffer } = prepared
        if (buffer.isLarge) {
          const { changes } = buffer
          yield* largePhase((tx) => admitLarge(tx, prepared, changed, admit), { changes })
        } else yield* writePhase((tx) => applyAll(tx, prepared, changed, admit))
      } else if (options !== snapshot) {
        // What it has seen on a snapshot is a state that it may answer from.
        changed.requireNoneIn(prepared)
      }
      return prepared
    } catch (error) {
      if (!(error instanceof StagingNeeded)) throw error
      yield* error.stage(staged)
      return undefined
    }
  }
  try {
    return yield* untilUnchanged(store, attempt)
  } finally {
    if (staged.isUsed) yield* writePhase((tx) => discardUnused(tx, staged))
  }
}

/** A command whose changes are prepared in parts, some of which are worth being made anew alone. */
interface Parts<P, T> {
  /** Asked before each reading: what is to be taken as late as can be is taken here. */
  begin(): (tx: ReadTx) => Program<P>
  /**
   * The write program, which makes the changes by `changed.apply`. It may be run again, and does
   * the same then: what it wants to know of `changed` it asks once.
   */
  apply(prepared: P, changed: Changes): (tx: Tx) => Program<T>
}

/** As preparedWrite, of nothing that has to be staged. */
export function* preparedParts<P, T>(store: ObservedStore, parts: Parts<P, T>): Sweep<T> {
  return yield* untilUnchanged(store, function* (options, changed) {
    const prepared = yield* readPhase(parts.begin(), options)
    changed.isReadingOver = true
    return { value: yield* writePhase(parts.apply(prepared, changed)) }
  })
}

/** Asked in the write program, before its changes are made and behind them. */
interface Admission {
  readonly before: (tx: Tx) => Program<unknown>
  readonly behind?: (tx: Tx) => Program<unknown>
}

interface Done<T> {
  readonly value: T
}

/** Begins again what answers undefined, or has found that what it has read has changed. */
function* untilUnchanged<T>(
  store: ObservedStore,
  attempt: (options: ReadOptions, changed: Changes) => Sweep<Done<T> | undefined>,
): Sweep<T> {
  const changed = new Changes()
  const end = store.observeAll((key) => changed.add(key))
  try {
    let options: ReadOptions = snapshot
    for (let run = 0; run < programRunsMax; run++) {
      changed.clear()
      try {
        const done = yield* attempt(options, changed)
        if (done !== undefined) return done.value
      } catch (error) {
        if (hasKind(error, 'SnapshotTooOld')) options = present
        else if (error instanceof ChangedMeanwhile) continue
        else if (options === snapshot || isEnded(error)) throw error
        // Of what changed while it was read nothing is to be concluded.
        else if (changed.isReadingOver || changed.isEmpty) throw error
      }
    }
    throw fail('WriteConflict', 'what a large command has read kept changing')
  } finally {
    end()
  }
}

/** The keys that any client changed since a reading began. */
export class Changes {
  private readonly keys = new Set<string>()
  /** What fails from now on fails whatever others have changed. */
  isReadingOver = false
  /** The keys that are told are those of the command itself. */
  private areOwn = false

  add(key: Bytes): void {
    if (isLookedAt(key) && !this.areTooMany && !this.areOwn) this.keys.add(mapKey(key))
  }

  clear(): void {
    this.keys.clear()
    this.isReadingOver = false
    this.areOwn = false
  }

  get isEmpty(): boolean {
    return this.keys.size === 0
  }

  /** Whether anything that it has looked at has changed. Of more keys than are kept, any. */
  areIn({ seen, ranges }: Prepared<unknown>): boolean {
    if (this.isEmpty) return false
    if (this.areTooMany) return true
    const [few, many] = this.keys.size < seen.size ? [this.keys, seen] : [seen, this.keys]
    for (const key of few) if (many.has(key)) return true
    if (ranges.count === 0) return false
    for (const key of this.keys) if (ranges.has(key)) return true
    return false
  }

  /** Throws ChangedMeanwhile where anything that it has looked at has changed. */
  requireNoneIn(prepared: Prepared<unknown>): void {
    if (this.areIn(prepared)) throw new ChangedMeanwhile()
  }

  /**
   * Changes what was prepared. Where that no longer holds when the changes are made, the program
   * ends with ChangedMeanwhile. `tx` is the observed store's own, without a guard around it.
   */
  apply(tx: Tx, parts: readonly Prepared<unknown>[]): void {
    assert(writerOf(tx) !== undefined, 'what is prepared is changed by way of the observed store')
    whenRun(tx, () => {
      for (const part of parts) this.requireNoneIn(part)
      // They are told next, in this turn.
      this.areOwn = true
      queueMicrotask(() => {
        this.areOwn = false
      })
    })
    for (const part of parts) applyPrepared(tx, part)
  }

  /** As apply, of what the store makes of the buffer: its sums alone are added here. */
  applyLarge(tx: Tx, prepared: Prepared<unknown>): void {
    whenRun(tx, () => {
      this.requireNoneIn(prepared)
      this.areOwn = true
    })
    for (const { key, documents, bytes } of prepared.buffer.additions?.values() ?? []) {
      tx.add(key, documents, bytes)
    }
  }

  private get areTooMany(): boolean {
    return this.keys.size >= preparedChangesMax
  }
}

/** Something that was read is no longer so: the command is begun again. */
export class ChangedMeanwhile extends Error {}

function* applyAll(
  tx: Tx,
  prepared: Prepared<unknown>,
  changed: Changes,
  admit: Admission | undefined,
): Program<void> {
  // Of what is to be begun again, nothing is refused.
  changed.requireNoneIn(prepared)
  if (admit !== undefined) yield* admit.before(tx)
  changed.apply(tx, [prepared])
  if (admit?.behind !== undefined) yield* admit.behind(tx)
}

/** As applyAll, of what the store makes of a buffer by itself. */
function* admitLarge(
  tx: Tx,
  prepared: Prepared<unknown>,
  changed: Changes,
  admit: Admission | undefined,
): Program<void> {
  changed.requireNoneIn(prepared)
  if (admit !== undefined) yield* admit.before(tx)
  changed.applyLarge(tx, prepared)
  if (admit?.behind !== undefined) yield* admit.behind(tx)
}

/** The command was killed, its client has gone or its time is over: it is not begun again. */
function isEnded(thrown: unknown): boolean {
  return hasKind(thrown, 'Interrupted', 'MaxTimeMSExpired')
}

const snapshot: ReadOptions = { snapshot: true }
/** Of what takes longer than a snapshot lasts: that nothing has changed in between is enough. */
const present: ReadOptions = {}
