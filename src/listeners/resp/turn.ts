// Measures how long all sockets of this protocol have worked in one turn of the event loop. Further
// pipelined commands wait for the next turn.

import type { Clock } from '../../base/clock.js'
import { tickMsMax } from '../../base/limits/engine.js'

export class Turn {
  /** Start of this turn's measured work; undefined in a new turn. */
  private startedMs: number | undefined

  constructor(private readonly clock: Clock) {}

  /** Whether other work must run first. */
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
