// The context of a recall: the nodes around some seeds, breadth first, within bounds that hold for
// any graph. (docs/memory.md, "Recall, exactly")

import { contextEdgesMax, contextNodesMax, fanOutMax } from '../../base/limits/memory.js'
import type { Program, ReadTx } from '../../store/store.js'
import type { Graph } from '../graph/graph.js'
import type { Edge } from '../nodes/edge.js'
import { EdgeCursor, NeighbourCursor } from '../nodes/edge-reading.js'

export interface Context {
  /** Hops from the nearest seed by node, in the order of discovery. */
  readonly distances: ReadonlyMap<string, number>
  /** All edges between these nodes, by id. */
  readonly edges: readonly Edge[]
  /** A bound was reached: there may be more. */
  readonly isTruncated: boolean
}

/** The nodes within `hops` of the seeds; the seeds come first, in their order. */
export function* contextOf(
  tx: ReadTx,
  graph: Graph,
  seeds: readonly string[],
  hops: number,
): Program<Context> {
  const walk = new ContextWalk(graph, seeds)
  for (let hop = 1; hop <= hops && !walk.isOver; hop++) yield* walk.expand(tx, hop)
  const nodes = new Set(walk.distances.keys())
  const { edges, isCut } = yield* edgesWithin(tx, graph, nodes)
  const isTruncated = walk.isFull || walk.isCut || isCut
  return { distances: walk.distances, edges, isTruncated }
}

/** All edges between some nodes, by id; `isCut` if there are too many to read. */
export function* edgesWithin(
  tx: ReadTx,
  graph: Graph,
  nodes: ReadonlySet<string>,
): Program<{ readonly edges: Edge[]; readonly isCut: boolean }> {
  const edges: Edge[] = []
  let isCut = false
  let left = contextEdgesMax
  for (const node of nodes) {
    const cursor = new EdgeCursor(graph, 'from', node)
    const most = Math.min(fanOutMax, left)
    let edge = yield* cursor.peek(tx)
    for (let read = 0; edge !== undefined; read++) {
      if (read === most) {
        isCut = true
        break
      }
      if (nodes.has(edge.to)) edges.push(edge)
      left--
      cursor.take()
      edge = yield* cursor.peek(tx)
    }
  }
  return { edges: edges.sort((a, b) => (a.id < b.id ? -1 : 1)), isCut }
}

class ContextWalk {
  readonly distances = new Map<string, number>()
  isCut = false
  private readonly graph: Graph
  /** Edges that may still be read. */
  private left = contextEdgesMax
  private frontier: string[] = []

  constructor(graph: Graph, seeds: readonly string[]) {
    this.graph = graph
    for (const seed of seeds) this.meet(seed, 0)
  }

  /** As the API defines the flag, a context with exactly the bound counts as cut. */
  get isFull(): boolean {
    return this.distances.size >= contextNodesMax
  }

  get isOver(): boolean {
    return this.isFull || this.frontier.length === 0
  }

  /** Visits the neighbours of the last nodes. */
  *expand(tx: ReadTx, distance: number): Program<void> {
    const nodes = this.frontier.sort()
    this.frontier = []
    for (const node of nodes) {
      const neighbours = new NeighbourCursor(this.graph, node, Math.min(fanOutMax, this.left))
      for (;;) {
        if (this.isFull) return
        const other = yield* neighbours.next(tx)
        if (other === undefined) break
        this.meet(other, distance)
      }
      this.left -= neighbours.taken
      if (neighbours.isCut) this.isCut = true
    }
  }

  private meet(node: string, distance: number): void {
    if (this.isFull || this.distances.has(node)) return
    this.distances.set(node, distance)
    this.frontier.push(node)
  }
}
