// Running a change that was compiled for a collation that the collection may turn out not to have:
// it ends before it has changed anything, and is compiled again.

import { fail } from '../../../base/errors.js'
import { modifyRunsMax } from '../../../base/limits.js'
import {
  type AssumedCollation,
  OtherCollation,
  plainCollation,
} from '../../../engine/modify/modify-spec.js'
import type { Sweep } from '../../../store/sweep.js'

/** Runs it for plain collation, and again for the one that the collection has. */
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

/** What to compile for instead, for the `times`th time; what else was thrown is thrown on. */
export function otherCollation(thrown: unknown, times: number): AssumedCollation {
  if (!(thrown instanceof OtherCollation)) throw thrown
  if (times >= modifyRunsMax) {
    throw fail('WriteConflict', 'the collection kept being replaced by others')
  }
  return { collation: thrown.collation }
}
