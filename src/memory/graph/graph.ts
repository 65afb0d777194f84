// A graph of memories: four collections under one ownership record, of which commands of other
// kinds only read. Its settings and the number of its last change lie among its anchors.
// (docs/memory.md, "What is kept")

import type { Bytes } from '../../base/bytes/bytes.js'
import { fail } from '../../base/errors.js'
import { graphNameCharsMax } from '../../base/limits.js'
import {
  type CreateOptions,
  createAnyNamespace,
  dropNamespace,
  findNamespace,
  moveNamespace,
  saveAccess as saveAccessOf,
  saveNamespace,
} from '../../engine/collection/catalog/catalog.js'
import { emptyDocument, graphPrefix } from '../../engine/collection/catalog/descriptors.js'
import type { SpaceOptions } from '../../engine/collection/catalog/server-collections.js'
import { uuidOfName } from '../../engine/collection/catalog/server-collections.js'
import { declareIndexes } from '../../engine/index/indexes.js'
import type { Access, Guarded, Namespace, Privilege, Resource } from '../../engine/types.js'
import type { Program, ReadTx, Tx } from '../../store/store.js'
import { recordMove } from '../proof/leaves/leaf-writing.js'
import { indexesOf } from './graph-indexes.js'
import { noteWaiting } from './graph-names.js'
import { beginSettings, findSettings, type GraphSettings, placeOfPart } from './graph-settings.js'

/** What a graph is made of, in the order of its resources. */
export const graphParts = ['nodes', 'edges', 'terms', 'anchors'] as const

export type GraphPart = (typeof graphParts)[number]

/** The graph of requests that name none. */
export const defaultGraph = 'default'

export interface Graph {
  readonly name: string
  readonly nodes: Namespace
  readonly edges: Namespace
  readonly terms: Namespace
  readonly anchors: Namespace
  readonly settings: GraphSettings
}

const namePattern = /^[A-Za-z0-9][A-Za-z0-9_-]*$/

function isGraphName(text: string): boolean {
  return text.length <= graphNameCharsMax && namePattern.test(text)
}

/** The name, if it is one of a graph. Throws BadValue. */
function graphName(text: string): string {
  if (isGraphName(text)) return text
  throw fail('BadValue', `a graph's name is 1 to ${graphNameCharsMax} letters, digits, _ and -`)
}

/** The collection that is a part of a graph. */
export function partName(graph: string, part: GraphPart): string {
  return `${graphPrefix}${graph}.${part}`
}

/** The graph that a collection is a part of; undefined for any other collection. */
export function graphOfPart(collection: string): string | undefined {
  if (!collection.startsWith(graphPrefix)) return undefined
  const dot = collection.lastIndexOf('.')
  const name = collection.slice(graphPrefix.length, dot)
  const part = collection.slice(dot + 1)
  return graphParts.some((known) => known === part) && isGraphName(name) ? name : undefined
}

/** The resources of a command on a graph: its four parts, in their order. Throws BadValue. */
export function graphResources(
  db: string,
  graph: string,
  ...privileges: readonly Privilege[]
): Resource[] {
  const name = graphName(graph)
  return graphParts.map((part) => {
    return { db, collection: partName(name, part), privileges, knowsGraphs: true }
  })
}

/** Undefined where nothing was ever written to the graph: to readers it is empty. */
export function* findGraph(
  tx: ReadTx & Guarded,
  db: string,
  name: string,
): Program<Graph | undefined> {
  const parts = yield* findParts(tx, db, name)
  if (parts === undefined) return undefined
  const settings = yield* findSettings(tx, parts.anchors)
  return settings === undefined ? undefined : { name, ...parts, settings }
}

/** How a graph is made that a call is the first to write to. All of it is frozen with the call. */
export interface GraphCreation extends Omit<CreateOptions, 'uuid' | 'options'> {
  /** The i-th of four, 16 bytes each. */
  readonly uuid: (i: number) => Bytes
  /** 16 random bytes: of them and the name its key on the chain is made. */
  readonly key: Bytes
  /** Throws Unauthorized where no graph of that owner may be made. */
  readonly requirePlace?: (db: string) => void
}

/** The graph, made where it is missing: it then belongs to whom `creation` says. */
export function* ensureGraph(
  tx: Tx & Guarded,
  db: string,
  name: string,
  creation: GraphCreation,
): Program<Graph> {
  const found = yield* findParts(tx, db, name)
  const parts = found ?? (yield* makeParts(tx, db, name, creation))
  const settings =
    (yield* findSettings(tx, parts.anchors)) ??
    (yield* beginSettings(tx, parts.anchors, creation.key, creation.now))
  return { name, ...parts, settings }
}

/**
 * The graph `default`, which is there from the first start: it has no owner, and no wallet can
 * claim it. Nothing shows it until it holds something.
 */
export function* ensureDefaultGraph(
  tx: Tx,
  db: string,
  space: Omit<SpaceOptions, 'options'>,
): Program<void> {
  if ((yield* findParts(tx, db, defaultGraph)) !== undefined) return
  const uuid = (i: number): Bytes =>
    uuidOfName(db, partName(defaultGraph, graphParts[i] ?? 'nodes'))
  const parts = yield* makeParts(tx, db, defaultGraph, { ...space, uuid })
  for (const ns of partsOf(parts)) {
    saveNamespace(tx, { ...ns, access: { ...ns.access, isSettled: true }, isPermanent: true })
  }
}

/** Its parts, in the order of the resources. */
export function partsOf({ nodes, edges, terms, anchors }: GraphParts): readonly Namespace[] {
  return [nodes, edges, terms, anchors]
}

/** Gives all parts the same access. */
export function* saveAccess(tx: Tx, graph: GraphParts, access: Access): Program<void> {
  for (const ns of partsOf(graph)) yield* saveAccessOf(tx, ns, access)
}

/**
 * Removes a graph; its name stays reserved for its owner unless it is released. What is there for
 * ever is empty then.
 */
export function* dropGraph(tx: Tx & Guarded, graph: GraphParts, released: boolean): Program<void> {
  for (const ns of partsOf(graph)) {
    yield* dropNamespace(tx, ns, released)
    if (ns.isPermanent === true) yield* declarePart(tx, ns)
  }
}

/** Puts a graph into another space, where its name is free; what it holds stays as it is. */
export function* moveGraph(tx: Tx, graph: GraphParts, db: string, at: number): Program<void> {
  const from = placeOfPart(graph.anchors)
  for (const ns of [graph.nodes, graph.edges, graph.terms]) yield* moveNamespace(tx, ns, db)
  const anchors = yield* moveNamespace(tx, graph.anchors, db)
  noteWaiting(tx, anchors)
  const settings = yield* findSettings(tx, anchors)
  // Nothing was written to it: its first place will be the new one.
  if (settings === undefined) return
  const to = placeOfPart(anchors)
  yield* recordMove(tx, { name: to.name, settings, anchors }, { from, to, at })
}

export type GraphParts = Pick<Graph, GraphPart>

/** The collections alone; undefined where there are none. */
export function* findParts(
  tx: ReadTx & Guarded,
  db: string,
  name: string,
): Program<GraphParts | undefined> {
  const nodes = yield* findNamespace(tx, db, partName(name, 'nodes'))
  const edges = yield* findNamespace(tx, db, partName(name, 'edges'))
  const terms = yield* findNamespace(tx, db, partName(name, 'terms'))
  const anchors = yield* findNamespace(tx, db, partName(name, 'anchors'))
  if (nodes === undefined || edges === undefined) return undefined
  return terms === undefined || anchors === undefined ? undefined : { nodes, edges, terms, anchors }
}

type PartCreation = Omit<GraphCreation, 'key'>

function* makeParts(
  tx: Tx & Guarded,
  db: string,
  name: string,
  creation: PartCreation,
): Program<GraphParts> {
  const { owner, mode, now, uuid, requirePlace } = creation
  requirePlace?.(db)
  const made: Namespace[] = []
  for (const [i, part] of graphParts.entries()) {
    const options = { owner, mode, now, uuid: uuid(i), options: emptyDocument }
    made.push(
      yield* declarePart(tx, yield* createAnyNamespace(tx, db, partName(name, part), options)),
    )
  }
  const [nodes, edges, terms, anchors] = made as [Namespace, Namespace, Namespace, Namespace]
  return { nodes, edges, terms, anchors }
}

/** Gives an empty part its indexes. */
function* declarePart(
  tx: Tx & Guarded,
  { db, name, access, ...rest }: Namespace,
): Program<Namespace> {
  const options = { owner: access.owner, mode: access.mode, now: rest.createdAt * 1000 }
  const specs = indexesOf(name.slice(name.lastIndexOf('.') + 1))
  const create = { ...options, uuid: rest.uuid, options: emptyDocument }
  return (yield* declareIndexes(tx, db, name, specs, create)).ns
}
