// Measures how long all sockets of a protocol have worked in one turn of the event loop. Further
// pipelined commands wait for the next turn.

import type { Clock } from '../base/clock.js'
import { tickMsMax } from '../base/limits/engine.js'

export class Turn {
  /** Start of this turn's measured work; undefined in a new turn. */
  private startedMs: number | undefined
  /** Commands since the last look: one that runs alone may end in the turn it began in. */
  private commands = 0

  /** The clock is looked at once in so many commands. */
  constructor(
    private readonly clock: Clock,
    private readonly commandsPerLook: number,
  ) {}

  /** Asked before each command: whether other work must run first. */
  isOver(): boolean {
    if (++this.commands < this.commandsPerLook) return false
    this.commands = 0
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
