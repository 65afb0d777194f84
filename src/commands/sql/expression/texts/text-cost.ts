// What the work on long texts costs: a statement may name thousands of functions, each over a text
// as long as a document, and a row is computed in one piece that cannot pause.

import { work } from '../../../../base/work/work-budget.js'
import {
  bytesPerUnit,
  elementBytesPerUnit,
  likeCharsPerUnit,
} from '../../../../base/work/work-figures.js'
import { elementsOf } from '../../../../value/elements.js'
import type { Value } from '../../../../value/value.js'
import { evaluationError, evaluationState } from '../evaluation-error.js'

/** Up to so many characters there is nothing to count. */
const shortChars = 4_096

/** Throws 54000 where one row has read and made too much; `weight` is for what is slow. */
export function spendOn(chars: number, weight = 1): void {
  if (chars > shortChars) spend((chars * weight) / bytesPerUnit)
}

/** Throws 54000 where a search in one row has gone back too often. */
export function spendOnSteps(steps: number): void {
  spend(steps / likeCharsPerUnit)
}

/** The elements of an array, which are paid for. Throws 54000 as spendOn. */
export function elementsSpent(array: Value): Value[] {
  spendOnElements(array)
  return elementsOf(array)
}

/** Throws 54000 where one row has gone through too many elements. */
export function spendOnElements({ start, end }: Value): void {
  if (end - start > shortChars) spend((end - start) / elementBytesPerUnit)
}

function spend(units: number): void {
  if (!work.allows(units)) {
    throw evaluationError(evaluationState.tooLong, 'the statement computes too much in one row')
  }
  work.note(units)
}
