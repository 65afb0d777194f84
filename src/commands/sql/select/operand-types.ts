// Gives a text literal the type of the typed column, array or cast beside it, or beside ANY and ALL
// that of the elements, as PostgreSQL does: else `id <> '2'` would compare a number with a text.
// Documents of other tables may hold values of any type, so that their statements stay as they are.

import type { Expression, TypeName } from '../../../protocol/sql/ast.js'
import { bsonType, stringOf } from '../../../value/value.js'
import { columnTypeOf } from '../catalog/catalog-types.js'
import { castTo } from '../expression/cast.js'
import { isComparison } from '../expression/comparison.js'
import {
  evaluationError,
  evaluationState,
  placed,
  undefinedHint,
} from '../expression/evaluation-error.js'
import { mapExpression } from '../expression/expression-tree.js'
import type { Scope } from '../expression/scope.js'
import { staticType } from './column-type.js'

type Literal = Extract<Expression, { kind: 'literal' }>
type Tables = Pick<Scope, 'tables' | 'known'>

const elementTypes = new Set(
  'int2 int4 int8 float4 float8 numeric bool text varchar bpchar date timestamp timestamptz'.split(
    ' ',
  ),
)

/** Texts stay texts beside the others, and JSON may be a text. */
const singleTypes = new Set(
  'int2 int4 int8 float4 float8 numeric bool date timestamp timestamptz'.split(' '),
)

/** Of virtual tables, as in `oid = '16384'`; a text that is no number stays a text there. */
const numberTypes = new Set(['int4', 'int8'])
const wholeForm = /^-?\d{1,9}$/

interface Single {
  readonly name: string
  /** Whether a text that does not parse is an error. */
  readonly isStrict: boolean
}

/** `expression` is bound: its columns begin with their table. */
export function withOperandTypes(expression: Expression, tables: Tables): Expression {
  const isTyped = tables.tables.length === 0 || tables.known?.some((table) => table !== undefined)
  return isTyped ? typed(expression, tables) : expression
}

function typed(expression: Expression, tables: Tables): Expression {
  return mapExpression(expression, (node) => {
    switch (node.kind) {
      case 'quantified': {
        const [left, array] = [typed(node.left, tables), typed(node.array, tables)]
        const type = isText(left) ? elementsIn(array, tables) : undefined
        return { ...node, left: type === undefined ? left : castOf(left, type, false), array }
      }
      case 'binary': {
        if (!isComparison(node.operator) && !containments.has(node.operator)) return undefined
        requireAlike(node.operator, node.left, node.right, tables, node.operatorAt)
        const [left, right] = alike([node.left, node.right], tables)
        return left && right && { ...node, left, right }
      }
      case 'distinct': {
        requireAlike('=', node.left, node.right, tables)
        const [left, right] = alike([node.left, node.right], tables)
        return left && right && { ...node, left, right }
      }
      case 'in': {
        for (const item of node.list) {
          requireAlike(node.isNegated ? '<>' : '=', node.operand, item, tables)
        }
        const [operand, ...list] = alike([node.operand, ...node.list], tables)
        return operand && { ...node, operand, list }
      }
      case 'between': {
        requireAlike(node.isNegated ? '<' : '>=', node.operand, node.low, tables)
        requireAlike(node.isNegated ? '>' : '<=', node.operand, node.high, tables)
        const [operand, low, high] = alike([node.operand, node.low, node.high], tables)
        return operand && low && high && { ...node, operand, low, high }
      }
      default:
        return undefined
    }
  })
}

const containments = new Set(['@>', '<@'])

/**
 * Throws 42883 if one operand is a typed column and the other a column or value of another family:
 * they would be unequal in each row.
 */
function requireAlike(
  operator: string,
  left: Expression,
  right: Expression,
  tables: Tables,
  at?: number,
): void {
  if (left.kind !== 'column' && right.kind !== 'column') return
  const [one, other] = [familyIn(left, tables), familyIn(right, tables)]
  if (one === undefined || other === undefined || one.family === other.family) return
  const message = `operator does not exist: ${one.title} ${operator} ${other.title}`
  const hint = undefinedHint('operator')
  throw evaluationError(evaluationState.undefinedFunction, message, at, hint)
}

interface Typed {
  readonly family: string
  readonly title: string
}

const families = new Map(
  Object.entries({
    number: 'int2 int4 int8 float4 float8 numeric',
    bool: 'bool',
    time: 'date timestamp timestamptz',
    text: 'text varchar bpchar',
  }).flatMap(([family, names]) => names.split(' ').map((name) => [name, family] as const)),
)

/** Of a column of a declared table, a number or a boolean; a text literal takes any type. */
function familyIn(expression: Expression, tables: Tables): Typed | undefined {
  const isValue =
    expression.kind === 'literal' && !expression.value.isNullish && !isText(expression)
  if (!isValue && !(expression.kind === 'column' && isDeclared(expression, tables)))
    return undefined
  const of = staticType(expression, tables) ?? ''
  // PostgreSQL reads 1.5 as a numeric.
  const type = isValue && of === 'float8' ? 'numeric' : of
  const family = families.get(/^\w+(?!.*\[\]$)/.exec(type)?.[0] ?? '')
  return family === undefined ? undefined : { family, title: columnTypeOf(type).title }
}

/** Operands of one type; empty if no text among them stands beside a type. */
function alike(operands: readonly Expression[], tables: Tables): readonly Expression[] {
  if (!operands.some(isText)) return []
  let type: string | undefined
  let single: Single | undefined
  for (const operand of operands) {
    type ??= elementsIn(operand, tables)
    single ??= singleIn(operand, tables)
  }
  return operands.map((operand) => {
    if (!isText(operand)) return typed(operand, tables)
    if (type !== undefined) return castOf(operand, type, true)
    const isLeft = single?.isStrict === false && !wholeForm.test(stringOf(operand.value))
    return single === undefined || isLeft ? operand : parsedAs(operand, single.name)
  })
}

function isText(node: Expression): node is Literal {
  return node.kind === 'literal' && node.value.type === bsonType.string
}

/** The type of an array's elements; undefined for another expression. */
function elementsIn(expression: Expression, tables: Tables): string | undefined {
  const { kind } = expression
  if (kind !== 'column' && kind !== 'cast' && kind !== 'array') return undefined
  const [, name] = /^(\w+)(?:\(.*\))?\[\]$/.exec(staticType(expression, tables) ?? '') ?? []
  return name !== undefined && elementTypes.has(name) ? name : undefined
}

/** The type of a single value, from CREATE TABLE, the catalog or a cast. */
function singleIn(expression: Expression, tables: Tables): Single | undefined {
  const { kind } = expression
  if (kind !== 'column' && kind !== 'cast') return undefined
  const [name = ''] = /^\w+(?!.*\[\]$)/.exec(staticType(expression, tables) ?? '') ?? []
  const isStrict = kind === 'cast' || isDeclared(expression, tables)
  return (isStrict ? singleTypes : numberTypes).has(name) ? { name, isStrict } : undefined
}

function isDeclared({ path }: Extract<Expression, { kind: 'column' }>, of: Tables): boolean {
  return of.known?.[of.tables.indexOf(String(path[0]))]?.isDeclared === true
}

/** The value at once, so that an index serves it. Throws 22P02, 22003, 22007, 22008. */
function parsedAs(literal: Literal, name: string): Expression {
  try {
    return { ...literal, value: castTo({ name, modifiers: [], isArray: false })(literal.value) }
  } catch (thrown) {
    throw placed(thrown, literal.at)
  }
}

function castOf(operand: Expression, name: string, isArray: boolean): Expression {
  const type: TypeName = { name, modifiers: [], isArray }
  return { kind: 'cast', at: operand.at, type, operand }
}
