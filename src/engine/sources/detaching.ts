// Where a read waits for a heavy document that a thread works on: the job of a refusal is done,
// then what was refused is tried again and knows the answer.
// (docs/design/transactions.md, rule 1)

import { type DetachedJob, jobOf } from '../../query/detached.js'
import { beginDetached } from '../../query/detached-threads.js'
import type { Workspace } from '../../query/spill.js'
import type { Program, ReadTx } from '../../store/store.js'

/** Has the job of a refusal done; throws every other error, and the refusal in a write program. */
export function* detached(
  tx: ReadTx,
  refusal: unknown,
  workspace?: Workspace,
): Program<DetachedJob> {
  const job = jobOf(refusal)
  if (job === undefined) throw refusal
  const holding = workspace?.holding?.()
  // The document and its answer, beside what the query holds of both.
  holding?.hold(job.document.length * 2)
  try {
    yield* tx.elsewhere({ refusal, begin: (owner) => beginDetached(job, owner) })
  } finally {
    holding?.close()
  }
  return job
}

/** `act` again after its refusal, as often as other parts of it are refused. */
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
