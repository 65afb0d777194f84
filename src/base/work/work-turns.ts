// Turns of what works outside of a program: a listener that goes through many documents, or a
// message that goes to many. It spends from the work budget and pauses when its turn is used up.
// (docs/design/transactions.md, rule 1)

import { setImmediate as nextTurn } from 'node:timers/promises'
import { work } from './work-budget.js'
import { turnUnits } from './work-figures.js'

export class WorkTurns {
  private endsAt = work.spent + turnUnits

  /** What has been spent since the turn began is enough: `pause` now. */
  get isDue(): boolean {
    return work.spent >= this.endsAt
  }

  /** Others work, then the next turn begins. */
  async pause(): Promise<void> {
    await nextTurn()
    this.endsAt = work.spent + turnUnits
  }
}
