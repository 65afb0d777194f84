// A large list that was changed far from its ends: its elements have places with gaps between, and
// blocks count the places as in a sorted set. An insert or removal changes one element and the
// counts above it; an index is found through the blocks.

import { type Bytes, compareBytes } from '../../../base/bytes/bytes.js'
import { Slice } from '../../../base/bytes/slice.js'
import { assert } from '../../../base/errors.js'
import { rankBlockMembersMax } from '../../../base/limits/key-value.js'
import { wordUnits } from '../../../base/work/work-figures.js'
import type { Program } from '../../../store/store.js'
import type { Head } from '../containers/head.js'
import type { Member, Members } from '../containers/members.js'
import type { Keyspace } from '../keyspace.js'
import { behind } from '../sorted-sets/rank-blocks.js'
import { oneLess, Ranks } from '../sorted-sets/sorted-set-ranks.js'
import { elementBytes, readElements, searchElements } from './list-elements.js'
import type { Finder } from './list-finder.js'
import { placeBetween, positionBeside, type Side } from './list-gaps.js'
import { type End, positionsPart as part } from './list-leftovers.js'

/** Indexes looked up one by one; for more, the list is scanned. */
const searchedMax = 64
/** Removed elements that are subtracted from the counts one by one. */
const recountedMax = 4

export class GappedPositions {
  readonly isGapped = true
  /** The places of the first and the last element. */
  lowest: Bytes
  private highest: Bytes
  private readonly id: Head['id']
  private readonly members: Members
  private readonly ranks: Ranks
  private length: number

  constructor(
    private readonly ks: Keyspace,
    head: Head,
  ) {
    const { id, count, levels = 0, lowest, highest } = head
    assert(lowest !== undefined && highest !== undefined, 'a list with gaps knows its ends')
    this.id = id
    this.lowest = lowest
    this.highest = highest
    this.length = count
    this.members = ks.members(id)
    this.ranks = new Ranks(ks, this.members, levels, undefined, this, part)
  }

  get count(): number {
    return this.length
  }

  get head(): Head {
    const { id, length: count, lowest, highest, ranks } = this
    return { id, count, first: 0, levels: ranks.levels, lowest, highest }
  }

  /** Writes the deferred counts. */
  settle(): void {
    this.ranks.settle()
  }

  *at(index: number): Program<Slice | undefined> {
    return (yield* this.read(index, 1))[0]?.payload
  }

  /** Pushes the values in order, each at the end. */
  *push(end: End, values: readonly Slice[]): Program<void> {
    for (const value of values) {
      const isFront = end === 'front'
      const place = isFront ? positionBeside(this.lowest, -1) : positionBeside(this.highest, 1)
      if (isFront) this.lowest = place
      else this.highest = place
      yield* this.add(place, value)
    }
  }

  /** Like push without a read; a gapped list always needs one. */
  pushNow(): boolean {
    return false
  }

  /** Pops at most `count` (at least 1) from the end inwards. */
  *pop(end: End, count: number): Program<Slice[]> {
    const taken = yield* this.takeAway(end, Math.min(count, this.length))
    const values = taken.map(({ payload }) => payload)
    return end === 'front' ? values : values.reverse()
  }

  /** Removes `count` elements at an end. */
  *cut(end: End, count: number): Program<void> {
    if (count > 0) yield* this.takeAway(end, count)
  }

  /** Empties the list: its key is removed, and its members later. */
  clear(): void {
    this.length = 0
  }

  *set(index: number, value: Slice): Program<void> {
    const [before] = yield* this.read(index, 1)
    assert(before !== undefined, 'the index is one of the list')
    const { members } = this
    members.put(part, before.member, value, before)
    members.grow(value.length - before.payload.length)
  }

  /** Elements from one index to another, both inclusive. */
  *range(from: number, to: number): Program<Slice[]> {
    const found = yield* this.read(from, to + 1 - from)
    return found.map(({ payload }) => payload)
  }

  find(finder: Finder): Program<void> {
    const { ks, members, lowest, highest, length } = this
    const range = { start: members.raw(part, lowest), end: behind(members.raw(part, highest)) }
    return searchElements(ks, members, range, length, finder)
  }

  /**
   * Inserts a value before the element at `index` (0 to count). Further inserts are expected on the
   * side opposite to `near`. Returns false without a change if there is no room.
   */
  *insert(index: number, value: Slice, near: Side): Program<boolean> {
    if (index === 0 || index === this.length) {
      yield* this.push(index === 0 ? 'front' : 'back', [value])
      return true
    }
    const [left, right] = yield* this.read(index - 1, 2)
    assert(left !== undefined && right !== undefined, 'elements stand on both sides')
    const place = placeBetween(left.member.copy(), right.member.copy(), near)
    if (place === undefined) return false
    yield* this.add(place, value)
    return true
  }

  /** Removes the elements at these ascending indexes; not all elements of the list. */
  *removeAt(indexes: readonly number[]): Program<void> {
    const removed = yield* this.atIndexes(indexes)
    const isFirst = indexes[0] === 0
    const isLast = indexes.at(-1) === this.length - 1
    yield* this.take(removed)
    if (isFirst) this.lowest = yield* this.endPlace('front')
    if (isLast) this.highest = yield* this.endPlace('back')
  }

  private *atIndexes(indexes: readonly number[]): Program<Member[]> {
    const found: Member[] = []
    if (indexes.length <= searchedMax) {
      for (const index of indexes) found.push(...(yield* this.read(index, 1)))
      return found
    }
    const first = indexes[0] as number
    const all = yield* this.read(first, (indexes.at(-1) as number) + 1 - first)
    for (const index of indexes) found.push(all[index - first] as Member)
    return found
  }

  /** Removes elements at an end; returns them in list order. */
  private *takeAway(end: End, count: number): Program<Member[]> {
    const { length } = this
    if (count >= length) {
      const all = yield* this.read(0, length)
      this.clear()
      return all
    }
    const found = yield* this.read(end === 'front' ? 0 : length - count - 1, count + 1)
    const next = end === 'front' ? found.pop() : found.shift()
    assert(next !== undefined, 'more elements are there than are taken')
    yield* this.take(found)
    if (end === 'front') this.lowest = next.member.copy()
    else this.highest = next.member.copy()
    return found
  }

  private *add(place: Bytes, value: Slice): Program<void> {
    const { members, ranks } = this
    members.put(part, Slice.of(place), value)
    members.grow(elementBytes(value.length, place.length))
    this.length++
    const isCounted = ranks.recountNow(place, place.length, ranks.oneMore)
    if (!isCounted) yield* ranks.added(place, this.length)
  }

  /** Removes elements that are given in order. */
  private *take(removed: readonly Member[]): Program<void> {
    const { ks, members, ranks } = this
    const places: Bytes[] = []
    for (const member of removed) {
      yield* ks.tx.pause(wordUnits)
      members.remove(part, member)
      members.grow(-elementBytes(member.payload.length, member.member.length))
      places.push(member.member.copy())
    }
    this.length -= removed.length
    if (places.length > recountedMax) {
      yield* ranks.removedRun(places)
      return
    }
    for (const place of places) {
      if (!ranks.recountNow(place, place.length, oneLess)) yield* ranks.removed(place)
    }
  }

  /** The place of the element that is now first or last. */
  private *endPlace(end: End): Program<Bytes> {
    const [member] = yield* this.read(end === 'front' ? 0 : this.length - 1, 1)
    assert(member !== undefined, 'a list has elements')
    return member.member.copy()
  }

  /** `count` elements from an index on. */
  private *read(index: number, count: number): Program<Member[]> {
    const { ks, members, lowest, highest, length } = this
    const start = members.raw(part, lowest)
    const end = behind(members.raw(part, highest))
    let found: Member[]
    const after = length - index - count
    if (index < rankBlockMembersMax) {
      found = yield* readElements(ks, members, { start, end }, index, count)
    } else if (after < rankBlockMembersMax) {
      found = yield* readElements(ks, members, { start, end, reverse: true }, after, count)
      found.reverse()
    } else {
      const { start: place, skip } = yield* this.ranks.find(index)
      const from = compareBytes(place, lowest) < 0 ? lowest : place
      found = yield* readElements(ks, members, { start: members.raw(part, from), end }, skip, count)
    }
    return found
  }
}
