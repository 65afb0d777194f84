// Reads ahead for a command that changes many members of a large sorted set: their scores, and the
// blocks that count their old and new places.

import type { Bytes } from '../../../base/bytes/bytes.js'
import type { Slice } from '../../../base/bytes/slice.js'
import type { ReadAhead } from '../../../store/read-ahead.js'
import type { Program } from '../../../store/store.js'
import type { Members } from '../containers/members.js'
import { placeKeyOf, scoresPart } from './scored-records.js'
import { readScore } from './sorted-set-place.js'
import type { Ranks } from './sorted-set-ranks.js'

/** Members that a loop changes, with new scores unless it removes them. */
export interface Changes {
  readonly count: number
  memberAt(index: number): Slice
  scoreAt?: (index: number) => number
}

/** Undefined if the loop needs nothing. */
export function changesAhead(
  members: Members,
  ranks: Ranks,
  changes: Changes,
): ReadAhead | undefined {
  return members.ahead(
    scoresPart,
    changes.count,
    (index) => changes.memberAt(index),
    (from, end) => blocksAhead(members, ranks, changes, from, end),
  )
}

function* blocksAhead(
  members: Members,
  ranks: Ranks,
  changes: Changes,
  from: number,
  end: number,
): Program<void> {
  if (ranks.levels === 0) return
  const places: Bytes[] = []
  for (let i = from; i < end; i++) {
    const member = changes.memberAt(i)
    const found = yield* members.get(scoresPart, member)
    if (found !== undefined) {
      const { bytes, start } = found.payload
      places.push(placeKeyOf(members, readScore(bytes, start), member))
    }
    if (changes.scoreAt !== undefined) {
      places.push(placeKeyOf(members, changes.scoreAt(i), member))
    }
  }
  yield* ranks.readAhead(places, changes.count)
}
