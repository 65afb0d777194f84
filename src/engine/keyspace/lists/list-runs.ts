// Elements of large lists as they were last read, for the next one who asks for them: pages and
// feeds are read again and again between two changes. A run is known by the list's id and the
// version of its head, which no other state of the list ever has.

import { LRUCache } from 'lru-cache'
import type { Slice } from '../../../base/bytes/slice.js'
import { MiB } from '../../../base/units.js'
import type { MembersId } from '../../types.js'

/** Elements of lists as they were last read: of one list, and of all, bytes. */
const listRunBytesMax = 1 * MiB
const listRunsBytesMax = 16 * MiB

interface Run {
  readonly version: number
  /** Position of the first one. */
  readonly from: number
  readonly elements: readonly Slice[]
  readonly bytes: number
}

/** Fewer are read as quickly from where they lie. */
const elementsMin = 16
/** Of an element, beside its bytes. */
const elementBytes = 96

export class ListRuns {
  private readonly runs: LRUCache<MembersId, Run>

  constructor(bytesMax = listRunsBytesMax) {
    this.runs = new LRUCache({ maxSize: bytesMax, sizeCalculation: ({ bytes }) => bytes })
  }

  /** From one position to another, both included; undefined where not all of them are known. */
  find(id: MembersId, version: number, from: number, to: number): Slice[] | undefined {
    const run = this.runs.get(id)
    if (run === undefined || run.version !== version || run.from > from) return undefined
    const start = from - run.from
    const end = to + 1 - run.from
    return end > run.elements.length ? undefined : run.elements.slice(start, end)
  }

  /** Whether so many elements are worth a look. */
  static isWorth(count: number): boolean {
    return count >= elementsMin
  }

  add(id: MembersId, version: number, from: number, elements: readonly Slice[]): void {
    const before = this.runs.peek(id)
    // The longer one serves those who ask for a part of it.
    if (before?.version === version && before.elements.length > elements.length) return
    let bytes = 0
    for (const { start, end } of elements) bytes += end - start + elementBytes
    if (bytes > listRunBytesMax) return
    this.runs.set(id, { version, from, elements: [...elements], bytes })
  }
}
