// Tests of transactions that would run and fail, with the reason: as failing.ts, for a server that
// says it is a router.

import type { FailingRow } from './failing.js'

export const failingTransactions: readonly FailingRow[] = [
  {
    file: 'transactions/errors',
    tests: ['write conflict commit', 'write conflict abort'],
    because: 'a transaction holds no locks: the first to commit wins, not the first to write',
  },
]
