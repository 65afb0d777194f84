// What can be computed of a memory before its transaction: its terms, entities in its text, and the
// key of its content. It reads nothing, so write programs stay short. It pauses, because a long
// text of a script without spaces takes about 20 ms.

import { createHash } from 'node:crypto'
import type { Bytes } from '../../base/bytes/bytes.js'
import { extractedMax, termsMax } from '../../base/limits/memory.js'
import { memoryCharUnits, memoryUnits } from '../../base/work/work-figures.js'
import type { Program, ReadTx } from '../../store/store.js'
import type { Document } from '../../value/value.js'
import { unitSeparator } from '../nodes/edge.js'
import { defaultKind, entityId, normName } from '../nodes/names.js'
import { analyse } from '../text/analyser.js'
import { type GivenEntity, type GivenMemory, parseMemory } from './given-memory.js'
import { type PlainText, plainText } from './known-names.js'
import { type Find, findPatterns } from './patterns.js'

export interface AnalysedMemory extends PlainText {
  /** Position in the command. */
  readonly index: number
  readonly given: GivenMemory
  /** Terms of the text and of the given keywords, with their counts. */
  readonly terms: ReadonlyMap<string, number>
  readonly length: number
  readonly finds: readonly Find[]
  readonly contentKey: Bytes
}

const contentKeyBytes = 16
/** Throws BadValue, MemoryTooLarge. */
export function* prepareMemory(
  tx: Pick<ReadTx, 'pause'>,
  graph: string,
  index: number,
  document: Document,
): Program<AnalysedMemory> {
  const given = parseMemory(document)
  const plain = plainText(given.text)
  const units = plain.plain.length * memoryCharUnits
  yield* tx.pause(units)
  const { terms, length } = yield* termsOf(tx, given)
  yield* tx.pause(units)
  const finds = findPatterns(given.text)
  return { index, given, terms, length, finds, ...plain, contentKey: contentKey(graph, given) }
}

/** Estimated work budget units for writing it. */
export function writingUnits({ terms, finds, given }: AnalysedMemory): number {
  const entities = Math.min(finds.length, extractedMax) + given.entities.length
  const edges = given.edges.length
  const { memory, term, entity, edge } = memoryUnits
  return memory + term * terms.size + entity * entities + edge * edges
}

function* termsOf(
  tx: Pick<ReadTx, 'pause'>,
  { text, keywords }: GivenMemory,
): Program<Pick<AnalysedMemory, 'terms' | 'length'>> {
  const { terms, length } = analyse(text)
  if (keywords.length === 0) return { terms, length }
  const all = new Map(terms)
  let total = length
  for (const keyword of keywords) {
    yield* tx.pause(keyword.length * memoryCharUnits)
    for (const term of analyse(keyword).terms.keys()) {
      if (!all.has(term) && all.size >= termsMax) continue
      all.set(term, (all.get(term) ?? 0) + 1)
      total++
    }
  }
  return { terms: all, length: total }
}

/**
 * Same text, same given entities, same source. It uses the input, not the graph's interpretation,
 * so that a repetition is recognized whatever the graph has learned in between.
 */
function contentKey(graph: string, { text, entities, source }: GivenMemory): Bytes {
  const ids = entities.map((entity) => plainId(graph, entity)).sort()
  const parts = [graph, text, ids.join(','), source?.ref ?? '']
  const hash = createHash('sha256').update(parts.join(unitSeparator)).digest()
  return new Uint8Array(hash.subarray(0, contentKeyBytes))
}

function plainId(graph: string, { name, kind = defaultKind }: GivenEntity): string {
  return entityId(graph, kind, normName(name))
}
