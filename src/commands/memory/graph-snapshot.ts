// graphSnapshot: the newest memories, entities and edges of a graph, for a viewer that opens it.
// (docs/memory.md, "Routes")

import { fail } from '../../base/errors.js'
import { briefEdgesMax, contextNodesMax } from '../../base/limits/memory.js'
import { entryUnits } from '../../base/work/work-figures.js'
import { bool, collection, number, withDefault } from '../../bus/document/params.js'
import { reply } from '../../bus/document/reply.js'
import { documentRow } from '../../bus/document/row.js'
import { plain } from '../../bus/policy/facts.js'
import { findGraph } from '../../memory/graph/graph.js'
import { briefEdge, briefNode } from '../../memory/nodes/brief.js'
import { type Edge, edgeDocument, shownEdge } from '../../memory/nodes/edge.js'
import { shownNode } from '../../memory/nodes/node.js'
import { shownAnchor } from '../../memory/recall/shown-anchor.js'
import { type Snapshot, snapshotOf } from '../../memory/recall/snapshot.js'
import type { Program, ReadTx } from '../../store/store.js'
import type { Document } from '../../value/value.js'
import type { DocumentWriter } from '../../value/writer.js'
import { graphResource } from './arguments.js'

export const graphSnapshotRow = documentRow({
  name: 'graphSnapshot',
  ...plain,
  grain: 'read',
  access: 'reader',
  target: collection,
  params: { limit: withDefault(number, contextNodesMax), brief: withDefault(bool, false) },
  resources: graphResource('read'),
  help: 'Returns the newest memories of a graph with their entities, edges and anchors.',
  *run(tx, { db, target, args: { limit, brief } }) {
    if (!(Number.isInteger(limit) && limit >= 1 && limit <= contextNodesMax)) {
      throw fail('BadValue', `limit is a whole number from 1 to ${contextNodesMax}`)
    }
    const graph = yield* findGraph(tx, db, target)
    const snapshot = graph === undefined ? nothing : yield* snapshotOf(tx, graph, limit)
    if (!brief) return replyOf(snapshot, shownNode, yield* shownEdges(tx, snapshot.edges))
    const isTruncated = snapshot.isTruncated || snapshot.edges.length > briefEdgesMax
    const edges = snapshot.edges.slice(-briefEdgesMax).map(briefEdge)
    return replyOf({ ...snapshot, isTruncated }, briefNode, edges)
  },
})

/** Edges that are prepared between two checks of the time. */
const edgesAtOnce = 64

const nothing: Snapshot = {
  nodes: [],
  edges: [],
  anchors: [],
  total: 0,
  isTruncated: false,
  seq: 0,
}

/** Prepares edges with pauses, because there may be very many. */
function* shownEdges(tx: ReadTx, edges: readonly Edge[]): Program<Document[]> {
  const shown: Document[] = []
  for (const edge of edges) {
    if (shown.length % edgesAtOnce === 0) yield* tx.pause(edgesAtOnce * entryUnits)
    shown.push(shownEdge(edgeDocument(edge)))
  }
  return shown
}

function replyOf(
  snapshot: Snapshot,
  nodeForm: (node: Document) => Document,
  edges: readonly Document[],
): Document {
  const { nodes, anchors, total, isTruncated, seq } = snapshot
  return reply((writer) => {
    writeAll(writer, 'nodes', nodes.map(nodeForm))
    writeAll(writer, 'edges', edges)
    writeAll(writer, 'anchors', anchors.map(shownAnchor))
    writer.int64('total', total).bool('truncated', isTruncated).int64('seq', seq)
  })
}

function writeAll(writer: DocumentWriter, name: string, documents: readonly Document[]): void {
  writer.openArray(name)
  for (const document of documents) writer.pushDocument(document)
  writer.close()
}
