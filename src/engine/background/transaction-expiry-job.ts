// Ends transactions beyond their bounds of age and memory. Their states keep memory and pages of
// the tables from being freed, so it looks often.

import type { Log } from '../../base/log.js'
import type { OpenTransactions } from '../../store/transactions/open-transactions.js'
import { BackgroundLoop } from './background-loop-job.js'
import type { Pace } from './pace-job.js'

/** Time between checks, milliseconds. */
const transactionLookMs = 1_000

interface TransactionExpiryParts {
  readonly transactions: OpenTransactions
  readonly log: Log
  readonly pace: Pace
}

export function transactionExpiry({
  transactions,
  log,
  pace,
}: TransactionExpiryParts): BackgroundLoop {
  return new BackgroundLoop({
    pace,
    log,
    everyMs: transactionLookMs,
    sleepsFirst: true,
    failure: 'old transactions could not be ended',
    round: () => {
      transactions.expire()
      return false
    },
  })
}
