// Merges two entities: edges move, names become aliases, and the old id stands for the remaining
// entity. The hashed lists of memories do not change. (docs/memory.md, "What is kept")

import { fail } from '../../base/errors.js'
import { entityNamesMax } from '../../base/limits/memory.js'
import {
  getDocument,
  insertDocument,
  recordKey,
  replaceDocument,
} from '../../engine/collection/collections.js'
import type { Program, Tx } from '../../store/store.js'
import { stringValue } from '../../value/value.js'
import type { Graph } from '../graph/graph.js'
import { noteChange } from '../graph/graph-settings.js'
import { type Edge, edgeDocument, edgeId, readEdge } from '../nodes/edge.js'
import { type Author, EntityWriting, withAliases } from '../nodes/entity-writing.js'
import type { Entity } from '../nodes/node.js'
import { recordEdge, recordEdgeGone } from '../proof/leaves/leaf-writing.js'
import { edgesOf, removeEdge, removeNode } from './forget.js'
import { unknownNode } from './memory-plan.js'

/** Edges that one program of a merge moves. */
const edgesMergedAtOnce = 50

interface Merged {
  readonly entity: Entity
  /** Edges that this program has moved. */
  readonly moved: number
  /** The old entity is removed; otherwise another program must continue. */
  readonly isDone: boolean
}

/** Ids or names. Throws NodeNotFound, BadValue. */
export function* mergeEntities(
  tx: Tx,
  graph: Graph,
  given: { readonly from: string; readonly into: string },
  author: Author,
): Program<Merged> {
  const entities = new EntityWriting(tx, graph, author)
  const from = yield* requireEntity(entities, given.from)
  const into = yield* requireEntity(entities, given.into)
  if (from.id === into.id) throw fail('BadValue', 'an entity cannot be merged into itself')
  const entity = named(into, from, author.now)
  const edges = yield* edgesOf(tx, graph, from.id, edgesMergedAtOnce)
  const ends = { old: from.id, now: into.id }
  for (const edge of edges) yield* moveEdge(tx, graph, edge, ends, author.now)
  yield* noteChange(tx, graph.anchors)
  const moved = edges.length
  if (moved === edgesMergedAtOnce) return { entity: into, moved, isDone: false }
  yield* removeNode(tx, graph, from.id)
  yield* entities.replace(entity)
  return { entity, moved, isDone: true }
}

function* requireEntity(entities: EntityWriting, text: string): Program<Entity> {
  const found = (yield* entities.byId(text)) ?? (yield* entities.find({ name: text }))
  if (found === undefined) throw unknownNode(text)
  return found
}

/** With the other's names and ids. Throws BadValue if they are too many. */
function named(into: Entity, from: Entity, now: number): Entity {
  const formerIds = [...into.formerIds, ...from.formerIds, from.id]
  const names = [from.normName, ...from.aliases]
  const entity = withAliases({ ...into, formerIds, updatedAt: now }, names)
  const known = new Set([entity.normName, ...entity.aliases])
  if (names.every((name) => known.has(name)) && formerIds.length <= entityNamesMax) return entity
  throw fail('BadValue', `an entity has at most ${entityNamesMax} other names`)
}

/** Moves an edge to the other entity; of two equal edges the heavier one stays. */
function* moveEdge(
  tx: Tx,
  graph: Graph,
  edge: Edge,
  { old, now }: { readonly old: string; readonly now: string },
  at: number,
): Program<void> {
  yield* removeEdge(tx, graph, edge.id)
  yield* recordEdgeGone(tx, graph, edge.id, at)
  const from = edge.from === old ? now : edge.from
  const to = edge.to === old ? now : edge.to
  if (from === to) return
  const id = edgeId(graph.name, from, edge.type, to)
  const key = recordKey(graph.edges, stringValue(id))
  const there = yield* getDocument(tx, graph.edges, key)
  const moved = edgeDocument({ ...edge, id, from, to })
  if (there === undefined) yield* insertDocument(tx, graph.edges, moved)
  else if (readEdge(there).weight < edge.weight) {
    yield* replaceDocument(tx, graph.edges, key, there, moved)
  } else return
  yield* recordEdge(tx, graph, moved, at)
}
