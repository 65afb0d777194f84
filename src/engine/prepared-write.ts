// One command that reads more than a write program may: it is prepared as a read that pauses, its
// large values and members are staged, and one bounded program makes all of it visible. It is begun
// again where something that it read has changed meanwhile.

import { fail } from '../base/errors.js'
import { programRunsMax } from '../base/limits.js'
import { applyPrepared, prepare } from '../store/prepared.js'
import type { Program, Tx } from '../store/store.js'
import { readPhase, type Sweep, writePhase } from '../store/sweep.js'
import { discardUnused, Staged, StagingNeeded } from './staging.js'

/** As stagedWrite, of a program whose reads take long. */
export function* preparedWrite<T>(program: (tx: Tx, staged: Staged) => Program<T>): Sweep<T> {
  const staged = new Staged()
  try {
    for (let run = 0; run < programRunsMax; run++) {
      try {
        const prepared = yield* readPhase(
          (tx) => prepare(tx, (own) => program(own, staged)),
          snapshot,
        )
        // A state that it has seen is one that it may answer from.
        if (prepared.buffer.isEmpty) return prepared.value
        if (yield* writePhase((tx) => applyPrepared(tx, prepared))) return prepared.value
      } catch (error) {
        if (!(error instanceof StagingNeeded)) throw error
        yield* error.stage(staged)
      }
    }
    throw fail('WriteConflict', 'what a large command has read kept changing')
  } finally {
    if (staged.isUsed) yield* writePhase((tx) => discardUnused(tx, staged))
  }
}

const snapshot = { snapshot: true } as const
