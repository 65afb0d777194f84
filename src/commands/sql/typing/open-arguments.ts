// Text literals and NULL as arguments of functions over numbers, as in PostgreSQL: they are doubles
// where several types are possible, or take the type of the other argument. Rows of tables are
// arguments only of functions over any type.

import type { Expression } from '../../../protocol/sql/ast.js'
import type { DeclaredTypes } from './declared-type.js'
import { functionFacts } from './function-facts.js'
import { castOf } from './literals.js'
import { isRowType, noRowText } from './row-type.js'
import { familyOf, unknown } from './type-family.js'
import { ambiguousCall, noFunction } from './type-refusals.js'

type Call = Extract<Expression, { kind: 'call' }>

/** The call with its open arguments in a type. Throws 42725, 42883, and 0A000 for rows as texts. */
export function withOpenArguments(call: Call, types: DeclaredTypes): Call {
  const { name, args } = call
  const { takes } = functionFacts(name)
  const isOpen = (arg: Expression) => types.of(arg) === unknown
  requireNoRows(call, types)
  const isSingle = args.length === 1
  if (takes === 'several' && isSingle && args.every(isOpen)) throw ambiguousCall(call, args, types)
  if (takes === 'doubles' || (takes === 'double' && isSingle)) {
    return { ...call, args: args.map((arg) => (isOpen(arg) ? inDouble(arg) : arg)) }
  }
  if (takes !== 'alike' || !args.some(isOpen)) return call
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
  const { takes } = functionFacts(name)
  if (row === undefined || takes === 'any') return
  if (takes === 'shown') throw noRowText(row.at)
  throw noFunction(name, args, types, at)
}
