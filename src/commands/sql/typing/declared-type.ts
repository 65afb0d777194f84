// The types that PostgreSQL gives to expressions over declared tables, known before a row is read.
// What it would refuse for its types is refused by these. Only rows tell the types of other tables.
// Source: PostgreSQL 15, 9 and 10.

import type { Expression, PathPart } from '../../../protocol/sql/ast.js'
import { bsonType } from '../../../value/value.js'
import { boolOperators } from '../catalog/fixed-types.js'
import { arithmeticOperators } from '../expression/arithmetic.js'
import type { Scope } from '../expression/scope.js'
import { functionFacts } from './function-facts.js'
import { isRowType, rowTypeOf } from './row-type.js'
import {
  arrayOf,
  commonType,
  familyOf,
  isWholeType,
  numberOnly,
  type Type,
  unknown,
} from './type-family.js'

export type Tables = Pick<Scope, 'tables' | 'known'>

/** Nodes whose type depends on their operands; that of others is found as fast as it is kept. */
const asksOperands: ReadonlySet<string> = new Set(
  'unary binary call array case subscript'.split(' '),
)

/** Of the expressions of one statement; a long chain costs its length, because each is kept. */
export class DeclaredTypes {
  private readonly kept = new Map<Expression, Type>()

  constructor(private readonly tables: Tables) {}

  /** PostgreSQL's name without a length: `int4`, `text[]`; undefined if only the rows tell. */
  of(expression: Expression): Type {
    if (!asksOperands.has(expression.kind)) return this.found(expression)
    const { kept } = this
    const known = kept.get(expression)
    if (known !== undefined || kept.has(expression)) return known
    const type = this.found(expression)
    kept.set(expression, type)
    return type
  }

  ofAll(expressions: readonly Expression[]): readonly Type[] {
    return expressions.map((expression) => this.of(expression))
  }

  private found(expression: Expression): Type {
    switch (expression.kind) {
      case 'literal':
        if (expression.type !== undefined) return expression.type
        return expression.value.isNullish ? unknown : literalTypes.get(expression.value.type)
      case 'column':
        return typeOfColumn(expression.path, this.tables)
      case 'not':
      case 'and':
      case 'or':
      case 'is':
      case 'distinct':
      case 'between':
      case 'in':
      case 'like':
      case 'quantified':
        return 'bool'
      case 'unary':
        return numberOnly(this.of(expression.operand))
      case 'binary': {
        const { operator, left, right } = expression
        return typeOfOperator(operator, this.of(left), this.of(right))
      }
      case 'cast':
        return `${expression.type.name}${expression.type.isArray ? '[]' : ''}`
      case 'call':
        return this.ofCall(expression)
      case 'array':
        return arrayOf(commonType(this.ofAll(expression.elements)))
      case 'case':
        return commonType(this.ofAll(resultsOf(expression)))
      case 'subscript': {
        const array = this.of(expression.operand)
        return array?.endsWith('[]') === true ? array.slice(0, -2) : undefined
      }
      default:
        return undefined
    }
  }

  private ofCall({ name, args }: Extract<Expression, { kind: 'call' }>): Type {
    const { returns } = functionFacts(name)
    return typeof returns === 'function' ? returns(this.ofAll(args)) : returns
  }
}

const literalTypes = new Map<number, string>([
  [bsonType.string, unknown],
  [bsonType.int32, 'int4'],
  [bsonType.int64, 'int8'],
  // A number with a point or an exponent.
  [bsonType.double, 'numeric'],
  [bsonType.decimal128, 'numeric'],
  [bsonType.bool, 'bool'],
])

/** ELSE first, as PostgreSQL resolves them. */
export function resultsOf(
  expression: Extract<Expression, { kind: 'case' }>,
): readonly Expression[] {
  const results = expression.branches.map(({ result }) => result)
  return expression.otherwise === undefined ? results : [expression.otherwise, ...results]
}

function typeOfColumn(
  [table, name, ...below]: readonly PathPart[],
  { tables, known }: Tables,
): Type {
  const of = known?.[tables.indexOf(String(table))]
  if (of?.isDeclared !== true) return undefined
  if (name === undefined) return rowTypeOf(of.name)
  const type = of.columns.get(String(name))?.replace(/\(.*\)/, '')
  if (type === undefined || below.length === 0) return type
  const isElement = below.length === 1 && typeof below[0] === 'number' && type.endsWith('[]')
  return isElement ? type.slice(0, -2) : undefined
}

function typeOfOperator(operator: string, left: Type, right: Type): Type {
  if (boolOperators.has(operator)) return 'bool'
  if (operator === '->>' || operator === '#>>') return 'text'
  if (operator === '->' || operator === '#>') return left === unknown ? undefined : left
  if (operator === '||') return typeOfConcat(left, right)
  return arithmeticOperators.has(operator) ? typeOfArithmetic(operator, left, right) : undefined
}

function typeOfConcat(left: Type, right: Type): Type {
  const array = [left, right].find((type) => type?.endsWith('[]') === true)
  if (array !== undefined) return typeOfArrays(array, (left === array ? right : left) ?? '')
  const isText = (type: Type) => type === unknown || familyOf(type) === 'text'
  if (isText(left) && isText(right)) return 'text'
  const other = isText(left) ? right : left
  if ((isText(left) || isText(right)) && other !== undefined) {
    const hasText = familyOf(other) !== undefined && (isRowType(other) || !other.startsWith('json'))
    return hasText ? 'text' : undefined
  }
  return left === right && left === 'jsonb' ? left : undefined
}

/** An array beside another one or an element. */
function typeOfArrays(array: string, other: string): Type {
  const [own, given] = [array, other].map((type) => type.replace('[]', ''))
  if (other === unknown || own === given) return array
  return isWholeType(own) && isWholeType(given) ? `${commonType([own, given])}[]` : undefined
}

function typeOfArithmetic(operator: string, left: Type, right: Type): Type {
  const [a, b] = [left === unknown ? right : left, right === unknown ? left : right]
  const isDays = (type: Type) => type === 'int2' || type === 'int4'
  if (familyOf(a) === 'number' && familyOf(b) === 'number') {
    const common = commonType([a, b])
    if (operator === '^') return common === 'numeric' ? common : 'float8'
    return common === 'float4' && a !== b ? 'float8' : common
  }
  if (isDays(a) && b === 'date') return operator === '+' ? b : undefined
  if (a !== 'date') return undefined
  if (left === 'date' && right === 'date') return operator === '-' ? 'int4' : undefined
  return isDays(right) && (operator === '+' || operator === '-') ? a : undefined
}
