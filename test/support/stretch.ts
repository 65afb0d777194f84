// Work in one stretch, as a turn of a read program does it: how many units it took, and whether it
// was refused.

import { work } from '../../src/base/work/work-budget.js'
import { stretchUnits, turnUnits } from '../../src/base/work/work-figures.js'

/** What `act` answers; it throws as it would in a read program. */
export function inStretch<T>(act: () => T): T {
  work.begin(turnUnits, stretchUnits)
  try {
    return act()
  } finally {
    work.end()
  }
}

/** Units that `act` takes in a stretch; it must not be refused. */
export function unitsOf(act: () => unknown): number {
  const before = work.spent
  inStretch(act)
  return work.spent - before
}
