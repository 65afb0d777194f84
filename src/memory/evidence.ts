// What the store says about one memory, read in one program: the hash recomputed from its fields,
// the one that is kept with it, and the anchor that it names with what that has anchored.

import { getDocument, recordKey } from '../engine/collections.js'
import type { Program, ReadTx } from '../store/store.js'
import { elementsOf, field, fieldsOf } from '../value/elements.js'
import { numberOf } from '../value/numbers.js'
import {
  boolOf,
  bsonType,
  type Document,
  stringOf,
  stringValue,
  type Value,
} from '../value/value.js'
import type { Anchor, Batch } from './anchor.js'
import { findAnchor, findBatch } from './anchors.js'
import type { Json, JsonObject } from './canonical.js'
import type { Graph } from './graph.js'
import { graphKey } from './graph-key.js'
import { memoryHash } from './memory-hash.js'
import { isMemory, readMemory } from './node.js'

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
  const computedHash = hashOf(graph.name, document)
  const known = { computedHash, storedHash, anchorId, graphKey: graphKey(graph) }
  if (anchorId === null) return { ...known, anchor: undefined, batch: emptyBatch }
  const anchor = yield* findAnchor(tx, graph.anchors, anchorId)
  const batch = (yield* findBatch(tx, graph.anchors, anchorId)) ?? emptyBatch
  return { ...known, anchor, batch }
}

/** Of what is stored, whatever that is now: a field that is no text or number counts as none. */
function hashOf(graph: string, document: Document): string {
  const { id, text, entities, createdAt, createdBy, supersedes } = readMemory(document)
  const source = field(document, 'source')
  return memoryHash({
    ...{ graph, id, text, entities, createdBy, supersedes },
    createdAt: Number.isFinite(createdAt) ? createdAt : 0,
    source: source?.type === bsonType.object ? objectOf(source) : undefined,
  })
}

/** All of it, so that nothing can be added to it unseen. */
function objectOf(value: Value): JsonObject {
  const fields: Record<string, Json> = {}
  for (const [name, of] of fieldsOf(value)) fields[name] = jsonOf(of)
  return fields
}

function jsonOf(value: Value): Json {
  if (value.type === bsonType.string) return stringOf(value)
  if (value.type === bsonType.bool) return boolOf(value)
  if (value.type === bsonType.array) return elementsOf(value).map(jsonOf)
  if (value.type === bsonType.object) return objectOf(value)
  const number = value.isNumber ? numberOf(value) : Number.NaN
  return Number.isFinite(number) ? number : null
}
