// Tests of sessions and retried reads that would run and fail, with the reason: as failing.ts.

import type { FailingRow } from './failing.js'

export const failingSessions: readonly FailingRow[] = [
  { file: 'retryable-reads/mapReduce', because: 'the driver has no mapReduce' },
]
