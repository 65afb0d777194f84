// A statement of a retryable write outside of a batch. The program of its change asks the record.
// If no document was found, the first attempt may have removed it, so the record is asked again.
// (docs/design/transactions.md, rule 19)

import { AlreadyRan, type Ran, type StatementRecord } from '../../../engine/modify/modify-spec.js'
import { readPhase, type Sweep } from '../../../store/sweep.js'

interface Results<R> {
  /** The statement has changed nothing. */
  readonly isNone: (result: R) => boolean
  readonly resultOfRan: (ran: Ran) => R
}

export function runOnce<R>(
  record: StatementRecord | undefined,
  run: () => Sweep<R>,
  results: Results<R>,
): Sweep<R> {
  return record === undefined ? run() : recorded(record, run, results)
}

function* recorded<R>(
  record: StatementRecord,
  run: () => Sweep<R>,
  { isNone, resultOfRan }: Results<R>,
): Sweep<R> {
  let result: R
  try {
    result = yield* run()
  } catch (thrown) {
    if (thrown instanceof AlreadyRan) return resultOfRan(thrown.ran)
    throw thrown
  }
  if (!isNone(result)) return result
  const ran = yield* readPhase((tx) => record.ran(tx))
  return ran === undefined ? result : resultOfRan(ran)
}
