// A large list with members at consecutive positions from the head's `first` on. A push is one
// write, an index one read; a change near an end moves the members on that side. A change further
// inside first converts the list to gaps (list-gapped.ts), permanently.

import type { Slice } from '../../../base/bytes/slice.js'
import { listScanMembers, trimAtOnceMax } from '../../../base/limits/key-value.js'
import { wordUnits } from '../../../base/work/work-figures.js'
import type { Program } from '../../../store/store.js'
import type { Building } from '../containers/building.js'
import type { Head } from '../containers/head.js'
import { type Member, type Members, numberSlice } from '../containers/members.js'
import type { Keyspace } from '../keyspace.js'
import { blocksOfNumbers, putBlock } from '../sorted-sets/rank-blocks.js'
import { elementBytes, searchElements } from './list-elements.js'
import type { Finder } from './list-finder.js'
import { GappedPositions } from './list-gapped.js'
import {
  type End,
  giveUp,
  positionsPart as part,
  readLeftovers,
  takeBack,
} from './list-leftovers.js'

/** The source of a large list; its first position is 0. */
export function listBuilding(elements: readonly Slice[]): Building {
  return {
    type: 'list',
    content: elements,
    steps: elements.length,
    putsPerStep: 1,
    bytes: elements.reduce((sum, { length }) => sum + elementBytes(length), 0),
    write(members, position) {
      const element = elements[position] as Slice
      members.put(part, numberSlice(position), element)
      return element.length
    },
  }
}

export class ListPositions {
  readonly isGapped = false
  /** Bytes of its members when the head was read. */
  private readonly bytes: number
  private readonly id: Head['id']
  private readonly members: Members
  private length: number
  private first: number
  private hasLeftovers: boolean

  constructor(
    private readonly ks: Keyspace,
    head: Head,
  ) {
    this.id = head.id
    this.members = ks.members(head.id)
    this.length = head.count
    this.first = head.first
    this.hasLeftovers = head.hasLeftovers === true
    this.bytes = head.bytes ?? 0
  }

  get count(): number {
    return this.length
  }

  get head(): Head {
    const { id, length: count, first } = this
    return this.hasLeftovers ? { id, count, first, hasLeftovers: true } : { id, count, first }
  }

  *at(index: number): Program<Slice | undefined> {
    return (yield* this.members.at(part, this.first + index))?.payload
  }

  /** Pushes the values in order, each at the end. */
  *push(end: End, values: readonly Slice[]): Program<void> {
    if (this.hasLeftovers) yield* this.use(end, values.length)
    this.putAll(end, values)
  }

  /** Like push, if no leftovers can be in the way; otherwise false. */
  pushNow(end: End, values: readonly Slice[]): boolean {
    if (this.hasLeftovers) return false
    this.putAll(end, values)
    return true
  }

  private putAll(end: End, values: readonly Slice[]): void {
    const { length } = values
    const step = end === 'front' ? -1 : 1
    let position = end === 'front' ? this.first - 1 : this.first + this.length
    for (const value of values) {
      this.put(position, value)
      position += step
    }
    if (end === 'front') this.first -= length
    this.length += length
  }

  /** Pops at most `count` (at least 1) from the end inwards. */
  *pop(end: End, count: number): Program<Slice[]> {
    const taken = Math.min(count, this.length)
    const from = end === 'front' ? this.first : this.first + this.length - taken
    const members = yield* this.read(from, from + taken - 1)
    yield* this.takeAway(end, taken, members)
    const values = members.map(({ payload }) => payload)
    return end === 'front' ? values : values.reverse()
  }

  /** Removes `count` members at an end. */
  *cut(end: End, count: number): Program<void> {
    if (count <= 0) return
    const from = end === 'front' ? this.first : this.first + this.length - count
    const isSmall = count <= trimAtOnceMax
    yield* this.takeAway(end, count, isSmall ? yield* this.read(from, from + count - 1) : [])
  }

  /** Empties the list: its key is removed, and its members later. */
  clear(): void {
    this.length = 0
  }

  *set(index: number, value: Slice): Program<void> {
    const position = this.first + index
    this.put(position, value, yield* this.members.at(part, position))
  }

  /** Elements from one index to another, both inclusive. */
  *range(from: number, to: number): Program<Slice[]> {
    const members = yield* this.read(this.first + from, this.first + to)
    return members.map(({ payload }) => payload)
  }

  find(finder: Finder): Program<void> {
    const { first, length, members } = this
    const range = members.numbers(part, first, first + length - 1)
    return searchElements(this.ks, members, range, length, finder)
  }

  /** Elements that removeAt would move. */
  movedBy(indexes: readonly number[]): number {
    const split = longestStretch(indexes, this.length)
    const before = split === 0 ? 0 : (indexes[split - 1] as number) + 1 - split
    const behind = split === indexes.length ? 0 : this.length - (indexes[split] as number)
    return before + behind - (split === indexes.length ? 0 : indexes.length - split)
  }

  /** The same list with gaps; its elements stay in place. Undefined while leftovers exist. */
  *withGaps(): Program<GappedPositions | undefined> {
    const { ks, id, first, length, members } = this
    if (this.hasLeftovers && (yield* readLeftovers(ks.tx, id)).length > 0) return undefined
    const blocks = blocksOfNumbers(first, length)
    for (const block of blocks) {
      yield* ks.tx.pause(wordUnits)
      putBlock(members, block, part)
    }
    const levels = blocks.at(-1)?.level ?? 0
    const lowest = numberSlice(first).bytes
    const highest = numberSlice(first + length - 1).bytes
    return new GappedPositions(ks, { id, count: length, first: 0, levels, lowest, highest })
  }

  /** Inserts a value before the element at `index` (0 to count). */
  *insert(index: number, value: Slice): Program<true> {
    const isFront = index <= this.length / 2
    const { first, length } = this
    yield* this.use(isFront ? 'front' : 'back', 1)
    const from = isFront ? first : first + index
    const moved = yield* this.read(from, isFront ? first + index - 1 : first + length - 1)
    const run = isFront ? [...moved.map(payloadOf), value] : [value, ...moved.map(payloadOf)]
    const start = isFront ? first - 1 : from
    // The new position is at the outer end and was free.
    const before = isFront ? [undefined, ...moved] : [...moved, undefined]
    run.forEach((payload, i) => {
      this.put(start + i, payload, before[i])
    })
    if (isFront) this.first--
    this.length++
    return true
  }

  /**
   * Removes the members at these ascending indexes. The longest stretch between two of them stays;
   * members before it move up, members after it down.
   */
  *removeAt(indexes: readonly number[]): Program<void> {
    const { first, length } = this
    const split = longestStretch(indexes, length)
    const front = indexes.slice(0, split)
    const back = indexes.slice(split)
    yield* this.close('front', front, 0, (front.at(-1) ?? -1) + 1)
    yield* this.close('back', back, back[0] ?? length, length)
    this.first = first + front.length
    this.length = length - indexes.length
  }

  /**
   * Removes `removed` from the members from index `from` to `to` (exclusive); the others close up.
   */
  private *close(end: End, removed: readonly number[], from: number, to: number): Program<void> {
    if (removed.length === 0) return
    const { first, members } = this
    const before = yield* this.read(first + from, first + to - 1)
    const gone = new Set(removed)
    const kept = before.filter((_, i) => !gone.has(from + i))
    const start = end === 'front' ? removed.length : 0
    kept.forEach(({ payload }, i) => {
      const occupant = before[start + i]
      members.put(part, numberSlice(first + from + start + i), payload, occupant)
    })
    const vacated = end === 'front' ? before.slice(0, start) : before.slice(kept.length)
    for (const member of vacated) members.remove(part, member)
    for (const index of removed)
      members.grow(-elementBytes(before[index - from]?.payload.length ?? 0))
  }

  /** `known` are the removed members, unless there are too many to remove one by one. */
  private *takeAway(end: End, count: number, known: readonly Member[]): Program<void> {
    const { ks, id, first, length, members } = this
    if (count <= trimAtOnceMax) {
      for (const member of known) {
        members.remove(part, member)
        members.grow(-elementBytes(member.payload.length))
      }
    } else {
      // They are not read; removed members count as long as the remaining ones on average.
      members.grow(-Math.round(((this.bytes + members.grown) * count) / length))
      const from = end === 'front' ? first : first + length - count
      yield* giveUp(ks, id, end, { from, to: from + count - 1 })
      this.hasLeftovers = true
    }
    if (end === 'front') this.first += count
    this.length -= count
  }

  /** Reclaims positions outside an end. */
  private *use(end: End, count: number): Program<void> {
    if (!this.hasLeftovers) return
    const { ks, id, first, length } = this
    const from = end === 'front' ? first - count : first + length
    this.hasLeftovers = yield* takeBack(ks, id, end, { from, to: from + count - 1 })
  }

  private put(position: number, value: Slice, before?: Member): void {
    const { members } = this
    members.put(part, numberSlice(position), value, before)
    members.grow(elementBytes(value.length))
    if (before !== undefined) members.grow(-elementBytes(before.payload.length))
  }

  private *read(from: number, to: number): Program<Member[]> {
    const { members } = this
    if (from === to) {
      const one = yield* members.at(part, from)
      return one === undefined ? [] : [one]
    }
    const found: Member[] = []
    for (let at = from; at <= to; ) {
      const { members: some } = yield* members.page(members.numbers(part, at, to), listScanMembers)
      if (some.length === 0) break
      this.ks.work.gatherMembers(some)
      for (const member of some) found.push(member)
      at += some.length
    }
    return found
  }
}

function payloadOf({ payload }: Member): Slice {
  return payload
}

/** The number of indexes before the longest stretch without any. */
function longestStretch(indexes: readonly number[], length: number): number {
  let longest = -1
  let found = 0
  let from = 0
  for (let i = 0; i <= indexes.length; i++) {
    const to = indexes[i] ?? length
    if (to - from > longest) {
      longest = to - from
      found = i
    }
    from = to + 1
  }
  return found
}
