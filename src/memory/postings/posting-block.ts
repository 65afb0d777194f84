// Postings packed side by side, sorted by id: a memory's id, the count of the term, the memory's
// length, and whether it is superseded, in 20 bytes. They are read in place, because a question
// reads thousands of them and keeps a few.

import { type Bytes, concatBytes } from '../../base/bytes/bytes.js'
import { assert } from '../../base/errors.js'
import { compareIds, packedIdBytes, packId } from './packed-id.js'

/** Id 16 bytes; superseded 1 bit and count 15; length u16, all big-endian. */
export const postingBytes = packedIdBytes + 4
const countAt = packedIdBytes
const lengthAt = packedIdBytes + 2
const supersededBit = 0x80
const countMax = 0x7fff
const lengthMax = 0xffff

export const emptyBlock: Bytes = new Uint8Array(0)

/** One term in one memory. */
interface Occurrence {
  readonly count: number
  /** Length of the memory. */
  readonly length: number
  readonly isSuperseded: boolean
}

/** A posting in packed form. */
export function packPosting(memory: string, { count, length, isSuperseded }: Occurrence): Bytes {
  assert(count <= countMax && length <= lengthMax, 'a posting counts what a text can hold')
  const posting = new Uint8Array(postingBytes)
  packId(memory, posting)
  posting[countAt] = (count >> 8) | (isSuperseded ? supersededBit : 0)
  posting[countAt + 1] = count
  posting[lengthAt] = length >> 8
  posting[lengthAt + 1] = length
  return posting
}

// Readers of the posting at `at`.

export function countOf(block: Bytes, at: number): number {
  return (((block[at + countAt] ?? 0) & ~supersededBit) << 8) | (block[at + countAt + 1] ?? 0)
}

export function lengthOf(block: Bytes, at: number): number {
  return ((block[at + lengthAt] ?? 0) << 8) | (block[at + lengthAt + 1] ?? 0)
}

export function isSuperseded(block: Bytes, at: number): boolean {
  return ((block[at + countAt] ?? 0) & supersededBit) !== 0
}

/** Number of postings in a block. */
export function sizeOf(block: Bytes): number {
  return block.length / postingBytes
}

/** Number of its postings of superseded memories. */
export function supersededIn(block: Bytes): number {
  let count = 0
  for (let at = 0; at < block.length; at += postingBytes) if (isSuperseded(block, at)) count++
  return count
}

/** The postings from number `from` to number `to`, as a view. */
export function part(block: Bytes, from: number, to?: number): Bytes {
  return block.subarray(from * postingBytes, to === undefined ? undefined : to * postingBytes)
}

/** Whether a posting, or a packed id, sorts at or after the first of a block. */
export function startsBy(block: Bytes, posting: Bytes): boolean {
  return block.length > 0 && compareIds(block, 0, posting, 0) <= 0
}

/** Whether a posting sorts after the last of a block, which is not empty. */
export function endsBefore(block: Bytes, posting: Bytes): boolean {
  return compareIds(block, block.length - postingBytes, posting, 0) < 0
}

/** Replaces the posting of the same memory, or adds it. */
export function withPosting(block: Bytes, posting: Bytes): Bytes {
  const at = placeOf(block, posting)
  const after = isAt(block, at, posting) ? at + postingBytes : at
  return joined(block, at, posting, after)
}

/** As withPosting for each, sorted by id: one pass for any number. */
export function withPostings(block: Bytes, postings: readonly Bytes[]): Bytes {
  const parts: Bytes[] = []
  let from = 0
  for (const [i, posting] of postings.entries()) {
    const next = postings[i + 1]
    // Of several for one memory the last one is used.
    if (next !== undefined && compareIds(posting, 0, next, 0) === 0) continue
    let at = from
    while (at < block.length && compareIds(block, at, posting, 0) < 0) at += postingBytes
    parts.push(block.subarray(from, at), posting)
    from = isAt(block, at, posting) ? at + postingBytes : at
  }
  parts.push(block.subarray(from))
  return concatBytes(...parts)
}

/** Without the posting of a memory; the same block if it has none. */
export function withoutPosting(block: Bytes, id: Bytes): Bytes {
  const at = placeOf(block, id)
  return isAt(block, at, id) ? joined(block, at, emptyBlock, at + postingBytes) : block
}

function joined(block: Bytes, before: number, middle: Bytes, after: number): Bytes {
  const whole = new Uint8Array(before + middle.length + block.length - after)
  whole.set(block.subarray(0, before))
  whole.set(middle, before)
  whole.set(block.subarray(after), before + middle.length)
  return whole
}

function isAt(block: Bytes, at: number, id: Bytes): boolean {
  return at < block.length && compareIds(block, at, id, 0) === 0
}

/** Position of the first posting that is not before `id`: usually the end. */
function placeOf(block: Bytes, id: Bytes): number {
  let at = block.length
  while (at > 0 && compareIds(block, at - postingBytes, id, 0) >= 0) at -= postingBytes
  return at
}
