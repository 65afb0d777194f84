// Whether members are in a set, asked many times. Members that come in the order in which large
// sets keep theirs are compared with a walk through the set: that costs a fraction of a look-up
// each, unless the set is much larger than what is asked for.

import type { Slice } from '../../../base/bytes/slice.js'
import { memberKeyPrefixBytes, scanEntriesMax } from '../../../base/limits.js'
import type { Program } from '../../../store/store.js'
import type { MemberSet } from './set.js'

/** A look-up costs as much as the walk past so many members. */
const walkedPerLookUp = 3

export class Presence {
  private readonly walks: boolean
  private page: readonly Slice[] = []
  private at = 0
  private isOver = false

  /** So many members are asked for; `inOrder` where they come as MemberSet.scan answers them. */
  constructor(
    private readonly set: MemberSet,
    asked: number,
    inOrder: boolean,
  ) {
    this.walks = inOrder && set.isLarge && set.size < walkedPerLookUp * asked
  }

  /** Undefined where something has to be read first: then `has` tells. */
  hasNow(member: Slice): boolean | undefined {
    // A longer one may lie where its hash says.
    if (!this.walks || member.length >= memberKeyPrefixBytes) return undefined
    const { page } = this
    for (; this.at < page.length; this.at++) {
      const order = (page[this.at] as Slice).compare(member)
      if (order >= 0) return order === 0
    }
    return this.isOver ? false : undefined
  }

  *has(member: Slice): Program<boolean> {
    if (!this.walks || member.length >= memberKeyPrefixBytes) return yield* this.set.has(member)
    for (;;) {
      const known = this.hasNow(member)
      if (known !== undefined) return known
      this.page = yield* this.set.scan(this.page.at(-1), scanEntriesMax)
      this.at = 0
      this.isOver = this.page.length < scanEntriesMax
    }
  }
}
