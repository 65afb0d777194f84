// The places of the first and the last member of a large sorted set, as its head keeps them. What a
// queue has taken from an end lies there as removals until it is in the tables: a search for
// the end begins behind those. A place that is too long is not kept; it is looked for again then.

import { type Bytes, compareBytes } from '../../../base/bytes/bytes.js'

/** Of a place that a head keeps: most are below 40. */
const edgeBytesMax = 256
/** Of `lowest` and `highest` in a head, beside the place itself; at least. */
const edgeFieldBytes = 14

export class Edges {
  constructor(
    /** No member is before this one; undefined where that is not known. */
    public lowest: Bytes | undefined,
    /** And none behind this one. */
    public highest: Bytes | undefined,
  ) {}

  /** What they take in a head. */
  get bytes(): number {
    return sizeOf(this.lowest) + sizeOf(this.highest)
  }

  /** Gives up what makes them take more than `bytes`: what removes members makes nothing larger. */
  fit(bytes: number): void {
    if (this.bytes > bytes) this.highest = undefined
    if (this.bytes > bytes) this.lowest = undefined
  }

  /** A member came; its place ends at `end` of `bytes`, which the caller goes on using. */
  added(bytes: Bytes, end: number): void {
    const { lowest, highest } = this
    if (lowest !== undefined && orderOf(bytes, end, lowest) < 0) this.lowest = kept(bytes, end)
    if (highest !== undefined && orderOf(bytes, end, highest) > 0) this.highest = kept(bytes, end)
  }

  /** Whether members from one place to another, both included, are the first ones, or may be. */
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

  /** The first member stands there. */
  begin(place: Bytes | undefined): void {
    this.lowest = place === undefined ? undefined : kept(place, place.length)
  }

  /** The last member stands there. */
  finish(place: Bytes | undefined): void {
    this.highest = place === undefined ? undefined : kept(place, place.length)
  }
}

function sizeOf(place: Bytes | undefined): number {
  return place === undefined ? 0 : edgeFieldBytes + place.length
}

function kept(bytes: Bytes, end: number): Bytes | undefined {
  return end > edgeBytesMax ? undefined : bytes.slice(0, end)
}

function orderOf(bytes: Bytes, end: number, place: Bytes): number {
  const { length } = place
  for (let i = 0; i < end && i < length; i++) {
    const difference = (bytes[i] as number) - (place[i] as number)
    if (difference !== 0) return difference
  }
  return end - length
}
