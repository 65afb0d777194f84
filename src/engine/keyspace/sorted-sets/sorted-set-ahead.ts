// Reads ahead at an end of a large sorted set, for a pipeline that pops members one by one and for
// the programs after it. The more was popped in a row, the more is read at once.

import type { Bytes } from '../../../base/bytes/bytes.js'
import { Slice } from '../../../base/bytes/slice.js'
import { memberKeyBytesMax } from '../../../base/limits/key-value.js'
import { type ScoredMember, scoreBytes } from './sorted-set-place.js'

/** Members read ahead: first if more commands follow, and at most. */
const aheadMin = 32
export const aheadMax = 512

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

/** The members that are left, for a later program; it is not changed. */
export interface AheadRest {
  /** The nearest member is at `at`; those before it were removed. */
  readonly members: readonly ScoredMember[]
  readonly at: number
  readonly reverse: boolean
  /** Members removed at this end in a row. */
  readonly taken: number
  /** Size of all names in `members`, bytes. */
  readonly bytes: number
}

export class Ahead {
  private members: readonly ScoredMember[] = []
  private at = 0
  private isReverse = false
  private size = aheadMin
  private taken = 0
  /** Size of the names if `members` has its own memory, else 0. */
  private ownBytes = 0
  /** Whether nothing has been read, removed or forgotten yet. */
  isUntouched = true

  /**
   * How many members to read: `limit` are removed now, and `left` commands follow. Twice what was
   * removed at this end in a row, if the program has that `room`: later programs continue there.
   */
  wanted(limit: number, left: number, reverse: boolean, room: (members: number) => number): number {
    const { size } = this
    if (left > size) this.size = Math.min(2 * size, aheadMax)
    if (this.isReverse !== reverse) this.taken = 0
    const follow = Math.min(left, size)
    const later = Math.min(this.taken, aheadMax) - follow
    return limit + 1 + follow + (later > 0 ? room(later) : 0)
  }

  /** Sets the members next to an end, nearest first. */
  fill(members: readonly ScoredMember[], reverse: boolean): void {
    this.members = members
    this.at = 0
    this.isReverse = reverse
    this.ownBytes = 0
    this.isUntouched = false
  }

  /** Continues with what an earlier program left. */
  recall({ members, at, reverse, taken, bytes }: AheadRest): void {
    this.fill(members, reverse)
    this.at = at
    this.taken = taken
    this.ownBytes = bytes
  }

  /** Discards the members after another change. */
  forget(): void {
    this.members = []
    this.at = 0
    this.taken = 0
    this.ownBytes = 0
    this.isUntouched = false
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
    this.taken++
  }

  /** Removes and returns the nearest `limit` members. */
  takeAll(limit: number): readonly ScoredMember[] {
    const { at } = this
    this.at += limit
    this.taken += limit
    return this.members.slice(at, at + limit)
  }

  /** What a later program may continue with; undefined after another change. */
  rest(): AheadRest | undefined {
    if (this.taken === 0) return undefined
    if (this.ownBytes === 0) this.own()
    const { members, at, isReverse: reverse, taken, ownBytes: bytes } = this
    return { members, at, reverse, taken, bytes }
  }

  /** Copies the names, which are in the memory of a scan, up to the first long one. */
  private own(): void {
    const { members, at } = this
    let end = at
    let bytes = 0
    for (; end < members.length; end++) {
      const { length } = (members[end] as ScoredMember).member
      if (scoreBytes + length >= memberKeyBytesMax) break
      bytes += length
    }
    this.members = copies(members, at, end, new Uint8Array(bytes))
    this.at = 0
    this.ownBytes = bytes
  }
}

function copies(
  members: readonly ScoredMember[],
  from: number,
  to: number,
  memory: Bytes,
): ScoredMember[] {
  const made: ScoredMember[] = []
  let end = 0
  for (let i = from; i < to; i++) {
    const { member, score } = members[i] as ScoredMember
    const { bytes } = member
    const start = end
    for (let at = member.start; at < member.end; at++) memory[end++] = bytes[at] as number
    made.push({ member: new Slice(memory, start, end), score })
  }
  return made
}
