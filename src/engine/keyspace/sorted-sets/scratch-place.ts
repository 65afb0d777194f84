// Memory for the scores and the place of the member that a command changes in place, so that a
// pipeline of changes allocates nothing for them.

import type { Bytes } from '../../../base/bytes/bytes.js'
import type { Slice } from '../../../base/bytes/slice.js'
import { memberKeyBytesMax } from '../../../base/limits/key-value.js'
import { scoreBytes } from './sorted-set-place.js'

/** Scores and place of the current member; shared, since commands run synchronously. */
export const scoreBefore = new Uint8Array(scoreBytes)
export const scoreAfter = new Uint8Array(scoreBytes)
export const scratch = new Uint8Array(memberKeyBytesMax)

/** Copies the score of a short member's record. */
export function copyScore(record: Bytes, start: number): true {
  for (let i = 0; i < scoreBytes; i++) scoreBefore[i] = record[start + 1 + i] as number
  return true
}

export function hasSameScore(): boolean {
  for (let i = 0; i < scoreBytes; i++) if (scoreBefore[i] !== scoreAfter[i]) return false
  return true
}

export function writeBytes(target: Bytes, at: number, bytes: Bytes): void {
  for (let i = 0; i < bytes.length; i++) target[at + i] = bytes[i] as number
}

/** Writes a place into the scratch memory; returns its end. */
export function scratchPlace(score: Bytes, { bytes, start, end }: Slice): number {
  writeBytes(scratch, 0, score)
  for (let i = start; i < end; i++) scratch[scoreBytes + i - start] = bytes[i] as number
  return scoreBytes + end - start
}
