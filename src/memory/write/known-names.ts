// Finds known entities in a text: at each word the longest known name that starts there and ends
// with a word. (docs/memory.md, "What is kept")

import { namesOfTextMax, namesOfWordMax } from '../../base/limits/memory.js'
import type { Program, ReadTx } from '../../store/store.js'
import type { Graph } from '../graph/graph.js'
import { scanDocuments } from '../graph/index-range.js'
import { namesBeginningWith } from '../nodes/entities.js'
import { headOf, isHead } from '../nodes/name-heads.js'
import { withoutUnseen } from '../nodes/names.js'
import { type Entity, readEntity } from '../nodes/node.js'
import type { WordSpan } from '../text/segments.js'
import { wordSpans } from './word-spans.js'

/** Most words of a known name. */
const nameWordsMax = 4

/** A text normalised like names, and its words. */
export interface PlainText {
  readonly plain: string
  readonly words: readonly WordSpan[]
}

/** Entities with a name that starts with some word, by name. */
export interface Beginning {
  readonly entities: number
  readonly byName: ReadonlyMap<string, Entity>
}

/** Looks up names by the heads of words (headOf). */
export interface NameReader {
  /** A cached result. */
  known(head: string): Beginning | undefined
  read(head: string): Program<Beginning>
}

/** A single letter would match too often. */
const nameUnitsMin = 2

/** Normalised like names, except quotation marks, which may be anywhere in a text. */
export function plainText(text: string): PlainText {
  const plain = withoutUnseen(text.normalize('NFKC')).replace(/\s+/gu, ' ').toLowerCase()
  return { plain, words: wordSpans(plain) }
}

/** The entities in a reader's text. */
export function* entitiesInText(tx: ReadTx, graph: Graph, text: string): Program<Entity[]> {
  const known = new Map<string, Beginning>()
  return yield* knownEntities(plainText(text), {
    known: (head) => known.get(head),
    *read(head) {
      const isKnown = yield* isHead(tx, graph.terms, head)
      const range = isKnown ? namesBeginningWith(graph, head) : undefined
      const found = range === undefined ? [] : yield* scanDocuments(tx, range, namesOfWordMax)
      const beginning = beginningOf(found.map(readEntity))
      known.set(head, beginning)
      return beginning
    },
  })
}

/** In text order, each once; stops after namesOfTextMax comparisons. */
export function* knownEntities({ plain, words }: PlainText, names: NameReader): Program<Entity[]> {
  const found = new Map<string, Entity>()
  const compared = new Set<Beginning>()
  let entities = 0
  for (let i = 0; i < words.length && entities < namesOfTextMax; i++) {
    const { start, end } = words[i] ?? { start: 0, end: 0 }
    const head = headOf(plain.slice(start, end))
    const beginning = names.known(head) ?? (yield* names.read(head))
    if (beginning.entities === 0) continue
    if (!compared.has(beginning)) entities += beginning.entities
    compared.add(beginning)
    const last = longestName(plain, words, i, beginning.byName)
    if (last === undefined) continue
    found.set(last.entity.id, last.entity)
    i = last.at
  }
  return [...found.values()]
}

const nothing: Beginning = { entities: 0, byName: new Map() }

/** A main name goes before the aliases of other entities. */
export function beginningOf(found: readonly Entity[]): Beginning {
  if (found.length === 0) return nothing
  const entities = [...found].sort((a, b) => (a.id < b.id ? -1 : 1))
  const byName = new Map<string, Entity>()
  const add = (name: string, entity: Entity) => {
    if (name.length >= nameUnitsMin && !byName.has(name)) byName.set(name, entity)
  }
  for (const entity of entities) add(entity.normName, entity)
  for (const entity of entities) for (const alias of entity.aliases) add(alias, entity)
  return { entities: entities.length, byName }
}

/** The longest name from word `i` on, and its last word. */
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
