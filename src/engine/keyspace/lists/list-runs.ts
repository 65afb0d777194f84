// A cache of list elements as last read, since clients often read the same pages and feeds between
// two changes. A run is identified by the list's id and the version of its head, which no other
// state of the list shares.

import { LRUCache } from 'lru-cache'
import type { Slice } from '../../../base/bytes/slice.js'
import { MiB } from '../../../base/units.js'
import type { MembersId } from '../../types.js'

/** Bytes of cached elements: of one list, and of all. */
const listRunBytesMax = 1 * MiB
const listRunsBytesMax = 16 * MiB

interface Run {
  readonly version: number
  /** Position of the first element. */
  readonly from: number
  readonly elements: readonly Slice[]
  readonly bytes: number
}

/** Fewer elements are read as fast from the store. */
const elementsMin = 16
/** Overhead of a cached element, bytes. */
const elementBytes = 96

export class ListRuns {
  private readonly runs: LRUCache<MembersId, Run>

  constructor(bytesMax = listRunsBytesMax) {
    this.runs = new LRUCache({ maxSize: bytesMax, sizeCalculation: ({ bytes }) => bytes })
  }

  /** Elements from one position to another, both inclusive; undefined unless all are cached. */
  find(id: MembersId, version: number, from: number, to: number): Slice[] | undefined {
    const run = this.runs.get(id)
    if (run === undefined || run.version !== version || run.from > from) return undefined
    const start = from - run.from
    const end = to + 1 - run.from
    return end > run.elements.length ? undefined : run.elements.slice(start, end)
  }

  /** Whether a cache lookup pays off for this many elements. */
  static isWorth(count: number): boolean {
    return count >= elementsMin
  }

  add(id: MembersId, version: number, from: number, elements: readonly Slice[]): void {
    const before = this.runs.peek(id)
    // A longer run also serves requests for a part of it.
    if (before?.version === version && before.elements.length > elements.length) return
    let bytes = 0
    for (const { start, end } of elements) bytes += end - start + elementBytes
    if (bytes > listRunBytesMax) return
    this.runs.set(id, { version, from, elements: [...elements], bytes })
  }
}
