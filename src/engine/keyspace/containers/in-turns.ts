// Loops over large data in memory. They contain no read that would pause, so they spend from the
// work budget and pause when it is used up. Short loops run without a pause.
// (docs/design/transactions.md, rule 1)

import { work } from '../../../base/work/work-budget.js'
import { wordUnits } from '../../../base/work/work-figures.js'
import { Done, nothing } from '../../../store/steps.js'
import type { Program, ReadTx, Step } from '../../../store/store.js'

/** Calls a function for each item. */
export function eachInTurns<T>(
  tx: ReadTx,
  items: readonly T[],
  visit: (item: T, index: number) => void,
): Step<void> {
  for (let i = 0; i < items.length; i++) {
    if (work.isDue) return visitFrom(tx, items, visit, i)
    work.note(wordUnits)
    visit(items[i] as T, i)
  }
  return nothing
}

export function mapInTurns<T, U>(
  tx: ReadTx,
  items: readonly T[],
  map: (item: T, index: number) => U,
): Step<U[]> {
  const mapped: U[] = []
  const rest = eachInTurns(tx, items, (item, i) => {
    mapped.push(map(item, i))
  })
  return rest === nothing ? new Done(mapped) : behind(rest, mapped)
}

/** Like mapInTurns, with several results for each item. */
export function flatMapInTurns<T, U>(
  tx: ReadTx,
  items: readonly T[],
  map: (item: T, index: number) => readonly U[],
): Step<U[]> {
  const mapped: U[] = []
  const rest = eachInTurns(tx, items, (item, i) => {
    for (const made of map(item, i)) mapped.push(made)
  })
  return rest === nothing ? new Done(mapped) : behind(rest, mapped)
}

/** The first item that passes the test; undefined if none does. */
export function findInTurns<T>(
  tx: ReadTx,
  items: readonly T[],
  test: (item: T) => boolean,
): Step<T | undefined> {
  for (let i = 0; i < items.length; i++) {
    if (work.isDue) return findFrom(tx, items, test, i)
    work.note(wordUnits)
    const item = items[i] as T
    if (test(item)) return new Done(item)
  }
  return new Done<T | undefined>(undefined)
}

function* findFrom<T>(
  tx: ReadTx,
  items: readonly T[],
  test: (item: T) => boolean,
  first: number,
): Program<T | undefined> {
  for (let i = first; i < items.length; i++) {
    yield* tx.pause(wordUnits)
    const item = items[i] as T
    if (test(item)) return item
  }
  return undefined
}

function* visitFrom<T>(
  tx: ReadTx,
  items: readonly T[],
  visit: (item: T, index: number) => void,
  first: number,
): Program<void> {
  for (let i = first; i < items.length; i++) {
    yield* tx.pause(wordUnits)
    visit(items[i] as T, i)
  }
}

function* behind<T>(rest: Step<void>, made: T): Program<T> {
  yield* rest
  return made
}
