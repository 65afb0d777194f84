// Converts a span into a range of places of a large sorted set. If places alone do not decide
// (members too long for a key), a filter is added.

import type { Bytes } from '../../../base/bytes/bytes.js'
import type { Slice } from '../../../base/bytes/slice.js'
import { memberKeyPrefixBytes } from '../../../base/limits/key-value.js'
import type { Members } from '../containers/members.js'
import { behind, placesPart } from './rank-blocks.js'
import { scoreBytes, scorePlace } from './sorted-set-place.js'
import { type Judge, type LexSpan, type ScoreSpan, sieve } from './sorted-set-span.js'

/** The places of a span; without a filter, all of them match. */
export interface Reach {
  readonly start: Bytes
  readonly end: Bytes
  readonly filter?: (reverse: boolean, offset: number) => Judge
}

export function scoreReach(members: Members, { min, max, isMinOpen, isMaxOpen }: ScoreSpan): Reach {
  const first = scorePlace(min)
  const last = scorePlace(max)
  return {
    start: members.raw(placesPart, isMinOpen ? next(first) : first),
    end: members.raw(placesPart, isMaxOpen ? last : next(last)),
  }
}

/** For a set whose members all have the score with place `score`. */
export function lexReach(members: Members, span: LexSpan, score: Bytes): Reach {
  const { min, max } = span
  const first = lexPlace(score, min.member)
  const last = lexPlace(score, max.member)
  const isMinPlain = min.infinite !== 0 || first.length === scoreBytes + min.member.length
  const isMaxPlain = max.infinite !== 0 || last.length === scoreBytes + max.member.length
  const isAfterMin = min.infinite === 0 && min.isOpen && isMinPlain
  let end = max.isOpen ? last : behind(last)
  if (max.infinite !== 0) end = next(score)
  else if (!isMaxPlain) end = next(last)
  const start = members.raw(placesPart, isAfterMin ? behind(first) : first)
  const reach = { start, end: members.raw(placesPart, end) }
  return isMinPlain && isMaxPlain ? reach : { ...reach, filter: (_, offset) => sieve(span, offset) }
}

/** The prefix of a member's place that is ordered by bytes. */
function lexPlace(score: Bytes, member: Slice): Bytes {
  const length = Math.min(scoreBytes + member.length, memberKeyPrefixBytes)
  const place = new Uint8Array(length)
  place.set(score)
  place.set(member.view().subarray(0, length - scoreBytes), scoreBytes)
  return place
}

/** The lowest bytes above everything with this prefix. */
function next(place: Bytes): Bytes {
  let length = place.length
  while (length > 1 && place[length - 1] === 0xff) length--
  const above = place.slice(0, length)
  above[length - 1] = (above[length - 1] as number) + 1
  return above
}
