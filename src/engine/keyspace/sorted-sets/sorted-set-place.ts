// The place of a member in a large sorted set: eight bytes that order like scores, then the member.
// Zero and negative zero are one score, so ties between them are ordered by member.

import type { Bytes } from '../../../base/bytes/bytes.js'
import { Slice } from '../../../base/bytes/slice.js'

export interface ScoredMember {
  readonly member: Slice
  readonly score: number
}

/** Bytes of an encoded score. */
export const scoreBytes = 8

/** Up to this size, a loop copies faster than native code is called. */
const shortMemberBytes = 48

const word = new DataView(new ArrayBuffer(scoreBytes))
const signBit = 0x80000000

/** The order of a sorted set: by score, then by the member's bytes. */
export function compareScored(a: ScoredMember, b: ScoredMember): number {
  if (a.score !== b.score) return a.score < b.score ? -1 : 1
  return a.member.compare(b.member)
}

export function placeOf(score: number, member: Slice): Slice {
  const bytes = new Uint8Array(scoreBytes + member.length)
  writeScore(bytes, score)
  const { bytes: from, start, end } = member
  if (end - start > shortMemberBytes) bytes.set(from.subarray(start, end), scoreBytes)
  else for (let at = start, to = scoreBytes; at < end; at++, to++) bytes[to] = from[at] as number
  return new Slice(bytes, 0, bytes.length)
}

/** The prefix of all places with a score. */
export function scorePlace(score: number): Bytes {
  const bytes = new Uint8Array(scoreBytes)
  writeScore(bytes, score)
  return bytes
}

/** Decodes a place, which begins with the score. */
export function scoredOf(place: Slice): ScoredMember {
  const { bytes, start, end } = place
  return { score: readScore(bytes, start), member: new Slice(bytes, start + scoreBytes, end) }
}

/** Writes a score into `bytes` at `at`. */
export function writeScore(bytes: Bytes, score: number, at = 0): void {
  word.setFloat64(0, score === 0 ? 0 : score)
  const high = word.getUint32(0)
  const low = word.getUint32(4)
  const isNegative = high >= signBit
  writeUint32(bytes, at, isNegative ? ~high : high ^ signBit)
  writeUint32(bytes, at + 4, isNegative ? ~low : low)
}

function writeUint32(bytes: Bytes, at: number, n: number): void {
  bytes[at] = n >>> 24
  bytes[at + 1] = n >>> 16
  bytes[at + 2] = n >>> 8
  bytes[at + 3] = n
}

/** Reads the score at the front of a place. */
export function readScore(bytes: Bytes, at: number): number {
  for (let i = 0; i < scoreBytes; i++) word.setUint8(i, bytes[at + i] as number)
  const high = word.getUint32(0)
  const isNegative = high < signBit
  word.setUint32(0, isNegative ? ~high : high ^ signBit)
  if (isNegative) word.setUint32(4, ~word.getUint32(4))
  return word.getFloat64(0)
}

/** The index of the first member that is not before this one. */
export function firstNotBelow(entries: readonly ScoredMember[], entry: ScoredMember): number {
  let low = 0
  let high = entries.length
  while (low < high) {
    const middle = (low + high) >>> 1
    if (compareScored(entries[middle] as ScoredMember, entry) < 0) low = middle + 1
    else high = middle
  }
  return low
}

export function isOrdered(entries: readonly ScoredMember[]): boolean {
  for (let i = 1; i < entries.length; i++) {
    const isBehind = compareScored(entries[i - 1] as ScoredMember, entries[i] as ScoredMember) < 0
    if (!isBehind) return false
  }
  return true
}
