// How many turns the loops of expressions have taken in this process. A few documents may cost what
// thousands of others do: who computes expressions of many documents in one stretch looks here
// whether the rest of them has to wait for others.

import { expressionTurnsTarget } from '../../base/limits.js'

/** What a read's store counts for them then: more than the work of one turn. */
export const tiringWork = 10_000

let taken = 0

export function countTurn(): void {
  taken++
}

/** To be asked about later, by hasTakenMany. */
export function turnsTaken(): number {
  return taken
}

/** Whether it is time to give way. */
export function hasTakenMany(before: number): boolean {
  return taken - before >= expressionTurnsTarget
}
