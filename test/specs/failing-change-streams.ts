// Tests of change streams that would run and fail, with the reason: as failing.ts, by topology.

import type { FailingRow } from './failing.js'

export const failingChangeStreams: {
  readonly router: readonly FailingRow[]
  readonly replicaSet: readonly FailingRow[]
} = {
  router: [
    {
      file: 'change-streams/change-streams-showExpandedEvents',
      tests: ['when showExpandedEvents is true, shardCollection events are reported'],
      because: 'nothing is sharded: there is no shardCollection',
      code: 115,
    },
  ],
  replicaSet: [],
}
