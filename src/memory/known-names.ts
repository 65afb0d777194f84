// Entities of the graph that a text names: at each word the longest known name that begins there
// and ends with a word. (facts: memory-dashboard A3, extraction, rule 2)

import { namesOfTextMax, namesOfWordMax, nameWordsMax } from '../base/limits.js'
import type { Program, ReadTx } from '../store/store.js'
import { namesBeginningWith } from './entities.js'
import type { Graph } from './graph.js'
import { scanDocuments } from './index-range.js'
import { headOf, isHead } from './name-heads.js'
import { type Entity, readEntity } from './node.js'
import { type WordSpan, wordSpans } from './word-spans.js'

/** A text as names are compared, and its words. */
export interface PlainText {
  readonly plain: string
  readonly words: readonly WordSpan[]
}

/** Where names are looked up. */
export interface NameReader {
  beginningWith(word: string): Program<readonly Entity[]>
}

/** One letter names too much. */
const nameUnitsMin = 2

/** As names are normalised, but for quotation marks, which may stand anywhere in a text. */
export function plainText(text: string): PlainText {
  const plain = text.normalize('NFKC').replace(/\s+/gu, ' ').toLowerCase()
  return { plain, words: wordSpans(plain) }
}

/** Those that a reader's text names. */
export function entitiesInText(tx: ReadTx, graph: Graph, text: string): Program<Entity[]> {
  return knownEntities(plainText(text), {
    *beginningWith(word) {
      if (!(yield* isHead(tx, graph.terms, headOf(word)))) return []
      const range = namesBeginningWith(graph, word)
      return (yield* scanDocuments(tx, range, namesOfWordMax)).map(readEntity)
    },
  })
}

/** In the order of the text, each once; beyond namesOfTextMax that were compared, no more. */
export function* knownEntities(
  { plain, words }: PlainText,
  entities: NameReader,
): Program<Entity[]> {
  const found = new Map<string, Entity>()
  const byHead = new Map<string, ReadonlyMap<string, Entity>>()
  let compared = 0
  for (let i = 0; i < words.length && compared < namesOfTextMax; i++) {
    const { start, end } = words[i] ?? { start: 0, end: 0 }
    const word = plain.slice(start, end)
    const head = headOf(word)
    let names = byHead.get(head)
    if (names === undefined) {
      const beginning = yield* entities.beginningWith(word)
      compared += beginning.length
      names = namesOf(beginning)
      byHead.set(head, names)
    }
    const last = names.size === 0 ? undefined : longestName(plain, words, i, names)
    if (last === undefined) continue
    found.set(last.entity.id, last.entity)
    i = last.at
  }
  return [...found.values()]
}

/** The first entity of each name. */
function namesOf(entities: readonly Entity[]): Map<string, Entity> {
  const names = new Map<string, Entity>()
  for (const entity of entities) {
    for (const name of [entity.normName, ...entity.aliases]) {
      if (name.length >= nameUnitsMin && !names.has(name)) names.set(name, entity)
    }
  }
  return names
}

/** The longest name from word `i` on, and the word that it ends with. */
function longestName(
  plain: string,
  words: readonly WordSpan[],
  i: number,
  names: ReadonlyMap<string, Entity>,
): { readonly entity: Entity; readonly at: number } | undefined {
  const start = words[i]?.start ?? 0
  for (let at = Math.min(i + nameWordsMax, words.length) - 1; at >= i; at--) {
    const entity = names.get(plain.slice(start, words[at]?.end ?? start))
    if (entity !== undefined) return { entity, at }
  }
  return undefined
}
