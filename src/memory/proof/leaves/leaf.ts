// A leaf of version 2: one recorded fact about a graph (a memory, a state, an edge, a deletion, a
// move, the upgrade), chained to the previous leaf of its subject. Roots are built over leaf
// hashes, so a root covers each part of a leaf. (RFC 8785; docs/memory.md, "Proofs")

import { keccak_256 } from '@noble/hashes/sha3.js'
import { utf8 } from '../../../base/bytes/bytes.js'
import { elementsOf, field, fieldsOf } from '../../../value/elements.js'
import { numberOf } from '../../../value/numbers.js'
import {
  boolOf,
  bsonType,
  type Document,
  documentValue,
  stringOf,
  type Value,
} from '../../../value/value.js'
import { canonicalJson, type Json, type JsonObject } from './canonical.js'

export type LeafKind = 'memory' | 'state' | 'edge' | 'gone' | 'moved' | 'upgrade'

export interface Leaf {
  readonly kind: LeafKind
  /** The subject: id of a memory or an edge, or `graph`. */
  readonly id: string
  /** 0 for a memory; the others of a subject count from 1. */
  readonly n: number
  /** Hash of the recorded fact; null for a deletion. */
  readonly hash: string | null
  /** Hash of the previous leaf of the subject. */
  readonly previous: string | null
}

/** The version in the hash of each leaf. */
export const leafVersion = 2 as const

/** Subject of the leaves about the graph itself. */
export const graphSubject = 'graph'

/** `0x` and 64 digits: keccak-256 over canonical JSON. */
export function jsonHash(json: Json): string {
  return `0x${Buffer.from(keccak_256(utf8(canonicalJson(json)))).toString('hex')}`
}

export function leafHash(graphKey: string, { kind, id, n, hash, previous }: Leaf): string {
  return jsonHash({ v: leafVersion, kind, graphKey, id, n, hash, previous })
}

/** The first leaf of a memory, over its content hash. */
export function memoryLeaf(graphKey: string, id: string, hash: string): string {
  return leafHash(graphKey, { kind: 'memory', id, n: 0, hash, previous: null })
}

const stateFields = ['status', 'validFrom', 'validTo', 'updatedAt'] as const

/** The mutable part of a memory: its status, its validity, and when it was last written. */
function stateJson(memory: Document): JsonObject {
  const state: Record<string, Json> = {}
  for (const name of stateFields) {
    const value = field(memory, name)
    if (value !== undefined) state[name] = jsonOf(value)
  }
  return state
}

export function stateHash(memory: Document): string {
  return jsonHash(stateJson(memory))
}

/** Whether a memory is unchanged since it was written: then its state needs no leaf. */
export function isFirstState(memory: Document): boolean {
  const { status, validFrom, validTo, updatedAt } = stateJson(memory)
  const createdAt = field(memory, 'createdAt')
  const isUnchanged = createdAt !== undefined && updatedAt === jsonOf(createdAt)
  return status === 'active' && validFrom === undefined && validTo === undefined && isUnchanged
}

/** All fields of an edge's document, so that an added field is detected. */
export function edgeHash(edge: Document): string {
  return jsonHash(jsonOf(documentValue(edge)))
}

/** A duplicate name keeps both values; values outside JSON become their type's name. */
function jsonOf(value: Value): Json {
  if (value.type === bsonType.string) return stringOf(value)
  if (value.type === bsonType.bool) return boolOf(value)
  if (value.type === bsonType.null) return null
  if (value.type === bsonType.array) return elementsOf(value).map(jsonOf)
  if (value.type === bsonType.object) return objectOf(value)
  const number = value.isNumber ? numberOf(value) : Number.NaN
  return Number.isFinite(number) ? number : { bsonType: value.type }
}

function objectOf(value: Value): JsonObject {
  const fields = new Map<string, Json>()
  for (const [name, of] of fieldsOf(value)) {
    const before = fields.get(name)
    fields.set(name, before === undefined ? jsonOf(of) : [before, jsonOf(of)])
  }
  return Object.fromEntries(fields)
}
