// Identifiers are found by the whole and by their parts: `snake_case`, `camelCase`, `a.b.c`,
// `l'avenir`. Hashes and addresses have no parts.

import { identifierPartsMax } from '../../base/limits.js'

const hexadecimal = /^0x[0-9a-f]+$/i
/** Between parts: what joins them, or a change of case. */
const boundary = /[._:;,']+|(?<=[a-z0-9])(?=[A-Z])|(?<=[A-Z])(?=[A-Z][a-z])/
/** A part of one letter or digit would be found everywhere. */
const partLengthMin = 2

/** The parts of a word as it is written; none of a word that has but one. */
export function partsOf(word: string): string[] {
  if (!boundary.test(word) || hexadecimal.test(word)) return []
  const parts = word.split(boundary).filter((part) => part.length >= partLengthMin)
  return parts.slice(0, identifierPartsMax)
}
