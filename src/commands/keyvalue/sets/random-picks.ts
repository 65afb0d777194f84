// Members picked at random: HRANDFIELD and SRANDMEMBER. A positive count picks so many different
// ones, a negative one picks with repetitions.

import { randomPicksMax } from '../../../base/limits.js'
import { refuse } from '../../../base/reply-error.js'
import { wordUnits } from '../../../base/work/work-figures.js'
import type { KeyValueCall } from '../../../bus/keyvalue/call.js'
import { mapInTurns } from '../../../engine/keyspace/containers/in-turns.js'
import type { Program, ReadTx, Step } from '../../../store/store.js'

const int64Max = 2n ** 63n - 1n

/** To find a member by its number reads as much as going through so many of them in order. */
const membersPerSearch = 4

/** A draw and the number that came of it. */
const pickBytes = 16

/** So many different picks are kept in a set of their numbers. */
const chosenInSetMax = 10_000

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
  if (-count > randomPicksMax) throw refuse('ERR value is out of range')
  const picks = count < 0 ? -count : Math.min(count, size)
  call.gather(picks * pickBytes)
  const picked: number[] = []
  if (count < 0) {
    while (picked.length < picks) {
      picked.push(call.random(size))
      yield* tx.pause(wordUnits)
    }
    return picked
  }
  // Floyd's choice: as many draws as members.
  const chosen = chosenOf(size, picks)
  for (let last = size - picks; last < size; last++) {
    const drawn = call.random(last + 1)
    const number = chosen.has(drawn) ? last : drawn
    chosen.add(number)
    picked.push(number)
    yield* tx.pause(wordUnits)
  }
  return picked
}

interface Chosen {
  has(number: number): boolean
  add(number: number): unknown
}

/** Many are bits: a large set of numbers moves all of them at once where it grows. */
function chosenOf(size: number, count: number): Chosen {
  if (count <= chosenInSetMax) return new Set<number>()
  const bits = new Uint8Array(Math.ceil(size / 8))
  return {
    has: (number) => ((bits[number >>> 3] as number) & (1 << (number & 7))) !== 0,
    add: (number) => {
      bits[number >>> 3] = (bits[number >>> 3] as number) | (1 << (number & 7))
    },
  }
}

/**
 * Those with the numbers, of a list of all: each counts with its bytes as if it were the only one,
 * because the reply has it as often as it was picked. Throws OOM.
 */
export function pickedOf<T>(
  tx: ReadTx,
  call: KeyValueCall,
  all: readonly T[],
  numbers: readonly number[],
  bytesOf: (picked: T) => number,
): Step<T[]> {
  return mapInTurns(tx, numbers, (number) => {
    const picked = all[number] as T
    call.gather(bytesOf(picked))
    return picked
  })
}
