// A set: unordered members. A small set is the array `value` of its document; a large one has
// numbered member records. A command opens it once, changes it any number of times, and saves it
// once.

import { emptySlice, type Slice } from '../../../base/bytes/slice.js'
import { GrowingMap } from '../../../base/heap/growing-map.js'
import type { ReadAhead } from '../../../store/read-ahead.js'
import type { Program } from '../../../store/store.js'
import { elementsOf } from '../../../value/elements.js'
import type { DocumentWriter } from '../../../value/writer.js'
import type { KnownSource } from '../../collection/staging.js'
import type { MembersId } from '../../types.js'
import { buildMembers } from '../containers/building.js'
import { containerType } from '../containers/container.js'
import { DenseContainer } from '../containers/dense-container.js'
import { denseBuilding } from '../containers/dense-members.js'
import type { Head } from '../containers/head.js'
import { eachInTurns } from '../containers/in-turns.js'
import { type MembersPage, wholePage } from '../containers/members.js'
import type { Key } from '../keys/key.js'
import type { Keyspace } from '../keyspace.js'
import { scalarOf, scalarValue } from '../strings/scalar.js'

/** Lookups in a small set before it builds a map. */
const plainLookUps = 4

export class MemberSet extends DenseContainer {
  readonly type = 'set'
  /** Members of a small set. */
  private items: Slice[] = []
  /** For a small set with many lookups: the index of each member. */
  private places: GrowingMap<number> | undefined
  private lookUps = 0
  private source: KnownSource | undefined

  constructor(ks: Keyspace, key: Key) {
    super(ks, key)
    if (this.isLarge || !key.exists) return
    this.items = elementsOf(key.value).map((item) => scalarOf(item) as Slice)
    this.count = this.items.length
  }

  *has(member: Slice): Program<boolean> {
    const { members } = this
    if (members === undefined) return this.place(member) >= 0
    return yield* members.has(member)
  }

  /** Returns whether the member is new. */
  *add(member: Slice): Program<boolean> {
    const { members } = this
    if (members === undefined) {
      if (this.place(member) >= 0) return false
      this.places?.set(member.mapKey(), this.count)
      this.items.push(member)
    } else {
      if ((yield* members.get(member)) !== undefined) return false
      members.add(member, emptySlice, this.count)
    }
    this.count++
    this.isChanged = true
    return true
  }

  /**
   * Like add and save, for an open set, if nothing must be awaited; otherwise returns undefined
   * without a change.
   */
  addNow(member: Slice): boolean | undefined {
    const { members, count } = this
    const isNew = members?.addNow(member, count)
    if (isNew === true) {
      this.count++
      this.ks.noteOpenChanged(this)
    }
    return isNew
  }

  /** Returns whether the member existed. */
  *remove(member: Slice): Program<boolean> {
    const { members } = this
    if (members === undefined) {
      const place = this.place(member)
      if (place < 0) return false
      this.takeOut(place)
    } else {
      const before = yield* members.get(member)
      if (before === undefined) return false
      yield* members.remove(before, this.count)
    }
    this.count--
    this.isChanged = true
    return true
  }

  /** Replaces all members by these distinct ones, from that source (putMade). */
  fill(members: readonly Slice[], source?: KnownSource): void {
    this.items = [...members]
    this.source = source
    this.places = undefined
    this.leaveRecords()
    this.count = members.length
    this.isChanged = true
  }

  /** Empties the set: its key is removed, and its members later. */
  clear(): void {
    this.items = []
    this.places = undefined
    this.count = 0
    this.isChanged = true
  }

  /**
   * At most `limit` members after `after` (undefined: from the start), and few if they are large;
   * the last one is the next `after`. A small set returns all members at once.
   */
  *page(after: Slice | undefined, limit: number): Program<MembersPage<Slice>> {
    const { members } = this
    if (members === undefined) return wholePage(this.items, after)
    const page = yield* members.page(after, limit)
    return { ...page, members: page.members.map(({ member }) => member) }
  }

  /** All members. */
  *all(): Program<Slice[]> {
    const { members } = this
    if (members === undefined) return [...this.items]
    this.ks.work.requireRoom(this.ks.tx, this.count)
    return yield* this.each(members, ({ member }) => member)
  }

  /** The member with that number, 0 to size - 1: for random choices. */
  *at(number: number): Program<Slice | undefined> {
    const { members } = this
    if (members === undefined) return this.items[number]
    return (yield* members.at(number))?.member
  }

  /** For a loop that takes the members with these numbers. */
  numbersAhead(numbers: readonly number[]): ReadAhead | undefined {
    return this.members?.numbersAhead(numbers)
  }

  *rewrite(): Program<void> {
    this.items = yield* this.all()
    const places = new GrowingMap<number>()
    yield* eachInTurns(this.ks.tx, this.items, (item, i) => places.set(item.mapKey(), i))
    this.places = places
    this.leaveRecords()
  }

  protected writeValue(writer: DocumentWriter, bytesMax: number): boolean {
    writer.openArray('value')
    for (const item of this.items) {
      if (item.length > bytesMax) return false
      writer.push(scalarValue(item))
    }
    writer.close()
    return true
  }

  protected *enlarge(): Program<Head> {
    const { ks, items, count, source } = this
    const head = { id: 0 as MembersId, count, first: 0 }
    const id = yield* buildMembers(ks, { ...denseBuilding('set', items), source, head })
    return this.enterRecords({ ...head, id })
  }

  private place(member: Slice): number {
    const { items } = this
    if (this.places === undefined && this.lookUps++ < plainLookUps) {
      for (let i = 0; i < items.length; i++) if (items[i]?.equals(member)) return i
      return -1
    }
    this.places ??= new GrowingMap(items.map((item, i) => [item.mapKey(), i]))
    return this.places.get(member.mapKey()) ?? -1
  }

  /** Removes a member; the last one takes its place. */
  private takeOut(place: number): void {
    const { items, places } = this
    const gone = items[place]
    const last = items.pop()
    if (gone === undefined || last === undefined) return
    places?.delete(gone.mapKey())
    if (gone === last) return
    items[place] = last
    places?.set(last.mapKey(), place)
  }
}

export const { open: openSet, findOpen: findOpenSet, of: setOf } = containerType('set', MemberSet)
