// Binary operators except comparisons: arithmetic, `||`, document access and patterns. All of them
// are NULL if one side is NULL.

import { isTooMuchWork } from '../../../base/work/work-budget.js'
import { dayMs } from '../../../query/expressions/dates/calendar.js'
import { compileRegex, type Regex } from '../../../query/regex.js'
import { elementsOf } from '../../../value/elements.js'
import { wholeOf } from '../../../value/numbers.js'
import {
  bigintOf,
  boolValue,
  bsonType,
  dateValue,
  stringOf,
  stringValueOf,
  type Value,
} from '../../../value/value.js'
import { arithmeticOperators, calculate, isWhole } from './arithmetic.js'
import { jsonOfText, typeNameOf } from './cast.js'
import type { Operand } from './comparison.js'
import { joined } from './concat.js'
import { evaluationError, evaluationState, undefinedHint } from './evaluation-error.js'
import { shifted } from './interval.js'
import { contains, member, memberAt } from './json-access.js'
import { parseArrayText } from './texts/array-text.js'
import { type LikePattern, matchesLike, parseLike } from './texts/like.js'
import { spendOn } from './texts/text-cost.js'
import { utf8Form } from './texts/text-form.js'
import { computation, condition, type Evaluator, not, type SqlValue, type Truth } from './truth.js'

type BinaryRun = (left: Value, right: Value) => SqlValue

const runs = new Map<string, BinaryRun>([
  ...[...arithmeticOperators].map(
    (operator) => [operator, (a: Value, b: Value) => arithmetic(operator, a, b)] as const,
  ),
  ['||', joined],
  ['->', member],
  ['->>', (container, key) => asText(member(container, key))],
  ['#>', (container, path) => memberAt(container, partsOf(path))],
  ['#>>', (container, path) => asText(memberAt(container, partsOf(path)))],
  ['@>', (whole, part) => boolValue(contains(whole, part))],
  ['<@', (part, whole) => boolValue(contains(whole, part))],
])

const regexOperators = new Map<string, { options: string; isNegated: boolean }>([
  ['~', { options: '', isNegated: false }],
  ['~*', { options: 'i', isNegated: false }],
  ['!~', { options: '', isNegated: true }],
  ['!~*', { options: 'i', isNegated: true }],
])

/** Both sides are values. Throws 0A000 for an unknown operator. */
export function compileBinary(operator: string, left: Operand, right: Operand): Evaluator {
  const run = runs.get(operator) ?? regexRun(operator, right)
  if (run === undefined) {
    const message = `operator ${operator} is not supported`
    throw evaluationError(evaluationState.featureNotSupported, message)
  }
  const isContainment = operator === '@>' || operator === '<@'
  const { value: a } = isContainment ? documentSide(left) : left.evaluator
  const { value: b } = isContainment ? documentSide(right) : right.evaluator
  const isConstant = left.evaluator.isConstant && right.evaluator.isConstant
  return computation(isConstant, (row) => {
    const first = a(row)
    if (first === undefined) return undefined
    const second = b(row)
    return second === undefined ? undefined : run(first, second)
  })
}

/** A text literal beside `@>` is parsed as JSON. */
function documentSide({ evaluator, isWritten }: Operand): Evaluator {
  if (!isWritten) return evaluator
  const value = evaluator.value([])
  if (value?.type !== bsonType.string) return evaluator
  const parsed = jsonOfText(value)
  return computation(true, () => (parsed.isNullish ? undefined : parsed))
}

function arithmetic(operator: string, left: Value, right: Value): Value {
  if (left.isNumber && right.isNumber) return calculate(operator, left, right)
  if (left.type === bsonType.date && isWhole(right) && (operator === '+' || operator === '-')) {
    return daysLater(left, operator === '+' ? wholeOf(right) : -wholeOf(right))
  }
  if (isWhole(left) && right.type === bsonType.date && operator === '+') {
    return daysLater(right, wholeOf(left))
  }
  const types = `${typeNameOf(left)} ${operator} ${typeNameOf(right)}`
  const message = `operator does not exist: ${types}`
  const hint = undefinedHint('operator')
  throw evaluationError(evaluationState.undefinedFunction, message, undefined, hint)
}

function daysLater(date: Value, days: bigint): Value {
  const span = { months: 0, ms: Number(days) * dayMs }
  return dateValue(shifted(Number(bigintOf(date)), span, 1))
}

function asText(value: SqlValue): SqlValue {
  return value === undefined ? undefined : stringValueOf(utf8Form(value))
}

function partsOf(path: Value): readonly Value[] {
  if (path.type === bsonType.array) return elementsOf(path)
  if (path.type === bsonType.string) return elementsOf(parseArrayText(stringOf(path)))
  const message = `operator needs a path, not ${typeNameOf(path)}`
  throw evaluationError(evaluationState.undefinedFunction, message)
}

/** Cost of a character in regex matching, relative to reading it. */
const regexWeight = 2

/**
 * NULL if a side is not a text, as with LIKE. A written pattern is compiled with its statement,
 * which pauses between hundreds of them, and not again for each row.
 */
function regexRun(operator: string, right: Operand): BinaryRun | undefined {
  const row = regexOperators.get(operator)
  if (row === undefined) return undefined
  const { options, isNegated } = row
  const written = right.isWritten ? writtenRegex(right.evaluator.value([]), options) : undefined
  return (text, pattern) => {
    if (text.type !== bsonType.string || pattern.type !== bsonType.string) return undefined
    spendOn(text.end - text.start, regexWeight)
    const regex = written ?? regexOf(stringOf(pattern), options)
    return boolValue(regex.testValue(text) !== isNegated)
  }
}

/** Undefined for a bad pattern: only a row refuses it. */
function writtenRegex(pattern: SqlValue, options: string): Regex | undefined {
  if (pattern?.type !== bsonType.string) return undefined
  try {
    return compileRegex(stringOf(pattern), options)
  } catch (cause) {
    if (isTooMuchWork(cause)) throw cause
    return undefined
  }
}

function regexOf(pattern: string, options: string): Regex {
  try {
    return compileRegex(pattern, options)
  } catch (cause) {
    if (isTooMuchWork(cause)) throw cause
    const why = cause instanceof Error ? cause.message : 'malformed'
    throw evaluationError(evaluationState.badRegex, `invalid regular expression: ${why}`)
  }
}

/** The operators of LIKE, which ANY and ALL also accept. */
export const likeOperators: ReadonlyMap<string, { ignoresCase: boolean; isNegated: boolean }> =
  new Map([
    ['~~', { ignoresCase: false, isNegated: false }],
    ['~~*', { ignoresCase: true, isNegated: false }],
    ['!~~', { ignoresCase: false, isNegated: true }],
    ['!~~*', { ignoresCase: true, isNegated: true }],
  ])

export const defaultEscape = '\\'

/** Unknown if a side is not a text. If `escaping` is undefined, a backslash escapes. */
export function compileLike(
  operand: Evaluator,
  pattern: Evaluator,
  escaping: Evaluator | undefined,
  ignoresCase: boolean,
  isNegated: boolean,
): Evaluator {
  let known: { text: string; mark: string; pattern: LikePattern } | undefined
  const isConstant = [operand, pattern, ...(escaping === undefined ? [] : [escaping])].every(
    (part) => part.isConstant,
  )
  return condition(isConstant, (row) => {
    const text = textIn(operand.value(row))
    const given = textIn(pattern.value(row))
    const mark = escaping === undefined ? defaultEscape : textIn(escaping.value(row))
    if (text === undefined || given === undefined || mark === undefined) return undefined
    if (known === undefined || known.text !== given || known.mark !== mark) {
      known = { text: given, mark, pattern: parseLike(given, mark, ignoresCase) }
    }
    return matchesLike(known.pattern, text) !== isNegated
  })
}

function textIn(value: SqlValue): string | undefined {
  const isText = value?.type === bsonType.string || value?.type === bsonType.symbol
  return isText ? stringOf(value) : undefined
}

/** LIKE of two values, for the elements of an array. */
export function like(
  text: SqlValue,
  pattern: SqlValue,
  { ignoresCase, isNegated }: { ignoresCase: boolean; isNegated: boolean },
): Truth {
  const given = textIn(pattern)
  const own = textIn(text)
  if (given === undefined || own === undefined) return undefined
  const found = matchesLike(parseLike(given, defaultEscape, ignoresCase), own)
  return isNegated ? not(found) : found
}
