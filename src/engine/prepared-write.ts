// One command that reads more than a write program may: it is prepared as a read that pauses, its
// large values and members are staged, and one bounded program makes all of it visible. What is
// changed meanwhile is noted, so that this program need not look at everything again; where it is
// something that was read, the command is begun again.

import { type Bytes, mapKey } from '../base/bytes.js'
import { fail, GatewayError } from '../base/errors.js'
import { preparedChangesMax, programRunsMax } from '../base/limits.js'
import { applyPrepared, isLookedAt, type Prepared, prepare } from '../store/programs/prepared.js'
import type { Program, ReadOptions, Tx } from '../store/store.js'
import { readPhase, type Sweep, writePhase } from '../store/sweep.js'
import { discardUnused, Staged, StagingNeeded } from './collection/staging.js'
import { type ObservedStore, whenRun } from './observed-store.js'

/**
 * As stagedWrite, of a program whose reads take long. `admit` throws where it may not be done: what
 * it reads may be changed past the observed store, so it is asked again when the changes are made.
 */
export function* preparedWrite<T>(
  store: ObservedStore,
  program: (tx: Tx, staged: Staged) => Program<T>,
  admit?: (tx: Tx) => Program<unknown>,
): Sweep<T> {
  const staged = new Staged()
  const changed = new Changes()
  const end = store.observeAll((key) => changed.add(key))
  try {
    let options: ReadOptions = snapshot
    for (let run = 0; run < programRunsMax; run++) {
      changed.clear()
      try {
        const prepared = yield* readPhase(
          (tx) => prepare(tx, (own) => program(own, staged)),
          options,
        )
        if (prepared.buffer.isEmpty) {
          // A state that it has seen is one that it may answer from.
          if (options === snapshot || !changed.isAnyOf(prepared.seen)) return prepared.value
        } else if (yield* writePhase((tx) => applyUnless(tx, prepared, changed, admit))) {
          return prepared.value
        }
      } catch (error) {
        if (error instanceof StagingNeeded) yield* error.stage(staged)
        else if (isTooOld(error)) options = present
        else if (error instanceof ChangedMeanwhile) continue
        // Of what changed while it was read nothing is to be concluded.
        else if (options === snapshot || changed.isEmpty) throw error
      }
    }
    throw fail('WriteConflict', 'what a large command has read kept changing')
  } finally {
    end()
    if (staged.isUsed) yield* writePhase((tx) => discardUnused(tx, staged))
  }
}

/** The keys that anybody has changed since a reading began. */
class Changes {
  private readonly keys = new Set<string>()

  add(key: Bytes): void {
    if (isLookedAt(key) && !this.areTooMany) this.keys.add(mapKey(key))
  }

  clear(): void {
    this.keys.clear()
  }

  get isEmpty(): boolean {
    return this.keys.size === 0
  }

  /** Of more than are kept, any. */
  isAnyOf(seen: ReadonlySet<string>): boolean {
    if (this.areTooMany) return true
    const [few, many] = this.keys.size < seen.size ? [this.keys, seen] : [seen, this.keys]
    for (const key of few) if (many.has(key)) return true
    return false
  }

  private get areTooMany(): boolean {
    return this.keys.size >= preparedChangesMax
  }
}

/** Thrown where it is found out when the changes are made. */
class ChangedMeanwhile extends Error {}

/** Changes what was prepared; false, and nothing, if something that it has read has changed. */
function* applyUnless(
  tx: Tx,
  prepared: Prepared<unknown>,
  changed: Changes,
  admit: ((tx: Tx) => Program<unknown>) | undefined,
): Program<boolean> {
  if (changed.isAnyOf(prepared.seen)) return false
  if (admit !== undefined) yield* admit(tx)
  whenRun(tx, () => {
    if (changed.isAnyOf(prepared.seen)) throw new ChangedMeanwhile()
  })
  applyPrepared(tx, prepared)
  return true
}

function isTooOld(thrown: unknown): boolean {
  return thrown instanceof GatewayError && thrown.kind === 'SnapshotTooOld'
}

const snapshot: ReadOptions = { snapshot: true }
/** Of what takes longer than a snapshot lasts: that nothing has changed in between is enough. */
const present: ReadOptions = {}
