// How long the sockets of this protocol have worked in one turn of the event loop, all of them
// together: what a client has pipelined beyond that waits for the next one.

import type { Clock } from '../../base/clock.js'
import { tickMsMax } from '../../base/limits.js'

export class Turn {
  /** When the work of this turn was first timed; undefined in a fresh one. */
  private startedMs: number | undefined

  constructor(private readonly clock: Clock) {}

  /** Whether others are to have their turn first. */
  isOver(): boolean {
    const nowMs = this.clock.elapsed()
    if (this.startedMs === undefined) {
      this.startedMs = nowMs
      setImmediate(() => {
        this.startedMs = undefined
      })
      return false
    }
    return nowMs - this.startedMs >= tickMsMax
  }
}
