// Work on code points whose cost counts for the row: a text may be as long as a document, and a
// statement may call thousands of functions on it.

import { hasPairs, lengthOf, offsetAfter } from '../../../../base/bytes/code-points.js'
import { spendOn } from './text-cost.js'

/** A code point in JavaScript code, relative to reading its text natively. */
const pointWeight = 8
/** The same for pairs of surrogates that are put in order. */
const pairWeight = 32

/** As lengthOf. Throws 54000 as spendOn. */
export function lengthSpent(text: string): number {
  if (!hasPairs(text)) return text.length
  spendOn(text.length, pointWeight)
  return lengthOf(text)
}

/** As offsetAfter. Throws 54000 as spendOn. */
export function offsetSpent(text: string, count: number, from = 0): number {
  spendOn(Math.min(count, text.length - from), pointWeight)
  return offsetAfter(text, count, from)
}

/** The code points in reverse order, by native code. Throws 54000 as spendOn. */
export function reversed(text: string): string {
  spendOn(text.length, pointWeight)
  const turned = Buffer.from(text, 'utf16le').reverse().swap16().toString('utf16le')
  if (!hasPairs(turned)) return turned
  spendOn(text.length, pairWeight)
  return turned.replace(/([\udc00-\udfff])([\ud800-\udbff])/g, '$2$1')
}
