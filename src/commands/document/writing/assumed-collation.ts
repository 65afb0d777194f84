// Runs a change that was compiled for an assumed collation. If the collection has another one, the
// run ends before it changes anything, and the change is compiled again.

import { fail } from '../../../base/errors.js'
import { modifyRunsMax } from '../../../base/limits/documents.js'
import {
  type AssumedCollation,
  OtherCollation,
  plainCollation,
} from '../../../engine/modify/modify-spec.js'
import type { Sweep } from '../../../store/sweep.js'

/** Runs it for simple collation first, then for the collation that the collection has. */
export function* assumingCollation<R>(run: (assumed: AssumedCollation) => Sweep<R>): Sweep<R> {
  let assumed = plainCollation
  for (let others = 1; ; others++) {
    try {
      return yield* run(assumed)
    } catch (thrown) {
      assumed = otherCollation(thrown, others)
    }
  }
}

/** The collation for the next attempt, the `times`th one; throws any other error again. */
export function otherCollation(thrown: unknown, times: number): AssumedCollation {
  if (!(thrown instanceof OtherCollation)) throw thrown
  if (times >= modifyRunsMax) {
    throw fail('WriteConflict', 'the collection kept being replaced by others')
  }
  return { collation: thrown.collation }
}
