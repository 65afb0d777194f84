// Evidence for one memory that needs no server: its hashed fields, its leaf, the proof to a root,
// and the anchor of that root. Any node of the chain can check the file.
// (docs/memory.md, "Evidence")

import { fail } from '../../../base/errors.js'
import { getDocument, recordKey } from '../../../engine/collection/collections.js'
import { stringValue } from '../../../value/value.js'
import { graphKey, graphKeyed, graphKeys, placeOf } from '../../graph/graph-key.js'
import { isMemory, readMemory } from '../../nodes/node.js'
import { findAnchor, findBatch } from '../anchors/anchors.js'
import type { GraphPrograms } from '../graph-programs.js'
import type { JsonObject } from '../leaves/canonical.js'
import { jsonHash, type Leaf, leafHash } from '../leaves/leaf.js'
import { hashedJson } from '../leaves/memory-hash.js'
import type { MerkleRoots } from '../leaves/merkle-roots.js'
import { hashedOf } from './evidence.js'

export const evidenceFormat = 'sigil-evidence'
export const evidenceVersion = 1

export interface ExportedEvidence extends JsonObject {
  readonly format: string
  readonly version: number
  /** The fields whose canonical JSON is hashed. */
  readonly memory: JsonObject
  readonly hash: string
  /** Null in version 1, where the hash itself is the leaf. */
  readonly leaf: JsonObject | null
  readonly leafHash: string
  /** Siblings from the leaf to the root. */
  readonly proof: readonly string[]
  readonly anchor: {
    readonly graphKey: string
    readonly root: string
    readonly sequence: number
    readonly prev: string | null
    readonly count: number
    readonly chainId: number
    readonly contract: string
    readonly anchoredBy: string
    readonly tx: string | null
    readonly block: number | null
  }
}

/** Undefined if the memory does not exist, or no confirmed anchor lists it. */
export async function exportedOf(
  read: GraphPrograms['read'],
  id: string,
  roots: MerkleRoots,
): Promise<ExportedEvidence | undefined> {
  const found = await read(function* (tx, graph) {
    const { nodes, anchors } = graph
    const document = yield* getDocument(tx, nodes, recordKey(nodes, stringValue(id)))
    if (document === undefined || !isMemory(document)) return undefined
    const { anchorId } = readMemory(document)
    const anchor = anchorId === null ? undefined : yield* findAnchor(tx, anchors, anchorId)
    const batch = anchorId === null ? undefined : yield* findBatch(tx, anchors, anchorId)
    if (anchor === undefined || batch === undefined) return undefined
    const memory = hashedJson(hashedOf(placeOf(graph).name, id, document))
    return { memory, anchor, batch, key: graphKey(graph), keys: graphKeys(graph) }
  })
  if (found === undefined) return undefined
  const { memory, anchor, batch, key, keys } = found
  const { chainId, contract, anchoredBy, root, seq: sequence, prev, count, tx, block } = anchor
  if (anchor.status !== 'confirmed' || chainId === null) return undefined
  if (contract === null || anchoredBy === null) return undefined
  const hash = jsonHash(memory)
  const leaf: Leaf = { kind: 'memory', id, n: 0, hash, previous: null }
  const isFirst = anchor.version === 1
  const leafOf = isFirst ? hash : leafHash(key, leaf)
  const proof = await roots.proofOf(batch.hashes, leafOf)
  if (proof === undefined) throw fail('OperationFailed', 'the batch does not list the memory')
  return {
    format: evidenceFormat,
    version: evidenceVersion,
    memory,
    hash,
    leaf: isFirst ? null : { v: 2, graphKey: key, ...leaf },
    leafHash: leafOf,
    proof,
    anchor: {
      graphKey: graphKeyed(keys, anchor.version),
      root,
      sequence,
      prev,
      count,
      chainId,
      contract,
      anchoredBy,
      tx,
      block,
    },
  }
}
