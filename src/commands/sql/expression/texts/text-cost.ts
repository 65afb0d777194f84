// The cost of work on long texts. A statement may call thousands of functions, each on a text as
// long as a document, and evaluating one row cannot pause.

import { type Bytes, textUnits } from '../../../../base/bytes/bytes.js'
import { work } from '../../../../base/work/work-budget.js'
import {
  bytesPerUnit,
  elementBytesPerUnit,
  likeCharsPerUnit,
} from '../../../../base/work/work-figures.js'
import { elementsOf } from '../../../../value/elements.js'
import type { Value } from '../../../../value/value.js'
import { evaluationError, evaluationState } from '../evaluation-error.js'

/** Texts up to this length cost nothing. */
const shortChars = 4_096

/** Throws 54000 if one row has read and built too much text; `weight` is for slow work. */
export function spendOn(chars: number, weight = 1): void {
  if (chars > shortChars) spend((chars * weight) / bytesPerUnit)
}

/** Throws 54000 if one row has made too long texts of UTF-8. */
export function spendOnText(bytes: Bytes, start: number, end: number): void {
  const units = textUnits(bytes, start, end)
  if (units > 0) spend(units)
}

/** Throws 54000 if searches in one row backtrack too often. */
export function spendOnSteps(steps: number): void {
  spend(steps / likeCharsPerUnit)
}

/** The elements of an array; their cost is counted. Throws 54000 as spendOn. */
export function elementsSpent(array: Value): Value[] {
  spendOnElements(array)
  return elementsOf(array)
}

/** Throws 54000 if one row has read too many elements. */
export function spendOnElements({ start, end }: Value): void {
  if (end - start > shortChars) spend((end - start) / elementBytesPerUnit)
}

function spend(units: number): void {
  if (!work.allows(units)) {
    throw evaluationError(evaluationState.tooLong, 'the statement computes too much in one row')
  }
  work.note(units)
}
