// The content hash of a memory: keccak-256 over the canonical JSON of its immutable fields. Derived
// or mutable fields (keywords, status, update times) are excluded, so that later writes do not
// break the proof. (RFC 8785; docs/memory.md, "Verify")

import { keccak_256 } from '@noble/hashes/sha3.js'
import { utf8 } from '../../../base/bytes/bytes.js'
import { canonicalJson, type JsonObject } from './canonical.js'

/** The version of this field list: `hashV` of a memory. */
const hashVersion = 1

/** The form of a hash. */
export const hashForm = /^0x[0-9a-f]{64}$/

/** The hashed part of a memory. Texts are as written, without normalisation. */
export interface HashedMemory {
  readonly graph: string
  readonly id: string
  readonly text: string
  readonly source?: JsonObject | undefined
  /** Ids of entities from when it was written; their order does not matter. */
  readonly entities: readonly string[]
  /** Milliseconds since 1970. */
  readonly createdAt: number
  /** Address of the wallet; undefined if no wallet wrote it. */
  readonly createdBy?: string | undefined
  /** Id of the memory that it replaces. */
  readonly supersedes?: string | undefined
}

/** `0x` and 64 digits. Throws BadValue for texts that are not well-formed. */
export function memoryHash(memory: HashedMemory): string {
  return `0x${Buffer.from(keccak_256(utf8(hashedText(memory)))).toString('hex')}`
}

/** The hashed text; exported so that the hash can be recomputed elsewhere. */
export function hashedText(memory: HashedMemory): string {
  return canonicalJson(hashedJson(memory))
}

/** The hashed fields. */
export function hashedJson(memory: HashedMemory): JsonObject {
  const { graph, id, text, source, entities, createdAt, createdBy, supersedes } = memory
  return {
    v: hashVersion,
    graph,
    id,
    type: 'memory',
    text,
    source,
    createdAt,
    supersedes,
    entities: [...entities].sort(),
    createdBy: createdBy?.toLowerCase(),
  }
}
