// A search through the elements of a list: what LPOS, LREM and LINSERT have in common. It is shown
// one element after the other and says when it has seen enough.

import type { Bytes } from '../../../base/bytes/bytes.js'
import type { Slice } from '../../../base/bytes/slice.js'

export interface Search {
  readonly value: Slice
  /** Looks from the last element to the first. */
  readonly fromBack?: boolean
  /** Matches that do not count. */
  readonly skip?: number
  /** Matches to find; all unless said. */
  readonly most?: number
  /** Elements to look at; all unless said. */
  readonly lookAt?: number
}

export class Finder {
  /** Indexes from the front, in the order of the search. */
  readonly found: number[] = []
  readonly fromBack: boolean
  private readonly value: Slice
  private readonly most: number
  private skip: number
  private left: number

  constructor(search: Search) {
    this.value = search.value
    this.fromBack = search.fromBack ?? false
    this.skip = search.skip ?? 0
    this.most = search.most ?? Number.POSITIVE_INFINITY
    this.left = search.lookAt ?? Number.POSITIVE_INFINITY
  }

  /** Whether to go on. */
  look(index: number, { bytes, start, end }: Slice): boolean {
    return this.lookAt(index, bytes, start, end)
  }

  /** As look, of an element where it lies. */
  lookAt(index: number, bytes: Bytes, start: number, end: number): boolean {
    if (this.isValue(bytes, start, end)) {
      if (this.skip > 0) this.skip--
      else this.found.push(index)
    }
    return --this.left > 0 && this.found.length < this.most
  }

  private isValue(bytes: Bytes, start: number, end: number): boolean {
    const { bytes: wanted, start: from, end: to } = this.value
    if (end - start !== to - from) return false
    // From behind: elements begin alike (`job:17`, `job:18`).
    for (let at = end - 1, i = to - 1; at >= start; at--, i--) {
      if (bytes[at] !== wanted[i]) return false
    }
    return true
  }
}
