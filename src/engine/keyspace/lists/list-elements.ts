// Iterates over the elements of a large list in place, for replies and for searches that read many
// elements and keep none.

import { scanEntriesMax } from '../../../base/limits/engine.js'
import { listScanMembers } from '../../../base/limits/key-value.js'
import { entryUnits } from '../../../base/work/work-figures.js'
import type { KeyRange, Program } from '../../../store/store.js'
import { isPlain, type Member, type Members } from '../containers/members.js'
import { membersPageBytes } from '../containers/trip-size.js'
import type { Keyspace } from '../keyspace.js'
import { behind } from '../sorted-sets/rank-blocks.js'
import type { Finder } from './list-finder.js'
import { positionsPart } from './list-leftovers.js'

/** Elements that a write program searches before the list's length matters. */
const begunMax = 2_000
/** Bytes of a page of short elements; the next page may have more of them. */
const shortPageBytes = 64 * 1024

/** Bytes of an element: key, record and the fraction of its place. */
export function elementBytes(length: number, placeBytes = 8): number {
  return 11 + placeBytes + length
}

/** Members of a range after the first `skip`, at most `limit`, collected for a reply. */
export function* readElements(
  { work }: Keyspace,
  members: Members,
  range: KeyRange,
  skip: number,
  limit: number,
): Program<Member[]> {
  const found: Member[] = []
  let { start, end } = range
  let left = skip
  while (found.length < limit) {
    const wanted = Math.min(left + limit - found.length, listScanMembers)
    const page = yield* members.page({ ...range, start, end }, wanted)
    const before = found.length
    for (let i = left; i < page.members.length; i++) found.push(page.members[i] as Member)
    work.gatherMembers(found, before)
    left = Math.max(0, left - page.members.length)
    const last = page.members.at(-1)
    if (page.isOver || last === undefined) break
    const key = members.keyOf(positionsPart, last.member)
    if (range.reverse === true) end = key
    else start = behind(key)
  }
  return found
}

/**
 * Passes the `length` elements of a range to a search. If the list is long, a write program only
 * starts the search; a read then completes it with pauses.
 */
export function* searchElements(
  { tx, work }: Keyspace,
  members: Members,
  range: KeyRange,
  length: number,
  finder: Finder,
): Program<void> {
  const reverse = finder.fromBack
  let { start, end } = range
  let limit = listScanMembers
  for (let seen = 0; seen < length; ) {
    if (seen >= begunMax) work.requireTime(tx, (length - seen) * entryUnits)
    const page = yield* members.entries({ start, end, reverse, bytesMax: membersPageBytes }, limit)
    let bytes = 0
    for (const entry of page) {
      const index = reverse ? length - 1 - seen : seen
      seen++
      const { value } = entry
      bytes += value.length
      // The element before is not kept.
      if (!isPlain(value)) work.expectPage()
      const goesOn = isPlain(value)
        ? finder.lookAt(index, value, 1, value.length)
        : finder.look(index, (yield* members.memberOf(entry)).payload)
      if (!goesOn) return
    }
    const last = page.at(-1)
    if (last === undefined) return
    if (reverse) end = last.key
    else start = behind(last.key)
    limit = bytes < shortPageBytes ? scanEntriesMax : listScanMembers
  }
}
