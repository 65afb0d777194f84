// Changes that are computed in the program that writes them, without a read before it: on a store
// elsewhere that would cost as much as the change. What such a program computes is little, because
// it cannot pause and may run again.

import type {
  Assigned,
  DeleteStatement,
  Expression,
  InsertStatement,
  UpdateStatement,
} from '../../../protocol/sql/ast.js'
import { isLarge } from '../expression/parts.js'
import type { SqlCall } from './change-call.js'

/** Bytes of a command with all its values. */
const commandBytesMax = 64 * 1024
const rowsMax = 16

/** An INSERT of a few rows whose values need not be computed. */
export function holdsFewValues(call: SqlCall, { rows = [] }: InsertStatement): boolean {
  return isShort(call) && rows.length <= rowsMax && rows.every((row) => row.every(isGiven))
}

/**
 * An UPDATE or DELETE of the one row that its condition names by `_id`. A large condition is
 * compiled with pauses.
 */
export function namesOneRow(call: SqlCall, { where }: UpdateStatement | DeleteStatement): boolean {
  return where !== undefined && isShort(call) && requiresId(where) && !isLarge(where)
}

function isShort({ request }: SqlCall): boolean {
  return request.body.length <= commandBytesMax
}

function requiresId(where: Expression): boolean {
  if (where.kind === 'and') return where.operands.some(requiresId)
  if (where.kind !== 'binary' || where.operator !== '=') return false
  const { left, right } = where
  return (isId(left) && isGiven(right)) || (isGiven(left) && isId(right))
}

function isId(expression: Expression): boolean {
  return expression.kind === 'column' && expression.path.at(-1) === '_id'
}

/** A value of the text or of a placeholder, or DEFAULT. */
function isGiven(value: Assigned): boolean {
  return value === undefined || value.kind === 'literal' || value.kind === 'parameter'
}
