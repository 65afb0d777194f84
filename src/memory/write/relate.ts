// Adds and removes edges between existing nodes at the request of clients.
// (docs/memory.md, "Routes")

import { equalBytes } from '../../base/bytes/bytes.js'
import { fail } from '../../base/errors.js'
import {
  findById,
  getDocument,
  insertDocument,
  recordKey,
  replaceDocument,
} from '../../engine/collection/collections.js'
import type { Program, Tx } from '../../store/store.js'
import { type Document, stringValue } from '../../value/value.js'
import type { Graph } from '../graph/graph.js'
import { noteChange } from '../graph/graph-settings.js'
import { edgeDocument, edgeId, readEdge } from '../nodes/edge.js'
import { type Author, EntityWriting } from '../nodes/entity-writing.js'
import { recordEdge, recordEdgeGone } from '../proof/leaves/leaf-writing.js'
import { removeEdge } from './forget.js'
import { requireNamed } from './memory-plan.js'

/** Ends are ids of nodes or names of entities. */
interface GivenRelation {
  readonly from: string
  readonly to: string
  readonly type: string
  /** Undefined: unchanged, and 1 for a new edge. */
  readonly weight?: number | undefined
  readonly validFrom?: number | undefined
  readonly validTo?: number | undefined
  readonly source?: string | undefined
}

interface Related {
  readonly edge: Document
  readonly isNew: boolean
}

/** Adds an edge, or changes the one of its type between the two. Throws NodeNotFound, BadValue. */
export function* relateNodes(
  tx: Tx,
  graph: Graph,
  given: GivenRelation,
  author: Author,
): Program<Related> {
  const { from, to } = yield* endsOf(tx, graph, given, author)
  if (from === to) throw fail('BadValue', 'an edge needs two nodes')
  const { type, weight, validFrom, validTo, source } = given
  const id = edgeId(graph.name, from, type, to)
  const key = recordKey(graph.edges, stringValue(id))
  const stored = yield* getDocument(tx, graph.edges, key)
  const before = stored === undefined ? undefined : readEdge(stored)
  const { now: createdAt, createdBy } = author
  const edge = edgeDocument({
    ...(before ?? { id, from, to, type, createdAt, createdBy }),
    weight: weight ?? before?.weight ?? 1,
    validFrom: validFrom ?? before?.validFrom,
    validTo: validTo ?? before?.validTo,
    source: source ?? before?.source,
  })
  if (stored === undefined) yield* insertDocument(tx, graph.edges, edge)
  else yield* replaceDocument(tx, graph.edges, key, stored, edge)
  const isSame = stored !== undefined && equalBytes(stored, edge)
  if (!isSame) yield* recordEdge(tx, graph, edge, createdAt)
  yield* noteChange(tx, graph.anchors)
  return { edge, isNew: stored === undefined }
}

/** An edge by its id, or by the parts of its id. */
export type MeantEdge = { readonly id: string } | Pick<GivenRelation, 'from' | 'to' | 'type'>

/** Removes an edge. Throws EdgeNotFound, NodeNotFound. */
export function* unrelateNodes(
  tx: Tx,
  graph: Graph,
  meant: MeantEdge,
  author: Author,
): Program<void> {
  const id = 'id' in meant ? meant.id : yield* idOf(tx, graph, meant, author)
  if (!(yield* removeEdge(tx, graph, id))) throw unknownEdge()
  yield* recordEdgeGone(tx, graph, id, author.now)
  yield* noteChange(tx, graph.anchors)
}

export function unknownEdge(): Error {
  return fail('EdgeNotFound', 'there is no such edge')
}

/** By the ends as stored; else by the nodes that they mean. */
function* idOf(
  tx: Tx,
  graph: Graph,
  meant: Pick<GivenRelation, 'from' | 'to' | 'type'>,
  author: Author,
): Program<string> {
  const id = edgeId(graph.name, meant.from, meant.type, meant.to)
  if ((yield* findById(tx, graph.edges, stringValue(id))) !== undefined) return id
  const { from, to } = yield* endsOf(tx, graph, meant, author)
  return edgeId(graph.name, from, meant.type, to)
}

function* endsOf(
  tx: Tx,
  graph: Graph,
  { from, to }: Pick<GivenRelation, 'from' | 'to'>,
  author: Author,
): Program<{ readonly from: string; readonly to: string }> {
  const entities = new EntityWriting(tx, graph, author)
  return {
    from: yield* requireNamed(tx, graph, entities, from),
    to: yield* requireNamed(tx, graph, entities, to),
  }
}
