// A graph of memories: four collections with one ownership record, which other commands can only
// read. Its settings and change number are among its anchors. (docs/memory.md, "What is kept")

import type { Bytes } from '../../base/bytes/bytes.js'
import { fail } from '../../base/errors.js'
import { graphNameCharsMax } from '../../base/limits/memory.js'
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

/** The parts of a graph, in the order of its resources. */
export const graphParts = ['nodes', 'edges', 'terms', 'anchors'] as const

export type GraphPart = (typeof graphParts)[number]

/** The graph of requests without a graph name. */
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

/** The name, if it is valid for a graph. Throws BadValue. */
function graphName(text: string): string {
  if (isGraphName(text)) return text
  throw fail('BadValue', `a graph's name is 1 to ${graphNameCharsMax} letters, digits, _ and -`)
}

/** The collection of a part. */
export function partName(graph: string, part: GraphPart): string {
  return `${graphPrefix}${graph}.${part}`
}

/** The graph of a collection; undefined if it is no part of a graph. */
export function graphOfPart(collection: string): string | undefined {
  if (!collection.startsWith(graphPrefix)) return undefined
  const dot = collection.lastIndexOf('.')
  const name = collection.slice(graphPrefix.length, dot)
  const part = collection.slice(dot + 1)
  return graphParts.some((known) => known === part) && isGraphName(name) ? name : undefined
}

/** The resources of a command on a graph: its four parts in order. Throws BadValue. */
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

/** Undefined if nothing was ever written to the graph: readers see it as empty. */
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

/** How a call makes a graph on its first write. All of it is frozen with the call. */
export interface GraphCreation extends Omit<CreateOptions, 'uuid' | 'options'> {
  /** The i-th of four, 16 bytes each. */
  readonly uuid: (i: number) => Bytes
  /** 16 random bytes for its key on the chain. */
  readonly key: Bytes
  /** Throws Unauthorized if the owner may not make a graph there. */
  readonly requirePlace?: (db: string) => void
}

/** The graph, created if missing: its owner is that of `creation`. */
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
 * The graph `default` exists from the first start: it has no owner, and no wallet can claim it.
 * Listings show it once it has content.
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
 * Removes a graph; its name stays reserved for its owner unless released. Permanent collections
 * become empty.
 */
export function* dropGraph(tx: Tx & Guarded, graph: GraphParts, released: boolean): Program<void> {
  for (const ns of partsOf(graph)) {
    yield* dropNamespace(tx, ns, released)
    if (ns.isPermanent === true) yield* declarePart(tx, ns)
  }
}

/** Moves a graph to another space, where its name is free; its content is unchanged. */
export function* moveGraph(tx: Tx, graph: GraphParts, db: string, at: number): Program<void> {
  const from = placeOfPart(graph.anchors)
  for (const ns of [graph.nodes, graph.edges, graph.terms]) yield* moveNamespace(tx, ns, db)
  const anchors = yield* moveNamespace(tx, graph.anchors, db)
  noteWaiting(tx, anchors)
  const settings = yield* findSettings(tx, anchors)
  // Nothing was written to it: the new place becomes its first place.
  if (settings === undefined) return
  const to = placeOfPart(anchors)
  yield* recordMove(tx, { name: to.name, settings, anchors }, { from, to, at })
}

export type GraphParts = Pick<Graph, GraphPart>

/** Only the collections; undefined if they do not exist. */
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

/** Adds the indexes of an empty part. */
function* declarePart(
  tx: Tx & Guarded,
  { db, name, access, ...rest }: Namespace,
): Program<Namespace> {
  const options = { owner: access.owner, mode: access.mode, now: rest.createdAt * 1000 }
  const specs = indexesOf(name.slice(name.lastIndexOf('.') + 1))
  const create = { ...options, uuid: rest.uuid, options: emptyDocument }
  return (yield* declareIndexes(tx, db, name, specs, create)).ns
}
