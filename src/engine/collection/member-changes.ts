// Which members of large containers others change while a command is prepared. The command has
// staged what it made of them; its next run computes only the members that have changed since, so
// it need not read everything again while writers wait. Only of a store that tells of all changes.
// (docs/design/transactions.md, rule 2)

import { type Bytes, mapKey } from '../../base/bytes/bytes.js'
import { followedChangesMax, unfollowedContainersMax } from '../../base/limits/engine.js'
import { keyClass } from '../../store/layout.js'
import { membersOf } from '../background/garbage.js'
import type { ObservedStore } from '../observed-store.js'
import type { MembersId } from '../types.js'

export class MemberChanges {
  /** Keys of changed members, by container. */
  private readonly followed = new Map<MembersId, Map<string, Bytes>>()
  /** Containers that have changed in this run before they were followed. */
  private readonly missed = new Set<MembersId>()
  /** Changes of followed containers, and how many of them this run has used. */
  private told = 0
  private used: number | undefined
  private kept = 0
  private stop: (() => void) | undefined

  private constructor(private readonly store: ObservedStore) {}

  /** Undefined if the store cannot tell of all changes. */
  static of(store: ObservedStore): MemberChanges | undefined {
    return store.ownsData ? new MemberChanges(store) : undefined
  }

  /** Before a run of the command takes its snapshot. A write program has none. */
  begin(): void {
    this.watch()
    this.missed.clear()
    this.used = undefined
  }

  /** Keeps the changes of a container from now on; false if this run may have missed some. */
  follow(id: MembersId): boolean {
    this.watch()
    if (this.followed.has(id)) return true
    if (this.missed.has(id) || this.missed.size >= unfollowedContainersMax) return false
    this.followed.set(id, new Map())
    return true
  }

  /** Keys of the members that have changed since it was followed; undefined if too many have. */
  changed(id: MembersId): Iterable<Bytes> | undefined {
    this.used ??= this.told
    return this.kept < followedChangesMax ? this.followed.get(id)?.values() : undefined
  }

  /** Whether more has changed than this run has used. */
  get isBehind(): boolean {
    return this.used !== undefined && this.used !== this.told
  }

  end(): void {
    this.stop?.()
    this.stop = undefined
  }

  /** From its first use on, because writes that are observed cost more. */
  private watch(): void {
    this.stop ??= this.store.observeAll((key) => this.note(key))
  }

  private note(key: Bytes): void {
    if (key[0] !== keyClass.member) return
    const id = membersOf(key)
    const keys = this.followed.get(id)
    if (keys === undefined) {
      if (this.missed.size < unfollowedContainersMax) this.missed.add(id)
      return
    }
    this.told++
    if (this.kept >= followedChangesMax) return
    const name = mapKey(key)
    if (keys.has(name)) return
    keys.set(name, key)
    this.kept++
  }
}
