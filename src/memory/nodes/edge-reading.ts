// Reads the edges of a node in context order: by weight, then the newer, then by id. It reads page
// by page, only as far as the caller requests.

import { keyAfter } from '../../base/bytes/bytes.js'
import { documentOfRecord } from '../../engine/collection/records.js'
import type { KeyRange, Program, ReadTx } from '../../store/store.js'
import { stringValue } from '../../value/value.js'
import type { Graph } from '../graph/graph.js'
import { rangeOf } from '../graph/index-range.js'
import { type Edge, readEdge } from './edge.js'

/** Edges of one node that are read first, and at most in one step. */
const edgePageFirst = 16
const edgePageMax = 256

/** The edges that start or end at a node. */
export class EdgeCursor {
  private page: Edge[] = []
  private at = 0
  private pageSize = edgePageFirst
  /** The unread part. */
  private rest: KeyRange | undefined

  constructor(graph: Graph, end: 'from' | 'to', node: string) {
    this.rest = rangeOf(graph.edges, end, stringValue(node))
  }

  /** The next edge, without advancing; undefined at the end. */
  *peek(tx: ReadTx): Program<Edge | undefined> {
    if (this.at === this.page.length && this.rest !== undefined) yield* this.read(tx, this.rest)
    return this.page[this.at]
  }

  take(): void {
    this.at++
  }

  private *read(tx: ReadTx, range: KeyRange): Program<void> {
    const entries = yield* tx.scanFetch(range, this.pageSize)
    const last = entries.at(-1)
    const isLast = last === undefined || entries.length < this.pageSize
    this.rest = isLast ? undefined : { start: keyAfter(last.key), end: range.end }
    this.pageSize = Math.min(2 * this.pageSize, edgePageMax)
    this.page = []
    this.at = 0
    for (const { record } of entries) {
      if (record !== undefined) this.page.push(readEdge(yield* documentOfRecord(tx, record)))
    }
  }
}

/** The merged edges at both ends of a node, up to a bound. */
export class NeighbourCursor {
  /** There were more edges than the bound. */
  isCut = false
  private readonly node: string
  private readonly from: EdgeCursor
  private readonly to: EdgeCursor
  private readonly most: number
  taken = 0

  constructor(graph: Graph, node: string, most: number) {
    this.node = node
    this.most = most
    this.from = new EdgeCursor(graph, 'from', node)
    this.to = new EdgeCursor(graph, 'to', node)
  }

  /** The node at the other end of the next edge; undefined at the end. */
  *next(tx: ReadTx): Program<string | undefined> {
    const out = yield* this.from.peek(tx)
    const into = yield* this.to.peek(tx)
    const isOut = into === undefined || (out !== undefined && compareEdges(out, into) <= 0)
    const edge = isOut ? out : into
    if (edge === undefined) return undefined
    if (this.taken === this.most) {
      this.isCut = true
      return undefined
    }
    this.taken++
    const side = isOut ? this.from : this.to
    side.take()
    return edge.from === this.node ? edge.to : edge.from
  }
}

function compareEdges(a: Edge, b: Edge): number {
  return b.weight - a.weight || b.createdAt - a.createdAt || (a.id <= b.id ? -1 : 1)
}
