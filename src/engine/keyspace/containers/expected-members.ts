// Reads ahead for tests of members against another container, where the members are known in order,
// but some of them may not be tested.

import type { Slice } from '../../../base/bytes/slice.js'
import type { ReadAhead } from '../../../store/read-ahead.js'
import { nothing } from '../../../store/steps.js'
import type { Step } from '../../../store/store.js'

export class ExpectedMembers {
  private passed = 0

  /** `ahead` reads the members in this order. */
  constructor(
    private readonly members: readonly Slice[],
    private readonly ahead: ReadAhead,
  ) {}

  /** To be run before a member, one of the same objects, is read. */
  before(member: Slice): Step<void> {
    const { members } = this
    while (this.passed < members.length && members[this.passed] !== member) this.passed++
    return this.passed < members.length ? this.ahead.before(this.passed) : nothing
  }
}
