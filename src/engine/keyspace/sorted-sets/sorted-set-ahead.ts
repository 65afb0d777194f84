// Reads ahead at an end of a large sorted set, for a pipeline that pops members one by one. The
// more it pops, the more are read at once.

import type { ScoredMember } from './sorted-set-place.js'

/** Members read ahead: first if more commands follow, and at most. */
const aheadMin = 32
const aheadMax = 512

/** The next member at an end; undefined if it must be searched. */
export interface Inner {
  readonly next: ScoredMember | undefined
  readonly reverse: boolean
}

/** Members were removed at an end, and the head must name the new end. */
export interface Taken extends Inner {
  readonly next: ScoredMember
  /** Bytes that the edges may use in the head. */
  readonly room: number
}

export class Ahead {
  private members: readonly ScoredMember[] = []
  private at = 0
  private isReverse = false
  private size = aheadMin

  /** How many members to read: `limit` are removed now, and `left` commands follow. */
  wanted(limit: number, left: number): number {
    const { size } = this
    if (left > size) this.size = Math.min(2 * size, aheadMax)
    return limit + 1 + Math.min(left, size)
  }

  /** Sets the members next to an end, nearest first. */
  fill(members: readonly ScoredMember[], reverse: boolean): void {
    this.members = members
    this.at = 0
    this.isReverse = reverse
  }

  /** Discards the members after another change. */
  forget(): void {
    this.members = []
    this.at = 0
  }

  /** Whether `limit` members of that end are known, plus the next one. */
  has(limit: number, reverse: boolean): boolean {
    return this.isReverse === reverse && this.members.length - this.at > limit
  }

  /** The nearest member. */
  get first(): ScoredMember | undefined {
    return this.members[this.at]
  }

  /** Removes the nearest member. */
  take(): void {
    this.at++
  }

  /** Removes and returns the nearest `limit` members. */
  takeAll(limit: number): readonly ScoredMember[] {
    const { at } = this
    this.at += limit
    return this.members.slice(at, at + limit)
  }
}
