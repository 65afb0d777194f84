// Promises that a transaction is aborted, which are records in a store that several servers share.
// A client can ask for one under any name, so an owner has a bounded number of them.
// (docs/design/transactions.md, rule 18)

import { fail } from '../../../base/errors.js'
import { abortPromisesOfOwnerMax, sessionIdleMinutes } from '../../../base/limits/documents.js'

/** Time that the records of one window live on, milliseconds. */
const windowMs = sessionIdleMinutes * 60_000

export class AbortPromises {
  /** By owner; the oldest window first. */
  private readonly windows = new Map<string, { readonly sinceMs: number; count: number }>()

  /** Counts one more. Throws TooManyLogicalSessions. `nowMs` is the wall time of the command. */
  admit(owner: string, nowMs: number): void {
    for (const [other, { sinceMs }] of this.windows) {
      if (nowMs - sinceMs < windowMs) break
      this.windows.delete(other)
    }
    const window = this.windows.get(owner) ?? { sinceMs: nowMs, count: 0 }
    if (window.count >= abortPromisesOfOwnerMax) {
      throw fail('TooManyLogicalSessions', 'too many sessions ask for unknown transactions')
    }
    window.count++
    this.windows.set(owner, window)
  }
}
