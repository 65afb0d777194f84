// How many turns the loops of expressions have taken in this process. A few documents may cost what
// thousands of others do: who computes expressions of many documents in one stretch looks here
// whether the rest of them has to wait for others.

import { expressionTurnsMax, expressionTurnsTarget } from '../../base/limits.js'

/** What a read's store counts for them then: more than the work of one turn. */
export const tiringWork = 10_000

let taken = 0
/** What had been taken when the present stretch began. */
let stretchAt = 0

export function countTurn(): void {
  taken++
}

/** Of one operation that took as long as so many turns. */
export function countTurns(turns: number): void {
  taken += Math.ceil(turns)
}

/** A stretch of work begins here: to be asked about later, by hasTakenMany. */
export function turnsTaken(): number {
  stretchAt = taken
  return taken
}

/** Whether one row has taken so many that others wait for too long: it cannot pause in between. */
export function hasTakenTooMany(): boolean {
  return taken - stretchAt > expressionTurnsMax
}

/** Whether it is time to give way. */
export function hasTakenMany(before: number): boolean {
  return taken - before >= expressionTurnsTarget
}
