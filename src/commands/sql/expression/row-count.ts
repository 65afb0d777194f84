// The row counts of LIMIT and OFFSET: whole numbers that do not depend on a row.
// Source: PostgreSQL 17, 7.6.

import type { Expression } from '../../../protocol/sql/ast.js'
import { integerOf } from '../../../value/numbers.js'
import { bsonType } from '../../../value/value.js'
import { castTo, typeNameOf } from './cast.js'
import { compile } from './compile.js'
import { evaluationError, evaluationState, placed } from './evaluation-error.js'
import { someNode } from './expression-tree.js'
import { requireNoAggregate } from './misplaced-aggregate.js'
import type { Scope } from './scope.js'

const toWhole = castTo({ name: 'int8', modifiers: [], isArray: false })

/**
 * Undefined for NULL; it may be negative. Throws 22P02 for a literal that is no number, 42804 for
 * another type, 42P10 if it contains a column.
 */
export function rowCount(
  expression: Expression,
  scope: Scope,
  clause: 'LIMIT' | 'OFFSET',
): number | undefined {
  const { at } = expression
  requireNoAggregate(expression, clause)
  requireNoColumn(expression, clause)
  const found = compile(expression, { ...scope, tables: [] }).value([])
  if (found === undefined) return undefined
  const isWritten = expression.kind === 'literal' && found.type === bsonType.string
  if (!found.isNumber && !isWritten) {
    const message = `argument of ${clause} must be type bigint, not type ${typeNameOf(found)}`
    throw evaluationError(evaluationState.wrongType, message, at)
  }
  let count: number | undefined
  try {
    count = integerOf(toWhole(found))
  } catch (thrown) {
    throw isWritten ? placed(thrown, at) : thrown
  }
  return count
}

/** Throws 2201W and 2201X. */
export function requireCount(count: number | undefined, clause: 'LIMIT' | 'OFFSET'): void {
  if (count === undefined || count >= 0) return
  const state = clause === 'LIMIT' ? evaluationState.badLimit : evaluationState.badOffset
  throw evaluationError(state, `${clause} must not be negative`)
}

function requireNoColumn(expression: Expression, clause: 'LIMIT' | 'OFFSET'): void {
  someNode(expression, ({ kind, at }) => {
    if (kind !== 'column') return false
    const message = `argument of ${clause} must not contain variables`
    throw evaluationError(evaluationState.badColumnReference, message, at)
  })
}
