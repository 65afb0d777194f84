// Names of entities: two spellings with the same normalised form are the same entity. The id is
// made of the normalised name, so an entity has the same id everywhere.
// (docs/memory.md, "What is kept")

import { hash } from 'node:crypto'
import { nameBytesMax } from '../../base/limits/memory.js'
import { unitSeparator } from './edge.js'

/** Default kind of an entity. */
export const defaultKind = 'thing'

const idDigits = 24
const quotes = /^["'“”‘’«»„`]+|["'“”‘’«»„`]+$/gu

/** Invisible characters; joiners are kept, because they shape adjacent letters and signs. */
const unseen =
  /(?<![\p{L}\p{M}\p{S}])[\u200c\u200d]|[\u200c\u200d](?![\p{L}\p{S}])|(?![\u200c\u200d])\p{Cf}/gu
const seen = /[\p{L}\p{N}\p{S}\p{P}]/u

/** A text without invisible characters. */
export function withoutUnseen(text: string): string {
  return text.replace(unseen, '')
}

/** The form in which names are compared: never stemmed, in lower case for any locale. */
export function normName(name: string): string {
  const spaced = withoutUnseen(name.normalize('NFKC')).trim().replace(/\s+/gu, ' ')
  return spaced.toLowerCase().replace(quotes, '').trim()
}

const marks = /\p{M}/gu
const stroked: ReadonlyMap<string, string> = new Map(
  ['ß ss', 'æ ae', 'œ oe', 'ø o', 'ł l', 'đ d', 'ð d', 'þ th', 'ı i'].map((pair) => {
    const [letter = '', plain = ''] = pair.split(' ')
    return [letter, plain]
  }),
)
const accentedLetter = /[\u00c0-\u024f\u0370-\u03ff\u1e00-\u1fff]/

/** A normalised name of Latin or Greek letters without its accents. */
export function withoutAccents(name: string): string {
  if (!accentedLetter.test(name)) return name
  const bare = name.normalize('NFD').replace(marks, '').normalize('NFC')
  return bare.replace(/[ßæœøłđðþı]/g, (letter) => stroked.get(letter) ?? letter)
}

/** Id of the entity of this kind and normalised name. */
export function entityId(graph: string, kind: string, normalised: string): string {
  const digest = hash('sha256', [graph, kind, normalised].join(unitSeparator))
  return `ent_${digest.slice(0, idDigits)}`
}

/** Whether a normalised name can be an entity's: it is visible, and an index entry can hold it. */
export function isName(normalised: string): boolean {
  return seen.test(normalised) && Buffer.byteLength(normalised) <= nameBytesMax
}
