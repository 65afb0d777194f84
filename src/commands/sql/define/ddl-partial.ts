// WHERE of CREATE INDEX as the filter of a partial index. Such a filter supports comparisons with
// constants, IN, BETWEEN, IS NOT NULL, boolean columns, AND and OR. Other conditions are refused,
// because an approximate filter would change what a unique index forbids.

import type { Expression } from '../../../protocol/sql/ast.js'
import { documentFrom } from '../../../value/literal.js'
import { bsonType, type Document, type Value } from '../../../value/value.js'
import { compile } from '../expression/compile.js'
import { evaluationError, evaluationState } from '../expression/evaluation-error.js'
import { columnOf, type Scope } from '../expression/scope.js'

type Clause = Readonly<Record<string, unknown>>

const operators = new Map([
  ['=', '$eq'],
  ['<', '$lt'],
  ['<=', '$lte'],
  ['>', '$gt'],
  ['>=', '$gte'],
])

const mirrored = new Map([
  ['=', '='],
  ['<', '>'],
  ['<=', '>='],
  ['>', '<'],
  ['>=', '<='],
])

/** Throws 0A000 for a condition that a partial index cannot express. */
export function partialFilter(where: Expression, scope: Scope): Document {
  return documentFrom(clauseOf(where, scope))
}

function clauseOf(expression: Expression, scope: Scope): Clause {
  switch (expression.kind) {
    case 'and':
      return { $and: expression.operands.map((operand) => clauseOf(operand, scope)) }
    case 'or':
      return { $or: expression.operands.map((operand) => clauseOf(operand, scope)) }
    case 'binary':
      return comparison(expression.operator, expression.left, expression.right, scope)
    case 'between': {
      const { operand, low, high, isNegated, isSymmetric } = expression
      if (isNegated || isSymmetric) throw unsayable()
      const [from, to] = [constantOf(low, scope), constantOf(high, scope)]
      return { [pathOf(operand, scope)]: { $gte: from, $lte: to } }
    }
    case 'in': {
      if (expression.isNegated) throw unsayable()
      const values = expression.list.map((item) => constantOf(item, scope))
      return { [pathOf(expression.operand, scope)]: { $in: values } }
    }
    case 'is':
      return isClause(expression, scope)
    case 'column':
      return { [pathOf(expression, scope)]: { $eq: true } }
    default:
      throw unsayable()
  }
}

function isClause(
  { test, isNegated, operand }: Extract<Expression, { kind: 'is' }>,
  scope: Scope,
): Clause {
  const path = pathOf(operand, scope)
  if (test === 'null' && isNegated) return { [path]: { $exists: true, $type: presentTypes } }
  if (isNegated || test === 'null' || test === 'unknown') throw unsayable()
  return { [path]: { $eq: test === 'true' } }
}

/** Numbers of all BSON types except those of null and undefined. */
const presentTypes = [1, 2, 3, 4, 5, 7, 8, 9, 11, 13, 14, 16, 17, 18, 19, -1, 127]

function comparison(operator: string, left: Expression, right: Expression, scope: Scope): Clause {
  const isColumn = left.kind === 'column'
  const name = operators.get(isColumn ? operator : (mirrored.get(operator) ?? ''))
  if (name === undefined) throw unsayable()
  const [column, given] = isColumn ? [left, right] : [right, left]
  return { [pathOf(column, scope)]: { [name]: constantOf(given, scope) } }
}

function pathOf(expression: Expression, scope: Scope): string {
  if (expression.kind !== 'column') throw unsayable()
  return columnOf(expression.path, scope).path.join('.')
}

const plainTypes = new Set<number>([
  ...[bsonType.double, bsonType.string, bsonType.objectId, bsonType.bool],
  ...[bsonType.date, bsonType.int32, bsonType.int64, bsonType.decimal128],
])

function constantOf(expression: Expression, scope: Scope): Value {
  const { isConstant, value } = compile(expression, scope)
  const found = isConstant ? value([]) : undefined
  if (found === undefined || !plainTypes.has(found.type)) throw unsayable()
  return found
}

function unsayable(): Error {
  const text = 'a partial index takes comparisons with constants, IN, BETWEEN, IS NOT NULL, AND, OR'
  return evaluationError(evaluationState.featureNotSupported, text)
}
