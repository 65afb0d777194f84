// The two records of a member of a large sorted set: its score under its name, and its place, which
// orders it among the others.

import type { Bytes } from '../../../base/bytes/bytes.js'
import { Slice } from '../../../base/bytes/slice.js'
import { memberKeyBytesMax } from '../../../base/limits/key-value.js'
import { type Members, namesPart, suffixOf } from '../containers/members.js'
import { placesPart } from './rank-blocks.js'
import { placeOf, scoreBytes } from './sorted-set-place.js'

export const scoresPart = namesPart

/** Bytes of a member's score and place records, without blocks. */
export function scoredBytes({ length }: Slice): number {
  return 38 + 2 * length
}

/** Returns the suffix of its place's key. */
export function putScored(members: Members, member: Slice, score: number): Bytes {
  const place = placeOf(score, member)
  const key = members.keyOf(placesPart, place)
  members.put(scoresPart, member, new Slice(place.bytes, 0, scoreBytes))
  members.putEmpty(key, place)
  return placeIn(key, place)
}

/** The suffix of a place's key: usually the place itself, without another view. */
export function placeIn(key: Bytes, place: Slice): Bytes {
  return place.length < memberKeyBytesMax ? place.bytes : suffixOf(key)
}

/** The key suffix of a member's place. */
export function placeKeyOf(members: Members, score: number, member: Slice): Bytes {
  return suffixOf(members.keyOf(placesPart, placeOf(score, member)))
}
