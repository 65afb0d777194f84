// How far a client may fall behind with reading. What is published is not held back for
// one who does not take it: past the bounds of its class the connection is closed, and the others
// do not notice. The bounds are those of the reference server's client-output-buffer-limit.

import type { OutputBounds } from '../bus/keyvalue/settings.js'
import { subscriberBounds } from '../bus/keyvalue/settings.js'

export class OutputLimit {
  /** Monotonic time since which too much is unsent for long; undefined while it is not. */
  private since: number | undefined

  /** Whether a client with `bytes` unsent has to go; asked at every message. */
  isPassed(bytes: number, nowMs: number, bounds: OutputBounds = subscriberBounds): boolean {
    const { bytesMax, backlogBytesMax, backlogMs } = bounds
    if (bytesMax > 0 && bytes > bytesMax) return true
    if (backlogBytesMax === 0 || bytes <= backlogBytesMax) {
      this.since = undefined
      return false
    }
    this.since ??= nowMs
    return nowMs - this.since > backlogMs
  }
}
