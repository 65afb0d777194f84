// Verdicts on several memories of a graph by one walk over its anchors, from the newest to the
// first that is older than all of them: an id contains its time, so no older anchor can list it.
// All ids share the walk and its chain reads. (docs/memory.md, "Verify")

import type { Clock } from '../../../base/clock.js'
import { anchorDueMs, verifyChainMs } from '../../../base/limits/memory.js'
import type { ExplorerUrl } from '../../../chain/explorer.js'
import type { Pace } from '../../../engine/background/pace-job.js'
import type { Awaitable } from '../../../store/store.js'
import { ulidTime } from '../../../value/ulid.js'
import { memoryPrefix } from '../../postings/packed-id.js'
import type { MerkleRoots } from '../leaves/merkle-roots.js'
import { ChainWalk, type JudgedAnchor, type StoredAnchor, type WalkParts } from './chain-walk.js'
import type { Evidence } from './evidence.js'
import type { GraphFacts } from './graph-evidence.js'
import { hasRoomFor, type Listing, notFound, type Verdict, verdictOf } from './verdict.js'

/** Time to recompute uncached roots: 3 ms each. */
const verifyRootsMs = 5_000

interface MemoriesEvidence {
  /** Undefined if the graph does not exist. */
  readonly facts: GraphFacts | undefined
  readonly ids: readonly string[]
  /** The existing ones of these memories. */
  readonly some: (ids: readonly string[]) => Awaitable<readonly Evidence[]>
  /** Anchors before one, newest first, or the newest; empty if none is left. */
  readonly anchors: (before: string | undefined) => Awaitable<readonly StoredAnchor[]>
}

interface MemoriesParts extends WalkParts {
  readonly roots: MerkleRoots
  readonly explorer: ExplorerUrl
  readonly clock: Clock
  readonly pace: Pace
  /** Memories that are read in one step. */
  readonly atOnce: number
}

/** One verdict for each id, in the given order. */
export async function verdictsOf(
  given: MemoriesEvidence,
  parts: MemoriesParts,
): Promise<Verdict[]> {
  const { facts, ids } = given
  if (facts === undefined) return ids.map(() => notFound)
  const evidence = new Map<string, Evidence>()
  const distinct = [...new Set(ids)]
  for (let from = 0; from < distinct.length; from += parts.atOnce) {
    for (const one of await given.some(distinct.slice(from, from + parts.atOnce))) {
      evidence.set(one.id, one)
    }
    await parts.pace.rest()
  }
  const walked = new Walked(new Set(evidence.keys()))
  const walk = new ChainWalk(facts, parts)
  if (evidence.size > 0) await walkAnchors(given, walk, walked, parts)
  const verdicts = new Map<string, Verdict>()
  for (const [id, one] of evidence) {
    verdicts.set(id, await judge(one, facts, { walk, walked, parts }))
  }
  const { second: graphKey } = facts.keys
  return ids.map((id) => verdicts.get(id) ?? { ...notFound, graphKey })
}

async function walkAnchors(
  given: MemoriesEvidence,
  walk: ChainWalk,
  walked: Walked,
  parts: MemoriesParts,
): Promise<void> {
  const { clock, pace } = parts
  const untilMs = clock.elapsed() + verifyChainMs
  await walk.begin()
  const rootsUntilMs = clock.elapsed() + verifyRootsMs
  for (let before: string | undefined; ; ) {
    const page = await given.anchors(before)
    before = page.at(-1)?.anchor.id
    if (before === undefined) return walk.end()
    for (const judged of await walk.judge(page, untilMs)) {
      walked.add(judged)
      if (!isSaid(judged)) continue
      if (clock.elapsed() > rootsUntilMs) walked.isPartial = true
      else if (!(await isSum(judged, parts.roots))) walked.hasWrongRoot = true
    }
    if (walked.isPast) return
    await pace.rest()
  }
}

interface Judging {
  readonly walk: ChainWalk
  readonly walked: Walked
  readonly parts: MemoriesParts
}

async function judge(
  evidence: Evidence,
  facts: GraphFacts,
  { walk, walked: met, parts }: Judging,
): Promise<Verdict> {
  const listings = met.listings.get(evidence.id) ?? []
  const named = met.find(evidence.anchorId)
  const listing = listings.find(({ judged }) => judged.anchor.id === evidence.anchorId)
  const proofValid = listing !== undefined && (await isSum(listing.judged, parts.roots))
  const before = named === undefined ? undefined : met.before(named)
  const { second: graphKey } = facts.keys
  const walked = { walk: walk.state.problem, isRooted: walk.isRooted }
  const roots = { rootsValid: !met.hasWrongRoot, isPartial: met.isPartial }
  const given = { evidence, listings, ...walked, named, proofValid, ...roots, before }
  return verdictOf(given, graphKey, parts.explorer)
}

/** Whether the batch gives the root and has the stated length. */
export async function isSum({ anchor, batch }: StoredAnchor, roots: MerkleRoots): Promise<boolean> {
  if (batch === undefined || batch.ids.length !== batch.hashes.length) return false
  return (await roots.rootOf(batch.hashes)) === anchor.root
}

/** Whether it makes a claim: an unsent anchor proves nothing, and is made again if it is wrong. */
export function isSaid({ anchor, reading }: JudgedAnchor): boolean {
  return reading.kind === 'found' || anchor.status === 'confirmed'
}

/** The results of the walk. */
class Walked {
  readonly listings = new Map<string, Listing[]>()
  /** Newest first. */
  private readonly judged: JudgedAnchor[] = []
  /** Only anchors made after this time can list any of the ids. */
  private readonly sinceMs: number
  isPast = false
  /** A batch does not give its root: it may have listed one of the ids. */
  hasWrongRoot = false
  /** There was no time to recompute all roots. */
  isPartial = false

  constructor(private readonly ids: ReadonlySet<string>) {
    const times = [...ids].map((id) => ulidTime(id.slice(memoryPrefix.length)) ?? 0)
    this.sinceMs = Math.min(...times) - anchorDueMs
  }

  add(judged: JudgedAnchor): void {
    const { batch, at } = judged
    // Only number and time of the others are needed later.
    this.judged.push({ ...judged, batch: undefined })
    for (const [i, id] of batch?.ids.entries() ?? []) {
      if (!this.ids.has(id)) continue
      const leaf = batch?.hashes[i] ?? ''
      const listing = { judged, n: batch?.ns?.[i] ?? 0, leaf }
      this.listings.set(id, [...(this.listings.get(id) ?? []), listing])
    }
    if (at !== undefined && at < this.sinceMs) this.isPast = true
  }

  find(anchorId: string | null): JudgedAnchor | undefined {
    return this.judged.find(({ anchor }) => anchor.id === anchorId)
  }

  /** The newest anchor before it that had room. */
  before(own: JudgedAnchor): JudgedAnchor | undefined {
    const at = this.judged.findIndex(({ anchor }) => anchor.id === own.anchor.id)
    const isBefore = (one: JudgedAnchor): boolean => {
      return one.at !== undefined && one.at < (own.at ?? 0) && hasRoomFor(one.anchor)
    }
    return this.judged.slice(at + 1).find(isBefore)
  }
}
