// Writes memories all or none when one program would be too long. A read that pauses prepares the
// changes, and one program writes them. It restarts only if others changed what the memories depend
// on: names, duplicates, the last memory of a source.

import { requireHolding } from '../../engine/collection/catalog/holdings.js'
import { ChangedMeanwhile, type Unchanged } from '../../engine/prepared-write.js'
import type { Guarded } from '../../engine/types.js'
import type { Program, ReadTx, Tx } from '../../store/store.js'
import { type Prepared, Preparing } from '../../store/transactions/preparing.js'
import type { Reads } from '../../store/transactions/reads.js'
import {
  ensureGraph,
  findGraph,
  findParts,
  type Graph,
  type GraphCreation,
  partsOf,
} from '../graph/graph.js'
import { noteChange } from '../graph/graph-settings.js'
import { type OptimisticPostings, PreparingPostings } from '../postings/optimistic-postings.js'
import { addTotals, noTotals, totalsOf } from '../postings/totals.js'
import type { AnalysedMemory } from './analysed-memory.js'
import { type Outcome, Remembering, type RememberOptions, requireRoom } from './remember.js'

/** The target graph, and how to make it if it is missing. */
interface BatchTarget {
  readonly db: string
  readonly name: string
  readonly creation: GraphCreation
}

export interface OptimisticBatch {
  /** As found, or as it will be made. */
  readonly graph: Graph
  readonly isFound: boolean
  /** Its collections must be made, too. */
  readonly isMade: boolean
  readonly memories: number
  readonly written: Prepared<Outcome[]>
  readonly postings: OptimisticPostings
}

/** Throws as rememberAll. */
export function* prepareBatch(
  tx: ReadTx & Guarded,
  { db, name, creation }: BatchTarget,
  memories: readonly AnalysedMemory[],
  options: RememberOptions,
  reads: () => Reads,
): Program<OptimisticBatch> {
  const preparing = new Preparing(tx, reads(), 'noted')
  const isMade = (yield* findParts(tx, db, name)) === undefined
  // Read outside the preparation, because every change of the graph updates its settings.
  const found = yield* findGraph(tx, db, name)
  const graph = found ?? (yield* ensureGraph(preparing, db, name, creation))
  const { memories: before } = yield* totalsOf(tx, graph.terms)
  const postings = new PreparingPostings(tx, graph.terms, reads)
  const remembering = new Remembering(preparing, graph, options, before, postings)
  const outcomes: Outcome[] = []
  for (const memory of memories) outcomes.push(yield* remembering.remember(memory))
  return {
    graph,
    isFound: found !== undefined,
    isMade,
    memories: memories.length,
    written: preparing.end(outcomes),
    postings: yield* postings.finish(),
  }
}

/** `bare` is the same transaction without a guard. Throws GraphLimit, ChangedMeanwhile. */
export function* writeBatch(
  tx: Tx & Guarded,
  bare: Tx,
  { db, name }: BatchTarget,
  batch: OptimisticBatch,
  unchanged: Unchanged,
): Program<Outcome[]> {
  const { graph, written, postings } = batch
  const found = yield* findGraph(tx, db, name)
  if (batch.isFound !== (found !== undefined)) throw new ChangedMeanwhile()
  if (found !== undefined && !isSame(found, graph)) throw new ChangedMeanwhile()
  yield* unchanged.require(tx, [written])
  if (batch.isMade) {
    for (const { access, name } of partsOf(graph)) yield* requireHolding(tx, access, name)
  }
  yield* requireRoom(tx, graph, batch.memories)
  const prepared = postings.terms.map((term) => term.prepared)
  const holds = yield* unchanged.which(tx, prepared)
  for (const [index, term] of postings.terms.entries()) {
    if (holds[index] === false) yield* term.anew(tx)
  }
  unchanged.apply(bare, [written, ...prepared.filter((_part, index) => holds[index] === true)])
  if (postings.totals !== noTotals) {
    yield* addTotals(tx, graph.terms, postings.totals)
    yield* noteChange(tx, graph.anchors)
  }
  return written.value
}

/** Whether the graph was not dropped, altered or created again. */
function isSame(graph: Graph, other: Graph): boolean {
  const others = partsOf(other)
  return partsOf(graph).every(({ id, version }, i) => {
    return id === others[i]?.id && version === others[i]?.version
  })
}
