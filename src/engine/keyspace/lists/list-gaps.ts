// Places between the elements of a list that has been changed in its middle: a place is a position
// of eight bytes and, of what came between two positions, a fraction behind it. Places are ordered
// by their bytes, and a fraction never ends in a zero, so that there is room below each.

import type { Bytes } from '../../../base/bytes/bytes.js'
import { Slice } from '../../../base/bytes/slice.js'
import { numberBytes, numberOfSlice, numberSlice } from '../containers/members.js'

/** A fraction is computed with in pieces that a number holds. */
const pieceBytes = 6
const pieceEnd = 2 ** 48
/** A new place takes so much of the gap from one side: the next ones often go to the other. */
const gapShare = 256
/** Longer places are given up: then the whole list is written anew. */
const placeBytesMax = 240

export type Side = 'left' | 'right'

/** The position `by` further than that of a place; nothing lies behind it there. */
export function positionBeside(place: Bytes, by: 1 | -1): Bytes {
  return numberSlice(positionOf(place) + by).bytes
}

/** A place between two, nearer to one of them; undefined where that would be too long. */
export function placeBetween(left: Bytes, right: Bytes, near: Side): Bytes | undefined {
  const first = positionOf(left)
  if (first + 1 < positionOf(right)) return numberSlice(first + 1).bytes
  const isOneGap = first === positionOf(right)
  let at = numberBytes
  // Where the right one has another position, all fractions above the left one are free.
  let end = isOneGap ? right : undefined
  while (end !== undefined && at < left.length && left[at] === end[at]) at++
  for (;;) {
    const low = pieceOf(left, at)
    const high = end === undefined ? pieceEnd : pieceOf(end, at)
    if (high - low > 1) {
      const step = Math.max(1, Math.floor((high - low) / gapShare))
      return placeWith(left, at, near === 'left' ? low + step : high - step)
    }
    // What begins as the left one does and goes on above it is still below the right one.
    if (high > low) end = undefined
    at += pieceBytes
  }
}

function positionOf(place: Bytes): number {
  return numberOfSlice(new Slice(place, 0, numberBytes))
}

/** Zeros stand where there are no bytes. */
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
