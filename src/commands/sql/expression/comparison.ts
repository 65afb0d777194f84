// Comparisons: by value within a class of types, unequal and unordered across classes, unknown with
// NULL. A text literal also stands for a date beside dates, and for an ObjectId beside `_id`.
// (docs/sql.md; docs/design/sql.md)

import { work } from '../../../base/work/work-budget.js'
import { compareUnits } from '../../../base/work/work-figures.js'
import { compareValues, typeClass } from '../../../value/compare.js'
import { equalityKey } from '../../../value/key.js'
import { bsonType, dateValue, objectIdValue, stringOf, type Value } from '../../../value/value.js'
import { elementsSpent, spendOn } from './texts/text-cost.js'
import { parseTime } from './texts/time-text.js'
import { both, condition, type Evaluator, either, not, type Row, type Truth } from './truth.js'

/** An operand of a comparison. */
export interface Operand {
  readonly evaluator: Evaluator
  /** Other values that a text literal stands for. */
  readonly forms: Forms | undefined
  /** Whether it is a literal or a parameter. */
  readonly isWritten: boolean
  /** Whether it is `_id`. */
  readonly isId: boolean
}

interface Forms {
  readonly date: Value | undefined
  readonly objectId: Value | undefined
}

/** A longer text is neither a time nor an ObjectId. */
const formBytesMax = 1_000

/** Cost of a byte that is compared, and of one in a key, relative to reading a text. */
const comparedWeight = 1 / 8
const keyWeight = 4

function sizeOf({ start, end }: Value): number {
  return end - start
}

/** Other values of a literal; undefined if it stands only for itself. */
export function formsOf(value: Value | undefined): Forms | undefined {
  if (value?.type !== bsonType.string || sizeOf(value) > formBytesMax) return undefined
  const text = stringOf(value)
  if (/^[0-9a-f]{24}$/i.test(text)) {
    return { date: undefined, objectId: objectIdValue(Buffer.from(text, 'hex')) }
  }
  const ms = parseTime(text)
  return ms === undefined ? undefined : { date: dateValue(ms), objectId: undefined }
}

/** For values of different classes: unequal, and neither is less. */
const apart = Number.POSITIVE_INFINITY
/** For NULL. */
const unknown = Number.NaN

/** Below, at or above 0, or one of the two constants above. */
function order(left: Value | undefined, right: Value | undefined): number {
  if (left === undefined || right === undefined) return unknown
  if (typeClass(left.type) !== typeClass(right.type)) return apart
  return compared(left, right)
}

function compared(left: Value, right: Value): number {
  spendOn(Math.min(sizeOf(left), sizeOf(right)), comparedWeight)
  return compareValues(left, right)
}

function keyOf(value: Value): string {
  spendOn(sizeOf(value), keyWeight)
  return equalityKey(value)
}

type Order = (row: Row) => number

function orderOf(left: Operand, right: Operand): Order {
  const { value: valueOfLeft } = left.evaluator
  const { value: valueOfRight } = right.evaluator
  if (left.forms === undefined && right.forms === undefined) {
    return (row) => order(valueOfLeft(row), valueOfRight(row))
  }
  return (row) => {
    const a = valueOfLeft(row)
    const b = valueOfRight(row)
    return order(inForm(a, left, b, right), inForm(b, right, a, left))
  }
}

function inForm(
  own: Value | undefined,
  { forms }: Operand,
  other: Value | undefined,
  { isId }: Operand,
): Value | undefined {
  if (forms === undefined || other === undefined) return own
  if (other.type === bsonType.date && forms.date !== undefined) return forms.date
  if (isId && other.type === bsonType.objectId && forms.objectId !== undefined)
    return forms.objectId
  return own
}

/** Throws if `operator` is not a comparison; check `isComparison` first. */
function decide(operator: string, found: number): Truth {
  if (Number.isNaN(found)) return undefined
  if (operator === '=') return found === 0
  if (operator === '<>') return found !== 0
  if (found === apart) return undefined
  switch (operator) {
    case '<':
      return found < 0
    case '<=':
      return found <= 0
    case '>':
      return found > 0
    case '>=':
      return found >= 0
    default:
      throw new Error(`${operator} is no comparison`)
  }
}

const comparisons = new Set(['=', '<>', '<', '<=', '>', '>='])

export function isComparison(operator: string): boolean {
  return comparisons.has(operator)
}

export function comparison(operator: string, left: Operand, right: Operand): Evaluator {
  const compare = orderOf(left, right)
  const isConstant = left.evaluator.isConstant && right.evaluator.isConstant
  return condition(isConstant, (row) => decide(operator, compare(row)))
}

/** Whether a value is greater, for GREATEST and LEAST. Classes are ordered as in document sorts. */
export function isGreater(left: Value, right: Value): boolean {
  return compared(left, right) > 0
}

export function between(
  operand: Operand,
  low: Operand,
  high: Operand,
  isSymmetric: boolean,
  isNegated: boolean,
): Evaluator {
  const toLow = orderOf(operand, low)
  const toHigh = orderOf(operand, high)
  const isConstant = [operand, low, high].every(({ evaluator }) => evaluator.isConstant)
  return condition(isConstant, (row) => {
    const [atLow, atHigh] = [toLow(row), toHigh(row)]
    let truth = both(decide('>=', atLow), decide('<=', atHigh))
    if (isSymmetric) {
      truth = either(truth, both(decide('<=', atLow), decide('>=', atHigh)))
    }
    return isNegated ? not(truth) : truth
  })
}

/** `a IS [NOT] DISTINCT FROM b`: NULL equals NULL and nothing else. */
export function distinct(left: Operand, right: Operand, isNegated: boolean): Evaluator {
  const compare = orderOf(left, right)
  const isConstant = left.evaluator.isConstant && right.evaluator.isConstant
  return condition(isConstant, (row) => {
    const found = compare(row)
    if (!Number.isNaN(found)) return (found === 0) === isNegated
    const isLeftNull = left.evaluator.value(row) === undefined
    return (isLeftNull && right.evaluator.value(row) === undefined) === isNegated
  })
}

export function membership(
  operand: Operand,
  list: readonly Operand[],
  isNegated: boolean,
): Evaluator {
  const isListConstant = list.every(({ evaluator }) => evaluator.isConstant)
  const isConstant = isListConstant && operand.evaluator.isConstant
  const isMember = isListConstant ? memberOfSet(operand, list) : memberOfList(operand, list)
  return condition(isConstant, isNegated ? (row) => not(isMember(row)) : isMember)
}

function memberOfList(operand: Operand, list: readonly Operand[]): (row: Row) => Truth {
  const orders = list.map((item) => orderOf(operand, item))
  return (row) => {
    let truth: Truth = false
    for (const compare of orders) {
      work.spend(compareUnits)
      truth = either(truth, decide('=', compare(row)))
      if (truth === true) return true
    }
    return truth
  }
}

/** A long list of constants becomes one set, which the first row builds. */
function memberOfSet(operand: Operand, list: readonly Operand[]): (row: Row) => Truth {
  let keys: MemberKeys | undefined
  const ownForm = operand.forms?.date
  return (row) => {
    keys ??= memberKeys(operand, list)
    const value = operand.evaluator.value(row)
    if (value === undefined) return undefined
    const isText = value.type === bsonType.string && ownForm === undefined
    const isTooLong = isText && sizeOf(value) > keys.bytesMax
    if (isTooLong) return keys.hasNull ? undefined : false
    const key = keyOf(value)
    if (keys.values.has(key) || keys.forms.has(key)) return true
    if (ownForm !== undefined && keys.values.has(equalityKey(ownForm))) return true
    return keys.hasNull ? undefined : false
  }
}

interface MemberKeys {
  readonly values: ReadonlySet<string>
  /** The other values that literals stand for. */
  readonly forms: ReadonlySet<string>
  readonly hasNull: boolean
  /** Bytes of the longest of `values`; a longer text cannot match. */
  readonly bytesMax: number
}

function memberKeys(operand: Operand, list: readonly Operand[]): MemberKeys {
  const values = new Set<string>()
  const known = new Set<string>()
  let hasNull = false
  let bytesMax = 0
  for (const { evaluator, forms } of list) {
    const value = evaluator.value([])
    if (value === undefined) hasNull = true
    else {
      values.add(keyOf(value))
      bytesMax = Math.max(bytesMax, sizeOf(value))
    }
    if (forms?.date !== undefined) known.add(equalityKey(forms.date))
    if (operand.isId && forms?.objectId !== undefined) known.add(equalityKey(forms.objectId))
  }
  return { values, forms: known, hasNull, bytesMax }
}

/** `x < ANY (array)`, `x <> ALL (array)`; unknown if the array is missing. */
export function quantified(
  left: Operand,
  array: Evaluator,
  holds: (left: Value | undefined, element: Value | undefined) => Truth,
  quantifier: 'any' | 'all',
): Evaluator {
  const isConstant = left.evaluator.isConstant && array.isConstant
  const isAny = quantifier === 'any'
  return condition(isConstant, (row) => {
    const found = array.value(row)
    if (found?.type !== bsonType.array) return undefined
    const own = left.evaluator.value(row)
    let truth: Truth = !isAny
    for (const element of elementsSpent(found)) {
      work.spend(compareUnits)
      const held = holds(own, element.isNullish ? undefined : element)
      truth = isAny ? either(truth, held) : both(truth, held)
      if (truth === isAny) return truth
    }
    return truth
  })
}

/** A comparison of an operand with the elements of an array. */
export function elementComparison(
  operator: string,
  left: Operand,
): (left: Value | undefined, element: Value | undefined) => Truth {
  const none: Operand = { ...left, forms: undefined, isId: false }
  return (own, element) => decide(operator, order(inForm(own, left, element, none), element))
}
