// How far somebody who only listens may fall behind. What is published is not held back for one who
// does not take it: past these bounds the connection is closed, and the others do not notice. The
// bounds are the peer's client-output-buffer-limit for subscribers.

import {
  subscriberBacklogBytesMax,
  subscriberBacklogMs,
  subscriberOutputBytesMax,
} from '../base/limits.js'

export class OutputLimit {
  /** Monotonic time since which too much is unsent for long; undefined while it is not. */
  private since: number | undefined

  /** Whether a client with `bytes` unsent has to go; asked at every message. */
  isPassed(bytes: number, nowMs: number): boolean {
    if (bytes > subscriberOutputBytesMax) return true
    if (bytes <= subscriberBacklogBytesMax) {
      this.since = undefined
      return false
    }
    this.since ??= nowMs
    return nowMs - this.since > subscriberBacklogMs
  }
}
