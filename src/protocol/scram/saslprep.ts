// SASLprep (RFC 4013): the normal form of a password that both sides hash. It maps, normalises,
// refuses prohibited characters, and checks the direction of the text.

import { fail, type GatewayError } from '../../base/errors.js'
import {
  inTable,
  leftToRight,
  mappedToNothing,
  mappedToSpace,
  prohibited,
  rightToLeft,
  unassigned,
} from './saslprep-tables.js'

const printableAscii = /^[\x20-\x7e]*$/

/**
 * The prepared form of a stored string. Throws BadValue if RFC 4013 refuses it: no conforming
 * client could log in with such a password.
 */
export function saslPrep(text: string): string {
  if (printableAscii.test(text)) return text
  let mapped = ''
  for (const character of text) {
    const codePoint = character.codePointAt(0) ?? 0
    if (inTable(mappedToSpace, codePoint)) mapped += ' '
    else if (!inTable(mappedToNothing, codePoint)) mapped += character
  }
  const prepared = mapped.normalize('NFKC')
  const codePoints = Array.from(prepared, (character) => character.codePointAt(0) ?? 0)
  for (const codePoint of codePoints) {
    if (inTable(prohibited, codePoint)) throw refused('a prohibited character')
    if (inTable(unassigned, codePoint)) throw refused('a character unknown to Unicode 3.2')
  }
  requireDirection(codePoints)
  return prepared
}

/**
 * RFC 3454, section 6: right-to-left text has no left-to-right character and starts and ends with
 * right-to-left ones.
 */
function requireDirection(codePoints: readonly number[]): void {
  if (!codePoints.some((codePoint) => inTable(rightToLeft, codePoint))) return
  const first = codePoints[0] ?? 0
  const last = codePoints[codePoints.length - 1] ?? 0
  const isMixed = codePoints.some((codePoint) => inTable(leftToRight, codePoint))
  if (isMixed || !inTable(rightToLeft, first) || !inTable(rightToLeft, last)) {
    throw refused('text of both directions')
  }
}

function refused(what: string): GatewayError {
  return fail('BadValue', `password holds ${what} (RFC 4013)`)
}
