// Entities of the graph that a text names: at each word the longest known name that begins there
// and ends with a word. (facts: memory-dashboard A3, extraction, rule 2)

import { namesOfWordMax, nameWordsMax } from '../base/limits.js'
import type { Program, ReadTx } from '../store/store.js'
import { namesBeginningWith } from './entities.js'
import type { Graph } from './graph.js'
import { scanDocuments } from './index-range.js'
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
      const range = namesBeginningWith(graph, word)
      return (yield* scanDocuments(tx, range, namesOfWordMax)).map(readEntity)
    },
  })
}

/** In the order of the text, each once. */
export function* knownEntities(
  { plain, words }: PlainText,
  entities: NameReader,
): Program<Entity[]> {
  const found = new Map<string, Entity>()
  const ends = new Set(words.map(({ end }) => end))
  for (let i = 0; i < words.length; i++) {
    const { start, end } = words[i] ?? { start: 0, end: 0 }
    const last = words[Math.min(i + nameWordsMax, words.length) - 1]?.end ?? end
    let longest = 0
    let match: Entity | undefined
    for (const entity of yield* entities.beginningWith(plain.slice(start, end))) {
      for (const name of [entity.normName, ...entity.aliases]) {
        const behind = start + name.length
        if (name.length <= longest || name.length < nameUnitsMin || behind > last) continue
        if (!ends.has(behind) || !plain.startsWith(name, start)) continue
        longest = name.length
        match = entity
      }
    }
    if (match === undefined) continue
    found.set(match.id, match)
    while ((words[i + 1]?.start ?? plain.length) < start + longest) i++
  }
  return [...found.values()]
}
