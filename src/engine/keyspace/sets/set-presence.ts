// Repeated membership tests on one set. If the members come in the order of a large set, they are
// compared with a walk through it. A walk costs a fraction of a lookup for each member, unless the
// set is much larger than the number of tests.

import type { Slice } from '../../../base/bytes/slice.js'
import { scanEntriesMax } from '../../../base/limits/engine.js'
import { memberKeyPrefixBytes } from '../../../base/limits/key-value.js'
import type { Program } from '../../../store/store.js'
import { ExpectedMembers } from '../containers/expected-members.js'
import type { MemberSet } from './set.js'

/** One lookup costs as much as walking this many members. */
const walkedPerLookUp = 3

export class Presence {
  private readonly walks: boolean
  private page: readonly Slice[] = []
  private at = 0
  private isOver = false
  private expected: ExpectedMembers | undefined

  /** `inOrder`: the tests come in the order of MemberSet.page. */
  constructor(
    private readonly set: MemberSet,
    asked: number,
    inOrder: boolean,
  ) {
    this.walks = inOrder && set.isLarge && set.size < walkedPerLookUp * asked
  }

  /** The next tests are of these members, or of some of them in this order. */
  expect(members: readonly Slice[]): void {
    if (this.walks) return
    const ahead = this.set.ahead(members.length, (index) => members[index] as Slice)
    this.expected = ahead === undefined ? undefined : new ExpectedMembers(members, ahead)
  }

  /** Undefined if a read is needed; then call `has`. */
  hasNow(member: Slice): boolean | undefined {
    // The order of a longer member depends on its hash.
    if (!this.walks || member.length >= memberKeyPrefixBytes) return undefined
    const { page } = this
    for (; this.at < page.length; this.at++) {
      const order = (page[this.at] as Slice).compare(member)
      if (order >= 0) return order === 0
    }
    return this.isOver ? false : undefined
  }

  *has(member: Slice): Program<boolean> {
    if (!this.walks || member.length >= memberKeyPrefixBytes) {
      if (this.expected !== undefined) yield* this.expected.before(member)
      return yield* this.set.has(member)
    }
    for (;;) {
      const known = this.hasNow(member)
      if (known !== undefined) return known
      const page = yield* this.set.page(this.page.at(-1), scanEntriesMax)
      this.page = page.members
      this.at = 0
      this.isOver = page.isOver
    }
  }
}
