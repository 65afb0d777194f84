// Text literals and NULL as arguments of functions over numbers, as in PostgreSQL: they are doubles
// where several types are possible, or take the type of the other argument. Rows of tables are
// arguments only of functions over any type.

import type { Expression } from '../../../protocol/sql/ast.js'
import { type DeclaredTypes, familyOf, unknown } from './declared-type.js'
import { castOf } from './literals.js'
import { isRowType, noRowText } from './row-type.js'
import { ambiguousCall, noFunction } from './type-refusals.js'

type Call = Extract<Expression, { kind: 'call' }>

/** Functions of one number, in a version for doubles. */
const doubleCalls = new Set('abs ceil ceiling exp floor ln power round sign sqrt trunc'.split(' '))

/** Functions that take a value of any type. */
const anyCalls = new Set(
  `count coalesce greatest least nullif array_agg json_agg jsonb_agg to_json to_jsonb
  row_to_json`.split(/\s+/),
)
/** Functions of the texts of any values. */
const shownCalls = new Set('concat concat_ws format'.split(' '))

/** The call with its open arguments in a type. Throws 42725, 42883, and 0A000 for rows as texts. */
export function withOpenArguments(call: Call, types: DeclaredTypes): Call {
  const { name, args } = call
  const isOpen = (arg: Expression) => types.of(arg) === unknown
  requireNoRows(call, types)
  if (name === 'trunc' && args.length === 1 && args.every(isOpen)) {
    throw ambiguousCall(call, args, types)
  }
  const isOfOne = name !== 'power' && args.length === 1
  if (doubleCalls.has(name) && (isOfOne || name === 'power')) {
    return { ...call, args: args.map((arg) => (isOpen(arg) ? inDouble(arg) : arg)) }
  }
  if (name !== 'mod' || !args.some(isOpen)) return call
  const other = args.map((arg) => types.of(arg)).find((type) => type !== unknown)
  if (other === undefined) {
    if (args.every(isOpen)) throw ambiguousCall(call, args, types)
    return call
  }
  if (familyOf(other) !== 'number') return call
  return { ...call, args: args.map((arg) => (isOpen(arg) ? castOf(arg, other, false) : arg)) }
}

function inDouble(argument: Expression): Expression {
  return castOf(argument, 'float8', false)
}

function requireNoRows({ name, args, at }: Call, types: DeclaredTypes): void {
  const row = args.find((arg) => isRowType(types.of(arg)))
  if (row === undefined || anyCalls.has(name)) return
  if (shownCalls.has(name)) throw noRowText(row.at)
  throw noFunction(name, args, types, at)
}
