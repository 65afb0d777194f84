// Exported evidence from an untrusted file: checks its shape, and that memory, leaf, proof and root
// belong together, without a server or a chain. (docs/memory.md, "Evidence")

import { fail } from '../../../base/errors.js'
import { jsonHash } from '../leaves/leaf.js'
import { isProof } from '../leaves/merkle.js'
import { type ExportedEvidence, evidenceFormat, evidenceVersion } from './exported.js'

/** The problem of evidence that needs no chain to find; null: none. */
export function evidenceProblem(given: ExportedEvidence): string | null {
  const { memory, hash, leaf, leafHash: leafOf, proof, anchor } = given
  if (jsonHash(memory) !== hash) return 'content hash mismatch'
  if (leaf === null) {
    if (leafOf !== hash) return 'leaf does not match the memory'
  } else {
    const { v, graphKey: key, kind, id, n, previous } = leaf
    const isLeaf = v === 2 && kind === 'memory' && n === 0 && previous === null
    const isOwn = id === memory.id && leaf.hash === hash && key === anchor.graphKey
    const isHash = jsonHash({ v, graphKey: key, kind, id, n, hash, previous }) === leafOf
    if (!isLeaf || !isOwn || !isHash) return 'leaf does not match the memory'
  }
  return isProof(anchor.root, leafOf, proof) ? null : 'merkle proof invalid'
}

/** Throws BadValue for malformed evidence. */
export function parseEvidence(text: string): ExportedEvidence {
  const given = parsed(text)
  const anchor = objectIn(given, 'anchor')
  const isWhole =
    given !== undefined &&
    anchor !== undefined &&
    given.format === evidenceFormat &&
    given.version === evidenceVersion &&
    objectIn(given, 'memory') !== undefined &&
    (given.leaf === null || objectIn(given, 'leaf') !== undefined) &&
    [given.hash, given.leafHash, anchor.root, anchor.graphKey].every(isHash) &&
    [anchor.contract, anchor.anchoredBy].every(isAddress) &&
    [anchor.sequence, anchor.chainId, anchor.count].every(Number.isSafeInteger) &&
    Array.isArray(given.proof) &&
    given.proof.every(isHash)
  if (isWhole) return given as ExportedEvidence
  throw fail('BadValue', `the file is no ${evidenceFormat} of version ${evidenceVersion}`)
}

type Fields = Readonly<Record<string, unknown>>

function parsed(text: string): Fields | undefined {
  try {
    const value = JSON.parse(text) as unknown
    return typeof value === 'object' && value !== null ? (value as Fields) : undefined
  } catch {
    return undefined
  }
}

function objectIn(fields: Fields | undefined, name: string): Fields | undefined {
  const value = fields?.[name]
  const isObject = typeof value === 'object' && value !== null && !Array.isArray(value)
  return isObject ? (value as Fields) : undefined
}

function isHash(value: unknown): boolean {
  return typeof value === 'string' && /^0x[0-9a-f]{64}$/.test(value)
}

function isAddress(value: unknown): boolean {
  return typeof value === 'string' && /^0x[0-9a-fA-F]{40}$/.test(value)
}
