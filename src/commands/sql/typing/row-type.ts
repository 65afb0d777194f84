// Whole rows of declared tables as values: `SELECT t FROM t`. Their type has the name of the table.
// A row is compared with rows of the same table, and tested for NULL by its columns.

import type { Expression } from '../../../protocol/sql/ast.js'
import { columnTypeOf } from '../catalog/catalog-types.js'
import type { KnownTables } from '../catalog/known-table.js'
import {
  evaluationError,
  evaluationState,
  placed,
  withDetail,
} from '../expression/evaluation-error.js'

const prefix = 'row of '

/** Undefined for a table without a name. */
export function rowTypeOf(name: string | undefined): string | undefined {
  return name === undefined ? undefined : `${prefix}${name}`
}

export function isRowType(type: string | undefined): type is `${typeof prefix}${string}` {
  return type?.startsWith(prefix) === true
}

/** The name in error texts; undefined for another type. */
export function rowTitleOf(type: string): string | undefined {
  if (!isRowType(type)) return undefined
  const name = type.slice(prefix.length)
  return /^[a-z_][a-z_\d$]*$/.test(name) ? name : `"${name.replaceAll('"', '""')}"`
}

interface Rows {
  readonly tables: readonly string[]
  readonly known?: KnownTables
}

/** `IS NULL` of a row: each column is NULL. `IS NOT NULL`: each has a value. */
export function rowTest(
  test: Extract<Expression, { kind: 'is' }>,
  { tables, known }: Rows,
): Expression | undefined {
  const { operand, at } = test
  if (test.test !== 'null' || operand.kind !== 'column' || operand.path.length !== 1) {
    return undefined
  }
  const [table = ''] = operand.path
  const row = known?.[tables.indexOf(String(table))]
  if (row?.isDeclared !== true || row.columns.size === 0) return undefined
  const operands = [...row.columns.keys()].map((name): Expression => {
    return { ...test, operand: { kind: 'column', at, path: [table, name] } }
  })
  return { kind: 'and', at, operands }
}

/** 0A000 */
function unsupported(message: string, at: number): Error {
  return evaluationError(evaluationState.featureNotSupported, message, at)
}

/** Throws 0A000 for a row beside a text literal, and for rows of two tables. */
export function requireComparableRows(
  one: string | undefined,
  other: string | undefined,
  literal: Expression | undefined,
  at: number,
): void {
  if (!isRowType(one) && !isRowType(other)) return
  if (literal !== undefined) {
    throw unsupported('input of anonymous composite types is not implemented', literal.at)
  }
  if (isRowType(one) && isRowType(other) && one !== other) {
    throw unsupported('rows of different tables are not compared', at)
  }
}

/** The error of a text literal in the place of a row. */
export function rowLiteral(text: string, at: number): unknown {
  if (text.trimStart().startsWith('(')) return unsupported('literals of rows are not supported', at)
  const message = `malformed record literal: "${text}"`
  const error = evaluationError(evaluationState.badText, message)
  return placed(withDetail(error, 'Missing left parenthesis.'), at)
}

/** 42846, and 0A000 for a text. */
export function noRowCast(row: string, cast: Extract<Expression, { kind: 'cast' }>): Error {
  const { type, at, operatorAt = at } = cast
  const to = columnTypeOf(`${type.name}${type.isArray ? '[]' : ''}`)
  if (/^(?:text|varchar|bpchar|name)$/.test(to.name)) return noRowText(cast.operand.at)
  const message = `cannot cast type ${rowTitleOf(row)} to ${to.title}`
  return evaluationError(evaluationState.cannotCast, message, operatorAt)
}

/** 0A000: the text of a row. */
export function noRowText(at: number): Error {
  return unsupported('a whole row has no text: use to_json', at)
}
