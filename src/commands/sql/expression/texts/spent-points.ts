// Work on code points whose cost counts for the row: a text may be as long as a document, and a
// statement may call thousands of functions on it.

import { hasPairs, lengthOf } from '../../../../base/bytes/code-points.js'
import { spendOn } from './text-cost.js'

/** A code point in JavaScript code, relative to reading its text natively. */
const pointWeight = 8

/** As lengthOf. Throws 54000 as spendOn. */
export function lengthSpent(text: string): number {
  if (!hasPairs(text)) return text.length
  spendOn(text.length, pointWeight)
  return lengthOf(text)
}
