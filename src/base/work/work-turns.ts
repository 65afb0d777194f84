// Turns of work outside a program: a listener that processes many documents, or a message with many
// recipients. Such work spends from the work budget and pauses at the end of its turn.
// (docs/design/transactions.md, rule 1)

import { setImmediate as nextTurn } from 'node:timers/promises'
import { work } from './work-budget.js'
import { turnUnits } from './work-figures.js'

export class WorkTurns {
  private endsAt = work.spent + turnUnits

  /** The turn is used up: call `pause` now. */
  get isDue(): boolean {
    return work.spent >= this.endsAt
  }

  /** Lets other work run, then starts the next turn. */
  async pause(): Promise<void> {
    await nextTurn()
    this.endsAt = work.spent + turnUnits
  }
}
