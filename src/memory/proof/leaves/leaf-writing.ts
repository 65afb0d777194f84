// Records a change of a graph as the next leaf of its subject, in the program of the change. Data
// written with a memory follows from the memory and needs no leaf. (docs/memory.md, "Proofs")

import type { Namespace } from '../../../engine/types.js'
import type { Program, Tx } from '../../../store/store.js'
import { field } from '../../../value/elements.js'
import { bsonType, type Document, stringOf } from '../../../value/value.js'
import { graphKey, type KeyedGraph } from '../../graph/graph-key.js'
import { noteProofs, type Place } from '../../graph/graph-settings.js'
import {
  edgeHash,
  graphSubject,
  jsonHash,
  type LeafKind,
  leafHash,
  memoryLeaf,
  stateHash,
} from './leaf.js'
import {
  addLeaf,
  dropWaiting,
  type LeafDetails,
  moveDetails,
  newestOwnLeaf,
} from './leaf-records.js'

/** Leaves that are dropped with a memory without a batch; any more of them are still anchored. */
const leavesDroppedMax = 200

interface Said {
  readonly kind: LeafKind
  readonly id: string
  readonly hash: string | null
  readonly at: number
  readonly details?: LeafDetails
}

interface Before {
  readonly n: number
  readonly leaf: string | null
}

function* append(tx: Tx, graph: KeyedGraph, before: Before, said: Said): Program<void> {
  const { kind, id, hash, at, details = {} } = said
  const leaf = { kind, id, n: before.n + 1, hash, previous: before.leaf }
  const record = { ...leaf, leaf: leafHash(graphKey(graph), leaf), at, anchorId: null, details }
  yield* addLeaf(tx, graph.anchors, record)
}

/** After the newest leaf of the subject; `first` is the predecessor of its first leaf. */
function* appendNext(
  tx: Tx,
  graph: KeyedGraph,
  said: Said,
  first: () => string | null,
): Program<void> {
  const newest = yield* newestOwnLeaf(tx, graph.anchors, said.id)
  yield* append(tx, graph, newest ?? { n: 0, leaf: first() }, said)
}

/** The state of a memory that this program made: it has no leaf before. */
export function* recordFirstState(
  tx: Tx,
  graph: KeyedGraph,
  memory: Document,
  at: number,
): Program<void> {
  const before = { n: 0, leaf: leafOf(graph, memory) }
  yield* append(tx, graph, before, { kind: 'state', id: idOf(memory), hash: stateHash(memory), at })
}

export function* recordState(
  tx: Tx,
  graph: KeyedGraph,
  memory: Document,
  at: number,
): Program<void> {
  const said: Said = { kind: 'state', id: idOf(memory), hash: stateHash(memory), at }
  yield* appendNext(tx, graph, said, () => leafOf(graph, memory))
}

/** `isNew`: this program made one of its ends, so it has no leaf before. */
export function* recordEdge(
  tx: Tx,
  graph: KeyedGraph,
  edge: Document,
  at: number,
  isNew = false,
): Program<void> {
  const said: Said = { kind: 'edge', id: idOf(edge), hash: edgeHash(edge), at }
  if (isNew) yield* append(tx, graph, { n: 0, leaf: null }, said)
  else yield* appendNext(tx, graph, said, () => null)
}

/** An edge was removed. One that follows from memories has a leaf from now on. */
export function* recordEdgeGone(tx: Tx, graph: KeyedGraph, id: string, at: number): Program<void> {
  yield* appendNext(tx, graph, { kind: 'gone', id, hash: null, at }, () => null)
}

/** An edge was removed with a memory: only one with leaves needs another. */
export function* recordEdgeGoneWith(
  tx: Tx,
  graph: KeyedGraph,
  id: string,
  at: number,
): Program<void> {
  const newest = yield* newestOwnLeaf(tx, graph.anchors, id)
  if (newest === undefined || newest.kind === 'gone') return
  yield* append(tx, graph, newest, { kind: 'gone', id, hash: null, at })
}

/** A memory in a batch was deleted. */
export function* recordMemoryGone(
  tx: Tx,
  graph: KeyedGraph,
  { id, hash }: { readonly id: string; readonly hash: string },
  at: number,
): Program<void> {
  const first = (): string => memoryLeaf(graphKey(graph), id, hash)
  yield* appendNext(tx, graph, { kind: 'gone', id, hash: null, at }, first)
}

/** A memory without a batch was deleted: nothing of it was ever published. */
export function* forgetLeaves(tx: Tx, anchors: Namespace, id: string): Program<void> {
  yield* dropWaiting(tx, anchors, id, leavesDroppedMax)
}

/**
 * A graph was moved or renamed. Call it in the program that ends the move, with the graph at its
 * new place. Its key stays that of its first place.
 */
export function* recordMove(
  tx: Tx,
  graph: KeyedGraph,
  { from, to, at }: { readonly from: Place; readonly to: Place; readonly at: number },
): Program<void> {
  const { settings } = graph
  if (settings.place === undefined) yield* noteProofs(tx, graph.anchors, { place: from })
  const keyed = { ...graph, settings: { ...settings, place: settings.place ?? from } }
  const details = moveDetails(from, to)
  const said: Said = { kind: 'moved', id: graphSubject, hash: jsonHash(details), at, details }
  yield* appendNext(tx, keyed, said, () => null)
}

/** The first root of version 2 follows the last one of version 1. */
export function* recordUpgrade(
  tx: Tx,
  graph: KeyedGraph,
  details: { readonly graphKey: string; readonly root: string; readonly sequence: number },
  at: number,
): Program<void> {
  const said: Said = { kind: 'upgrade', id: graphSubject, hash: jsonHash(details), at, details }
  yield* appendNext(tx, graph, said, () => null)
}

function leafOf(graph: KeyedGraph, memory: Document): string {
  return memoryLeaf(graphKey(graph), idOf(memory), textIn(memory, 'hash'))
}

function idOf(document: Document): string {
  return textIn(document, '_id')
}

function textIn(document: Document, name: string): string {
  const value = field(document, name)
  return value?.type === bsonType.string ? stringOf(value) : ''
}
