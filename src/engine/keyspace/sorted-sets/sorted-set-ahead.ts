// The members next to an end of a large sorted set, as far as the commands of one program have read
// them: a pipeline takes one after the other. The more it takes, the more are read at once.

import type { ScoredMember } from './sorted-set-place.js'

/** Read at first, where more commands follow, and at most. */
const aheadMin = 32
const aheadMax = 512

/** The next member at an end that is taken from; undefined where it has to be looked for. */
export interface Inner {
  readonly next: ScoredMember | undefined
  readonly reverse: boolean
}

/** Members were taken from an end, and the head is to say which one is there now. */
export interface Taken extends Inner {
  readonly next: ScoredMember
  /** What the edges may take of the head then. */
  readonly room: number
}

export class Ahead {
  private members: readonly ScoredMember[] = []
  private at = 0
  private isReverse = false
  private size = aheadMin

  /** So many are read at once: `limit` are taken now, and `left` commands follow. */
  wanted(limit: number, left: number): number {
    const { size } = this
    if (left > size) this.size = Math.min(2 * size, aheadMax)
    return limit + 1 + Math.min(left, size)
  }

  /** These stand next to an end, the nearest first. */
  fill(members: readonly ScoredMember[], reverse: boolean): void {
    this.members = members
    this.at = 0
    this.isReverse = reverse
  }

  /** Something else has changed. */
  forget(): void {
    this.members = []
    this.at = 0
  }

  /** Whether so many are known of that end, and one behind them. */
  has(limit: number, reverse: boolean): boolean {
    return this.isReverse === reverse && this.members.length - this.at > limit
  }

  /** The nearest one. */
  get first(): ScoredMember | undefined {
    return this.members[this.at]
  }

  /** The nearest one is taken. */
  take(): void {
    this.at++
  }

  /** The nearest `limit` are taken. */
  takeAll(limit: number): readonly ScoredMember[] {
    const { at } = this
    this.at += limit
    return this.members.slice(at, at + limit)
  }
}
