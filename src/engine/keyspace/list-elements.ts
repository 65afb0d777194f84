// Going through the elements of a large list where they lie, whatever their places are.

import { listScanMembers } from '../../base/limits.js'
import type { KeyRange, Program } from '../../store/store.js'
import type { Keyspace } from './keyspace.js'
import type { Finder } from './list-finder.js'
import { positionsPart } from './list-leftovers.js'
import type { Member, Members } from './members.js'
import { behind } from './rank-blocks.js'

/** Key and record of an element, and the fraction of its place. */
export function elementBytes(length: number, placeBytes = 8): number {
  return 11 + placeBytes + length
}

/** Members of a range behind the first `skip`, at most `limit`; they are gathered for a reply. */
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
    const page = yield* members.scan({ ...range, start, end }, wanted)
    const before = found.length
    for (let i = left; i < page.length; i++) found.push(page[i] as Member)
    work.gatherMembers(found, before)
    left = Math.max(0, left - page.length)
    const last = page.at(-1)
    if (page.length < wanted || last === undefined) break
    const key = members.keyOf(positionsPart, last.member)
    if (range.reverse === true) end = key
    else start = behind(key)
  }
  return found
}

/** Shows the elements of a range, which are `length`, to a search. */
export function* searchElements(
  members: Members,
  range: KeyRange,
  length: number,
  finder: Finder,
): Program<void> {
  const reverse = finder.fromBack
  let { start, end } = range
  for (let seen = 0; seen < length; ) {
    const page = yield* members.scan({ start, end, reverse }, listScanMembers)
    const last = page.at(-1)
    if (last === undefined) return
    for (const { payload } of page) {
      const index = reverse ? length - 1 - seen : seen
      seen++
      if (!finder.look(index, payload)) return
    }
    const key = members.keyOf(positionsPart, last.member)
    if (reverse) end = key
    else start = behind(key)
  }
}
