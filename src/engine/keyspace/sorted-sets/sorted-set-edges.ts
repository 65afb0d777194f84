// The places of the first and last member of a large sorted set, kept in its head. Members popped
// from an end leave tombstones until the next checkpoint, and a search for the end starts after
// those. A place that is too long is kept for the program only, so the next one must search it.

import { type Bytes, compareBytes } from '../../../base/bytes/bytes.js'

/** Maximum bytes of a place in a head; most are below 40. */
const edgeBytesMax = 256
/** Minimum overhead of `lowest` or `highest` in a head, besides the place. */
const edgeFieldBytes = 14

interface StoredEdges {
  readonly lowest?: Bytes
  readonly highest?: Bytes
}

export class Edges {
  constructor(
    /** No member is before this place; undefined if unknown. */
    public lowest: Bytes | undefined,
    /** No member is after this place; undefined if unknown. */
    public highest: Bytes | undefined,
  ) {}

  /** What the head keeps of them. */
  get stored(): StoredEdges {
    const { lowest, highest } = this
    const from = isStored(lowest) ? { lowest } : undefined
    return isStored(highest) ? { highest, ...from } : { ...from }
  }

  /** Their size in a head, bytes. */
  get bytes(): number {
    return sizeOf(this.lowest) + sizeOf(this.highest)
  }

  /** Drops edges above `bytes`, since removing members must not enlarge the head. */
  fit(bytes: number): void {
    if (this.bytes > bytes) this.highest = undefined
    if (this.bytes > bytes) this.lowest = undefined
  }

  /** A member was added; its place ends at `end` of `bytes`, which the caller reuses. */
  added(bytes: Bytes, end: number): void {
    const { lowest, highest } = this
    if (lowest !== undefined && orderOf(bytes, end, lowest) < 0) this.lowest = bytes.slice(0, end)
    if (highest !== undefined && orderOf(bytes, end, highest) > 0)
      this.highest = bytes.slice(0, end)
  }

  /**
   * Whether the members from one place to another, both inclusive, are or may be the first ones.
   */
  areFirst(from: Bytes, to: Bytes): boolean {
    const { lowest } = this
    if (lowest === undefined) return true
    return compareBytes(from, lowest) <= 0 && compareBytes(to, lowest) >= 0
  }

  areLast(from: Bytes, to: Bytes): boolean {
    const { highest } = this
    if (highest === undefined) return true
    return compareBytes(from, highest) <= 0 && compareBytes(to, highest) >= 0
  }

  /** Whether a member with that place is known as the first or the last one. */
  hasAt(bytes: Bytes, end: number): boolean {
    const { lowest, highest } = this
    if (lowest !== undefined && orderOf(bytes, end, lowest) === 0) return true
    return highest !== undefined && orderOf(bytes, end, highest) === 0
  }

  /** The member with that place is gone: if it was the first or the last, that one is unknown. */
  lose(place: Bytes): void {
    const { lowest, highest } = this
    const { length } = place
    if (lowest !== undefined && orderOf(place, length, lowest) === 0) this.lowest = undefined
    if (highest !== undefined && orderOf(place, length, highest) === 0) this.highest = undefined
  }

  /** Sets the place of the first member. */
  begin(place: Bytes | undefined): void {
    this.lowest = place?.slice()
  }

  /** Sets the place of the last member. */
  finish(place: Bytes | undefined): void {
    this.highest = place?.slice()
  }
}

function sizeOf(place: Bytes | undefined): number {
  return isStored(place) ? edgeFieldBytes + place.length : 0
}

function isStored(place: Bytes | undefined): place is Bytes {
  return place !== undefined && place.length <= edgeBytesMax
}

function orderOf(bytes: Bytes, end: number, place: Bytes): number {
  const { length } = place
  for (let i = 0; i < end && i < length; i++) {
    const difference = (bytes[i] as number) - (place[i] as number)
    if (difference !== 0) return difference
  }
  return end - length
}
