// Sorting of values for $sortArray, the set operators and $push with $sort. The work is charged
// before it is done, and 32-bit numbers are sorted natively.

import { work } from '../base/work/work-budget.js'
import type { Collation } from './collation/collation.js'
import { compareValues } from './compare.js'
import { bsonType, int32Value, readInt32, type Value } from './value.js'

/** Work units of a native sort, for each number and halving: 0.005 µs. */
const nativeUnits = 0.05
/** Work units of one comparison: 0.06 µs besides the cost of the values. */
const comparisonUnits = 0.6

/** Sorts in place by a comparison; stable. */
export function sortItems<T>(items: T[], compare: (a: T, b: T) => number): T[] {
  work.spend(items.length * halvings(items.length) * comparisonUnits)
  return items.sort(compare)
}

/** The sorted items in a new array; pauses when the turn is over. Stable. */
export function* sortInTurns<T>(
  items: readonly T[],
  compare: (a: T, b: T) => number,
): Generator<undefined, T[], void> {
  let sorted = [...items]
  let other = [...items]
  for (let size = 1; size < items.length; size *= 2) {
    for (let first = 0; first < items.length; first += 2 * size) {
      const middle = Math.min(first + size, items.length)
      const end = Math.min(first + 2 * size, items.length)
      let [left, right] = [first, middle]
      for (let to = first; to < end; to++) {
        const takesLeft =
          right >= end || (left < middle && compare(sorted[left] as T, sorted[right] as T) <= 0)
        other[to] = sorted[takesLeft ? left++ : right++] as T
        work.note(comparisonUnits)
        if (work.isDue) yield
      }
    }
    ;[sorted, other] = [other, sorted]
  }
  return sorted
}

/** Sorts in place; `direction` -1 means descending. */
export function sortValues(values: Value[], collation?: Collation, direction: 1 | -1 = 1): Value[] {
  const numbers = int32Numbers(values)
  if (numbers === undefined) {
    return sortItems(values, (a, b) => direction * compareValues(a, b, collation))
  }
  work.spend(values.length * (1 + halvings(values.length) * nativeUnits))
  numbers.sort()
  if (direction === -1) numbers.reverse()
  for (let i = 0; i < numbers.length; i++) values[i] = int32Value(numbers[i] as number)
  return values
}

function halvings(count: number): number {
  return Math.ceil(Math.log2(count + 1))
}

function int32Numbers(values: readonly Value[]): Int32Array | undefined {
  const numbers = new Int32Array(values.length)
  for (let i = 0; i < values.length; i++) {
    const value = values[i] as Value
    if (value.type !== bsonType.int32) return undefined
    numbers[i] = readInt32(value.bytes, value.start)
  }
  return numbers
}
