// The smallest `capacity` items of a stream, in order, for sorts with a limit and accumulators of n
// items. A binary heap has the largest kept item on top, so most items of a long stream cost one
// comparison.

import { sortInTurns, sortItems } from '../value/sort-values.js'

export class BoundedHeap<T> {
  private readonly items: T[] = []

  constructor(
    private readonly capacity: number,
    private readonly compare: (a: T, b: T) => number,
  ) {}

  get size(): number {
    return this.items.length
  }

  /** The item that a new one must be smaller than; undefined while there is room. */
  get largest(): T | undefined {
    return this.items.length < this.capacity ? undefined : this.items[0]
  }

  /** Returns the dropped item, `item` itself if it is too large; undefined if none was dropped. */
  push(item: T): T | undefined {
    const { items } = this
    if (items.length < this.capacity) {
      items.push(item)
      this.up(items.length - 1)
      return undefined
    }
    const top = items[0]
    if (top === undefined || this.compare(item, top) >= 0) return item
    items[0] = item
    this.down(0)
    return top
  }

  /** Removes and returns the largest item. */
  pop(): T | undefined {
    const { items } = this
    const top = items[0]
    const last = items.pop()
    if (items.length > 0 && last !== undefined) {
      items[0] = last
      this.down(0)
    }
    return top
  }

  /** All items in ascending order; they stay in the heap. */
  sorted(): T[] {
    return sortItems([...this.items], this.compare)
  }

  /** As `sorted`, with pauses; in another order if it is given. */
  sortedInTurns(compare = this.compare): Generator<undefined, T[], void> {
    return sortInTurns(this.items, compare)
  }

  private up(index: number): void {
    const { items } = this
    let at = index
    while (at > 0) {
      const parent = (at - 1) >> 1
      if (this.compare(items[at] as T, items[parent] as T) <= 0) return
      this.swap(at, parent)
      at = parent
    }
  }

  private down(index: number): void {
    const { items } = this
    let at = index
    for (;;) {
      const left = at * 2 + 1
      if (left >= items.length) return
      const right = left + 1
      const isRight = right < items.length && this.compare(items[right] as T, items[left] as T) > 0
      const child = isRight ? right : left
      if (this.compare(items[child] as T, items[at] as T) <= 0) return
      this.swap(at, child)
      at = child
    }
  }

  private swap(a: number, b: number): void {
    const { items } = this
    const item = items[a] as T
    items[a] = items[b] as T
    items[b] = item
  }
}
