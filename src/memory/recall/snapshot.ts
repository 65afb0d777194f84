// A snapshot of a graph for a viewer: its newest memories with their entities, the edges between
// them, and its newest anchors. By time alone, the entities with most links would be missing first.
// Its cost does not depend on the size of the graph. (docs/memory.md, "Routes")

import { nodesAtOnce, snapshotAnchorsMax } from '../../base/limits/memory.js'
import { recordKey } from '../../engine/collection/collections.js'
import { countOf } from '../../engine/collection/counters.js'
import { documentOfRecord } from '../../engine/collection/records.js'
import type { Program, ReadTx } from '../../store/store.js'
import { elementsOf, field } from '../../value/elements.js'
import { numberOf } from '../../value/numbers.js'
import { bsonType, type Document, stringOf, stringValue } from '../../value/value.js'
import type { Graph } from '../graph/graph.js'
import { rangeOf, scanDocuments } from '../graph/index-range.js'
import type { Edge } from '../nodes/edge.js'
import { isMemory } from '../nodes/node.js'
import { nodeId } from '../nodes/node-reading.js'
import type { Anchor } from '../proof/anchors/anchor.js'
import { newestAnchors } from '../proof/anchors/anchors.js'
import { edgesWithin } from './context.js'

export interface Snapshot {
  /** Newest first; as stored. */
  readonly nodes: readonly Document[]
  /** Oldest first. */
  readonly edges: readonly Edge[]
  /** Newest first. */
  readonly anchors: readonly Anchor[]
  /** Nodes of the whole graph. */
  readonly total: number
  /** A bound was reached: older nodes, or edges between these, are missing. */
  readonly isTruncated: boolean
  /** Different for every state of the graph. */
  readonly seq: number
}

export function* snapshotOf(tx: ReadTx, graph: Graph, limit: number): Program<Snapshot> {
  const nodes = yield* newestNodes(tx, graph, limit)
  const { edges, isCut } = yield* edgesWithin(tx, graph, new Set(nodes.map(nodeId)))
  const total = (yield* countOf(tx, graph.nodes)).documents
  return {
    nodes,
    edges: edges.sort((a, b) => a.createdAt - b.createdAt || (a.id < b.id ? -1 : 1)),
    anchors: yield* newestAnchors(tx, graph.anchors, snapshotAnchorsMax),
    total,
    isTruncated: isCut || nodes.length < total,
    seq: graph.settings.seq,
  }
}

/** A few at a time: they may be large. */
function* newestNodes(tx: ReadTx, graph: Graph, limit: number): Program<Document[]> {
  const shown = new ShownNodes(graph, limit)
  const { start, end } = rangeOf(graph.nodes, 'created')
  let before = end
  while (!shown.isFull) {
    const wanted = Math.min(nodesAtOnce, limit)
    const page = yield* tx.scanFetch({ start, end: before, reverse: true }, wanted)
    for (const { record } of page) {
      if (record !== undefined) yield* shown.add(tx, yield* documentOfRecord(tx, record))
      if (shown.isFull) break
    }
    const last = page.at(-1)
    if (last === undefined || page.length < wanted) break
    before = last.key
  }
  return shown.newestFirst()
}

/** The nodes of a snapshot: a memory comes with all its entities, or is the last. */
class ShownNodes {
  isFull = false
  private readonly byId = new Map<string, Document>()

  constructor(
    private readonly graph: Graph,
    private readonly limit: number,
  ) {}

  *add(tx: ReadTx, node: Document): Program<void> {
    const id = nodeId(node)
    if (this.byId.has(id)) return
    const mentioned = isMemory(node) ? yield* this.newMentioned(tx, node) : []
    const room = this.limit - this.byId.size
    // The first memory is shown without the entities for which there is no room.
    if (1 + mentioned.length > room && this.byId.size > 0) this.isFull = true
    else {
      this.byId.set(id, node)
      for (const entity of mentioned.slice(0, room - 1)) this.byId.set(nodeId(entity), entity)
      this.isFull = this.byId.size >= this.limit
    }
  }

  newestFirst(): Document[] {
    return [...this.byId.values()].sort(
      (a, b) => createdAt(b) - createdAt(a) || (nodeId(a) < nodeId(b) ? 1 : -1),
    )
  }

  /** The missing entities of a memory; merged ones as what they became. */
  private *newMentioned(tx: ReadTx, memory: Document): Program<Document[]> {
    const { nodes } = this.graph
    const ids = entityIds(memory).filter((id) => !this.byId.has(id))
    const records = yield* tx.getMany(ids.map((id) => recordKey(nodes, stringValue(id))))
    const found = new Map<string, Document>()
    for (const [i, id] of ids.entries()) {
      const record = records[i]
      const became = record === undefined ? yield* this.becameOf(tx, id) : undefined
      const entity = record === undefined ? became : yield* documentOfRecord(tx, record)
      if (entity !== undefined && !this.byId.has(nodeId(entity))) found.set(nodeId(entity), entity)
    }
    return [...found.values()]
  }

  private *becameOf(tx: ReadTx, id: string): Program<Document | undefined> {
    const [entity] = yield* scanDocuments(
      tx,
      rangeOf(this.graph.nodes, 'names', stringValue(id)),
      1,
    )
    return entity
  }
}

function entityIds(memory: Document): string[] {
  const entities = field(memory, 'entities')
  if (entities?.type !== bsonType.array) return []
  return elementsOf(entities).flatMap((id) => (id.type === bsonType.string ? [stringOf(id)] : []))
}

function createdAt(node: Document): number {
  const at = field(node, 'createdAt')
  return at?.isNumber === true ? numberOf(at) : 0
}
