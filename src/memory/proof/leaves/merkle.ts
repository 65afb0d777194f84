// The tree over a batch of hashes, in the layout of OpenZeppelin's library: standard-v1 with one
// bytes32 a leaf. So its contracts and other tools verify Sigil's proofs. A leaf is hashed twice:
// no inner node can pass for one. (docs/memory.md, "Verify")

import { StandardMerkleTree } from '@openzeppelin/merkle-tree'
import { hashForm } from './memory-hash.js'

/**
 * The root, `0x` and 64 digits; the order of the hashes does not matter. Undefined for an invalid
 * batch: an empty one, a duplicate, or a malformed hash.
 */
export function merkleRoot(hashes: readonly string[]): string | undefined {
  return treeOf(hashes)?.root
}

/** The siblings from a leaf to the root; undefined if the batch lacks the leaf, or has no root. */
export function merkleProof(hashes: readonly string[], of: string): string[] | undefined {
  return hashes.includes(of) ? treeOf(hashes)?.getProof([of]) : undefined
}

/** Whether the proof leads from the leaf to the root. */
export function isProof(root: string, leaf: string, proof: readonly string[]): boolean {
  return StandardMerkleTree.verify(root, ['bytes32'], [leaf], [...proof])
}

function treeOf(hashes: readonly string[]): StandardMerkleTree<[string]> | undefined {
  if (hashes.length === 0 || new Set(hashes).size < hashes.length) return undefined
  if (!hashes.every((hash) => hashForm.test(hash))) return undefined
  return StandardMerkleTree.of(
    hashes.map((hash): [string] => [hash]),
    ['bytes32'],
  )
}
