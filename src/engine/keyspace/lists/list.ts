// A list: elements in order. A small list is the array `value` of its document; a large one has its
// elements in member records. A command opens it once, changes it any number of times, and saves it
// once.

import type { Slice } from '../../../base/bytes/slice.js'
import { keptAtOnceMax, trimAtOnceMax } from '../../../base/limits/key-value.js'
import type { Program } from '../../../store/store.js'
import { elementsOf } from '../../../value/elements.js'
import type { Value } from '../../../value/value.js'
import type { DocumentWriter } from '../../../value/writer.js'
import { buildMembers } from '../containers/building.js'
import { Container, containerType } from '../containers/container.js'
import type { Head } from '../containers/head.js'
import { mapInTurns } from '../containers/in-turns.js'
import type { Key } from '../keys/key.js'
import type { Keyspace } from '../keyspace.js'
import { scalarOf, scalarValue } from '../strings/scalar.js'
import { Finder, type Search } from './list-finder.js'
import { GappedPositions } from './list-gapped.js'
import type { Side } from './list-gaps.js'
import type { End } from './list-leftovers.js'
import { ListPositions, listBuilding } from './list-positions.js'
import { ListRuns } from './list-runs.js'

type LargeList = ListPositions | GappedPositions

/** Maximum elements that an insert or removal moves; beyond that, the list gets gaps. */
const listMovedMax = 256

export class List extends Container {
  readonly type = 'list'
  /** Elements of a small list. */
  private items: Value[]
  /** Elements of a large list. */
  private positions: LargeList | undefined

  constructor(ks: Keyspace, key: Key) {
    super(ks, key)
    const { head } = key
    this.positions = head === undefined ? undefined : positionsOf(ks, head)
    this.items = head === undefined && key.exists ? elementsOf(key.value) : []
  }

  get size(): number {
    return this.positions?.count ?? this.items.length
  }

  get isLarge(): boolean {
    return this.positions !== undefined
  }

  /** The element at an index, 0 to size - 1. */
  *at(index: number): Program<Slice | undefined> {
    const { positions } = this
    if (index < 0 || index >= this.size) return undefined
    if (positions !== undefined) return yield* positions.at(index)
    return elementAt(this.items, index)
  }

  /** Elements from one index to another, both inclusive and inside the list. */
  *range(from: number, to: number): Program<Slice[]> {
    const { positions } = this
    if (positions !== undefined) return yield* this.rangeOf(positions, from, to)
    return elements(this.items.slice(from, to + 1))
  }

  private *rangeOf(positions: LargeList, from: number, to: number): Program<Slice[]> {
    const { ks, key } = this
    const { lists } = ks.work
    const head = key.head
    if (lists === undefined || head === undefined || !ListRuns.isWorth(to + 1 - from)) {
      return yield* positions.range(from, to)
    }
    const version = (yield* ks.tx.getVersioned(key.record))?.version ?? 0
    const first = head.first + from
    const known = lists.find(head.id, version, first, head.first + to)
    if (known !== undefined) return known
    const found = yield* positions.range(from, to)
    lists.add(head.id, version, first, found)
    return found
  }

  /** Indexes of the matching elements, in search order. */
  *find(search: Search): Program<number[]> {
    const { positions, items } = this
    const finder = new Finder(search)
    if (positions !== undefined) yield* positions.find(finder)
    else {
      for (let i = 0; i < items.length; i++) {
        const index = finder.fromBack ? items.length - 1 - i : i
        if (!finder.look(index, elementAt(items, index))) break
      }
    }
    return finder.found
  }

  /** Pushes the values in order, each at the end. */
  *push(end: End, values: readonly Slice[]): Program<void> {
    this.isChanged = true
    if (this.positions !== undefined) yield* this.positions.push(end, values)
    else {
      const added = yield* mapInTurns(this.ks.tx, values, scalarValue)
      if (end === 'front') this.items = [...added.reverse(), ...this.items]
      else for (const value of added) this.items.push(value)
    }
  }

  /**
   * Like push and save, for an open list, if no read is needed; otherwise returns false without a
   * change.
   */
  pushNow(end: End, values: readonly Slice[]): boolean {
    if (this.positions?.pushNow(end, values) !== true) return false
    this.ks.noteOpenChanged(this)
    return true
  }

  /** Pops at most `count` elements from the end inwards. */
  *pop(end: End, count: number): Program<Slice[]> {
    if (count === 0 || this.size === 0) return []
    this.isChanged = true
    const { positions, items } = this
    if (positions !== undefined) return yield* positions.pop(end, count)
    if (end === 'front') return elements(items.splice(0, count))
    return elements(items.splice(Math.max(0, items.length - count), count)).reverse()
  }

  *set(index: number, value: Slice): Program<void> {
    this.isChanged = true
    if (this.positions !== undefined) yield* this.positions.set(index, value)
    else this.items[index] = scalarValue(value)
  }

  /**
   * Inserts a value before the element at an index; `size` means after the last. Further inserts
   * are expected on the side opposite to `near`.
   */
  *insert(index: number, value: Slice, near: Side): Program<void> {
    this.isChanged = true
    const { positions, size } = this
    if (positions !== undefined) {
      const large = yield* this.movable(positions, Math.min(index, size - index))
      if (yield* large.insert(index, value, near)) return
      yield* this.rewrite()
    }
    this.items.splice(index, 0, scalarValue(value))
  }

  /** Removes the elements at these ascending indexes. */
  *removeAt(indexes: readonly number[]): Program<void> {
    if (indexes.length === 0) return
    this.isChanged = true
    const { positions } = this
    if (positions === undefined) {
      const gone = new Set(indexes)
      this.items = this.items.filter((_, index) => !gone.has(index))
    } else if (indexes.length === positions.count) positions.clear()
    else {
      const moved = positions.isGapped ? 0 : positions.movedBy(indexes)
      const large = yield* this.movable(positions, moved)
      yield* large.removeAt(indexes)
    }
  }

  /** Converts the list to gaps if too many elements would have to move. */
  private *movable(positions: LargeList, moved: number): Program<LargeList> {
    if (positions.isGapped || moved <= listMovedMax) return positions
    const gapped = (yield* positions.withGaps()) ?? positions
    this.positions = gapped
    return gapped
  }

  /** Keeps the elements from one index to another, both inclusive; none if `to` is below `from`. */
  *trim(from: number, to: number): Program<void> {
    const { positions, size } = this
    if (from === 0 && to === size - 1) return
    this.isChanged = true
    if (positions === undefined) this.items = this.items.slice(from, to + 1)
    else if (to < from) positions.clear()
    else if (positions.isGapped && isRewritten(size, to + 1 - from)) {
      this.items = (yield* positions.range(from, to)).map(scalarValue)
      this.positions = undefined
    } else {
      yield* positions.cut('front', from)
      yield* positions.cut('back', size - 1 - to)
    }
  }

  *rewrite(): Program<void> {
    if (this.positions === undefined) return
    const all = yield* this.range(0, this.size - 1)
    this.items = yield* mapInTurns(this.ks.tx, all, scalarValue)
    this.positions = undefined
  }

  get openHead(): Head | undefined {
    return this.positions?.head
  }

  override settleMembers(): void {
    const { positions } = this
    if (positions?.isGapped === true) positions.settle()
  }

  protected writeValue(writer: DocumentWriter, bytesMax: number): boolean {
    writer.openArray('value')
    for (const item of this.items) {
      if (item.end - item.start > bytesMax) return false
      writer.push(item)
    }
    writer.close()
    return true
  }

  protected *enlarge(): Program<Head> {
    const { ks, items } = this
    const content = yield* mapInTurns(ks.tx, items, (item) => scalarOf(item) as Slice)
    const id = yield* buildMembers(ks, listBuilding(content))
    const positions = new ListPositions(ks, { id, count: items.length, first: 0 })
    this.positions = positions
    return positions.head
  }
}

export const { open: openList, findOpen: findOpenList, of: listOf } = containerType('list', List)

/** Whether a trimmed list is rewritten: few elements stay, and too many go to discard at once. */
function isRewritten(size: number, kept: number): boolean {
  return kept <= keptAtOnceMax && size - kept > trimAtOnceMax
}

function positionsOf(ks: Keyspace, head: Head): LargeList {
  const isGapped = head.levels !== undefined
  return isGapped ? new GappedPositions(ks, head) : new ListPositions(ks, head)
}

function elements(items: readonly Value[]): Slice[] {
  return items.map((item) => scalarOf(item) as Slice)
}

/** List elements are scalars: the validator accepts nothing else. */
function elementAt(items: readonly Value[], index: number): Slice {
  return scalarOf(items[index] as Value) as Slice
}
