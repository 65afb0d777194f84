// The order of SORT: by numbers or bytes, of the elements or of the values that a pattern finds.
// Equal numbers are ordered by the bytes of their elements.

import type { Slice } from '../../../base/bytes/slice.js'
import { refuse } from '../../../base/reply-error.js'
import { mapInTurns } from '../../../engine/keyspace/containers/in-turns.js'
import { sortInTurns } from '../../../engine/keyspace/containers/merge-sort.js'
import type { Keyspace } from '../../../engine/keyspace/keyspace.js'
import type { Program } from '../../../store/store.js'
import { lookUpByPattern } from './sort-patterns.js'

export interface SortOrder {
  isDescending: boolean
  isAlpha: boolean
  by: Slice | undefined
}

interface Item {
  readonly element: Slice
  readonly number: number
  /** Undefined if BY finds nothing; such elements come first. */
  readonly text: Slice | undefined
}

type Compare = (a: Item, b: Item) => number

export function* sortElements(
  ks: Keyspace,
  elements: readonly Slice[],
  { by, isAlpha, isDescending }: SortOrder,
): Program<Slice[]> {
  const weights = by === undefined ? elements : yield* lookUpByPattern(ks, by, elements)
  const items = yield* mapInTurns(ks.tx, elements, (element, i): Item => {
    const text = weights[i]
    return { element, text, number: isAlpha || text === undefined ? 0 : numberOf(text) }
  })
  const compare = isAlpha ? byText : byNumber
  const wanted: Compare = isDescending ? (a, b) => -compare(a, b) : compare
  const sorted = yield* sortInTurns(ks.tx, items, wanted)
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

/** As strtod, up to a zero byte: leading spaces are ignored, an empty text is 0. */
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
