// Memories linked to an entity in a question are found too, whatever their text says. Each gets
// half the inverse document frequency that the name would have as a term; no more, because the text
// usually contains and counts the name too. (Measured: bench/memory/quality.ts) An entity with very
// many memories adds nothing, because it does not distinguish them.

import { concatBytes } from '../../base/bytes/bytes.js'
import { linkedMemoriesMax } from '../../base/limits/memory.js'
import type { Program, ReadTx } from '../../store/store.js'
import { stringValue } from '../../value/value.js'
import type { Graph } from '../graph/graph.js'
import { rangeOf, scanDocuments } from '../graph/index-range.js'
import { edgeTypes, readEdge } from '../nodes/edge.js'
import { readMemories } from '../nodes/node-reading.js'
import { compareIds, packedId } from '../postings/packed-id.js'
import { type Corpus, idf } from './bm25.js'
import { ConstantCursor } from './score-cursors.js'

/** Part of the inverse document frequency. */
const boostShare = 0.5

/** Memories that all get the same score. */
export interface Boost {
  readonly memories: ReadonlySet<string>
  readonly score: number
}

/** For each of these entities, by id. */
export function* boostsOf(
  tx: ReadTx,
  graph: Graph,
  entities: readonly string[],
  corpus: Corpus,
  withSuperseded: boolean,
): Program<Boost[]> {
  const boosts: Boost[] = []
  for (const entity of entities) {
    const linked = yield* linkedTo(tx, graph, entity)
    const memories = yield* readMemories(tx, graph, linked)
    const shown = memories.filter(({ status }) => withSuperseded || status === 'active')
    if (shown.length === 0) continue
    const ids = shown.map(({ id }) => id)
    boosts.push({ memories: new Set(ids), score: boostShare * idf(corpus, ids.length) })
  }
  return boosts
}

export function cursorOf({ memories, score }: Boost): ConstantCursor {
  const ids = [...memories].map(packedId).sort((a, b) => compareIds(a, 0, b, 0))
  return new ConstantCursor(concatBytes(...ids), score)
}

/** Ids of the memories that mention an entity; none if there are too many. */
function* linkedTo(tx: ReadTx, graph: Graph, entity: string): Program<string[]> {
  const range = rangeOf(graph.edges, 'to', stringValue(entity))
  const edges = (yield* scanDocuments(tx, range, linkedMemoriesMax + 1)).map(readEdge)
  if (edges.length > linkedMemoriesMax) return []
  return edges.filter(({ type }) => type === edgeTypes.mentions).map(({ from }) => from)
}
