// Sorting with pauses: runs of a thousand are sorted at once and merged in steps. So SORT on many
// elements, or a large sorted set, delays no other client.

import { sortRunElements } from '../../../base/limits/key-value.js'
import { compareUnits, wordUnits } from '../../../base/work/work-figures.js'
import type { Program, ReadTx } from '../../../store/store.js'

type Compare<T> = (a: T, b: T) => number

/** The sorted items in a new array; the sort is stable. */
export function* sortInTurns<T>(
  tx: ReadTx,
  items: readonly T[],
  compare: Compare<T>,
): Program<T[]> {
  let sorted = new Array<T>(items.length)
  for (let first = 0; first < items.length; first += sortRunElements) {
    const run = items.slice(first, first + sortRunElements).sort(compare)
    for (let i = 0; i < run.length; i++) sorted[first + i] = run[i] as T
    yield* tx.pause(run.length * Math.log2(sortRunElements) * compareUnits)
  }
  let other = new Array<T>(items.length)
  for (let size = sortRunElements; size < items.length; size *= 2) {
    for (let first = 0; first < items.length; first += 2 * size) {
      const middle = Math.min(first + size, items.length)
      const end = Math.min(first + 2 * size, items.length)
      yield* merge(tx, { sorted, other, compare }, first, middle, end)
    }
    ;[sorted, other] = [other, sorted]
  }
  return sorted
}

interface Merging<T> {
  readonly sorted: readonly T[]
  readonly other: T[]
  readonly compare: Compare<T>
}

function* merge<T>(
  tx: ReadTx,
  { sorted, other, compare }: Merging<T>,
  first: number,
  middle: number,
  end: number,
): Program<void> {
  let [left, right] = [first, middle]
  for (let to = first; to < end; to++) {
    const takesLeft =
      right >= end || (left < middle && compare(sorted[left] as T, sorted[right] as T) <= 0)
    other[to] = sorted[takesLeft ? left++ : right++] as T
    if ((to + 1) % sortRunElements === 0) yield* tx.pause(sortRunElements * wordUnits)
  }
}
