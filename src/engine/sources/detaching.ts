// Lets a read wait for a heavy document that a worker thread processes: the thread runs the refused
// job, then the read retries and finds the result. (docs/design/transactions.md, rule 1)

import { type DetachedJob, jobOf } from '../../query/detached.js'
import { beginDetached } from '../../query/detached-threads.js'
import type { Workspace } from '../../query/spill.js'
import type { Program, ReadTx } from '../../store/store.js'

/**
 * Runs the job of a refusal on a thread; rethrows other errors, and the refusal in a write program.
 */
export function* detached(
  tx: ReadTx,
  refusal: unknown,
  workspace?: Workspace,
): Program<DetachedJob> {
  const job = jobOf(refusal)
  if (job === undefined) throw refusal
  const holding = workspace?.holding?.()
  // The document and its result, in addition to what the query holds.
  holding?.hold(job.document.length * 2)
  try {
    yield* tx.elsewhere({ refusal, begin: (owner) => beginDetached(job, owner) })
  } finally {
    holding?.close()
  }
  return job
}

/** Retries `act` after its refusal, as often as further parts are refused. */
export function* detachedThen<T>(tx: ReadTx, refusal: unknown, act: () => T): Program<T> {
  const jobs: DetachedJob[] = []
  try {
    let error = refusal
    for (;;) {
      jobs.push(yield* detached(tx, error))
      try {
        return act()
      } catch (next) {
        error = next
      }
    }
  } finally {
    for (const job of jobs) job.forget()
  }
}
