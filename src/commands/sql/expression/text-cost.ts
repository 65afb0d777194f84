// What the work on long texts costs: a statement may name thousands of functions, each over a text
// as long as a document, and a row is computed in one piece that nothing can interrupt.

import { countTurns, hasTakenTooMany } from '../../../query/expressions/loop-turns.js'
import { evaluationError, evaluationState } from './evaluation-error.js'

/** Characters that are read or made in the time of one turn of an expression's loop. */
const charsPerTurn = 64
/** Up to so many there is nothing to count. */
const shortChars = 4_096

/** Throws 54000 where one row has read and made too much; `weight` is for what is slow. */
export function payFor(chars: number, weight = 1): void {
  if (chars <= shortChars) return
  countTurns((chars * weight) / charsPerTurn)
  requireTurns()
}

/** Throws 54000 where one row has taken too many turns. */
export function requireTurns(): void {
  if (!hasTakenTooMany()) return
  throw evaluationError(evaluationState.tooLong, 'the statement computes too much in one row')
}
