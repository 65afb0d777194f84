// The store's evidence about one memory, read in one program: the hash recomputed from its fields,
// the stored hash, and whether leaves match its state and its edges.

import { verifyEdgesMax } from '../../../base/limits/memory.js'
import { hashUnits } from '../../../base/work/work-figures.js'
import { getDocument, recordKey } from '../../../engine/collection/collections.js'
import type { Namespace } from '../../../engine/types.js'
import type { Program, ReadTx } from '../../../store/store.js'
import { elementsOf, field, fieldsOf } from '../../../value/elements.js'
import { numberOf } from '../../../value/numbers.js'
import {
  boolOf,
  bsonType,
  type Document,
  documentValue,
  stringOf,
  stringValue,
  type Value,
} from '../../../value/value.js'
import type { Graph } from '../../graph/graph.js'
import { graphKey, type KeyedGraph, placeOf } from '../../graph/graph-key.js'
import { proofsVersion } from '../../graph/graph-settings.js'
import { rangeOf, scanDocuments } from '../../graph/index-range.js'
import { edgeId, edgeTypes } from '../../nodes/edge.js'
import { isMemory, readMemory } from '../../nodes/node.js'
import { nodeId } from '../../nodes/node-reading.js'
import type { Json, JsonObject } from '../leaves/canonical.js'
import { followsFromMemories } from '../leaves/derived-edges.js'
import { edgeHash, isFirstState, leafHash, memoryLeaf, stateHash } from '../leaves/leaf.js'
import { findLeaf, type LeafRecord, newestLeaf } from '../leaves/leaf-records.js'
import { type HashedMemory, memoryHash } from '../leaves/memory-hash.js'

/** What the leaves say about a mutable part. */
type Recorded =
  /** It needs no leaf: it is unchanged, or older than leaves. */
  | 'first'
  /** The newest leaf matches it; a batch has that leaf, or not yet. */
  | 'recorded'
  | 'pending'
  /** No leaf matches it. */
  | 'wrong'

export interface Evidence {
  readonly id: string
  readonly computedHash: string
  readonly storedHash: string
  /** Of version 2, over the computed hash. */
  readonly leaf: string
  readonly anchorId: string | null
  readonly createdAt: number
  readonly state: Recorded
  /** The newest leaf of the memory's state. */
  readonly stateLeaf: LeafRecord | undefined
  /** The worst of all its edges. */
  readonly edges: Recorded
  readonly document: Document
}

type Evident = Pick<Graph, 'name' | 'settings' | 'nodes' | 'edges' | 'anchors'>

/** Undefined if the graph has no such memory. */
function* evidenceOf(tx: ReadTx, graph: Evident, id: string): Program<Evidence | undefined> {
  const document = yield* getDocument(tx, graph.nodes, recordKey(graph.nodes, stringValue(id)))
  if (document === undefined || !isMemory(document)) return undefined
  const { hash: storedHash, anchorId, createdAt } = readMemory(document)
  const computedHash = contentHash(graph, id, document)
  const leaf = memoryLeaf(graphKey(graph), id, computedHash)
  const { state, stateLeaf } = yield* stateOf(tx, graph, { id, leaf, document })
  const edges = yield* edgesOfMemory(tx, graph, id, document)
  const hashes = { id, computedHash, storedHash, leaf, anchorId, createdAt }
  return { ...hashes, state, stateLeaf, edges, document }
}

/** For those memories that exist. */
export function* evidencesOf(
  tx: ReadTx,
  graph: Evident,
  ids: readonly string[],
): Program<Evidence[]> {
  const all: Evidence[] = []
  for (const id of ids) {
    const one = yield* evidenceOf(tx, graph, id)
    if (one !== undefined) all.push(one)
    yield* tx.pause(hashUnits)
  }
  return all
}

interface MemoryState {
  readonly state: Recorded
  readonly stateLeaf: LeafRecord | undefined
}

/** `leaf` is the memory's first one. */
export function* stateOf(
  tx: ReadTx,
  graph: Evident,
  { id, leaf, document }: Pick<Evidence, 'id' | 'leaf' | 'document'>,
): Program<MemoryState> {
  const { anchors, settings } = graph
  const stateLeaf = yield* newestLeaf(tx, anchors, id)
  if (stateLeaf === undefined) {
    const isFirst = settings.proofs !== proofsVersion || isFirstState(document)
    return { state: isFirst ? 'first' : 'wrong', stateLeaf }
  }
  const before = yield* leafBefore(tx, anchors, stateLeaf)
  const previous = stateLeaf.n === 1 ? leaf : before?.leaf
  const isSaid =
    stateLeaf.kind === 'state' &&
    stateLeaf.hash === stateHash(document) &&
    stateLeaf.previous === previous &&
    isSound(graph, stateLeaf)
  return { state: recordedAs(isSaid, stateLeaf), stateLeaf }
}

/** Whether the newest leaf of an edge matches the stored edge. */
export function* edgeRecorded(tx: ReadTx, graph: Evident, edge: Document): Program<Recorded> {
  const leaf = yield* newestLeaf(tx, graph.anchors, nodeId(edge))
  if (leaf !== undefined) {
    const isSaid = leaf.kind === 'edge' && leaf.hash === edgeHash(edge) && isSound(graph, leaf)
    return recordedAs(isSaid, leaf)
  }
  if (graph.settings.proofs !== proofsVersion) return 'first'
  return (yield* followsFromMemories(tx, graph, edge)) ? 'first' : 'wrong'
}

/** Whether the leaf's hash matches its content, under the key of the graph. */
export function isSound(graph: Evident, leaf: LeafRecord): boolean {
  return leaf.leaf === leafHash(graphKey(graph), leaf)
}

function recordedAs(isSaid: boolean, { anchorId }: LeafRecord): Recorded {
  if (!isSaid) return 'wrong'
  return anchorId === null ? 'pending' : 'recorded'
}

function* leafBefore(
  tx: ReadTx,
  anchors: Namespace,
  { id, n }: LeafRecord,
): Program<LeafRecord | undefined> {
  const before = { id, n: n - 1 }
  return (
    (yield* findLeaf(tx, anchors, 'leaf', before)) ?? (yield* findLeaf(tx, anchors, 'wait', before))
  )
}

/** Edges at a memory, up to the bound of a verdict, and those that must exist. */
function* edgesOfMemory(
  tx: ReadTx,
  graph: Evident,
  id: string,
  document: Document,
): Program<Recorded> {
  let worst: Recorded = 'first'
  for (const end of ['from', 'to'] as const) {
    const range = rangeOf(graph.edges, end, stringValue(id))
    for (const edge of yield* scanDocuments(tx, range, verifyEdgesMax)) {
      worst = worse(worst, yield* edgeRecorded(tx, graph, edge))
    }
  }
  return (yield* missingMention(tx, graph, id, document)) ? 'wrong' : worst
}

const order: readonly Recorded[] = ['first', 'recorded', 'pending', 'wrong']

function worse(one: Recorded, other: Recorded): Recorded {
  return order.indexOf(one) < order.indexOf(other) ? other : one
}

/** Whether an edge from the memory to one of its entities is missing without a leaf. */
export function* missingMention(
  tx: ReadTx,
  graph: Evident,
  id: string,
  document: Document,
): Program<boolean> {
  if (graph.settings.proofs !== proofsVersion) return false
  for (const entity of readMemory(document).entities) {
    const edge = edgeId(graph.name, id, edgeTypes.mentions, entity)
    if ((yield* tx.get(recordKey(graph.edges, stringValue(edge)))) !== undefined) continue
    const leaf = yield* newestLeaf(tx, graph.anchors, edge)
    if (leaf?.kind !== 'gone' || !isSound(graph, leaf)) return true
  }
  return false
}

/** The hash of the memory's fields, with the graph's original name. */
export function contentHash(graph: KeyedGraph, id: string, document: Document): string {
  return hashOf(placeOf(graph).name, id, document)
}

/**
 * The hash of the stored document, whatever it contains: a field of a wrong type counts as missing.
 * A document with a duplicate field, which readers may interpret differently, gets an impossible
 * hash.
 */
function hashOf(graph: string, id: string, document: Document): string {
  return memoryHash(hashedOf(graph, id, document))
}

/** The hashed fields, as stored. */
export function hashedOf(graph: string, id: string, document: Document): HashedMemory {
  const { text, entities, createdAt, createdBy, supersedes } = readMemory(document)
  const source = field(document, 'source')
  const hashed = {
    graph,
    id,
    text,
    entities,
    createdBy,
    supersedes,
    createdAt: Number.isFinite(createdAt) ? createdAt : 0,
    source: source?.type === bsonType.object ? objectOf(source) : undefined,
  }
  const names = [...fieldsOf(documentValue(document))].map(([name]) => name)
  return isAmbiguous(id, document, names) ? { ...hashed, source: { names } } : hashed
}

/** Optional fields of a memory: one of another type is hashed as missing. */
const typesOf: ReadonlyMap<string, readonly number[]> = new Map([
  ['source', [bsonType.object]],
  ['entities', [bsonType.array]],
  ['createdBy', [bsonType.string, bsonType.null]],
  ['supersedes', [bsonType.string]],
])

/** All other fields of a memory. */
const otherNames: ReadonlySet<string> = new Set([
  ...['_id', 'type', 'text', 'keywords', 'len', 'hash', 'hashV', 'anchorId', 'status'],
  ...['validFrom', 'validTo', 'createdAt', 'updatedAt', 'contentKey', 'formerContentKey'],
])

/** Whether readers may disagree about the memory's id or one of its fields. */
function isAmbiguous(id: string, document: Document, names: readonly string[]): boolean {
  const named = field(document, '_id')
  if (named?.type !== bsonType.string || stringOf(named) !== id) return true
  if (new Set(names).size < names.length) return true
  return [...fieldsOf(documentValue(document))].some(([name, { type }]) => {
    return !(typesOf.get(name)?.includes(type) ?? otherNames.has(name))
  })
}

/** All of it, so that an added field is detected; a duplicate name keeps both values. */
function objectOf(value: Value): JsonObject {
  const fields = new Map<string, Json>()
  for (const [name, of] of fieldsOf(value)) {
    const before = fields.get(name)
    fields.set(name, before === undefined ? jsonOf(of) : [before, jsonOf(of)])
  }
  return Object.fromEntries(fields)
}

function jsonOf(value: Value): Json {
  if (value.type === bsonType.string) return stringOf(value)
  if (value.type === bsonType.bool) return boolOf(value)
  if (value.type === bsonType.array) return elementsOf(value).map(jsonOf)
  if (value.type === bsonType.object) return objectOf(value)
  const number = value.isNumber ? numberOf(value) : Number.NaN
  return Number.isFinite(number) ? number : null
}
