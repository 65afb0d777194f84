// Represents the keys of a memtable as numbers: an id for each key, and the address of its newest
// change. Keys are read and compared in place, in the slabs, without an object for each key.

import type { Bytes } from '../../base/bytes/bytes.js'
import { changeEnd, changeHeaderBytes, isRemoval, keyLengthOf } from '../log/change.js'
import { hashBytes } from './memtable-hash.js'
import type { Slabs } from './memtable-slabs.js'

/** Addresses are stored in pages, so growth copies nothing. */
const pageBits = 13
const pageIds = 2 ** pageBits

/** Key bytes in one word: with their count they fit a double exactly. */
export const wordBytes = 6

/** A reference to a key in place. It is reused, so a search allocates no objects. */
export class KeyRef {
  bytes: Bytes = new Uint8Array()
  start = 0
  length = 0
}

export class Entries {
  bytes = 0
  private readonly slabs: Slabs
  private readonly pages: Float64Array[] = []
  private readonly freed: number[] = []
  private used = 0
  private readonly one = new KeyRef()
  private readonly other = new KeyRef()

  constructor(slabs: Slabs) {
    this.slabs = slabs
  }

  add(address: number): number {
    const id = this.freed.pop() ?? this.used++
    if (id >>> pageBits === this.pages.length) {
      this.pages.push(new Float64Array(pageIds))
      this.bytes += pageIds * 8
    }
    this.move(id, address)
    return id
  }

  free(id: number): void {
    this.freed.push(id)
  }

  address(id: number): number {
    return (this.pages[id >>> pageBits] as Float64Array)[id & (pageIds - 1)] as number
  }

  move(id: number, address: number): void {
    const page = this.pages[id >>> pageBits] as Float64Array
    page[id & (pageIds - 1)] = address
  }

  isRemovedAt(address: number): boolean {
    return isRemoval(this.slabs.at(address), this.slabs.offset(address))
  }

  /** Bytes of the change at `address`. */
  lengthAt(address: number): number {
    const offset = this.slabs.offset(address)
    return changeEnd(this.slabs.at(address), offset) - offset
  }

  hashAt(address: number): number {
    const slab = this.slabs.at(address)
    const offset = this.slabs.offset(address)
    return hashBytes(slab, offset + changeHeaderBytes, keyLengthOf(slab, offset))
  }

  /** Whether the change at `address` is of the key at `from` of `bytes`. */
  equalsAt(address: number, bytes: Bytes, from: number, length: number): boolean {
    const slab = this.slabs.at(address)
    const offset = this.slabs.offset(address)
    if (keyLengthOf(slab, offset) !== length) return false
    const start = offset + changeHeaderBytes
    for (let i = 0; i < length; i++) if (slab[start + i] !== bytes[from + i]) return false
    return true
  }

  /** Points `key` at the key of `id`. */
  point(key: KeyRef, id: number): void {
    const address = this.address(id)
    const slab = this.slabs.at(address)
    const offset = this.slabs.offset(address)
    key.bytes = slab
    key.start = offset + changeHeaderBytes
    key.length = keyLengthOf(slab, offset)
  }

  /** Compares the key of `id` with another, byte by byte; negative if it comes first. */
  compare(id: number, key: KeyRef): number {
    const address = this.address(id)
    const slab = this.slabs.at(address)
    const offset = this.slabs.offset(address)
    const start = offset + changeHeaderBytes
    const keyLength = keyLengthOf(slab, offset)
    const { bytes: other, start: otherStart, length: otherLength } = key
    const length = keyLength < otherLength ? keyLength : otherLength
    for (let i = 0; i < length; i++) {
      const difference = (slab[start + i] as number) - (other[otherStart + i] as number)
      if (difference !== 0) return difference
    }
    return keyLength - otherLength
  }

  compareIds(id: number, other: number): number {
    this.point(this.other, other)
    return this.compare(id, this.other)
  }

  /** Compares the first `depth` bytes of the key of `id`, which has that many, with another key. */
  comparePrefix(id: number, key: KeyRef, depth: number): number {
    this.point(this.other, id)
    const { bytes, start } = this.other
    const length = Math.min(depth, key.length)
    for (let i = 0; i < length; i++) {
      const difference = (bytes[start + i] as number) - (key.bytes[key.start + i] as number)
      if (difference !== 0) return difference
    }
    return depth - length
  }

  /** Length of the common prefix of two keys. */
  commonPrefix(id: number, other: number): number {
    this.point(this.one, id)
    this.point(this.other, other)
    const { one, other: two } = this
    const length = Math.min(one.length, two.length)
    let i = 0
    while (i < length && one.bytes[one.start + i] === two.bytes[two.start + i]) i++
    return i
  }

  /** The word of a key from its byte `depth` on. */
  word(id: number, depth: number): number {
    const address = this.address(id)
    const slab = this.slabs.at(address)
    const offset = this.slabs.offset(address)
    return wordOf(slab, offset + changeHeaderBytes, keyLengthOf(slab, offset), depth)
  }
}

/**
 * Six bytes of a key and their count as one number. For keys with a common prefix of `depth` bytes,
 * words order like the keys; equal full words need a further comparison.
 */
export function wordOf(bytes: Bytes, start: number, length: number, depth: number): number {
  const at = start + depth
  const left = length - depth
  if (left >= wordBytes) {
    const high = ((bytes[at] as number) << 16) | ((bytes[at + 1] as number) << 8)
    const low = ((bytes[at + 3] as number) << 16) | ((bytes[at + 4] as number) << 8)
    return (
      (high | (bytes[at + 2] as number)) * 0x8000000 +
      ((low | (bytes[at + 5] as number)) * 8 + wordBytes)
    )
  }
  let word = 0
  for (let i = 0; i < wordBytes; i++) word = word * 256 + (i < left ? (bytes[at + i] as number) : 0)
  return word * 8 + Math.max(0, left)
}
