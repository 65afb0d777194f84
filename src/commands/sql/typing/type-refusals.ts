// What PostgreSQL refuses for its types before it reads a row: conditions that are no booleans,
// operators that do not exist between two types, and results without a common type.

import type { Expression } from '../../../protocol/sql/ast.js'
import { columnTypeOf } from '../catalog/catalog-types.js'
import { arithmeticOperators } from '../expression/arithmetic.js'
import {
  ambiguousHint,
  evaluationError,
  evaluationState,
  undefinedHint,
} from '../expression/evaluation-error.js'
import type { DeclaredTypes } from './declared-type.js'
import { functionFacts } from './function-facts.js'
import { isRowType, noRowText, rowTitleOf } from './row-type.js'
import { commonType, familyOf, type Type, unknown } from './type-family.js'

export function titleOf(type: string): string {
  return type === unknown ? type : (rowTitleOf(type) ?? columnTypeOf(type).title)
}

/** Throws 42804; `clause` is the word of the error: WHERE, NOT, FILTER. */
export function requireCondition(expression: Expression, clause: string, types: DeclaredTypes) {
  const type = types.of(expression)
  if (type === undefined || type === unknown || type === 'bool') return
  const message = `argument of ${clause} must be type boolean, not type ${titleOf(type)}`
  throw evaluationError(evaluationState.wrongType, message, expression.at)
}

/** 42725, of an operator with one or two operands. */
function ambiguousOperator(shown: string, at: number | undefined): Error {
  const message = `operator is not unique: ${shown}`
  return evaluationError(evaluationState.ambiguousFunction, message, at, ambiguousHint('operator'))
}

/** 42883 */
export function noOperator(
  operator: string,
  left: string,
  right: string,
  at: number | undefined,
): Error {
  const message = `operator does not exist: ${titleOf(left)} ${operator} ${titleOf(right)}`
  const hint = undefinedHint('operator')
  return evaluationError(evaluationState.undefinedFunction, message, at, hint)
}

/** Throws 42883 if values of the two types are not compared. */
export function requireComparable(operator: string, left: Type, right: Type, at?: number): void {
  const [one, other] = [familyOf(left), familyOf(right)]
  if (left === undefined || right === undefined || one === undefined || other === undefined) return
  const isArray = left.endsWith('[]')
  if (one !== other || (isArray && left !== right)) throw noOperator(operator, left, right, at)
}

/** Throws 42883 for `@>` and `<@` between values that contain nothing, or of two types. */
export function requireContaining(operator: string, left: Type, right: Type, at?: number): void {
  if (left === undefined || right === undefined) return
  const holds = (type: string) => type === 'jsonb' || type.endsWith('[]')
  const given = [left, right].filter((type) => type !== unknown)
  if (given.every(holds) && new Set(given).size < 2) return
  throw noOperator(operator, left, right, at)
}

/** Throws 42883 if the operator needs texts and one side is of another type. */
export function requireTexts(operator: string, left: Type, right: Type, at?: number): void {
  if (left === undefined || right === undefined) return
  const isOther = (type: string) => type !== unknown && familyOf(type) !== 'text'
  const isKnown = (type: string) => type === unknown || familyOf(type) !== undefined
  if (!isKnown(left) || !isKnown(right)) return
  if (isOther(left) || isOther(right)) throw noOperator(operator, left, right, at)
}

const single = new Set(['number', 'time', 'bool'])

/** `||` takes a text, an array or JSON on one side; `result` is its type. Throws 42883. */
export function requireConcat(left: Type, right: Type, result: Type, at?: number): void {
  const isSingle = (type: Type) => single.has(familyOf(type) ?? '') || isRowType(type)
  if (left === undefined || right === undefined) return
  if (isSingle(left) && isSingle(right)) throw noOperator('||', left, right, at)
  if (result === undefined && [left, right].some((type) => type.endsWith('[]'))) {
    throw noOperator('||', left, right, at)
  }
}

/**
 * Throws 42883 if the operator does not compute with the two types, 42725 if they are left open;
 * `result` is its type.
 */
export function requireArithmetic(
  operator: string,
  [left, right]: readonly [Type, Type],
  result: Type,
  at?: number,
): void {
  if (!arithmeticOperators.has(operator) || left === undefined || right === undefined) return
  const isOpen = left === unknown && right === unknown && operator !== '^'
  const isDate = [left, right].includes('date') && [left, right].includes(unknown)
  if (isOpen || (isDate && operator === '+')) {
    throw ambiguousOperator(`${titleOf(left)} ${operator} ${titleOf(right)}`, at)
  }
  const [one, other] = [familyOf(left) ?? left, familyOf(right) ?? right]
  const isFloat = operator === '%' && one === 'number' && (result ?? '').startsWith('float')
  const isBad = [one, other].some((family) => /^(?:text|bool|json|row of .*)$|\[\]$/.test(family))
  const isMixed = result === undefined && [one, other].includes('number')
  const isTimed = isMixed && [one, other].includes('time')
  if (isFloat || (isBad && (one !== 'jsonb' || operator !== '-')) || isTimed)
    throw noOperator(operator, left, right, at)
}

/** Throws 42809 for ANY and ALL of a value that is no array. */
export function requireArray(type: Type, at: number | undefined): void {
  if (type === undefined || type === unknown || type.endsWith('[]') || type.startsWith('json')) {
    return
  }
  const message = 'op ANY/ALL (array) requires array on right side'
  throw evaluationError(evaluationState.wrongObject, message, at)
}

/** Throws 42P18 for `ARRAY[]` without a cast. */
export function requireElements(array: Extract<Expression, { kind: 'array' }>): void {
  const { elements, at, isOfQuery } = array
  if (elements.length > 0 || isOfQuery === true) return
  const message = 'cannot determine type of empty array'
  const hint = 'Explicitly cast to the desired type, for example ARRAY[]::integer[].'
  throw evaluationError(evaluationState.indeterminateType, message, at, hint)
}

/** `- text`; throws 42883, and 42725 for a text literal or NULL behind `-`. */
export function requireNumber(operator: string, type: Type, at: number): void {
  if (type === unknown) throw ambiguousOperator(`${operator} ${type}`, at)
  const family = familyOf(type)
  if (type === undefined || family === undefined || family === 'number') return
  const message = `operator does not exist: ${operator} ${titleOf(type)}`
  const hint = undefinedHint('operator', true)
  throw evaluationError(evaluationState.undefinedFunction, message, at, hint)
}

/**
 * The type of results of one expression, of which no two may be of two families. Throws 42804, if
 * `what` names the expression.
 */
export function sharedType(
  what: string | undefined,
  results: readonly Expression[],
  types: DeclaredTypes,
): string | undefined {
  let shared: Type
  for (const result of results) {
    const type = types.of(result)
    if (type === undefined) return undefined
    if (type === unknown || type === shared) continue
    const [one, other] = [familyOf(shared ?? type), familyOf(type)]
    if (one === undefined || other === undefined) return undefined
    if (one !== other) {
      if (what === undefined) return undefined
      const both = `${titleOf(shared ?? type)} and ${titleOf(type)}`
      const message = `${what} types ${both} cannot be matched`
      throw evaluationError(evaluationState.wrongType, message, result.at)
    }
    shared = shared === undefined ? type : (commonType([shared, type]) ?? shared)
  }
  return shared
}

type Call = Extract<Expression, { kind: 'call' }>

/** Throws 42883 for an aggregate over a type that it does not take, 42725 and 42804 for none. */
export function requireAggregate(call: Call, types: DeclaredTypes): void {
  const { name, args, at } = call
  const [first] = args
  const { aggregate } = functionFacts(name)
  if (first === undefined || aggregate === undefined || args.length > aggregate.arity) return
  const type = types.of(first)
  if (type === unknown) {
    if (aggregate.open === 'version') throw ambiguousCall(call, args, types)
    if (aggregate.open === undefined) return
    const message = 'could not determine polymorphic type because input has type unknown'
    throw evaluationError(evaluationState.wrongType, message)
  }
  const separator = args[1] && types.of(args[1])
  const isText = separator === unknown || familyOf(separator ?? 'text') === 'text'
  if (!isText) throw noFunction(name, args, types, at)
  const { families } = aggregate
  const family = familyOf(type)
  if (family === undefined || families === undefined) return
  if (families.includes(family.endsWith('[]') ? 'array' : family)) return
  throw noFunction(name, args, types, at)
}

/** 42725 */
export function ambiguousCall(
  { name, at }: Call,
  args: readonly Expression[],
  types: DeclaredTypes,
): Error {
  const message = `function ${name}(${titles(args, types)}) is not unique`
  return evaluationError(evaluationState.ambiguousFunction, message, at, ambiguousHint('function'))
}

/** 42883 */
export function noFunction(
  name: string,
  args: readonly Expression[],
  types: DeclaredTypes,
  at: number,
): Error {
  const message = `function ${name}(${titles(args, types)}) does not exist`
  return evaluationError(evaluationState.undefinedFunction, message, at, undefinedHint('function'))
}

function titles(args: readonly Expression[], types: DeclaredTypes): string {
  return args.map((arg) => titleOf(types.of(arg) ?? unknown)).join(', ')
}

/** Throws 42804 for a value of another family than the column that it is assigned to. */
export function requireAssignable(
  column: string,
  type: string,
  value: Expression,
  types: DeclaredTypes,
): void {
  const given = types.of(value)
  if (given === undefined || given === unknown) return
  const [one, other] = [familyOf(type), familyOf(given)]
  if (one === 'text' && isRowType(given)) throw noRowText(value.at)
  if (one === undefined || other === undefined || one === other || one === 'text') return
  if (one.startsWith('json') && other.startsWith('json')) return
  const both = `is of type ${titleOf(type)} but expression is of type ${titleOf(given)}`
  const message = `column "${column}" ${both}`
  const hint = 'You will need to rewrite or cast the expression.'
  throw evaluationError(evaluationState.wrongType, message, value.at, hint)
}
