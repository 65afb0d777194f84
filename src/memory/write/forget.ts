// Deletes a memory with its edges, its postings and entities without other links, in one program.
// The hash of an anchored one stays, so that its batch still gives its root.
// (docs/memory.md, "What is kept")

import { edgesPerProgram } from '../../base/limits/memory.js'
import {
  findById,
  getDocument,
  recordKey,
  removeDocument,
} from '../../engine/collection/collections.js'
import { documentOfRecord } from '../../engine/collection/records.js'
import type { Program, ReadTx, Tx } from '../../store/store.js'
import { stringValue } from '../../value/value.js'
import type { Graph } from '../graph/graph.js'
import { noteChange } from '../graph/graph-settings.js'
import { rangeOf } from '../graph/index-range.js'
import { type Edge, edgeTypes, readEdge } from '../nodes/edge.js'
import { changeHeads } from '../nodes/name-heads.js'
import { isMemory, type Memory, readEntity } from '../nodes/node.js'
import { writePostings } from '../postings/postings.js'
import { anchorInMaking } from '../proof/anchors/anchor-batch.js'
import { forgetLeaves, recordEdgeGoneWith, recordMemoryGone } from '../proof/leaves/leaf-writing.js'
import { buryMemory } from '../proof/leaves/tombstone.js'
import { requireMemory } from './memory-plan.js'
import { postedOf } from './remember.js'

interface Forgotten {
  readonly edges: number
  /** The memory is deleted; otherwise only edges are, and another program must continue. */
  readonly isDone: boolean
}

/** Throws NodeNotFound. */
export function* forgetMemory(tx: Tx, graph: Graph, id: string, now: number): Program<Forgotten> {
  const memory = yield* requireMemory(tx, graph, id)
  const edges = yield* edgesOf(tx, graph, id, edgesPerProgram)
  for (const edge of edges) {
    yield* removeEdge(tx, graph, edge.id)
    yield* recordEdgeGoneWith(tx, graph, edge.id, now)
  }
  yield* noteChange(tx, graph.anchors)
  for (const { type, from, to } of edges) {
    if (type === edgeTypes.mentions && from === id) yield* removeUnlinked(tx, graph, to)
  }
  if (edges.length === edgesPerProgram) return { edges: edges.length, isDone: false }
  yield* writePostings(tx, graph.terms, (postings) => postings.remove(postedOf(memory)))
  yield* removeNode(tx, graph, id)
  yield* endProofs(tx, graph, memory, now)
  return { edges: edges.length, isDone: true }
}

/** The hash of an anchored memory stays, and the deletion is recorded. */
function* endProofs(tx: Tx, graph: Graph, memory: Memory, now: number): Program<void> {
  const { id, hash } = memory
  const anchorId = memory.anchorId ?? (yield* anchorInMaking(tx, graph.anchors, id))
  if (anchorId === undefined) {
    yield* forgetLeaves(tx, graph.anchors, id)
    return
  }
  yield* buryMemory(tx, graph.anchors, { id, hash, anchorId }, now)
  yield* recordMemoryGone(tx, graph, { id, hash }, now)
}

/** The edges at both ends of a node at the program's start, at most `limit`. */
export function* edgesOf(tx: ReadTx, { edges }: Graph, id: string, limit: number): Program<Edge[]> {
  const found: Edge[] = []
  for (const end of ['from', 'to'] as const) {
    if (found.length >= limit) break
    const range = rangeOf(edges, end, stringValue(id))
    for (const { record } of yield* tx.scanFetch(range, limit - found.length)) {
      if (record !== undefined) found.push(readEdge(yield* documentOfRecord(tx, record)))
    }
  }
  return found
}

/** Removes an edge; false if it does not exist. */
export function* removeEdge(tx: Tx, { edges }: Graph, id: string): Program<boolean> {
  const key = recordKey(edges, stringValue(id))
  const document = yield* getDocument(tx, edges, key)
  if (document === undefined) return false
  yield* removeDocument(tx, edges, key, document)
  return true
}

/** Removes a node without its edges, if it exists. */
export function* removeNode(tx: Tx, { nodes, terms }: Graph, id: string): Program<void> {
  const key = recordKey(nodes, stringValue(id))
  const document = yield* getDocument(tx, nodes, key)
  if (document === undefined) return
  yield* removeDocument(tx, nodes, key, document)
  if (!isMemory(document)) yield* changeHeads(tx, terms, readEntity(document), undefined)
}

/** An entity that only a deleted text named must not be found any more. */
function* removeUnlinked(tx: Tx, graph: Graph, entity: string): Program<void> {
  const document = yield* findById(tx, graph.nodes, stringValue(entity))
  // Clients may also make such an edge between memories, which are kept.
  if (document === undefined || isMemory(document)) return
  for (const end of ['from', 'to']) {
    const range = rangeOf(graph.edges, end, stringValue(entity))
    if ((yield* tx.scanOwn(range, 1)).length > 0) return
  }
  yield* removeNode(tx, graph, entity)
}
