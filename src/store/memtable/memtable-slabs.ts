// The memory of a memtable: slabs filled from front to back, so a position is also a time. They
// hold changes in the format of the log.

import type { Bytes } from '../../base/bytes/bytes.js'
import { assert } from '../../base/errors.js'
import { memtableSlabBytes as slabBytes } from '../../base/limits/store.js'
import { freeMemory } from '../checkpoint/typed-memory.js'
import { giveSlab, takeSlab } from './slab-arenas.js'

const slabsPerByte = 1 / slabBytes

/** The fill state of the slabs at one moment of a group. */
export interface Mark {
  readonly position: number
  readonly limit: number
  readonly current: number
  /** Live bytes of the current slab. */
  readonly live: number
  readonly slabs: number
  /** Number of complete contiguous ranges, and where the last range begins. */
  readonly ranges: number
  readonly rangeStart: number
}

export class Slabs {
  /** Lower bound of the next address. Always grows: exact up to 2^51. */
  position = 0
  /** Memory of all slabs. */
  bytes = 0
  /** Allocated bytes that are live, and those that are dead but not freed. */
  liveBytes = 0
  deadBytes = 0
  /** Slabs from number `first` on. A hole marks a freed slab, or one skipped for a larger slab. */
  private slabs: (Bytes | undefined)[] = []
  /** Live bytes of each slab. */
  private live: number[] = []
  /** End of the allocated bytes of each slab; set when the next one begins. */
  private ends: number[] = []
  private first = 0
  /** Number of the current slab, and its end. */
  private current = -1
  private limit = 0
  private mark: Mark | undefined
  /** The contiguous ranges of this group before the last one. */
  private ranges: { readonly start: number; readonly end: number }[] = []
  private rangeStart = 0

  /** The slab that holds `address`. */
  at(address: number): Bytes {
    return this.slabs[((address * slabsPerByte) | 0) - this.first] as Bytes
  }

  /** The offset of `address` in its slab. */
  offset(address: number): number {
    return address & (slabBytes - 1)
  }

  /** Allocates `length` contiguous bytes; returns their address. */
  allocate(length: number): number {
    if (this.position + length > this.limit) this.extend(length)
    const address = this.position
    this.position = address + length
    const index = this.current - this.first
    this.live[index] = (this.live[index] as number) + length
    this.liveBytes += length
    return address
  }

  /** The address of the next `length` contiguous bytes, unless another allocation comes first. */
  reserve(length: number): number {
    assert(length <= slabBytes, 'what is reserved leaves a slab that others fit as well')
    if (this.position + length > this.limit) this.extend(length)
    return this.position
  }

  /** Begins a group with `headerBytes` for a header at the start of `pieces`. */
  begin(headerBytes: number): void {
    this.ranges = []
    this.rangeStart = this.position
    this.mark = this.save()
    if (headerBytes > 0) this.allocate(headerBytes)
  }

  /** Within a group: returns the state that `returnTo` needs. */
  save(): Mark {
    const { position, limit, current, rangeStart } = this
    const live = this.live[current - this.first] ?? 0
    const ranges = this.ranges.length
    return { position, limit, current, live, slabs: this.slabs.length, ranges, rangeStart }
  }

  /** The bytes allocated since `begin`, in order, as views on the same memory. */
  pieces(): Bytes[] {
    const last = { start: this.rangeStart, end: this.position }
    return [...this.ranges, last].map(({ start, end }) => {
      const offset = this.offset(start)
      return this.at(start).subarray(offset, offset + end - start)
    })
  }

  /** The slab that holds the whole group; undefined if it spans several. */
  groupSlab(): Bytes | undefined {
    const { mark, current } = this
    return mark === undefined || mark.current !== current
      ? undefined
      : this.slabs[current - this.first]
  }

  /** Frees what was allocated from `position` on, in the current slab. */
  shrink(position: number): void {
    const freed = this.position - position
    const index = this.current - this.first
    this.live[index] = (this.live[index] as number) - freed
    this.liveBytes -= freed
    this.position = position
  }

  keep(): void {
    const before = this.mark?.current ?? this.current
    this.mark = undefined
    // A slab that was reserved for a write and then skipped for a larger change is empty.
    for (let number = before; number < this.current; number++) this.dropDead(number)
  }

  /** Frees what was allocated since `begin`. */
  rollback(): void {
    if (this.mark !== undefined) this.returnTo(this.mark)
    this.mark = undefined
  }

  /** Frees what was allocated since the mark. */
  returnTo(mark: Mark): void {
    for (const slab of this.slabs.splice(mark.slabs)) {
      if (slab === undefined) continue
      this.bytes -= slab.length
      keepFree(slab)
    }
    this.liveBytes -= this.live.splice(mark.slabs).reduce((sum, bytes) => sum + bytes, 0)
    this.ends.length = mark.slabs
    const index = mark.current - this.first
    if (index >= 0) {
      this.liveBytes -= (this.live[index] as number) - mark.live
      this.live[index] = mark.live
    }
    this.position = mark.position
    this.limit = mark.limit
    this.current = mark.current
    this.ranges.length = mark.ranges
    this.rangeStart = mark.rangeStart
  }

  /** Marks `length` bytes at `address` as dead. A slab without live bytes is freed. */
  dead(address: number, length: number): void {
    const number = (address * slabsPerByte) | 0
    const index = number - this.first
    this.live[index] = (this.live[index] as number) - length
    this.liveBytes -= length
    this.deadBytes += length
    this.dropDead(number)
  }

  /** The address of the slab with the smallest share of live bytes, except the current one. */
  sparsest(): number | undefined {
    let found: number | undefined
    let least = 1
    for (let index = 0; index < this.slabs.length; index++) {
      const number = this.first + index
      if (this.slabs[index] === undefined || number === this.current) continue
      const share = (this.live[index] as number) / this.usedBytes(index)
      if (share >= least) continue
      found = number * slabBytes
      least = share
    }
    return found
  }

  /** Whether the slab at `address` still exists. */
  has(address: number): boolean {
    return this.slabs[((address * slabsPerByte) | 0) - this.first] !== undefined
  }

  /** Number of holes, which a long-lived slab at the front causes. */
  get holes(): number {
    return this.slabs.length - this.bytes / slabBytes
  }

  /** The address of the oldest slab, except the current one. */
  oldest(): number | undefined {
    return this.first === this.current ? undefined : this.first * slabBytes
  }

  /** The end of the changes in the full slab at `address`. */
  endOf(address: number): number {
    return this.ends[((address * slabsPerByte) | 0) - this.first] as number
  }

  /** Frees all memory; nothing may be read afterwards. */
  release(): void {
    for (const slab of this.slabs) if (slab !== undefined) keepFree(slab)
    this.slabs = []
    this.live = []
    this.ends = []
    this.bytes = 0
    this.liveBytes = 0
    this.deadBytes = 0
    this.limit = this.position
  }

  private extend(length: number): void {
    const { current: before, position: end } = this
    if (before >= 0) this.ends[before - this.first] = end
    if (this.mark !== undefined && end > this.rangeStart) {
      this.ranges.push({ start: this.rangeStart, end })
    }
    const size = Math.max(slabBytes, length)
    const slab = size === slabBytes ? takeSlab() : new Uint8Array(size)
    this.current = this.first + this.slabs.length
    this.position = this.current * slabBytes
    this.rangeStart = this.position
    this.limit = this.position + size
    this.bytes += size
    this.push(slab)
    for (let covered = slabBytes; covered < size; covered += slabBytes) this.push(undefined)
    if (this.mark === undefined) this.dropDead(before)
  }

  private push(slab: Bytes | undefined): void {
    this.slabs.push(slab)
    this.live.push(0)
    this.ends.push(0)
  }

  /** Bytes allocated in a full slab. */
  private usedBytes(index: number): number {
    return (this.ends[index] as number) - (this.first + index) * slabBytes
  }

  private dropDead(number: number): void {
    const index = number - this.first
    const slab = this.slabs[index]
    if (slab === undefined || number === this.current || this.live[index] !== 0) return
    this.slabs[index] = undefined
    this.bytes -= slab.length
    this.deadBytes -= this.usedBytes(index)
    keepFree(slab)
    if (index === 0) this.closeUp()
  }

  /** Removes holes at the front. */
  private closeUp(): void {
    while (this.slabs.length > 0 && this.slabs[0] === undefined) {
      this.slabs.shift()
      this.live.shift()
      this.ends.shift()
      this.first++
    }
  }
}

function keepFree(slab: Bytes): void {
  if (slab.length === slabBytes) giveSlab(slab)
  else freeMemory(slab)
}
