// Compares the anchors of a graph with the chain, newest first. Each root and number must be the
// contract's, none may be missing, and roots of version 1 must end where the upgrade leaf says. The
// stored status of an anchor is not trusted. (docs/memory.md, "Proofs")

import type { LatestAnchor } from '../../../chain/anchors/anchor-client.js'
import { graphKeyed, type ProofVersion } from '../../graph/graph-key.js'
import type { Anchor, Batch } from '../anchors/anchor.js'
import { graphSubject } from '../leaves/leaf.js'
import type { ChainReadings, Reading } from './chain-readings.js'
import type { GraphFacts, GraphLeafProblem } from './graph-evidence.js'

export interface StoredAnchor {
  readonly anchor: Anchor
  /** Undefined if it is missing. */
  readonly batch: Batch | undefined
}

export interface JudgedAnchor extends StoredAnchor {
  readonly reading: Reading
  /** The chain has it as the anchor says. */
  readonly isProved: boolean
  /** Time of its block on the chain, milliseconds. */
  readonly at: number | undefined
}

export type WalkProblem =
  | GraphLeafProblem
  | 'anchor chain broken'
  | 'anchors missing'
  | 'root not found on chain'
  | 'upgrade not proved'
  | 'chain unreachable'
  | 'no chain configured'

/** State of a walk for the next request. */
export interface WalkState {
  version: ProofVersion
  /** Number and root of the next older anchor; null: those of the first one. */
  sequence: number | null
  root: string | null
  anchors: number
  pending: number
  failed: number
  memories: number
  isUpgradeListed: boolean
  problem: WalkProblem | null
}

export function walkStart(): WalkState {
  return {
    version: 2,
    sequence: null,
    root: null,
    anchors: 0,
    pending: 0,
    failed: 0,
    memories: 0,
    isUpgradeListed: false,
    problem: null,
  }
}

export interface WalkParts {
  readonly readings: ChainReadings
  readonly isConfigured: boolean
}

export class ChainWalk {
  /** The newest root of version 2 on the chain; before the upgrade, of version 1. */
  latest: LatestAnchor | undefined
  /** False: the chain has no root of version 2 yet, so an old graph's states wait for one. */
  isRooted = true

  constructor(
    private readonly facts: GraphFacts,
    private readonly parts: WalkParts,
    readonly state: WalkState = walkStart(),
  ) {}

  /** Reads the chain's newest root. */
  async begin(): Promise<void> {
    const { facts, parts, state } = this
    const { readings, isConfigured } = parts
    if (facts.problem !== null) this.note(facts.problem)
    if (!isConfigured) return this.note('no chain configured')
    const { first, second } = facts.keys
    const isFresh = state.sequence === null
    this.latest = await readings.latest(second)
    this.isRooted = this.latest?.sequence !== 0
    if (!facts.isUpgraded && this.latest?.sequence === 0) {
      if (isFresh) state.version = 1
      this.latest = await readings.latest(first)
    } else if (!facts.isUpgraded && this.latest !== undefined) this.note('upgrade not proved')
    if (this.latest === undefined) this.note('chain unreachable')
    else if (isFresh) {
      state.sequence = this.latest.sequence
      state.root = this.latest.root
    }
  }

  /** The next older anchors; no chain requests after `untilMs` (elapsed). */
  async judge(page: readonly StoredAnchor[], untilMs: number): Promise<JudgedAnchor[]> {
    const judged: JudgedAnchor[] = []
    for (const version of [2, 1] as const) {
      const own = page.filter(({ anchor }) => anchor.version === version)
      if (own.length === 0 || !this.parts.isConfigured) continue
      const { readings } = this.parts
      const key = graphKeyed(this.facts.keys, version)
      await readings.gather(
        key,
        own.map(({ anchor }) => anchor),
        untilMs,
      )
    }
    for (const stored of page) judged.push(await this.judgeOne(stored))
    return judged
  }

  /** There is no older anchor. */
  end(): void {
    const { state, latest } = this
    if (latest === undefined) return
    if (state.version === 2 && this.facts.upgraded !== undefined) this.cross()
    if (state.sequence === 0 || state.sequence === null) return
    this.note(state.anchors === 0 ? 'anchors missing' : 'anchor chain broken')
  }

  private async judgeOne(stored: StoredAnchor): Promise<JudgedAnchor> {
    const { anchor } = stored
    const { state } = this
    if (anchor.version !== state.version) {
      if (anchor.version === 2) this.note('anchor chain broken')
      else this.cross()
    }
    const reading = await this.read(anchor)
    if (reading.kind === 'found') {
      const isProved = this.found(stored, reading)
      return { ...stored, reading, isProved, at: reading.entry.at * 1_000 }
    }
    if (reading.kind === 'unreachable') this.note('chain unreachable')
    if (reading.kind === 'absent' && anchor.status === 'confirmed') {
      this.note('root not found on chain')
    }
    if (anchor.status === 'failed') state.failed++
    else if (anchor.status !== 'confirmed') state.pending++
    return { ...stored, reading, isProved: false, at: undefined }
  }

  private async read({ version, root, block }: Anchor): Promise<Reading> {
    const { readings } = this.parts
    const key = graphKeyed(this.facts.keys, version)
    const reading = await readings.of(key, root, block)
    // It may have reached the chain since the last read.
    if (reading.kind !== 'absent' || root !== this.state.root) return reading
    return readings.again(key, root, block)
  }

  /** Whether the chain has it as stored, continuing from the newer anchors. */
  private found({ anchor, batch }: StoredAnchor, reading: Reading & { kind: 'found' }): boolean {
    const { state } = this
    const { entry } = reading
    const isFirst = state.anchors === 0 && state.version === 2
    state.anchors++
    state.memories += batch?.ids.filter((_, i) => (batch.ns?.[i] ?? 0) === 0).length ?? 0
    if (state.sequence !== null && entry.sequence < state.sequence) {
      this.note(state.anchors === 1 ? 'anchors missing' : 'anchor chain broken')
    } else if (!isFirst && entry.sequence !== state.sequence) this.note('anchor chain broken')
    else if (entry.sequence === state.sequence && anchor.root !== state.root) {
      this.note('anchor chain broken')
    }
    state.sequence = entry.sequence - 1
    state.root = entry.prev
    const isPlaced = anchor.seq === entry.sequence && anchor.prev === entry.prev
    if (!isPlaced && !isUntold(anchor)) this.note('anchor chain broken')
    if (anchor.version === 2 && entry.sequence === 1) this.lookForUpgrade(batch)
    if (agrees(anchor, reading)) return true
    this.note('root not found on chain')
    return false
  }

  private lookForUpgrade(batch: Batch | undefined): void {
    const { upgradeLeaf } = this.facts
    const { state } = this
    if (upgradeLeaf === undefined) return
    const at = batch?.hashes.indexOf(upgradeLeaf.leaf) ?? -1
    state.isUpgradeListed = at >= 0 && batch?.ids[at] === graphSubject
    if (!state.isUpgradeListed) this.note('upgrade not proved')
  }

  /** Crosses from roots of version 2 to those of version 1. */
  private cross(): void {
    const { state, facts, latest } = this
    const { upgraded } = facts
    if (state.version === 1) return
    state.version = 1
    if (latest === undefined) return
    // Before the first root of version 2 is on the chain, only the settings name the last one.
    const isRooted = latest.sequence > 0
    if (state.sequence !== 0 && state.sequence !== null) {
      this.note(state.anchors === 0 ? 'anchors missing' : 'anchor chain broken')
    }
    if (upgraded === undefined || (isRooted && !state.isUpgradeListed)) {
      this.note('upgrade not proved')
    }
    state.sequence = upgraded?.sequence ?? 0
    state.root = upgraded?.root ?? null
  }

  private note(problem: WalkProblem): void {
    this.state.problem ??= problem
  }
}

/**
 * Whether an anchor's record agrees with the chain. Between the block of a root and the write that
 * records it, the chain knows more than the store: an anchor with an unknown transaction only
 * states its length.
 */
function agrees(
  anchor: Anchor,
  { entry, transaction, ...found }: Reading & { kind: 'found' },
): boolean {
  if (anchor.count !== entry.count) return false
  if (isUntold(anchor)) return true
  return (
    anchor.seq === entry.sequence &&
    anchor.prev === entry.prev &&
    anchor.tx === transaction.hash &&
    anchor.anchoredBy === found.anchoredBy &&
    anchor.contract === found.contract &&
    anchor.chainId === found.chainId
  )
}

function isUntold({ status, tx }: Anchor): boolean {
  return status !== 'confirmed' && tx === null
}
