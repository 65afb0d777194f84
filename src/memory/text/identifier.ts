// Identifiers are indexed as a whole and by their parts: `snake_case`, `camelCase`, `a.b.c`,
// `l'avenir`. Hashes and addresses have no parts.

import { identifierPartsMax } from '../../base/limits/memory.js'

const hexadecimal = /^0x[0-9a-f]+$/i
/** Part boundaries: joining characters, or a change of case. */
const boundary = /[._:;,']+|(?<=[a-z0-9])(?=[A-Z])|(?<=[A-Z])(?=[A-Z][a-z])/
/** A part of one letter or digit would match everywhere. */
const partLengthMin = 2

/** The parts of a word as written; none for a word with one part. */
export function partsOf(word: string): string[] {
  if (!boundary.test(word) || hexadecimal.test(word)) return []
  const parts = word.split(boundary).filter((part) => part.length >= partLengthMin)
  return parts.slice(0, identifierPartsMax)
}
