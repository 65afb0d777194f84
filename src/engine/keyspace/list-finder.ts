// A search through the elements of a list: what LPOS, LREM and LINSERT have in common. It is shown
// one element after the other and says when it has seen enough.

import type { Slice } from '../../base/slice.js'

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
  private lookAt: number

  constructor(search: Search) {
    this.value = search.value
    this.fromBack = search.fromBack ?? false
    this.skip = search.skip ?? 0
    this.most = search.most ?? Number.POSITIVE_INFINITY
    this.lookAt = search.lookAt ?? Number.POSITIVE_INFINITY
  }

  /** Whether to go on. */
  look(index: number, element: Slice): boolean {
    if (element.equals(this.value)) {
      if (this.skip > 0) this.skip--
      else this.found.push(index)
    }
    return --this.lookAt > 0 && this.found.length < this.most
  }
}
