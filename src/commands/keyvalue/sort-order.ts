// The order of SORT: by numbers or by bytes, of the elements or of what a pattern finds for them.
// Equal numbers go by the elements' bytes. Sorted in runs that are merged, so that a read of many
// elements lets others have their turn.

import { sortRunElements } from '../../base/limits.js'
import { refuse } from '../../base/reply-error.js'
import type { Slice } from '../../base/slice.js'
import type { Keyspace } from '../../engine/keyspace/keyspace.js'
import type { Program, ReadTx } from '../../store/store.js'
import type { SortOptions } from './sort.js'
import { lookUpByPattern } from './sort-patterns.js'

interface Item {
  readonly element: Slice
  readonly number: number
  /** Undefined where BY finds nothing: before all others. */
  readonly text: Slice | undefined
}

type Compare = (a: Item, b: Item) => number

export function* sortElements(
  ks: Keyspace,
  elements: readonly Slice[],
  { by, isAlpha, isDescending }: Pick<SortOptions, 'by' | 'isAlpha' | 'isDescending'>,
): Program<Slice[]> {
  const weights = by === undefined ? elements : yield* lookUpByPattern(ks, by, elements)
  const items = elements.map((element, i) => {
    const text = weights[i]
    return { element, text, number: isAlpha || text === undefined ? 0 : numberOf(text) }
  })
  const compare = isAlpha ? byText : byNumber
  const wanted: Compare = isDescending ? (a, b) => -compare(a, b) : compare
  const sorted = yield* mergeSort(ks.tx, items, wanted)
  return sorted.map(({ element }) => element)
}

const byNumber: Compare = (a, b) => {
  if (a.number !== b.number) return a.number < b.number ? -1 : 1
  return a.element.compare(b.element)
}

const byText: Compare = ({ text: a }, { text: b }) => {
  if (a === undefined || b === undefined) return a === b ? 0 : a === undefined ? -1 : 1
  return a.compare(b)
}

const number = /^[+-]?(?:\d+\.?\d*|\.\d+)(?:[eE][+-]?\d+)?$/
const hexadecimal = /^([+-]?)0[xX]([\da-fA-F]*)\.?([\da-fA-F]*)(?:[pP]([+-]?\d+))?$/
const infinite = /^([+-]?)inf(?:inity)?$/i

/** As strtod reads it, up to a zero byte: leading spaces count for nothing, nothing is 0. */
function numberOf(slice: Slice): number {
  const whole = Buffer.from(slice.view()).toString('latin1')
  const zero = whole.indexOf('\0')
  const text = zero < 0 ? whole : whole.slice(0, zero)
  const value = text === '' ? 0 : parse(text.replace(/^[\t-\r ]+/, ''))
  if (value === undefined) throw refuse("ERR One or more scores can't be converted into double")
  return value
}

function parse(text: string): number | undefined {
  if (number.test(text)) {
    const value = Number(text)
    const isLost = value === 0 && /^[^eE]*[1-9]/.test(text)
    return Number.isFinite(value) && !isLost ? value : undefined
  }
  const infinity = infinite.exec(text)
  if (infinity !== null) return infinity[1] === '-' ? -Infinity : Infinity
  const hex = hexadecimal.exec(text)
  if (hex === null) return undefined
  const [, sign, whole = '', fraction = '', power = '0'] = hex
  if (whole + fraction === '') return undefined
  const value = Number.parseInt(whole + fraction, 16) * 2 ** (Number(power) - 4 * fraction.length)
  return sign === '-' ? -value : value
}

function* mergeSort(tx: ReadTx, items: Item[], compare: Compare): Program<Item[]> {
  let sorted = new Array<Item>(items.length)
  for (let first = 0; first < items.length; first += sortRunElements) {
    const run = items.slice(first, first + sortRunElements).sort(compare)
    for (let i = 0; i < run.length; i++) sorted[first + i] = run[i] as Item
    yield* tx.breathe(run.length)
  }
  let other = new Array<Item>(items.length)
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

interface Merging {
  readonly sorted: readonly Item[]
  readonly other: Item[]
  readonly compare: Compare
}

function* merge(
  tx: ReadTx,
  { sorted, other, compare }: Merging,
  first: number,
  middle: number,
  end: number,
): Program<void> {
  let [left, right] = [first, middle]
  for (let to = first; to < end; to++) {
    const takesLeft =
      right >= end || (left < middle && compare(sorted[left] as Item, sorted[right] as Item) <= 0)
    other[to] = sorted[takesLeft ? left++ : right++] as Item
    if ((to + 1) % sortRunElements === 0) yield* tx.breathe(sortRunElements)
  }
}
