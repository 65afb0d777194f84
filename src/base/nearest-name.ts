// The name that was probably meant by one that is not known: for misspelt settings, which would
// otherwise be ignored or refused without a hint.

import { distance } from 'fastest-levenshtein'

/** Of the known names the one within two edits, or one where it is short; undefined if none is. */
export function nearestName(name: string, known: readonly string[]): string | undefined {
  let best: string | undefined
  let least = name.length < 8 ? 1 : 2
  for (const one of known) {
    const edits = distance(name, one)
    if (edits > least || (best !== undefined && edits === least)) continue
    best = one
    least = edits
  }
  return best
}
