// What the names and placeholders of a statement mean while its expressions are compiled: which
// document of a row a column is of, what the parameters are, and what time it is.

import type { Expression, PathPart } from '../../../protocol/sql/ast.js'
import type { Value } from '../../../value/value.js'
import type { KnownTables } from '../catalog/known-table.js'
import type { SessionFacts } from '../session/session-functions.js'
import { evaluationError, evaluationState } from './evaluation-error.js'
import { type Evaluator, orNull, type SqlValue } from './truth.js'

export interface Scope {
  /** What the tables are called in the statement, in the order of a row's documents. */
  readonly tables: readonly string[]
  /** Columns begin with their tables; by the tables, what is known of their columns. */
  readonly known?: KnownTables
  /** By their index; null stands for NULL. */
  readonly parameters: readonly Value[]
  /** Of the statement, milliseconds since 1970. */
  readonly now: number
  /** Who asks; without it the functions that tell of a session are unknown. */
  readonly session?: SessionFacts
  /** Asked before every node: aggregates and grouped expressions have values of their own. */
  readonly replace?: (expression: Expression, within: Scope) => Evaluator | undefined
}

interface Column {
  /** The place of its document in a row. */
  readonly table: number
  /** Empty: the whole row of the table. */
  readonly path: readonly PathPart[]
}

/** Throws 42703 without a table, 42702 where several tables could have it. */
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

/** Whether the path is `_id`, whose literals may be written as 24 hex digits. */
export function isIdColumn(expression: Expression, scope: Scope): boolean {
  if (expression.kind !== 'column') return false
  const path = resolved(expression.path, scope)?.path
  return path?.length === 1 && path[0] === '_id'
}

/** Throws 08P01 where no value was given. */
export function parameterOf(index: number, scope: Scope): SqlValue {
  const value = scope.parameters[index]
  if (value === undefined) {
    throw evaluationError(evaluationState.wrongParameters, `there is no parameter $${index + 1}`)
  }
  return orNull(value)
}

/** The value of a literal or a parameter; `undefined` also where it is neither. */
export function writtenValue(expression: Expression, scope: Scope): SqlValue {
  if (expression.kind === 'literal') return orNull(expression.value)
  return expression.kind === 'parameter' ? parameterOf(expression.index, scope) : undefined
}
