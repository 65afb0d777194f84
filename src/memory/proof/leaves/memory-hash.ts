// What a memory is proved by: keccak-256 over the canonical JSON of the fields that never change
// once it is written. What is derived from them or may change (keywords, status, times of updates)
// is left out, so that a later write does not break the proof. (RFC 8785; docs/memory.md,
// "Verify")

import { keccak_256 } from '@noble/hashes/sha3.js'
import { utf8 } from '../../../base/bytes/bytes.js'
import { canonicalJson, type JsonObject } from './canonical.js'

/** The version of this list of fields: `hashV` of a memory. */
const hashVersion = 1

/** How a hash is written. */
export const hashForm = /^0x[0-9a-f]{64}$/

/** The hashed part of a memory. Texts are as they were written: nothing is normalised. */
export interface HashedMemory {
  readonly graph: string
  readonly id: string
  readonly text: string
  readonly source?: JsonObject | undefined
  /** Ids of entities, as they were when it was written; the order does not matter. */
  readonly entities: readonly string[]
  /** Milliseconds since 1970. */
  readonly createdAt: number
  /** Address of the wallet; undefined where none wrote it. */
  readonly createdBy?: string | undefined
  /** Id of the memory whose place it takes. */
  readonly supersedes?: string | undefined
}

/** `0x` and 64 digits. Throws BadValue for texts that are not well-formed. */
export function memoryHash(memory: HashedMemory): string {
  return `0x${Buffer.from(keccak_256(utf8(hashedText(memory)))).toString('hex')}`
}

/** The bytes' text; exported so that the hash can be recomputed elsewhere. */
export function hashedText(memory: HashedMemory): string {
  return canonicalJson(hashedJson(memory))
}

/** The fields that are hashed. */
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
