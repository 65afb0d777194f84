// What the work on long texts costs: a statement may name thousands of functions, each over a text
// as long as a document, and a row is computed in one piece that cannot pause.

import { work } from '../../../base/work-budget.js'
import { bytesPerUnit, charsPerUnit } from '../../../base/work-figures.js'
import { evaluationError, evaluationState } from './evaluation-error.js'

/** Up to so many characters there is nothing to count. */
const shortChars = 4_096

/** Throws 54000 where one row has read and made too much; `weight` is for what is slow. */
export function payFor(chars: number, weight = 1): void {
  if (chars > shortChars) pay((chars * weight) / bytesPerUnit)
}

/** Throws 54000 where a search in one row has gone back too often. */
export function payForSteps(steps: number): void {
  pay(steps / charsPerUnit)
}

function pay(units: number): void {
  if (!work.allows(units)) {
    throw evaluationError(evaluationState.tooLong, 'the statement computes too much in one row')
  }
  work.note(units)
}
