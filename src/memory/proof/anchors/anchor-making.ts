// Makes batches of one graph: gathers leaves, computes roots off the event loop, and stores them in
// bounded programs. The caller runs the programs: those of a command go through its guard, those of
// the job do not.

import type { Clock, Random } from '../../../base/clock.js'
import { ulidRandomBytes } from '../../../value/ulid.js'
import { endRequest } from '../../graph/graph-settings.js'
import type { GraphPrograms } from '../graph-programs.js'
import type { MerkleRoots } from '../leaves/merkle-roots.js'
import { upgradeProofs } from '../leaves/upgrade.js'
import type { Anchor } from './anchor.js'
import { beginAnchor, gather, gatherThese, hasUnsent, markSome } from './anchor-batch.js'
import { findBatch, newestAnchors } from './anchors.js'

interface MakingParts {
  readonly clock: Clock
  readonly random: Random
  readonly roots: MerkleRoots
}

/** Attempts to store a batch if memories are deleted meanwhile. */
const triesMax = 5

interface Wanted {
  /** The memories; everything waiting by default. */
  readonly ids?: ReadonlySet<string> | undefined
  /** Makes nothing while another anchor of the graph waits for its transaction. */
  readonly isAlone?: boolean
}

interface MadeAnchor {
  readonly anchor: Anchor
  /** Nothing wanted is left, apart from later writes. */
  readonly isLast: boolean
}

/**
 * The next anchor of a graph; undefined if there is nothing to make. A request for the whole graph
 * ends in the program that stores its last batch, or when nothing is left. So a crash between
 * batches does not lose the rest, and later writes do not extend it.
 */
export async function makeAnchor(
  programs: GraphPrograms,
  { clock, random, roots }: MakingParts,
  { ids, isAlone = false }: Wanted = {},
): Promise<MadeAnchor | undefined> {
  await finishMarking(programs)
  if (!(await upgradeProofs(programs, clock))) return undefined
  for (let tries = 0; tries < triesMax; tries++) {
    const found = await programs.read(function* (tx, graph) {
      if (isAlone && (yield* hasUnsent(tx, graph))) return undefined
      if (ids !== undefined) return { batch: yield* gatherThese(tx, graph, ids) }
      return { batch: yield* gather(tx, graph), requestedSeq: graph.settings.requestedSeq }
    })
    if (found === undefined) return undefined
    const { batch, requestedSeq } = found
    const root = await roots.rootOf(batch.hashes)
    if (root === undefined) {
      if (requestedSeq === undefined) return undefined
      return programs.write(function* (tx, { anchors }) {
        yield* endRequest(tx, anchors, requestedSeq)
        return undefined
      })
    }
    const made = { root, random: random.bytes(ulidRandomBytes), now: clock.now(), isAlone }
    const anchor = await programs.write(function* (tx, graph) {
      const begun = yield* beginAnchor(tx, graph, batch, made)
      if (begun === undefined || !batch.isAll || requestedSeq === undefined) return begun
      yield* endRequest(tx, graph.anchors, requestedSeq)
      return begun
    })
    if (anchor === undefined) continue
    await finishMarking(programs)
    return { anchor, isLast: batch.isAll }
  }
  return undefined
}

/** Marks the leaves of the newest anchor: a crash may have interrupted it. */
export async function finishMarking(programs: GraphPrograms): Promise<void> {
  const found = await programs.read(function* (tx, { anchors }) {
    const [newest] = yield* newestAnchors(tx, anchors, 1)
    if (newest === undefined || newest.isMarked) return undefined
    const batch = yield* findBatch(tx, anchors, newest.id)
    return { anchor: newest, batch: batch ?? { ids: [], hashes: [] } }
  })
  if (found === undefined) return
  const { anchor, batch } = found
  for (let from: number | undefined = 0; from !== undefined; ) {
    const at: number = from
    from = await programs.write((tx, graph) => markSome(tx, graph, anchor, batch, at))
  }
}
