// LIMIT of UPDATE and DELETE: an extension of PostgreSQL's grammar, for jobs that are taken one by
// one and for changes too large for one program.

import type { Expression } from '../../../protocol/sql/ast.js'
import { integerOf } from '../../../value/numbers.js'
import { compile } from '../expression/compile.js'
import { evaluationError, evaluationState } from '../expression/evaluation-error.js'
import type { Scope } from '../expression/scope.js'
import { changeError } from './change-error.js'

/**
 * Undefined: none, also for NULL. Throws 2201W where it is negative, 42804 where no whole number.
 */
export function limitOf(
  limit: Expression | undefined,
  scope: Scope,
  text: string,
): number | undefined {
  if (limit === undefined) return undefined
  const value = compile(limit, { ...scope, tables: [] }).value([])
  if (value === undefined) return undefined
  const rows = value.isNumber ? integerOf(value) : undefined
  if (rows === undefined) {
    const message = 'argument of LIMIT must be a whole number'
    throw changeError('BadValue', '42804', message, { text, offset: limit.at })
  }
  if (rows >= 0) return rows
  throw evaluationError(evaluationState.badLimit, 'LIMIT must not be negative')
}
