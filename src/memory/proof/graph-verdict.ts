// Whether a graph's anchors are all there: their places and the roots before them, one by one, and
// against what the contract counts. It shows what no single memory can: an anchor that was taken
// away with all its memories, and a store that was set back. (docs/memory.md, "Verify")

import type { Clock } from '../../base/clock.js'
import { verifyAnchorsAtOnce, verifyGraphMs, verifyQuestionsAtOnce } from '../../base/limits.js'
import type { Pace } from '../../engine/background/pace-job.js'
import type { Namespace } from '../../engine/types.js'
import type { Awaitable, Program, ReadTx } from '../../store/store.js'
import type { Anchor } from './anchor.js'
import { anchorsBefore, newestAnchors } from './anchors.js'
import type { ChainReadings } from './chain-readings.js'
import { agrees } from './verdict.js'

export type GraphProblem =
  | 'not anchored yet'
  | 'anchor chain broken'
  | 'anchors missing'
  | 'root not found on chain'
  | 'not all anchors checked'
  | 'chain unreachable'
  | 'no chain configured'

export interface GraphVerdict {
  readonly verified: boolean
  /** Confirmed, on their way, and given up for a while. */
  readonly anchors: number
  readonly pending: number
  readonly failed: number
  /** Memories in the confirmed ones. */
  readonly memories: number
  /** Confirmed ones that were compared with the chain, the newest first. */
  readonly checked: number
  /** Place of the newest confirmed anchor here, and of the newest root on the chain. */
  readonly sequence: number
  readonly chainSequence: number | null
  /** Newest root on the chain. */
  readonly root: string | null
  readonly problem: GraphProblem | null
}

export interface GraphEvidence {
  /** The graph's key on the chain. */
  readonly graphKey: string
  /** Some anchors before one, newest first, or the newest of all; empty where none is left. */
  readonly page: (before: string | undefined) => Awaitable<readonly Anchor[]>
}

export interface GraphVerdictParts {
  readonly readings: ChainReadings
  readonly isConfigured: boolean
  readonly clock: Clock
  readonly pace: Pace
}

/** A page of GraphEvidence. */
export function anchorsToVerify(
  tx: ReadTx,
  anchors: Namespace,
  before: string | undefined,
  limit = verifyAnchorsAtOnce,
): Program<Anchor[]> {
  if (before === undefined) return newestAnchors(tx, anchors, limit)
  return anchorsBefore(tx, anchors, before, limit)
}

/** All anchors are gone through; the chain is asked for verifyGraphMs at most. */
export async function graphVerdictOf(
  evidence: GraphEvidence,
  parts: GraphVerdictParts,
): Promise<GraphVerdict> {
  const { readings, isConfigured, clock, pace } = parts
  const latest = isConfigured ? await readings.latest(evidence.graphKey) : undefined
  const stored = new StoredChain()
  const comparison = new Comparison(evidence.graphKey, readings, clock)
  for (let before: string | undefined; ; ) {
    const page = await evidence.page(before)
    before = page.at(-1)?.id
    if (before === undefined) break
    stored.add(page)
    if (latest !== undefined) await comparison.add(page.filter(isConfirmed))
    await pace.rest()
  }
  const { counts, sequence } = stored
  const { checked } = comparison
  const problem = (): GraphProblem | null => {
    if (!stored.isWhole) return 'anchor chain broken'
    if (!isConfigured) return 'no chain configured'
    if (latest === undefined) return 'chain unreachable'
    // What has just been sent is on the chain a little before it is confirmed here.
    if (latest.sequence > stored.newestSequence) return 'anchors missing'
    if (comparison.problem !== undefined) return comparison.problem
    if (checked < counts.anchors) return 'not all anchors checked'
    return sequence > 0 ? null : 'not anchored yet'
  }
  const found = problem()
  const chain = { chainSequence: latest?.sequence ?? null, root: latest?.root ?? null }
  return { verified: found === null, ...counts, checked, sequence, ...chain, problem: found }
}

function isConfirmed({ status }: Anchor): boolean {
  return status === 'confirmed'
}

/** What the anchors say of each other; added newest first. */
class StoredChain {
  readonly counts = { anchors: 0, pending: 0, failed: 0, memories: 0 }
  /** Place of the newest, and of the newest that is confirmed. */
  newestSequence = 0
  sequence = 0
  private isLinked = true
  /** The oldest confirmed one so far. */
  private oldest: Anchor | undefined
  private hasAny = false

  add(newestFirst: readonly Anchor[]): void {
    for (const anchor of newestFirst) {
      if (!this.hasAny) this.newestSequence = anchor.seq
      this.hasAny = true
      if (isConfirmed(anchor)) this.addConfirmed(anchor)
      else if (anchor.status === 'failed') this.counts.failed++
      else this.counts.pending++
    }
  }

  /** Each has the place after the one before it, and names its root; the first names none. */
  get isWhole(): boolean {
    const { oldest } = this
    return this.isLinked && (oldest === undefined || (oldest.seq === 1 && oldest.prev === null))
  }

  private addConfirmed(anchor: Anchor): void {
    const { oldest: next } = this
    if (next === undefined) this.sequence = anchor.seq
    else if (next.seq !== anchor.seq + 1 || next.prev !== anchor.root) this.isLinked = false
    this.oldest = anchor
    this.counts.anchors++
    this.counts.memories += anchor.count
  }
}

/** What the chain says of them, until it says no, or has been asked for long enough. */
class Comparison {
  checked = 0
  problem: GraphProblem | undefined
  private readonly untilMs: number

  constructor(
    private readonly graphKey: string,
    private readonly readings: ChainReadings,
    private readonly clock: Clock,
  ) {
    this.untilMs = clock.elapsed() + verifyGraphMs
  }

  async add(confirmed: readonly Anchor[]): Promise<void> {
    if (this.isOver) return
    await this.readings.gather(this.graphKey, confirmed, this.untilMs)
    for (let from = 0; from < confirmed.length && !this.isOver; from += verifyQuestionsAtOnce) {
      const some = confirmed.slice(from, from + verifyQuestionsAtOnce)
      const problems = await Promise.all(some.map((anchor) => this.problemOf(anchor)))
      this.checked += some.length
      this.problem = problems.find((one) => one !== undefined)
    }
  }

  private get isOver(): boolean {
    return this.problem !== undefined || this.clock.elapsed() > this.untilMs
  }

  private async problemOf(anchor: Anchor): Promise<GraphProblem | undefined> {
    const reading = await this.readings.of(this.graphKey, anchor.root, anchor.block)
    if (reading.kind === 'unreachable') return 'chain unreachable'
    const isTrue = reading.kind === 'found' && agrees(anchor, reading)
    return isTrue ? undefined : 'root not found on chain'
  }
}
