// Text literals in the type of what stands beside them, as in PostgreSQL: `id <> '2'` else compares
// a number with a text.

import type { Expression, TypeName } from '../../../protocol/sql/ast.js'
import { bsonType, stringOf } from '../../../value/value.js'
import { castTo } from '../expression/cast.js'
import { placed } from '../expression/evaluation-error.js'
import type { DeclaredTypes } from './declared-type.js'
import { isRowType, rowLiteral } from './row-type.js'
import { familyOf, unknown } from './type-family.js'

type Literal = Extract<Expression, { kind: 'literal' }>

export function isText(node: Expression): node is Literal {
  return node.kind === 'literal' && node.value.type === bsonType.string
}

const elementTypes = new Set(
  'int2 int4 int8 float4 float8 numeric bool text varchar bpchar date timestamp timestamptz'.split(
    ' ',
  ),
)

/** The type of an array's elements; undefined for another type. */
export function elementOf(type: string | undefined): string | undefined {
  const [, name] = /^(\w+)(?:\(.*\))?\[\]$/.exec(type ?? '') ?? []
  return name !== undefined && elementTypes.has(name) ? name : undefined
}

/** Texts stay texts beside the others. */
const parsedFamilies = new Set(['number', 'bool', 'time'])

/** The literal in that type, if texts are parsed as it. Throws 22P02, 22003, 22007, 22008. */
export function literalIn(type: string | undefined, operand: Expression): Expression {
  if (!isText(operand) || type === undefined) return operand
  if (isRowType(type)) throw rowLiteral(stringOf(operand.value), operand.at)
  const element = elementOf(type)
  if (element !== undefined) return checkedCast(operand, element, true)
  if (type === 'jsonb') return checkedCast(operand, type, false)
  return parsedFamilies.has(familyOf(type) ?? '') ? parsedAs(operand, type) : operand
}

/** Beside an array a text is one, too. */
export function literalInArray(type: string | undefined, operand: Expression): Expression {
  const element = elementOf(type)
  return isText(operand) && element !== undefined ? checkedCast(operand, element, true) : operand
}

/** A literal or NULL that nothing gives a type is a text. */
export function asText(operand: Expression, types: DeclaredTypes): Expression {
  const isOpen = operand.kind === 'literal' && types.of(operand) === unknown
  return isOpen ? { ...operand, type: 'text' } : operand
}

/** The value at once, so that an index serves it. */
export function parsedAs(literal: Literal, name: string): Expression {
  try {
    const value = castTo({ name, modifiers: [], isArray: false })(literal.value)
    return { ...literal, value, type: name }
  } catch (thrown) {
    throw placed(thrown, literal.at)
  }
}

/** A cast whose text is looked at, too, if the statement has no row. */
export function checkedCast(literal: Literal, name: string, isArray: boolean): Expression {
  try {
    castTo({ name, modifiers: [], isArray })(literal.value)
  } catch (thrown) {
    throw placed(thrown, literal.at)
  }
  return castOf(literal, name, isArray)
}

export function castOf(operand: Expression, name: string, isArray: boolean): Expression {
  const type: TypeName = { name, modifiers: [], isArray }
  return { kind: 'cast', at: operand.at, type, operand }
}
