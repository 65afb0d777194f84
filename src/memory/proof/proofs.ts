// Combines everything that proves memories over one chain: the job that anchors them, and the
// verdicts on them.

import { fail } from '../../base/errors.js'
import { anchorPayMs, verifyMemoriesAtOnce } from '../../base/limits/memory.js'
import { type ExplorerUrl, explorerOf } from '../../chain/explorer.js'
import type { OpenChain } from '../../chain/open.js'
import type { Program, Tx } from '../../store/store.js'
import type { GraphPath } from '../graph/graph-names.js'
import { noteRequest } from '../graph/graph-settings.js'
import { type AnchoredGraph, countWaiting, gatherThese } from './anchors/anchor-batch.js'
import { AnchorJob, type AnchorJobParts } from './anchors/anchor-job.js'
import { makeAnchor } from './anchors/anchor-making.js'
import type { GraphPrograms } from './graph-programs.js'
import { MerkleRoots } from './leaves/merkle-roots.js'
import { type GraphVerdict, sweepGraph } from './sweep/sweep.js'
import { storedAnchors } from './sweep/sweep-steps.js'
import { ChainReadings } from './verdicts/chain-readings.js'
import type { StoredAnchor } from './verdicts/chain-walk.js'
import { type Evidence, evidencesOf } from './verdicts/evidence.js'
import { type ExportedEvidence, exportedOf } from './verdicts/exported.js'
import { graphFacts } from './verdicts/graph-evidence.js'
import { verdictsOf } from './verdicts/memory-verdicts.js'
import type { Verdict } from './verdicts/verdict.js'

export interface ProofsOptions extends Omit<AnchorJobParts, 'anchors' | 'roots' | 'payEveryMs'> {
  readonly chain: Pick<OpenChain, 'kind' | 'chainId' | 'anchors'>
  /** Setting EXPLORER_TX_URL. */
  readonly explorerTemplate?: string | undefined
  /** Pause between transactions; anchorPayMs by default on a chain with fees. */
  readonly payEveryMs?: number
  /** How long verify waits for the chain, milliseconds. */
  readonly waitMs?: number
}

/** The result of an anchoring request. */
export interface Requested {
  /** Null: nothing to make, or made with the next transaction. */
  readonly anchorId: string | null
  /** Number of memories that it anchors. */
  readonly count: number
}

export class Proofs {
  readonly job: AnchorJob
  private readonly roots = new MerkleRoots()
  private readonly readings: ChainReadings
  private readonly explorer: ExplorerUrl

  constructor(private readonly options: ProofsOptions) {
    const { chain, clock, explorerTemplate: template, waitMs } = options
    const { kind, chainId, anchors } = chain
    this.explorer = explorerOf({ isLocal: kind === 'local', chainId, template })
    this.readings = new ChainReadings({ anchors, clock, waitMs })
    const { payEveryMs = kind === 'local' ? 0 : anchorPayMs } = options
    this.job = new AnchorJob({ ...options, anchors, roots: this.roots, payEveryMs })
  }

  /** One verdict for each id, in the given order. */
  async verify(read: GraphPrograms['read'], ids: readonly string[]): Promise<Verdict[]> {
    const { explorer } = this
    const facts = await read((tx, graph) => graphFacts(tx, graph))
    const some = async (wanted: readonly string[]): Promise<readonly Evidence[]> =>
      (await read((tx, graph) => evidencesOf(tx, graph, wanted))) ?? []
    const anchors = async (before: string | undefined): Promise<readonly StoredAnchor[]> =>
      (await read((tx, graph) => storedAnchors(tx, graph.anchors, before))) ?? []
    const parts = { ...this.walkParts(), explorer, atOnce: verifyMemoriesAtOnce }
    return verdictsOf({ facts, ids, some, anchors }, parts)
  }

  /** One request of a sweep; undefined if the graph does not exist. */
  verifyGraph(
    read: GraphPrograms['read'],
    cursor?: string,
    entries?: number,
  ): Promise<GraphVerdict | undefined> {
    return sweepGraph(read, cursor, { ...this.walkParts(), entries })
  }

  /** Evidence for a memory that needs no server; undefined if the memory does not exist. */
  async export(read: GraphPrograms['read'], id: string): Promise<ExportedEvidence | undefined> {
    return exportedOf(read, id, this.roots)
  }

  private walkParts() {
    const { roots, readings, options } = this
    const { chain, clock, pace } = options
    return { roots, readings, isConfigured: chain.anchors.isConfigured, clock, pace }
  }

  /**
   * Makes the next anchor of a graph and sends it; without `ids`, also everything else that waits.
   * While another anchor of the graph waits for its transaction, none is made: the graph remembers
   * the request for the next one. Rejects with CHAIN_UNAVAILABLE, and then makes none.
   */
  async anchor(
    graph: GraphPath,
    programs: GraphPrograms,
    ids: ReadonlySet<string> | undefined,
  ): Promise<Requested> {
    const { anchors } = this.options.chain
    if (!anchors.isConfigured) throw noChain()
    await (await anchors.client()).reachable()
    const making = { ...this.options, roots: this.roots }
    const made = await makeAnchor(programs, making, { ids, isAlone: true })
    const left = made?.isLast === true ? undefined : await programs.write(requestOf(ids))
    if (made === undefined && !left) this.job.hurry()
    else this.job.request(graph)
    return { anchorId: made?.anchor.id ?? null, count: made?.anchor.count ?? left ?? 0 }
  }
}

/** Records the rest of a request for the next transaction; returns its number of memories. */
function requestOf(ids: ReadonlySet<string> | undefined) {
  return function* (tx: Tx, graph: AnchoredGraph): Program<number> {
    const left =
      ids === undefined
        ? yield* countWaiting(tx, graph)
        : (yield* gatherThese(tx, graph, ids)).ids.length
    if (left > 0) yield* noteRequest(tx, graph.anchors)
    return left
  }
}

/** The error if no chain is set. */
export function noChain(): Error {
  return fail('HostUnreachable', 'no chain is set to anchor memories on', {
    reason: 'CHAIN_UNAVAILABLE',
  })
}
