// Holds the documents of a sort that no index answers. Runs are sorted while they fill and merged
// while they are taken, so that no step is long; with a limit only the best are kept.

import { type Bytes, compareBytes } from '../../base/bytes.js'
import { fail } from '../../base/errors.js'
import { blockingBytesMax, sortRunDocuments } from '../../base/limits.js'
import { BoundedHeap } from '../../query/heap.js'
import type { Sort } from '../../query/sort.js'
import type { Document } from '../../value/value.js'

interface Item {
  readonly key: Bytes
  readonly document: Document
  /** Among equals the one that came first goes first. */
  readonly order: number
}

export class Sorter {
  private readonly sort: Sort
  /** With a limit that is worth it: the best so far. */
  private readonly best: BoundedHeap<Item> | undefined
  private readonly runs: Item[][] = []
  private run: Item[] = []
  private added = 0
  private merge: Merge | undefined
  /** Bytes of the documents and keys that are held. */
  bytesHeld = 0

  /** `keep`: how many will be taken at most; 0: all. */
  constructor(sort: Sort, keep: number) {
    this.sort = sort
    if (keep > 0 && keep <= sortRunDocuments) this.best = new BoundedHeap(keep, compareItems)
  }

  /** Throws QueryExceededMemoryLimitNoDiskUseAllowed above blockingBytesMax. */
  add(document: Document): void {
    const item = { key: this.sort.key(document), document, order: this.added++ }
    this.bytesHeld += sizeOf(item)
    if (this.best !== undefined) {
      const dropped = this.best.push(item)
      if (dropped !== undefined) this.bytesHeld -= sizeOf(dropped)
    } else {
      this.run.push(item)
      if (this.run.length >= sortRunDocuments) this.finishRun()
    }
    if (this.bytesHeld <= blockingBytesMax) return
    throw fail(
      'QueryExceededMemoryLimitNoDiskUseAllowed',
      `Sort exceeded memory limit of ${blockingBytesMax} bytes, but did not opt in to external sorting.`,
    )
  }

  /** Ends the input. */
  seal(): void {
    if (this.best !== undefined) this.run = this.best.sorted()
    this.finishRun()
    this.merge = new Merge(this.runs)
  }

  get isSealed(): boolean {
    return this.merge !== undefined
  }

  /** Documents left to take, after `seal`. */
  get isEmpty(): boolean {
    return this.merge?.isEmpty ?? false
  }

  /** Up to `count` documents in order, after `seal`. */
  take(count: number): Document[] {
    const documents: Document[] = []
    while (documents.length < count) {
      const item = this.merge?.next()
      if (item === undefined) break
      this.bytesHeld -= sizeOf(item)
      documents.push(item.document)
    }
    return documents
  }

  private finishRun(): void {
    if (this.run.length > 0) this.runs.push(this.run.sort(compareItems))
    this.run = []
  }
}

function compareItems(a: Item, b: Item): number {
  return compareBytes(a.key, b.key) || a.order - b.order
}

function sizeOf(item: Item): number {
  return item.key.length + item.document.length
}

/** Takes the smallest head of several sorted runs, by a heap of the runs. */
class Merge {
  /** Runs with something left, each head not above its children's. */
  private readonly heap: { readonly run: Item[]; at: number }[] = []

  constructor(runs: readonly Item[][]) {
    for (const run of runs) {
      this.heap.push({ run, at: 0 })
      this.rise(this.heap.length - 1)
    }
  }

  get isEmpty(): boolean {
    return this.heap.length === 0
  }

  next(): Item | undefined {
    const [top] = this.heap
    if (top === undefined) return undefined
    const item = top.run[top.at]
    top.at++
    if (top.at >= top.run.length) {
      const last = this.heap.pop()
      if (last !== undefined && last !== top) this.heap[0] = last
    }
    this.sink(0)
    return item
  }

  private isBefore(a: number, b: number): boolean {
    const left = this.heap[a]
    const right = this.heap[b]
    if (left === undefined || right === undefined) return false
    return compareItems(left.run[left.at] as Item, right.run[right.at] as Item) < 0
  }

  private rise(from: number): void {
    let at = from
    while (at > 0) {
      const parent = (at - 1) >> 1
      if (!this.isBefore(at, parent)) return
      this.swap(at, parent)
      at = parent
    }
  }

  private sink(from: number): void {
    let at = from
    for (;;) {
      let least = at
      if (this.isBefore(2 * at + 1, least)) least = 2 * at + 1
      if (this.isBefore(2 * at + 2, least)) least = 2 * at + 2
      if (least === at) return
      this.swap(at, least)
      at = least
    }
  }

  private swap(a: number, b: number): void {
    const { heap } = this
    const item = heap[a]
    const other = heap[b]
    if (item === undefined || other === undefined) return
    heap[a] = other
    heap[b] = item
  }
}
