// The windows of $setWindowFields: the documents of a partition that a function sees, by position
// (`documents`) or by sort value (`range`).

import { fail, type GatewayError } from '../../../base/errors.js'
import { compareValues } from '../../../value/compare.js'
import { elementsOf, fieldsOf } from '../../../value/elements.js'
import { addNumbers, numberOf } from '../../../value/numbers.js'
import { bsonType, numberValue, stringOf, type Value } from '../../../value/value.js'
import { movedDate, timeUnits, type Unit } from '../../expressions/dates/date-math.js'
import { location, type Result, typeName, valueText } from '../../expressions/operator.js'

/**
 * The first and last document of a window, both included; for an empty one, last is before first.
 */
export interface WindowSpan {
  readonly from: number
  readonly to: number
}

/** The sort values of a partition, if one field sorts it. */
export type SortValues = readonly Result[]

export interface WindowBounds {
  /** Whether windows only grow, so that a function need not see a document twice. */
  readonly growsOnly: boolean
  /** The windows of a partition of `count` documents; call with increasing index. */
  spans(count: number, sortedBy: SortValues): (index: number) => WindowSpan
}

/** The properties of the stage's sortBy. */
export interface Sorting {
  readonly isSorted: boolean
  readonly sortsByOne: boolean
  /** Whether it has one field, sorted ascending. */
  readonly ascends: boolean
}

/** Infinite for `unbounded`, 0 for `current`. */
type Bound = number

function refuse(text: string): GatewayError {
  return fail('FailedToParse', text)
}

/** The whole partition: the window of a function without one. */
export const wholePartition: WindowBounds = {
  growsOnly: true,
  spans: (count) => () => ({ from: 0, to: count - 1 }),
}

/** The bounds of a `window` object. */
export function parseBounds(spec: Value, sorting: Sorting): WindowBounds {
  if (spec.type !== bsonType.object) throw refuse("'window' field must be an object")
  const given = new Map(fieldsOf(spec))
  for (const name of given.keys()) {
    if (['documents', 'range', 'unit'].includes(name)) continue
    throw refuse(`'window' field can only contain 'documents', 'range' and 'unit', found: ${name}`)
  }
  const documents = given.get('documents')
  const range = given.get('range')
  const unit = given.get('unit')
  if (documents !== undefined && (range !== undefined || unit !== undefined)) {
    throw refuse("Window bounds can specify either 'documents' or 'range', not both.")
  }
  if (documents !== undefined) {
    const [lower, upper] = pairOf(documents)
    if (
      !sorting.isSorted &&
      (lower !== Number.NEGATIVE_INFINITY || upper !== Number.POSITIVE_INFINITY)
    ) {
      throw location(5339901, 'Document-based bounds require a sortBy')
    }
    requireWhole(lower)
    requireWhole(upper)
    return documentBounds(lower, upper)
  }
  if (range === undefined) {
    if (unit !== undefined)
      throw refuse("Window bounds can only specify 'unit' with range-based bounds.")
    return wholePartition
  }
  if (!sorting.sortsByOne) {
    throw location(5339902, 'Range-based bounds require sortBy a single field')
  }
  if (!sorting.ascends) throw location(8947400, 'Range-based bounds require an ascending sortBy')
  const [lower, upper] = pairOf(range)
  return rangeBounds(lower, upper, unit === undefined ? undefined : unitOf(unit))
}

function pairOf(value: Value): [lower: Bound, upper: Bound] {
  const elements = value.type === bsonType.array ? elementsOf(value) : []
  const [first, second] = elements
  if (first === undefined || second === undefined || elements.length > 2) {
    throw refuse(`Window bounds must be a 2-element array: ${valueText(value)}`)
  }
  const lower = boundOf(first, Number.NEGATIVE_INFINITY)
  const upper = boundOf(second, Number.POSITIVE_INFINITY)
  if (lower <= upper) return [lower, upper]
  throw location(5339900, `Lower bound must not exceed upper bound: ${valueText(value)}`)
}

function boundOf(value: Value, unbounded: number): Bound {
  if (value.type === bsonType.string) {
    const text = stringOf(value)
    if (text === 'unbounded') return unbounded
    if (text === 'current') return 0
  } else if (value.isNumber) return numberOf(value)
  throw refuse(
    `Window bounds must be 'unbounded', 'current', or a number, found ${valueText(value)}`,
  )
}

function requireWhole(bound: Bound): void {
  if (Number.isInteger(bound) || !Number.isFinite(bound)) return
  throw location(5339903, 'Numeric document-based bounds must be an integer')
}

function documentBounds(lower: Bound, upper: Bound): WindowBounds {
  return {
    growsOnly: lower === Number.NEGATIVE_INFINITY,
    spans: (count) => (index) => ({
      from: Math.max(0, index + lower),
      to: Math.min(count - 1, index + upper),
    }),
  }
}

export function unitOf(value: Value): Unit {
  const unit = value.type === bsonType.string ? timeUnits.get(stringOf(value)) : undefined
  if (unit !== undefined) return unit
  throw refuse(`unknown time unit value: ${valueText(value)}`)
}

/** The sort is ascending, so both ends of the window only move forward. */
function rangeBounds(lower: Bound, upper: Bound, unit: Unit | undefined): WindowBounds {
  return {
    growsOnly: lower === Number.NEGATIVE_INFINITY,
    spans: (count, sortedBy) => {
      let from = 0
      let to = -1
      return (index) => {
        const value = sortedBy[index]
        requireKind(value, unit)
        const low = moved(value, lower, unit)
        const high = moved(value, upper, unit)
        while (from < count && low !== undefined && isBelow(sortedBy[from], low)) from++
        if (high === undefined) to = count - 1
        else while (to + 1 < count && !isBelow(high, sortedBy[to + 1])) to++
        return { from, to }
      }
    },
  }
}

function isBelow(a: Result, b: Result): boolean {
  if (a === undefined || b === undefined) return a === undefined && b !== undefined
  return compareValues(a, b) < 0
}

function requireKind(value: Result, unit: Unit | undefined): asserts value is Value {
  const found = typeName(value)
  if (unit === undefined && value?.isNumber !== true) {
    const text = `Invalid range: Expected the sortBy field to be a number, but it was ${found}`
    throw location(5429414, text)
  }
  if (unit !== undefined && value?.type !== bsonType.date) {
    throw location(
      5429513,
      `For windows that involve date or time ranges, a unit must be provided; sortBy was ${found}`,
    )
  }
}

/** The value at distance `bound`; undefined for an unbounded end. */
function moved(value: Value, bound: Bound, unit: Unit | undefined): Value | undefined {
  if (!Number.isFinite(bound)) return undefined
  if (unit === undefined) return addNumbers(value, numberValue(bound))
  return movedDate(value, unit, bound)
}
