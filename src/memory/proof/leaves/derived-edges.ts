// Edges that follow from hashed fields of memories: mentions from its entities, supersedes from the
// corrected memory, next between two texts of one source. They need no leaf, so writing a memory
// writes none. (docs/memory.md, "Proofs")

import { equalBytes } from '../../../base/bytes/bytes.js'
import { getDocument, recordKey } from '../../../engine/collection/collections.js'
import type { Program, ReadTx } from '../../../store/store.js'
import { type Document, stringValue } from '../../../value/value.js'
import type { Graph } from '../../graph/graph.js'
import { type Edge, edgeDocument, edgeId, edgeTypes, readEdge } from '../../nodes/edge.js'
import { isMemory, type Memory, readMemory } from '../../nodes/node.js'

type Nodes = Pick<Graph, 'name' | 'nodes'>

/** Whether the edge is exactly the one that writing a memory makes. */
export function* followsFromMemories(tx: ReadTx, graph: Nodes, edge: Document): Program<boolean> {
  const { from, to, type } = readEdge(edge)
  const isKnown = type === edgeTypes.mentions || type === edgeTypes.supersedes
  if (!isKnown && type !== edgeTypes.next) return false
  const maker = yield* memoryOf(tx, graph, isKnown ? from : to)
  if (maker === undefined || !equalBytes(madeWith(graph, maker, { from, to, type }), edge)) {
    return false
  }
  if (type === edgeTypes.mentions) return maker.entities.includes(to)
  if (type === edgeTypes.supersedes) return maker.supersedes === to
  const ref = maker.source?.ref
  return ref !== undefined && (yield* memoryOf(tx, graph, from))?.source?.ref === ref
}

function madeWith(
  { name }: Nodes,
  { createdAt, createdBy }: Memory,
  { from, to, type }: Pick<Edge, 'from' | 'to' | 'type'>,
): Document {
  const id = edgeId(name, from, type, to)
  return edgeDocument({ id, from, to, type, weight: 1, createdAt, createdBy })
}

function* memoryOf(tx: ReadTx, { nodes }: Nodes, id: string): Program<Memory | undefined> {
  const document = yield* getDocument(tx, nodes, recordKey(nodes, stringValue(id)))
  return document === undefined || !isMemory(document) ? undefined : readMemory(document)
}
