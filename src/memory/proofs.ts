// Everything that proves memories, put together over one chain: the job that anchors them, and the
// answers to whoever asks whether they are proved.

import { fail } from '../base/errors.js'
import { type ExplorerUrl, explorerOf } from '../chain/explorer.js'
import type { OpenChain } from '../chain/open.js'
import type { Anchor } from './anchor.js'
import { AnchorJob, type AnchorJobParts } from './anchor-job.js'
import { type GraphPrograms, makeAnchor } from './anchor-making.js'
import { ChainReadings } from './chain-readings.js'
import type { Evidence } from './evidence.js'
import { type GraphVerdict, graphVerdictOf } from './graph-verdict.js'
import { MerkleRoots } from './merkle-roots.js'
import { type Verdict, verdictOf } from './verdict.js'

export interface ProofsOptions extends Omit<AnchorJobParts, 'anchors' | 'roots'> {
  readonly chain: Pick<OpenChain, 'kind' | 'chainId' | 'anchors'>
  /** Setting EXPLORER_TX_URL. */
  readonly explorerTemplate?: string | undefined
  /** How long verify waits for the chain, milliseconds. */
  readonly waitMs?: number
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
    this.job = new AnchorJob({ ...options, anchors, roots: this.roots })
  }

  verify(evidence: Evidence): Promise<Verdict> {
    const { roots, readings, explorer } = this
    return verdictOf(evidence, { roots, readings, explorer })
  }

  /** `anchors` are the newest of the graph, oldest first. */
  verifyGraph(graphKey: string, anchors: readonly Anchor[]): Promise<GraphVerdict> {
    const { isConfigured } = this.options.chain.anchors
    return graphVerdictOf(graphKey, anchors, this.readings, isConfigured)
  }

  /**
   * Makes the next anchor of a graph and has it sent, and all else that waits there unless `ids`
   * says which. Rejects with CHAIN_UNAVAILABLE, and then makes none.
   */
  async anchor(
    graph: string,
    programs: GraphPrograms,
    ids: ReadonlySet<string> | undefined,
  ): Promise<Anchor | undefined> {
    const { anchors } = this.options.chain
    if (!anchors.isConfigured) throw noChain()
    await (await anchors.client()).reachable()
    const made = await makeAnchor(programs, { ...this.options, roots: this.roots }, ids)
    if (ids === undefined) this.job.request(graph)
    else this.job.hurry()
    return made
  }
}

/** What is answered where no chain is set. */
export function noChain(): Error {
  return fail('HostUnreachable', 'no chain is set to anchor memories on', {
    reason: 'CHAIN_UNAVAILABLE',
  })
}
