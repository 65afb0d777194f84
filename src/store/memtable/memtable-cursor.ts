// A cursor over the keys of a memtable as of a position. It skips later changes and includes
// tombstones. Both ends of the range are looked up at once, so a step compares no keys.

import type { Bytes } from '../../base/bytes/bytes.js'
import type { KeyRange } from '../store.js'

/** What a cursor requires of its memtable. */
export interface Ordered {
  /** The place of the first key >= `key`. */
  lowerBound(key: Bytes): number
  placeAfter(place: number): number
  placeBefore(place: number): number
  /** The address of the change at `place` visible before `position`, or -1. */
  addressAt(place: number, position: number): number
  keyAt(address: number): Bytes
  valueAt(address: number): Bytes
  isRemoved(address: number): boolean
}

/** Valid until the next write to the memtable. */
export class MemtableCursor {
  /** Address of the current change; -1 at the end. */
  address = -1
  private readonly memtable: Ordered
  private readonly before: number
  private readonly reverse: boolean
  /** The next place, or in reverse the one after it; and where the range ends. */
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

  /** A copy owned by the caller; undefined at the end. */
  get key(): Bytes | undefined {
    if (this.copied === undefined && this.address !== -1) {
      this.copied = this.memtable.keyAt(this.address)
    }
    return this.copied
  }

  /** A copy owned by the caller; undefined for a tombstone. */
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
