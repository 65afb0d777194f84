// Members picked at random: HRANDFIELD and SRANDMEMBER. A positive count picks so many different
// ones, a negative one picks with repetitions.

import { randomPicksMax } from '../../base/limits.js'
import { refuse } from '../../base/reply-error.js'
import type { KeyValueCall } from '../../bus/keyvalue/call.js'

const int64Max = 2n ** 63n - 1n

/** A count that may be negative, but not the least integer, which has no opposite. */
export function readPickCount(call: KeyValueCall, index: number): number {
  const count = call.int64(index)
  if (count < -int64Max) {
    throw refuse(`ERR value is out of range, value must between ${-int64Max} and ${int64Max}`)
  }
  return Number(count)
}

/** Numbers below `size`: `count` different ones in random order, or -`count` of any. */
export function pickNumbers(call: KeyValueCall, size: number, count: number): number[] {
  if (count < 0) {
    if (-count > randomPicksMax) throw refuse('ERR value is out of range')
    return Array.from({ length: -count }, () => call.random(size))
  }
  // Floyd's choice: as many draws as members.
  const chosen = new Set<number>()
  for (let last = Math.max(0, size - count); last < size; last++) {
    const number = call.random(last + 1)
    chosen.add(chosen.has(number) ? last : number)
  }
  return [...chosen]
}
