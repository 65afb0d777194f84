// Whether one memory is proved: recomputed from what is stored and compared with the chain, never
// read from a stored answer. The flags stand for themselves, so that they tell what is wrong; the
// first that does not hold gives the problem's text. (docs/memory.md, "Verify")

import type { ExplorerUrl } from '../../chain/explorer.js'
import type { Anchor } from './anchor.js'
import type { ChainReadings, Found, Reading } from './chain-readings.js'
import type { Evidence } from './evidence.js'
import type { MerkleRoots } from './merkle-roots.js'

export type Problem =
  | 'not found'
  | 'content hash mismatch'
  | 'not anchored yet'
  | 'hash not in anchor batch'
  | 'merkle proof invalid'
  | 'root not found on chain'
  | 'chain unreachable'
  | 'no chain configured'

export interface Verdict {
  /** All four flags hold. */
  readonly verified: boolean
  /** The hash that is kept is that of the fields. */
  readonly hashValid: boolean
  /** A confirmed anchor lists the hash of the fields. */
  readonly anchored: boolean
  /** What the anchor lists adds up to its root. */
  readonly proofValid: boolean
  /** The contract has that root of ours in a confirmed block, as the anchor tells it. */
  readonly onChain: boolean
  readonly root: string | null
  readonly txHash: string | null
  /** Milliseconds since 1970: time of the block. */
  readonly anchoredAt: number | null
  readonly anchoredBy: string | null
  readonly explorerUrl: string | null
  /** Empty for a memory that is not there. */
  readonly computedHash: string
  readonly problem: Problem | null
}

export interface VerdictParts {
  readonly roots: MerkleRoots
  readonly readings: ChainReadings
  readonly explorer: ExplorerUrl
}

export const notFound: Verdict = {
  verified: false,
  hashValid: false,
  anchored: false,
  proofValid: false,
  onChain: false,
  root: null,
  txHash: null,
  anchoredAt: null,
  anchoredBy: null,
  explorerUrl: null,
  computedHash: '',
  problem: 'not found',
}

export async function verdictOf(evidence: Evidence, parts: VerdictParts): Promise<Verdict> {
  const { computedHash, storedHash, anchorId, anchor, batch, graphKey } = evidence
  const hashValid = storedHash === computedHash
  if (anchor?.status !== 'confirmed') {
    // An anchor that is named and not there was taken away: a batch without its hashes.
    const isMissing = anchorId !== null && anchor === undefined
    const why: Problem = isMissing ? 'hash not in anchor batch' : 'not anchored yet'
    return { ...notFound, hashValid, computedHash, problem: hashValid ? why : mismatch }
  }
  const anchored = batch.hashes.includes(computedHash)
  const proofValid = (await parts.roots.rootOf(batch.hashes)) === anchor.root
  const reading = await parts.readings.of(graphKey, anchor.root, anchor.block)
  const onChain = reading.kind === 'found' && agrees(anchor, reading)
  const told = toldBy(anchor, reading, onChain)
  return {
    verified: hashValid && anchored && proofValid && onChain,
    hashValid,
    anchored,
    proofValid,
    onChain,
    root: anchor.root,
    ...told,
    explorerUrl: told.txHash === null ? null : parts.explorer(told.txHash),
    computedHash,
    problem: firstProblem([
      [hashValid, mismatch],
      [anchored, 'hash not in anchor batch'],
      [proofValid, 'merkle proof invalid'],
      [onChain, chainProblem(reading)],
    ]),
  }
}

const mismatch: Problem = 'content hash mismatch'

function firstProblem(checks: readonly (readonly [holds: boolean, text: Problem])[]) {
  return checks.find(([holds]) => !holds)?.[1] ?? null
}

function chainProblem({ kind }: Reading): Problem {
  if (kind === 'unreachable') return 'chain unreachable'
  return kind === 'unconfigured' ? 'no chain configured' : 'root not found on chain'
}

/** Whether an anchor tells of itself what the chain does; times and blocks may move, and do not. */
export function agrees(anchor: Anchor, { entry, transaction, ...found }: Found): boolean {
  return (
    anchor.seq === entry.sequence &&
    anchor.prev === entry.prev &&
    anchor.count === entry.count &&
    anchor.tx === transaction.hash &&
    anchor.anchoredBy === found.anchoredBy &&
    anchor.contract === found.contract &&
    anchor.chainId === found.chainId
  )
}

/** The chain's word; the anchor's where the chain cannot be asked; nobody's where it disagrees. */
function toldBy(anchor: Anchor, reading: Reading, onChain: boolean) {
  if (onChain && reading.kind === 'found') {
    const { transaction, entry, anchoredBy } = reading
    return { txHash: transaction.hash, anchoredAt: entry.at * 1_000, anchoredBy }
  }
  if (reading.kind === 'unreachable') {
    const { tx: txHash, anchoredAt, anchoredBy } = anchor
    return { txHash, anchoredAt, anchoredBy }
  }
  return { txHash: null, anchoredAt: null, anchoredBy: null }
}
