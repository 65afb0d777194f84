// What PostgreSQL refuses for its types before it reads a row: conditions that are no booleans,
// operators that do not exist between two types, and results without a common type.

import type { Expression } from '../../../protocol/sql/ast.js'
import { columnTypeOf } from '../catalog/catalog-types.js'
import { arithmeticOperators } from '../expression/arithmetic.js'
import { evaluationError, evaluationState, undefinedHint } from '../expression/evaluation-error.js'
import { commonType, type DeclaredTypes, familyOf, unknown } from './declared-type.js'

type Type = string | undefined

function titleOf(type: string): string {
  return type === unknown ? type : columnTypeOf(type).title
}

/** Throws 42804; `clause` is the word of the error: WHERE, NOT, FILTER. */
export function requireCondition(expression: Expression, clause: string, types: DeclaredTypes) {
  const type = types.of(expression)
  if (type === undefined || type === unknown || type === 'bool') return
  const message = `argument of ${clause} must be type boolean, not type ${titleOf(type)}`
  throw evaluationError(evaluationState.wrongType, message, expression.at)
}

/** 42883 */
function noOperator(operator: string, left: string, right: string, at: number | undefined): Error {
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

/** Throws 42883 if the operator needs texts and one side is of another type. */
export function requireTexts(operator: string, left: Type, right: Type, at?: number): void {
  if (left === undefined || right === undefined) return
  const isOther = (type: string) => type !== unknown && familyOf(type) !== 'text'
  const isKnown = (type: string) => type === unknown || familyOf(type) !== undefined
  if (!isKnown(left) || !isKnown(right)) return
  if (isOther(left) || isOther(right)) throw noOperator(operator, left, right, at)
}

const single = new Set(['number', 'time', 'bool'])

/** `||` takes a text, an array or JSON on one side. Throws 42883. */
export function requireConcat(left: Type, right: Type, at?: number): void {
  const isSingle = (type: Type) => single.has(familyOf(type) ?? '')
  if (left !== undefined && right !== undefined && isSingle(left) && isSingle(right)) {
    throw noOperator('||', left, right, at)
  }
}

/** Throws 42883 if the operator does not compute with the two types; `result` is its type. */
export function requireArithmetic(
  operator: string,
  [left, right]: readonly [Type, Type],
  result: Type,
  at?: number,
): void {
  if (!arithmeticOperators.has(operator) || left === undefined || right === undefined) return
  const [one, other] = [familyOf(left) ?? left, familyOf(right) ?? right]
  const isFloat = operator === '%' && one === 'number' && (result ?? '').startsWith('float')
  const isBad = [one, other].some((family) => /^(?:text|bool|json)$|\[\]$/.test(family))
  const isMixed = result === undefined && [one, other].includes('number')
  const isTimed = isMixed && [one, other].includes('time')
  if (isFloat || (isBad && one !== 'jsonb') || isTimed) throw noOperator(operator, left, right, at)
}

/** `- text` */
export function requireNumber(operator: string, type: Type, at: number): void {
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
    if (type === unknown) continue
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

const argumentFamilies = new Map<string, readonly string[]>([
  ...['sum', 'avg'].map((name) => [name, ['number']] as const),
  ...['bool_and', 'bool_or', 'every'].map((name) => [name, ['bool']] as const),
  ...['min', 'max'].map((name) => [name, ['number', 'time', 'text']] as const),
])

/** Throws 42883 for an aggregate over a type that it does not take. */
export function requireAggregate(
  { name, args, at }: Extract<Expression, { kind: 'call' }>,
  types: DeclaredTypes,
): void {
  const taken = argumentFamilies.get(name)
  const [first] = args
  if (taken === undefined || first === undefined || args.length > 1) return
  const type = types.of(first)
  const family = familyOf(type)
  if (type === undefined || family === undefined || taken.includes(family)) return
  if (name.startsWith('m') && family.endsWith('[]')) return
  const message = `function ${name}(${titleOf(type)}) does not exist`
  const hint = undefinedHint('function')
  throw evaluationError(evaluationState.undefinedFunction, message, at, hint)
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
  if (one === undefined || other === undefined || one === other || one === 'text') return
  if (one.startsWith('json') && other.startsWith('json')) return
  const both = `is of type ${titleOf(type)} but expression is of type ${titleOf(given)}`
  const message = `column "${column}" ${both}`
  const hint = 'You will need to rewrite or cast the expression.'
  throw evaluationError(evaluationState.wrongType, message, value.at, hint)
}
