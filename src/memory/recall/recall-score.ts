// Scores the memories of a context by their texts, by their neighbours, and by their distance from
// an entity. (docs/memory.md, "Recall, exactly")

import { edgeTypes } from '../nodes/edge.js'
import type { Memory } from '../nodes/node.js'
import type { Context } from './context.js'
import type { Question } from './question.js'
import { rounded } from './ranking.js'

/** How fast a score falls with the distance from an entity. */
const fadingPerHop = 0.5

export interface Recalled {
  readonly memory: Memory
  readonly score: number
  /** Hops from the nearest seed. */
  readonly distance: number
  /** The parts of the score: of the text, of entities and of neighbours. */
  readonly bm25: number
  readonly boost: number
}

interface Scoring {
  readonly request: {
    readonly entity?: string | undefined
    readonly hops: number
    readonly neighbours: number
  }
  readonly question: Question | undefined
  readonly context: Context
  readonly memories: readonly Memory[]
}

/** Memories with a score, unordered. */
export function recalledOf({ request, question, context, memories }: Scoring): Recalled[] {
  const isAnchored = request.entity !== undefined
  const bm25 = new Map<string, number>()
  if (question !== undefined) {
    for (const memory of memories) bm25.set(memory.id, question.scoreOf(memory))
  }
  const alpha = request.hops === 0 ? 0 : request.neighbours
  const shares = sharesOf(context, bm25, alpha)
  const recalled: Recalled[] = []
  for (const memory of memories) {
    const distance = context.distances.get(memory.id) ?? 0
    const own = bm25.get(memory.id) ?? 0
    const boost = (question?.boostOf(memory) ?? 0) + (shares.get(memory.id) ?? 0)
    const isFound = question === undefined || own > 0 || (boost > 0 && !isAnchored)
    if (!isFound) continue
    const whole = question === undefined ? 1 / (1 + distance) : own + boost
    const fading = question !== undefined && isAnchored ? 1 + fadingPerHop * distance : 1
    const score = rounded(whole / fading)
    recalled.push({ memory, distance, score, bm25: rounded(own), boost: rounded(boost) })
  }
  return recalled
}

/** The best first; of equal ones the nearer, then the newer, then the smaller id. */
export function compareRecalled(a: Recalled, b: Recalled): number {
  const byScore = b.score - a.score || a.distance - b.distance
  if (byScore !== 0) return byScore
  return b.memory.createdAt - a.memory.createdAt || (a.memory.id < b.memory.id ? -1 : 1)
}

/**
 * What each memory gets from its neighbours (follows, precedes, relates): the share of the best
 * one. With all of them together it could rank above the memory that answers.
 */
function sharesOf(
  { edges }: Context,
  scores: ReadonlyMap<string, number>,
  alpha: number,
): Map<string, number> {
  const shares = new Map<string, number>()
  if (alpha === 0) return shares
  const give = (from: string, to: string): void => {
    const share = alpha * (scores.get(from) ?? 0)
    if (share > 0) shares.set(to, Math.max(share, shares.get(to) ?? 0))
  }
  for (const { from, to, type } of edges) {
    if (type !== edgeTypes.next && type !== edgeTypes.relates) continue
    give(from, to)
    give(to, from)
  }
  return shares
}
