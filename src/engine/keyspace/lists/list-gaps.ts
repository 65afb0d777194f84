// Places between list elements: a place is a position of eight bytes, plus a fraction for elements
// inserted between two positions. Places are ordered by bytes. A fraction never ends in a zero, so
// there is always room below it.

import type { Bytes } from '../../../base/bytes/bytes.js'
import { Slice } from '../../../base/bytes/slice.js'
import { numberBytes, numberOfSlice, numberSlice } from '../containers/members.js'

/** Fractions are computed in pieces that fit a number. */
const pieceBytes = 6
const pieceEnd = 2 ** 48
/**
 * A new place takes this share of the gap from one side: later inserts often go to the other side.
 */
const gapShare = 256
/** Above this length, the whole list is rewritten. */
const placeBytesMax = 240

export type Side = 'left' | 'right'

/** The position next to that of a place, in direction `by`; no element is beyond it. */
export function positionBeside(place: Bytes, by: 1 | -1): Bytes {
  return numberSlice(positionOf(place) + by).bytes
}

/** A place between two others, nearer to one of them; undefined if it would be too long. */
export function placeBetween(left: Bytes, right: Bytes, near: Side): Bytes | undefined {
  const first = positionOf(left)
  if (first + 1 < positionOf(right)) return numberSlice(first + 1).bytes
  const isOneGap = first === positionOf(right)
  let at = numberBytes
  // If the right place has another position, all fractions above the left one are free.
  let end = isOneGap ? right : undefined
  while (end !== undefined && at < left.length && left[at] === end[at]) at++
  for (;;) {
    const low = pieceOf(left, at)
    const high = end === undefined ? pieceEnd : pieceOf(end, at)
    if (high - low > 1) {
      const step = Math.max(1, Math.floor((high - low) / gapShare))
      return placeWith(left, at, near === 'left' ? low + step : high - step)
    }
    // A place with the left one's prefix and a larger rest is still below the right one.
    if (high > low) end = undefined
    at += pieceBytes
  }
}

function positionOf(place: Bytes): number {
  return numberOfSlice(new Slice(place, 0, numberBytes))
}

/** Missing bytes count as zeros. */
function pieceOf(place: Bytes, at: number): number {
  let piece = 0
  for (let i = at; i < at + pieceBytes; i++) piece = piece * 256 + (place[i] ?? 0)
  return piece
}

/** The first `at` bytes of a place, and a piece that is not zero. */
function placeWith(left: Bytes, at: number, piece: number): Bytes | undefined {
  const place = new Uint8Array(at + pieceBytes)
  place.set(left.subarray(0, at))
  let rest = piece
  for (let i = at + pieceBytes - 1; i >= at; i--) {
    place[i] = rest % 256
    rest = Math.floor(rest / 256)
  }
  let { length } = place
  while (place[length - 1] === 0) length--
  return length > placeBytesMax ? undefined : place.slice(0, length)
}
