// Names of entities: two spellings are the same entity when they are equal once normalised. The id
// is made of the normalised name, so that the same entity has the same id everywhere.
// (facts: memory-dashboard A2, normName)

import { createHash } from 'node:crypto'
import { nameBytesMax } from '../base/limits.js'
import { unitSeparator } from './edge.js'

/** Kind of an entity that was named without one. */
export const defaultKind = 'thing'

const idDigits = 24
const quotes = /^["'“”‘’«»„`]+|["'“”‘’«»„`]+$/gu

/** As names are compared: never stemmed, and in lower case whatever the locale. */
export function normName(name: string): string {
  const spaced = name.normalize('NFKC').trim().replace(/\s+/gu, ' ')
  return spaced.toLowerCase().replace(quotes, '').trim()
}

/** Id of the entity of that kind and normalised name. */
export function entityId(graph: string, kind: string, normalised: string): string {
  const hash = createHash('sha256').update([graph, kind, normalised].join(unitSeparator))
  return `ent_${hash.digest('hex').slice(0, idDigits)}`
}

/** Whether a normalised name can be an entity's: something is left of it, and an entry holds it. */
export function isName(normalised: string): boolean {
  return normalised !== '' && Buffer.byteLength(normalised) <= nameBytesMax
}
