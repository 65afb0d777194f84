// The base of hashes and sets. The members of a large one are numbered records, and its head counts
// them.

import type { Slice } from '../../../base/bytes/slice.js'
import { scanEntriesMax } from '../../../base/limits/engine.js'
import type { ReadAhead } from '../../../store/read-ahead.js'
import type { Program } from '../../../store/store.js'
import type { Key } from '../keys/key.js'
import type { Keyspace } from '../keyspace.js'
import { Container } from './container.js'
import { DenseMembers } from './dense-members.js'
import type { Head } from './head.js'
import type { Member } from './members.js'

export abstract class DenseContainer extends Container {
  protected count: number
  protected head: Head | undefined
  protected members: DenseMembers | undefined

  constructor(ks: Keyspace, key: Key) {
    super(ks, key)
    const { head } = key
    this.head = head
    this.count = head?.count ?? 0
    if (head !== undefined) this.members = new DenseMembers(ks.members(head.id))
  }

  get size(): number {
    return this.count
  }

  /** Whether its members are records, in byte order. */
  get isLarge(): boolean {
    return this.members !== undefined
  }

  get openHead(): Head | undefined {
    const { head, count } = this
    return head === undefined ? undefined : { ...head, count }
  }

  /** For a loop that reads or adds these members; undefined if it needs nothing. */
  ahead(count: number, at: (index: number) => Slice): ReadAhead | undefined {
    return this.members?.ahead(count, at)
  }

  /** For a loop that removes these members. */
  removalsAhead(count: number, at: (index: number) => Slice): ReadAhead | undefined {
    return this.members?.removalsAhead(count, at, () => this.count)
  }

  /** What `of` makes of all members of a large one; limited in a write program. */
  protected *each<T>(members: DenseMembers, of: (member: Member) => T): Program<T[]> {
    const found: T[] = []
    let last: Slice | undefined
    for (;;) {
      const page = yield* members.page(last, scanEntriesMax)
      this.ks.work.gatherMembers(page.members)
      for (const member of page.members) found.push(of(member))
      if (page.isOver) return found
      last = page.members.at(-1)?.member
    }
  }

  /** Its content is no longer in records. */
  protected leaveRecords(): void {
    this.members = undefined
    this.head = undefined
  }

  protected enterRecords(head: Head): Head {
    this.head = head
    this.members = new DenseMembers(this.ks.members(head.id))
    return head
  }
}
