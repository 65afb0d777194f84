// How far a client may fall behind with reading. Published messages are not delayed for it: above
// the bounds of its class the connection is closed, and other clients are not affected. The bounds
// are Redis' client-output-buffer-limit.

import type { OutputBounds } from '../bus/keyvalue/settings.js'
import { subscriberBounds } from '../bus/keyvalue/settings.js'

export class OutputLimit {
  /** Monotonic time since which too much is unsent; undefined otherwise. */
  private since: number | undefined

  /** Whether a client with `bytes` unsent must be closed; checked at every message. */
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
