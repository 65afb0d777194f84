// Random members, for HRANDFIELD and SRANDMEMBER. A positive count picks distinct members, a
// negative count allows repetitions.

import { randomPicksMax } from '../../../base/limits/key-value.js'
import { refuse } from '../../../base/reply-error.js'
import { wordUnits } from '../../../base/work/work-figures.js'
import type { KeyValueCall } from '../../../bus/keyvalue/call.js'
import { mapInTurns } from '../../../engine/keyspace/containers/in-turns.js'
import type { Program, ReadTx, Step } from '../../../store/store.js'

const int64Max = 2n ** 63n - 1n

/** Finding a member by index reads about as much as walking over this many members. */
const membersPerSearch = 4

/** Bytes of a draw and its number. */
const pickBytes = 16

/** Up to this many distinct picks are kept in a set of numbers. */
const chosenInSetMax = 10_000

/** Whether this many picks are cheaper from a list of all members. */
export function picksFromAll(picks: number, size: number): boolean {
  return picks * membersPerSearch > size
}

/**
 * Parses a count that may be negative. The smallest integer is refused, because it cannot be
 * negated.
 */
export function readPickCount(call: KeyValueCall, index: number): number {
  const count = call.int64(index)
  if (count < -int64Max) {
    throw refuse(`ERR value is out of range, value must between ${-int64Max} and ${int64Max}`)
  }
  return Number(count)
}

/** Numbers below `size`: `count` distinct ones in random order, or -`count` with repetitions. */
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
  // Floyd's algorithm: as many draws as members.
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

/** Many picks use a bitmap, because a large set of numbers copies all its entries when it grows. */
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
 * The picked members of a list of all. A repeated member counts its bytes each time, because the
 * reply repeats it. Throws OOM.
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
