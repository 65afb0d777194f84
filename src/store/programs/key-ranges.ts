// Ranges that a program scanned, and whether a given key lies in one of them. It is asked for
// thousands of keys, so ranges are sorted once and overlapping ones are merged.

import { type Bytes, mapKey } from '../../base/bytes/bytes.js'

export class KeyRanges {
  private noted: { readonly start: string; readonly end: string }[] = []
  /** Sorted and disjoint. */
  private starts: string[] | undefined
  private ends: string[] = []

  get count(): number {
    return this.noted.length
  }

  /** From `start` (included) to `end` (excluded). */
  add({ start, end }: { readonly start: Bytes; readonly end: Bytes }): void {
    this.noted.push({ start: mapKey(start), end: mapKey(end) })
    this.starts = undefined
  }

  /** Whether the key (in mapKey form) lies in one of the ranges. */
  has(key: string): boolean {
    const starts = this.starts ?? this.order()
    let low = 0
    let high = starts.length
    while (low < high) {
      const middle = (low + high) >>> 1
      if ((starts[middle] ?? '') <= key) low = middle + 1
      else high = middle
    }
    return low > 0 && key < (this.ends[low - 1] ?? '')
  }

  private order(): string[] {
    const starts: string[] = []
    const ends: string[] = []
    for (const { start, end } of this.noted.sort((a, b) => (a.start < b.start ? -1 : 1))) {
      const last = ends.length - 1
      if (last < 0 || start > (ends[last] ?? '')) {
        starts.push(start)
        ends.push(end)
      } else if (end > (ends[last] ?? '')) ends[last] = end
    }
    this.starts = starts
    this.ends = ends
    return starts
  }
}
