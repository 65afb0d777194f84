// Whether a graph's anchors are all there: their places and the roots before them, one by one, and
// against what the contract counts. It shows what no single memory can: an anchor that was taken
// away with all its memories, and a store that was set back. (facts: memory-dashboard A2, verify)

import { verifyAnchorsMax, verifyQuestionsAtOnce } from '../base/limits.js'
import type { Namespace } from '../engine/types.js'
import type { Program, ReadTx } from '../store/store.js'
import type { Anchor } from './anchor.js'
import { newestAnchors } from './anchors.js'
import type { ChainReadings } from './chain-readings.js'
import { agrees } from './verdict.js'

export type GraphProblem =
  | 'not anchored yet'
  | 'anchor chain broken'
  | 'anchors missing'
  | 'root not found on chain'
  | 'chain unreachable'
  | 'no chain configured'

export interface GraphVerdict {
  readonly verified: boolean
  /** Confirmed, on their way, and given up for a while: of the newest verifyAnchorsMax. */
  readonly anchors: number
  readonly pending: number
  readonly failed: number
  /** Memories in the confirmed ones. */
  readonly memories: number
  /** Place of the newest confirmed anchor here, and of the newest root on the chain. */
  readonly sequence: number
  readonly chainSequence: number | null
  /** Newest root on the chain. */
  readonly root: string | null
  readonly problem: GraphProblem | null
}

/** The newest anchors, oldest first. */
export function* anchorsToVerify(tx: ReadTx, anchors: Namespace): Program<Anchor[]> {
  return (yield* newestAnchors(tx, anchors, verifyAnchorsMax)).reverse()
}

export async function graphVerdictOf(
  graphKey: string,
  all: readonly Anchor[],
  readings: ChainReadings,
  isConfigured: boolean,
): Promise<GraphVerdict> {
  const confirmed = all.filter(({ status }) => status === 'confirmed')
  const latest = isConfigured ? await readings.latest(graphKey) : undefined
  const sequence = confirmed.at(-1)?.seq ?? 0
  const problem = async (): Promise<GraphProblem | null> => {
    if (!isLinked(confirmed)) return 'anchor chain broken'
    if (!isConfigured) return 'no chain configured'
    if (latest === undefined) return 'chain unreachable'
    // What has just been sent is on the chain a little before it is confirmed here.
    if (latest.sequence > (all.at(-1)?.seq ?? 0)) return 'anchors missing'
    return (await chainProblem(graphKey, confirmed, readings)) ?? (sequence > 0 ? null : none)
  }
  const found = await problem()
  return {
    ...{ verified: found === null, anchors: confirmed.length, sequence, problem: found },
    pending: all.filter(({ status }) => status === 'pending' || status === 'submitted').length,
    failed: all.filter(({ status }) => status === 'failed').length,
    memories: confirmed.reduce((sum, { count }) => sum + count, 0),
    chainSequence: latest?.sequence ?? null,
    root: latest?.root ?? null,
  }
}

const none: GraphProblem = 'not anchored yet'

/** Each has the place after the one before it, and names its root; the first of all names none. */
function isLinked(confirmed: readonly Anchor[]): boolean {
  return confirmed.every(({ seq, prev }, i) => {
    const before = confirmed[i - 1]
    if (before === undefined) return seq === 1 ? prev === null : prev !== null
    return seq === before.seq + 1 && prev === before.root
  })
}

async function chainProblem(
  graphKey: string,
  confirmed: readonly Anchor[],
  readings: ChainReadings,
): Promise<GraphProblem | undefined> {
  for (let from = 0; from < confirmed.length; from += verifyQuestionsAtOnce) {
    const some = confirmed.slice(from, from + verifyQuestionsAtOnce)
    const asked = some.map(async (anchor): Promise<GraphProblem | undefined> => {
      const reading = await readings.of(graphKey, anchor.root, anchor.block)
      if (reading.kind === 'unreachable') return 'chain unreachable'
      const isTrue = reading.kind === 'found' && agrees(anchor, reading)
      return isTrue ? undefined : 'root not found on chain'
    })
    const [first] = (await Promise.all(asked)).filter((one) => one !== undefined)
    if (first !== undefined) return first
  }
  return undefined
}
