// Closes idle cursors. They hold positions and results in this process only, so a restart has
// nothing to resume.

import type { Clock } from '../../base/clock.js'
import type { Log } from '../../base/log.js'
import type { Cursors } from '../sources/cursors.js'
import { BackgroundLoop } from './background-loop-job.js'
import type { Pace } from './pace-job.js'

/** Time between checks for idle cursors. */
const cursorLookMs = 10_000

interface CursorExpiryParts {
  readonly cursors: Cursors
  readonly clock: Clock
  readonly log: Log
  readonly pace: Pace
}

export function cursorExpiry({ cursors, clock, log, pace }: CursorExpiryParts): BackgroundLoop {
  return new BackgroundLoop({
    pace,
    log,
    everyMs: cursorLookMs,
    sleepsFirst: true,
    failure: 'idle cursors could not be closed',
    round: () => {
      cursors.expire(clock.elapsed())
      return false
    },
  })
}
