// What the store says about one memory, read in one program: the hash recomputed from its fields,
// the one that is kept with it, and the anchor that it names with what that has anchored.

import { getDocument, recordKey } from '../../engine/collection/collections.js'
import type { Program, ReadTx } from '../../store/store.js'
import { elementsOf, field, fieldsOf } from '../../value/elements.js'
import { numberOf } from '../../value/numbers.js'
import {
  boolOf,
  bsonType,
  type Document,
  documentValue,
  stringOf,
  stringValue,
  type Value,
} from '../../value/value.js'
import type { Graph } from '../graph/graph.js'
import { graphKey } from '../graph/graph-key.js'
import { isMemory, readMemory } from '../nodes/node.js'
import type { Anchor, Batch } from './anchor.js'
import { findAnchor, findBatch } from './anchors.js'
import type { Json, JsonObject } from './canonical.js'
import { memoryHash } from './memory-hash.js'

export interface Evidence {
  readonly computedHash: string
  readonly storedHash: string
  readonly anchorId: string | null
  /** Undefined where it is not there, or there is none. */
  readonly anchor: Anchor | undefined
  readonly batch: Batch
  /** The graph's key on the chain. */
  readonly graphKey: string
}

const emptyBatch: Batch = { ids: [], hashes: [] }

/** Undefined where the graph has no such memory. */
export function* evidenceOf(
  tx: ReadTx,
  graph: Pick<Graph, 'name' | 'settings' | 'nodes' | 'anchors'>,
  id: string,
): Program<Evidence | undefined> {
  const document = yield* getDocument(tx, graph.nodes, recordKey(graph.nodes, stringValue(id)))
  if (document === undefined || !isMemory(document)) return undefined
  const { hash: storedHash, anchorId } = readMemory(document)
  const computedHash = hashOf(graph.name, id, document)
  const known = { computedHash, storedHash, anchorId, graphKey: graphKey(graph) }
  if (anchorId === null) return { ...known, anchor: undefined, batch: emptyBatch }
  const anchor = yield* findAnchor(tx, graph.anchors, anchorId)
  const batch = (yield* findBatch(tx, graph.anchors, anchorId)) ?? emptyBatch
  return { ...known, anchor, batch }
}

/**
 * Of what is stored under the id, whatever that is now: a field that is no text or number counts as
 * none. One that is there twice, of which readers may take either, is hashed as what no memory has.
 */
function hashOf(graph: string, id: string, document: Document): string {
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
  return memoryHash(isAmbiguous(id, document, names) ? { ...hashed, source: { names } } : hashed)
}

/** Fields that a memory may be without: one of another type is hashed as if it were not there. */
const typesOf: ReadonlyMap<string, readonly number[]> = new Map([
  ['source', [bsonType.object]],
  ['entities', [bsonType.array]],
  ['createdBy', [bsonType.string, bsonType.null]],
  ['supersedes', [bsonType.string]],
])

/** All others that a memory has. */
const otherNames: ReadonlySet<string> = new Set([
  ...['_id', 'type', 'text', 'keywords', 'len', 'hash', 'hashV', 'anchorId', 'status'],
  ...['validFrom', 'validTo', 'createdAt', 'updatedAt', 'contentKey', 'formerContentKey'],
])

/** Whether it is not plain what a reader takes for the memory: its id, or one of its fields. */
function isAmbiguous(id: string, document: Document, names: readonly string[]): boolean {
  const named = field(document, '_id')
  if (named?.type !== bsonType.string || stringOf(named) !== id) return true
  if (new Set(names).size < names.length) return true
  return [...fieldsOf(documentValue(document))].some(([name, { type }]) => {
    return !(typesOf.get(name)?.includes(type) ?? otherNames.has(name))
  })
}

/** All of it, so that nothing can be added to it unseen; a name that is there twice keeps both. */
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
