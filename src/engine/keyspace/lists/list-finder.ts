// A search through the elements of a list, for LPOS, LREM and LINSERT. It gets one element after
// the other and returns when to stop.

import type { Bytes } from '../../../base/bytes/bytes.js'
import type { Slice } from '../../../base/bytes/slice.js'

export interface Search {
  readonly value: Slice
  /** Searches from the last element to the first. */
  readonly fromBack?: boolean
  /** Matches to skip. */
  readonly skip?: number
  /** Matches to find; default all. */
  readonly most?: number
  /** Elements to compare; default all. */
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

  /** Compares one element; returns whether to continue. */
  look(index: number, { bytes, start, end }: Slice): boolean {
    return this.lookAt(index, bytes, start, end)
  }

  /** Like look, for an element in place. */
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
    // Compares from the end, since elements often share a prefix (`job:17`, `job:18`).
    for (let at = end - 1, i = to - 1; at >= start; at--, i--) {
      if (bytes[at] !== wanted[i]) return false
    }
    return true
  }
}
