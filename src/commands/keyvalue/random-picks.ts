// Members picked at random: HRANDFIELD and SRANDMEMBER. A positive count picks so many different
// ones, a negative one picks with repetitions.

import { randomPicksMax } from '../../base/limits.js'
import { refuse } from '../../base/reply-error.js'
import { wordUnits } from '../../base/work-figures.js'
import type { KeyValueCall } from '../../bus/keyvalue/call.js'
import type { Program, ReadTx } from '../../store/store.js'

const int64Max = 2n ** 63n - 1n

/** To find a member by its number reads as much as going through so many of them in order. */
const membersPerSearch = 4

/** Whether so many picks are cheaper out of a list of all members. */
export function picksFromAll(picks: number, size: number): boolean {
  return picks * membersPerSearch > size
}

/** A count that may be negative, but not the least integer, which has no opposite. */
export function readPickCount(call: KeyValueCall, index: number): number {
  const count = call.int64(index)
  if (count < -int64Max) {
    throw refuse(`ERR value is out of range, value must between ${-int64Max} and ${int64Max}`)
  }
  return Number(count)
}

/** Numbers below `size`: `count` different ones in random order, or -`count` of any. */
export function* pickNumbers(
  tx: ReadTx,
  call: KeyValueCall,
  size: number,
  count: number,
): Program<number[]> {
  if (count < 0) {
    if (-count > randomPicksMax) throw refuse('ERR value is out of range')
    const picked: number[] = []
    while (picked.length < -count) {
      picked.push(call.random(size))
      yield* tx.pause(wordUnits)
    }
    return picked
  }
  // Floyd's choice: as many draws as members.
  const chosen = new Set<number>()
  for (let last = Math.max(0, size - count); last < size; last++) {
    const number = call.random(last + 1)
    chosen.add(chosen.has(number) ? last : number)
    yield* tx.pause(wordUnits)
  }
  return [...chosen]
}
