// The meaning of names and placeholders while expressions are compiled: the document of a column,
// the values of parameters, and the time.

import type { Expression, PathPart } from '../../../protocol/sql/ast.js'
import type { Value } from '../../../value/value.js'
import type { KnownTables } from '../catalog/known-table.js'
import type { SessionFacts } from '../session/session-functions.js'
import { evaluationError, evaluationState } from './evaluation-error.js'
import { type Evaluator, orNull, type SqlValue } from './truth.js'

export interface Scope {
  /** Names of the tables in the statement, in the order of a row's documents. */
  readonly tables: readonly string[]
  /** Set after binding, when columns begin with their table; the known columns of each table. */
  readonly known?: KnownTables
  /** By index; null stands for NULL. */
  readonly parameters: readonly Value[]
  /** Begin of the transaction, milliseconds since 1970. */
  readonly now: number
  /** Begin of the statement; by default that of the transaction. */
  readonly statementAt?: number
  /** The time that runs; by default that of the statement. */
  readonly clock?: () => number
  /** The session; without it the functions about a session are unknown. */
  readonly session?: SessionFacts
  /** Called for every node first: aggregates and grouped expressions have their own evaluators. */
  readonly replace?: (expression: Expression, within: Scope) => Evaluator | undefined
  /** Parts of large expressions that were compiled in this scope before (compile-parts.ts). */
  readonly parts?: { of(expression: Expression): Evaluator | undefined }
}

interface Column {
  /** Index of its document in a row. */
  readonly table: number
  /** Empty for the whole row of the table. */
  readonly path: readonly PathPart[]
}

/** Throws 42703 without a table, 42702 if several tables may have it. */
export function columnOf(path: readonly PathPart[], scope: Scope): Column {
  const found = resolved(path, scope)
  if (found !== undefined) return found
  const name = `"${path.join('.')}"`
  if (scope.tables.length === 0) {
    throw evaluationError(evaluationState.undefinedColumn, `column ${name} does not exist`)
  }
  throw evaluationError(evaluationState.ambiguousColumn, `column reference ${name} is ambiguous`)
}

function resolved(path: readonly PathPart[], scope: Scope): Column | undefined {
  const [first] = path
  const isBound = scope.known !== undefined
  if ((path.length > 1 || isBound) && typeof first === 'string') {
    const table = scope.tables.indexOf(first)
    if (table >= 0) return { table, path: path.slice(1) }
  }
  return scope.tables.length === 1 ? { table: 0, path } : undefined
}

/** Whether the path is `_id`, for which 24 hex digits also stand for an ObjectId. */
export function isIdColumn(expression: Expression, scope: Scope): boolean {
  if (expression.kind !== 'column') return false
  const path = resolved(expression.path, scope)?.path
  return path?.length === 1 && path[0] === '_id'
}

/** Throws 08P01 if the parameter has no value. */
export function parameterOf(index: number, scope: Scope): SqlValue {
  const value = scope.parameters[index]
  if (value === undefined) {
    throw evaluationError(evaluationState.wrongParameters, `there is no parameter $${index + 1}`)
  }
  return orNull(value)
}

/** The value of a literal or a parameter; also `undefined` for other expressions. */
export function writtenValue(expression: Expression, scope: Scope): SqlValue {
  if (expression.kind === 'literal') return orNull(expression.value)
  return expression.kind === 'parameter' ? parameterOf(expression.index, scope) : undefined
}
