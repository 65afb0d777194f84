// Finds the known name closest to a misspelt one. Without a hint, a misspelt setting would be
// ignored or refused with no explanation.

import { distance } from 'fastest-levenshtein'

/** The known name within two edits (one for short names); undefined if there is none. */
export function nearestName(name: string, known: readonly string[]): string | undefined {
  let best: string | undefined
  let least = name.length < 8 ? 1 : 2
  for (const one of known) {
    const edits = isSwapped(name, one) ? 1 : distance(name, one)
    if (edits > least || (best !== undefined && edits === least)) continue
    best = one
    least = edits
  }
  return best
}

/** Whether two neighbouring letters changed places: a frequent slip, and one edit as any other. */
function isSwapped(name: string, one: string): boolean {
  if (name.length !== one.length) return false
  const at = [...name].findIndex((letter, i) => letter !== one[i])
  const swapped = name.slice(0, at) + (name[at + 1] ?? '') + name[at] + name.slice(at + 2)
  return at !== -1 && swapped === one
}
