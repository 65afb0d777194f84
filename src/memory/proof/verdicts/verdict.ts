// Whether one memory is proved: computed from the stored data and the chain, never read from a
// stored result. Each flag is independent; the first failing check gives the problem's text.
// (docs/memory.md, "Verify")

import { anchorBatchMemories, anchorDueMs } from '../../../base/limits/memory.js'
import type { ExplorerUrl } from '../../../chain/explorer.js'
import { ulidTime } from '../../../value/ulid.js'
import { memoryPrefix } from '../../postings/packed-id.js'
import type { Anchor } from '../anchors/anchor.js'
import type { Reading } from './chain-readings.js'
import type { JudgedAnchor, WalkProblem } from './chain-walk.js'
import type { Evidence } from './evidence.js'

export type Problem =
  | WalkProblem
  | 'not found'
  | 'content hash mismatch'
  | 'not anchored yet'
  | 'hash not in anchor batch'
  | 'changed since it was anchored'
  | 'anchored twice'
  | 'anchor id mismatch'
  | 'merkle proof invalid'
  | 'state not as recorded'
  | 'edge not as recorded'
  | 'changed since, not anchored'

/** Unusual facts that prove nothing. */
type Warning =
  | 'anchored late'
  | 'times differ'
  | 'edge changed since, not anchored'
  | 'older roots not recomputed'

export interface Verdict {
  /** All flags hold, and the graph's anchors have no problem. */
  readonly verified: boolean
  /** The stored hash is that of the fields. */
  readonly hashValid: boolean
  /** Only the anchor that the memory names lists the hash of the fields. */
  readonly anchored: boolean
  /** The leaves of the anchor give its root. */
  readonly proofValid: boolean
  /** The contract has that root from Sigil's account in a confirmed block, as the anchor says. */
  readonly onChain: boolean
  /** Status, validity and edges match anchored leaves. */
  readonly stateValid: boolean
  /** A single verify never shows that nothing is missing: only the sweep does. */
  readonly complete: false
  /** The graph's key on the chain; null if the graph does not exist. */
  readonly graphKey: string | null
  readonly root: string | null
  readonly txHash: string | null
  /** Time of the block, milliseconds since 1970. */
  readonly anchoredAt: number | null
  readonly anchoredBy: string | null
  readonly explorerUrl: string | null
  /** Empty if the memory does not exist. */
  readonly computedHash: string
  readonly problem: Problem | null
  readonly warnings: readonly Warning[]
}

export const notFound: Verdict = {
  verified: false,
  hashValid: false,
  anchored: false,
  proofValid: false,
  onChain: false,
  stateValid: false,
  complete: false,
  graphKey: null,
  root: null,
  txHash: null,
  anchoredAt: null,
  anchoredBy: null,
  explorerUrl: null,
  computedHash: '',
  problem: 'not found',
  warnings: [],
}

/** A position where a batch lists a leaf of the memory. */
export interface Listing {
  readonly judged: JudgedAnchor
  readonly n: number
  readonly leaf: string
}

interface Facts {
  readonly evidence: Evidence
  /** Newest first. */
  readonly listings: readonly Listing[]
  readonly walk: WalkProblem | null
  /** The chain has a root of version 2 of the graph, or does not answer. */
  readonly isRooted: boolean
  /** The anchor that the memory names, if it exists. */
  readonly named: JudgedAnchor | undefined
  /** Whether its batch gives its root. */
  readonly proofValid: boolean
  /** Whether all batches that can list the memory give their roots. */
  readonly rootsValid: boolean
  /** Some of them were not recomputed: there are too many. */
  readonly isPartial: boolean
  /** The newest earlier anchor that had room for the memory; undefined if there is none. */
  readonly before: JudgedAnchor | undefined
}

export function verdictOf(facts: Facts, graphKey: string, explorer: ExplorerUrl): Verdict {
  const { evidence, listings, walk, named } = facts
  const { computedHash, storedHash } = evidence
  const hashValid = storedHash === computedHash
  const own = listings.filter(({ n }) => n === 0)
  const state = stateProblem(facts)
  const known = { ...notFound, graphKey, hashValid, computedHash, stateValid: state === null }
  const listed = listingProblem(evidence, own)
  const base = hashValid ? listed : mismatch
  if (named === undefined) return { ...known, problem: base ?? 'hash not in anchor batch' }
  const { anchor, reading, isProved: onChain } = named
  if (reading.kind !== 'found' && anchor.status !== 'confirmed') {
    return { ...known, problem: base ?? 'not anchored yet' }
  }
  const { proofValid } = facts
  const anchored = listed === null
  const told = toldBy(anchor, reading, onChain)
  const problem = firstProblem([
    [hashValid, mismatch],
    [anchored, listed],
    [proofValid, 'merkle proof invalid'],
    [onChain, chainProblem(reading)],
    [walk === null, walk],
    [state === null, state],
    [facts.rootsValid, 'merkle proof invalid'],
  ])
  return {
    ...known,
    verified: problem === null,
    anchored,
    proofValid,
    onChain,
    root: anchor.root,
    ...told,
    explorerUrl: told.txHash === null ? null : explorer(told.txHash),
    problem,
    warnings: warningsOf(facts, named.at),
  }
}

const mismatch: Problem = 'content hash mismatch'

/** The problem of the batches' listings of the memory; null if there is none. */
function listingProblem(
  { anchorId, leaf, computedHash }: Evidence,
  own: readonly Listing[],
): Problem | null {
  const named = own.find(({ judged }) => judged.anchor.id === anchorId)
  const isRight = (one: Listing): boolean => {
    return one.leaf === (one.judged.anchor.version === 1 ? computedHash : leaf)
  }
  if (own.some((one) => one !== named && !isRight(one))) return 'changed since it was anchored'
  if (own.length > 1) return 'anchored twice'
  if (own.length === 0) return anchorId === null ? 'not anchored yet' : 'hash not in anchor batch'
  if (named === undefined) return 'anchor id mismatch'
  return isRight(named) ? null : 'hash not in anchor batch'
}

function stateProblem({ evidence, listings, isRooted }: Facts): Problem | null {
  const { state, stateLeaf, edges } = evidence
  if (state === 'wrong') return 'state not as recorded'
  // The newest listed leaf must be the newest stored one, except waiting ones.
  const newest = Math.max(0, ...listings.map(({ n }) => n))
  const anchored = stateLeaf === undefined ? 0 : stateLeaf.n
  if (newest > anchored || (state === 'recorded' && newest !== anchored)) {
    return 'state not as recorded'
  }
  const listing = listings.find(({ n }) => n === anchored && n > 0)
  if (listing !== undefined && listing.leaf !== stateLeaf?.leaf) return 'state not as recorded'
  if (edges === 'wrong') return 'edge not as recorded'
  return state === 'pending' && isRooted ? 'changed since, not anchored' : null
}

function firstProblem(checks: readonly (readonly [holds: boolean, text: Problem | null])[]) {
  return checks.find(([holds]) => !holds)?.[1] ?? null
}

function chainProblem({ kind }: Reading): Problem {
  if (kind === 'unreachable') return 'chain unreachable'
  return kind === 'unconfigured' ? 'no chain configured' : 'root not found on chain'
}

function warningsOf({ evidence, before, isPartial }: Facts, at: number | undefined): Warning[] {
  const { id, createdAt, edges } = evidence
  const time = ulidTime(id.slice(memoryPrefix.length))
  return [
    ...(isLate(createdAt, at, before?.at) ? (['anchored late'] as const) : []),
    ...(time !== undefined && time !== createdAt ? (['times differ'] as const) : []),
    ...(edges === 'pending' ? (['edge changed since, not anchored'] as const) : []),
    ...(isPartial ? (['older roots not recomputed'] as const) : []),
  ]
}

/** An earlier anchor without the memory was made long after its stated creation time. */
export function isLate(
  createdAt: number,
  at: number | undefined,
  before: number | undefined,
): boolean {
  return at !== undefined && before !== undefined && before < at && before > createdAt + anchorDueMs
}

export function hasRoomFor({ count }: Anchor): boolean {
  return count < anchorBatchMemories
}

/** The chain's values; the anchor's if the chain does not answer; none if they disagree. */
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
