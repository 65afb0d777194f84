// The sweep over a whole graph: only it shows that nothing is missing. It compares anchors and
// batches with the chain, then checks leaves, memories and edges, in bounded steps. Each request
// returns where the next one continues. (docs/memory.md, "The sweep")

import type { Clock } from '../../../base/clock.js'
import { fail } from '../../../base/errors.js'
import { sweepEntriesMax, sweepListedMax, verifyGraphMs } from '../../../base/limits/memory.js'
import type { Pace } from '../../../engine/background/pace-job.js'
import type { Program, ReadTx } from '../../../store/store.js'
import type { AnchoredGraph } from '../anchors/anchor-batch.js'
import type { GraphPrograms } from '../graph-programs.js'
import type { MerkleRoots } from '../leaves/merkle-roots.js'
import { ChainWalk, type WalkParts } from '../verdicts/chain-walk.js'
import { type GraphFacts, graphFacts } from '../verdicts/graph-evidence.js'
import { isSaid, isSum } from '../verdicts/memory-verdicts.js'
import type { Finding, SweepProblem } from './sweep-checks.js'
import { cursorOf, readCursor, type SweepState, sweepParts, sweepStart } from './sweep-cursor.js'
import { Lateness } from './sweep-lateness.js'
import {
  anchorsStep,
  edgesStep,
  leavesStep,
  memoriesStep,
  newestMarked,
  type Step,
  sizeOf,
} from './sweep-steps.js'

export interface GraphVerdict {
  /** The sweep is complete and found no problem. */
  readonly verified: boolean
  /** False: the next request continues with `cursor`. */
  readonly complete: boolean
  readonly graphKey: string
  /** Confirmed, pending, and failed for now. */
  readonly anchors: number
  readonly pending: number
  readonly failed: number
  /** Memories in the confirmed ones. */
  readonly memories: number
  /** Anchors that were compared with the chain. */
  readonly checked: number
  /** Memories without an anchor. */
  readonly unanchored: number
  /** Memories that were anchored late: a warning. */
  readonly late: number
  /** Number of the chain's newest root at the start of the sweep. */
  readonly sequence: number
  readonly chainSequence: number | null
  readonly root: string | null
  /** The first of `problems`, of this request or an earlier one. */
  readonly problem: SweepProblem | null
  /** Problems of this request, and the number of problems of the sweep so far. */
  readonly problems: readonly Finding[]
  readonly problemCount: number
  readonly lateIds: readonly string[]
  readonly progress: { readonly done: number; readonly of: number }
  readonly cursor: string | null
}

interface SweepParts extends WalkParts {
  readonly roots: MerkleRoots
  readonly clock: Clock
  readonly pace: Pace
  /** Leaves and documents of one request; sweepEntriesMax by default. */
  readonly entries?: number | undefined
}

/** One request of a sweep. Rejects with BadValue if the cursor cannot continue. */
export async function sweepGraph(
  read: GraphPrograms['read'],
  cursor: string | undefined,
  parts: SweepParts,
): Promise<GraphVerdict | undefined> {
  const begun = await read(function* (tx, graph) {
    const newest = yield* newestMarked(tx, graph.anchors)
    return { facts: yield* graphFacts(tx, graph), newest, size: yield* sizeOf(tx, graph) }
  })
  if (begun === undefined) return undefined
  const { facts, newest, size } = begun
  const state = cursor === undefined ? { ...sweepStart(), newest } : readCursor(cursor)
  const request = new SweepRequest(read, facts, parts, state)
  await request.begin(cursor !== undefined)
  await request.run()
  return request.verdict(size)
}

class SweepRequest {
  private readonly findings: Finding[] = []
  private readonly lateIds: string[] = []
  private readonly walk: ChainWalk
  private readonly lateness: Lateness
  private readonly untilMs: number
  private left: number

  constructor(
    private readonly read: GraphPrograms['read'],
    private readonly facts: GraphFacts,
    private readonly parts: SweepParts,
    private readonly state: SweepState,
  ) {
    this.walk = new ChainWalk(facts, parts, state.walk)
    this.lateness = new Lateness(read, facts.keys, parts)
    this.untilMs = parts.clock.elapsed() + verifyGraphMs
    this.left = parts.entries ?? sweepEntriesMax
  }

  async begin(isNext: boolean): Promise<void> {
    const { walk, state } = this
    await walk.begin()
    const { latest } = walk
    if (latest === undefined) return
    if (!isNext) {
      state.sequence = latest.sequence
      state.root = latest.root
    } else if (latest.sequence < state.sequence || !(await this.isThere())) {
      throw fail('BadValue', 'the chain has no such root any more: begin the sweep again')
    }
  }

  /** Whether the root of the cursor is still at its place on the chain. */
  private async isThere(): Promise<boolean> {
    const { state, walk, parts, facts } = this
    if (state.root === null || state.root === walk.latest?.root) return true
    const { first, second } = facts.keys
    for (const key of [second, first]) {
      const reading = await parts.readings.of(key, state.root, null)
      if (reading.kind === 'unreachable') return true
      if (reading.kind === 'found') return reading.entry.sequence === state.sequence
    }
    return false
  }

  async run(): Promise<void> {
    const { parts, state } = this
    while (state.part !== 'end' && this.left > 0) {
      await this.step()
      await parts.pace.rest()
      if (parts.clock.elapsed() > this.untilMs) return
    }
  }

  private async step(): Promise<void> {
    const { state, walk } = this
    const step = await this.read((tx, graph) => this.programOf(tx, graph))
    if (step === undefined) throw fail('GraphNotFound', 'the graph is gone')
    state.done += step.documents
    this.left -= step.entries
    for (const judged of await walk.judge(step.anchors, this.untilMs)) {
      if (isSaid(judged) && !(await isSum(judged, this.parts.roots))) {
        this.note([{ id: judged.anchor.id, problem: 'merkle proof invalid' }])
      }
    }
    this.note(step.findings)
    state.listed += step.listed
    state.recorded += step.recorded
    state.unanchored += step.unanchored
    for (const memory of step.memories) {
      if (!(await this.lateness.isLate(memory))) continue
      state.late++
      if (this.lateIds.length < sweepListedMax) this.lateIds.push(memory.id)
    }
    state.after = step.after ?? ''
    if (step.after === undefined) this.endPart()
  }

  private programOf(tx: ReadTx, graph: AnchoredGraph): Program<Step> {
    const { part, after, newest } = this.state
    if (part === 'anchors') return anchorsStep(tx, graph, after, newest)
    if (part === 'leaves') return leavesStep(tx, graph, 'leaf', after, newest)
    if (part === 'waiting') return leavesStep(tx, graph, 'wait', after, newest)
    if (part === 'memories') return memoriesStep(tx, graph, after, newest)
    return edgesStep(tx, graph, after)
  }

  private endPart(): void {
    const { state, walk } = this
    if (state.part === 'anchors') walk.end()
    if (state.part === 'leaves' && state.listed !== state.recorded) {
      this.note([{ id: 'graph', problem: 'leaf not in anchor batch' }])
    }
    state.part = sweepParts[sweepParts.indexOf(state.part) + 1] ?? 'end'
  }

  private note(findings: readonly Finding[]): void {
    const { state } = this
    for (const finding of findings) {
      state.problems++
      state.first ??= finding.problem
      if (this.findings.length < sweepListedMax) this.findings.push(finding)
    }
  }

  verdict(size: Step['documents']): GraphVerdict {
    const { state, walk, facts } = this
    const { anchors, pending, failed, memories, problem: walked } = state.walk
    const complete = state.part === 'end'
    const none = complete && anchors === 0 ? 'not anchored yet' : null
    const problem = walked ?? state.first ?? none
    const { late, unanchored, sequence, root, done } = state
    return {
      verified: complete && problem === null,
      complete,
      graphKey: facts.keys.second,
      anchors,
      pending,
      failed,
      memories,
      checked: anchors,
      unanchored,
      late,
      sequence,
      chainSequence: walk.latest?.sequence ?? null,
      root,
      problem,
      problems: this.findings,
      problemCount: state.problems,
      lateIds: this.lateIds,
      progress: { done: complete ? size : Math.min(done, size), of: size },
      cursor: complete ? null : cursorOf(state),
    }
  }
}
