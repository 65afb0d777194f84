// A snapshot of a graph for a viewer: its newest nodes, the edges between them, its newest anchors.
// It costs the same however large the graph is. (docs/memory.md, "Routes")

import { nodesAtOnce, snapshotAnchorsMax } from '../../base/limits.js'
import { countOf } from '../../engine/collection/counters.js'
import { documentOfRecord } from '../../engine/collection/records.js'
import type { Program, ReadTx } from '../../store/store.js'
import type { Document } from '../../value/value.js'
import type { Graph } from '../graph/graph.js'
import { rangeOf } from '../graph/index-range.js'
import type { Edge } from '../nodes/edge.js'
import { nodeId } from '../nodes/node-reading.js'
import type { Anchor } from '../proof/anchor.js'
import { newestAnchors } from '../proof/anchors.js'
import { edgesWithin } from './context.js'

export interface Snapshot {
  /** Newest first; as they are stored. */
  readonly nodes: readonly Document[]
  /** Oldest first. */
  readonly edges: readonly Edge[]
  /** Newest first. */
  readonly anchors: readonly Anchor[]
  /** Nodes of the whole graph. */
  readonly total: number
  /** Older nodes are left out, or edges between these: a bound was reached. */
  readonly isTruncated: boolean
  /** Differs from that of any other state of the graph. */
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
  const nodes: Document[] = []
  const { start, end } = rangeOf(graph.nodes, 'created')
  let before = end
  while (nodes.length < limit) {
    const wanted = Math.min(nodesAtOnce, limit - nodes.length)
    const page = yield* tx.scanFetch({ start, end: before, reverse: true }, wanted)
    for (const { record } of page) {
      if (record !== undefined) nodes.push(yield* documentOfRecord(tx, record))
    }
    const last = page.at(-1)
    if (last === undefined || page.length < wanted) break
    before = last.key
  }
  return nodes
}
