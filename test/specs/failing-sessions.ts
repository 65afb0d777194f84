// Tests of sessions and retried reads that would run and fail, with the reason: as failing.ts.

import type { FailingRow } from './failing.js'

const noTime = 'this driver has no option snapshotTime of a session'

export const failingSessions: readonly FailingRow[] = [
  {
    file: 'sessions/snapshot-sessions',
    tests: [
      'Find operation with snapshot and snapshot time',
      'Distinct operation with snapshot and snapshot time',
      'Aggregate operation with snapshot and snapshot time',
      'countDocuments operation with snapshot and snapshot time',
      'Mixed operation with snapshot and snapshotTime',
    ],
    because: noTime,
  },
  {
    file: 'retryable-reads/gridfs-download',
    because: 'the driver asks for the file by $eq',
  },
  {
    file: 'retryable-reads/gridfs-download-serverErrors',
    because: 'the driver asks for the file by $eq',
  },
  { file: 'retryable-reads/mapReduce', because: 'the driver has no mapReduce' },
]
