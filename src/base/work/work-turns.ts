// Turns of work outside a program: a listener that processes many documents, or a message with many
// recipients. Such work spends from the work budget and pauses at the end of its turn, or sooner by
// the clock, as programs do. (docs/design/transactions.md, rule 1)

import { setImmediate as nextTurn } from 'node:timers/promises'
import { type Clock, systemClock } from '../clock.js'
import { tickMsMax } from '../limits/engine.js'
import { work } from './work-budget.js'
import { clockUnits, turnUnits } from './work-figures.js'

export class WorkTurns {
  private endsAt = 0
  private endsAtMs = 0
  private checkAt = 0

  constructor(private readonly clock: Pick<Clock, 'elapsed'> = systemClock) {
    this.begin()
  }

  /** The turn is used up: call `pause` now. */
  get isDue(): boolean {
    const { spent } = work
    if (spent < this.checkAt) return false
    if (spent >= this.endsAt) return true
    this.checkAt = Math.min(spent + clockUnits, this.endsAt)
    // No result depends on the time: a slow or cold processor only pauses more often.
    return this.clock.elapsed() >= this.endsAtMs
  }

  /** Lets other work run, then starts the next turn. */
  async pause(): Promise<void> {
    await nextTurn()
    this.begin()
  }

  private begin(): void {
    this.endsAt = work.spent + turnUnits
    this.checkAt = work.spent + clockUnits
    this.endsAtMs = this.clock.elapsed() + tickMsMax
  }
}
