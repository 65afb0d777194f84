// A cursor through the order of a memtable, as it was at a position: what came later is passed by,
// tombstones are seen. Both ends of the range are looked up at once, so a step compares no key.

import type { Bytes } from '../../base/bytes/bytes.js'
import type { KeyRange } from '../store.js'

/** What a cursor needs to know of its memtable. */
export interface Ordered {
  /** The place of the first key that is not below `key`. */
  lowerBound(key: Bytes): number
  placeAfter(place: number): number
  placeBefore(place: number): number
  /** The address of the change at `place` that is seen before `position`, or -1. */
  addressAt(place: number, position: number): number
  keyAt(address: number): Bytes
  valueAt(address: number): Bytes
  isRemoved(address: number): boolean
}

/** Good until the next write to the memtable. */
export class MemtableCursor {
  /** Of the change that the cursor stands at; -1 at the end. */
  address = -1
  private readonly memtable: Ordered
  private readonly before: number
  private readonly reverse: boolean
  /** The next place, or in reverse the one behind it; and where the range ends. */
  private place: number
  private readonly end: number
  private copied: Bytes | undefined

  constructor(memtable: Ordered, range: KeyRange, before: number) {
    this.memtable = memtable
    this.before = before
    this.reverse = range.reverse === true
    const start = memtable.lowerBound(range.start)
    const end = Math.max(start, memtable.lowerBound(range.end))
    this.place = this.reverse ? end : start
    this.end = this.reverse ? start : end
    this.advance()
  }

  /** The caller's own; undefined at the end. */
  get key(): Bytes | undefined {
    if (this.copied === undefined && this.address !== -1) {
      this.copied = this.memtable.keyAt(this.address)
    }
    return this.copied
  }

  /** The caller's own; undefined for a tombstone. */
  value(): Bytes | undefined {
    const { address, memtable } = this
    return memtable.isRemoved(address) ? undefined : memtable.valueAt(address)
  }

  advance(): void {
    const { memtable, end, before, reverse } = this
    this.copied = undefined
    this.address = -1
    while (this.address === -1 && this.place !== end) {
      if (reverse) this.place = memtable.placeBefore(this.place)
      this.address = memtable.addressAt(this.place, before)
      if (!reverse) this.place = memtable.placeAfter(this.place)
    }
  }
}
