// Loops over much that is at hand already: they read nothing that would pause by itself, so they
// give way every so often. What is short goes through at once, as it would without them.

import { wordsPerBreath } from '../../base/limits.js'
import { entryUnits } from '../../base/work-figures.js'
import { Done, nothing } from '../../store/steps.js'
import type { Program, ReadTx, Step } from '../../store/store.js'

/** Does something with each item. */
export function eachInTurns<T>(
  tx: ReadTx,
  items: readonly T[],
  visit: (item: T, index: number) => void,
): Step<void> {
  if (items.length > wordsPerBreath) return visitAll(tx, items, visit)
  for (let i = 0; i < items.length; i++) visit(items[i] as T, i)
  return nothing
}

export function mapInTurns<T, U>(
  tx: ReadTx,
  items: readonly T[],
  map: (item: T, index: number) => U,
): Step<U[]> {
  if (items.length <= wordsPerBreath) return new Done(items.map(map))
  return mapAll(tx, items, map)
}

/** As mapInTurns, of what makes several of each item. */
export function flatMapInTurns<T, U>(
  tx: ReadTx,
  items: readonly T[],
  map: (item: T, index: number) => readonly U[],
): Step<U[]> {
  if (items.length <= wordsPerBreath) return new Done(items.flatMap(map))
  return flatMapAll(tx, items, map)
}

function* visitAll<T>(
  tx: ReadTx,
  items: readonly T[],
  visit: (item: T, index: number) => void,
): Program<void> {
  for (let i = 0; i < items.length; i++) {
    if (i % wordsPerBreath === wordsPerBreath - 1) yield* tx.pause(wordsPerBreath * entryUnits)
    visit(items[i] as T, i)
  }
}

function* mapAll<T, U>(
  tx: ReadTx,
  items: readonly T[],
  map: (item: T, index: number) => U,
): Program<U[]> {
  const mapped: U[] = []
  yield* visitAll(tx, items, (item, i) => mapped.push(map(item, i)))
  return mapped
}

function* flatMapAll<T, U>(
  tx: ReadTx,
  items: readonly T[],
  map: (item: T, index: number) => readonly U[],
): Program<U[]> {
  const mapped: U[] = []
  yield* visitAll(tx, items, (item, i) => {
    for (const made of map(item, i)) mapped.push(made)
  })
  return mapped
}
