// Finds the best memories for a question. Cursors are merged in id order, so each memory's score is
// complete when it is reached, and only a heap of the best is kept.

import { scoredUnits } from '../../base/work/work-figures.js'
import { BoundedHeap } from '../../query/heap.js'
import type { Program, ReadTx } from '../../store/store.js'
import { compareIds, timeAt, unpackId } from '../postings/packed-id.js'
import { isAtEnd, type ScoreCursor } from './score-cursors.js'

export interface Scored {
  readonly id: string
  readonly score: number
  /** Milliseconds since 1970; from the id. */
  readonly createdAt: number
}

/** Decimals of scores, in replies and in comparisons. */
const decimals = 1e6

export function rounded(score: number): number {
  return Math.round(score * decimals) / decimals
}

/** The better first; of equal ones the newer, then the smaller id. */
export function compareScored(a: Scored, b: Scored): number {
  return b.score - a.score || b.createdAt - a.createdAt || (a.id < b.id ? -1 : 1)
}

/** At most `limit` memories of any cursor, best first. */
export function* bestOf(
  tx: ReadTx,
  cursors: readonly ScoreCursor[],
  limit: number,
): Program<Scored[]> {
  const best = new BoundedHeap<Scored>(limit, compareScored)
  const firsts: ScoreCursor[] = []
  for (const cursor of cursors) yield* cursor.load(tx)
  for (;;) {
    yield* tx.pause(scoredUnits)
    findFirsts(cursors, firsts)
    const [first] = firsts
    if (first === undefined) return best.sorted()
    const { block, at } = first
    let sum = 0
    for (const cursor of firsts) {
      sum += cursor.score()
      cursor.advance()
      if (isAtEnd(cursor)) yield* cursor.load(tx)
    }
    const score = rounded(sum)
    if (score < (best.largest?.score ?? 0)) continue
    best.push({ id: unpackId(block, at), score, createdAt: timeAt(block, at) })
  }
}

/** Puts the cursors at the smallest id into `firsts`: usually one. */
function findFirsts(cursors: readonly ScoreCursor[], firsts: ScoreCursor[]): void {
  firsts.length = 0
  for (const cursor of cursors) {
    if (isAtEnd(cursor)) continue
    const [first] = firsts
    const { block, at } = cursor
    const order = first === undefined ? 0 : compareIds(block, at, first.block, first.at)
    if (order > 0) continue
    if (order < 0) firsts.length = 0
    firsts.push(cursor)
  }
}
