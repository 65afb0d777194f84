// The types that PostgreSQL gives to expressions over declared tables, known before a row is read.
// What it would refuse for its types is refused by these. Only rows tell the types of other tables.
// Source: PostgreSQL 15, 9 and 10.

import type { Expression, PathPart, WholeType } from '../../../protocol/sql/ast.js'
import { bsonType } from '../../../value/value.js'
import { boolOperators } from '../catalog/fixed-types.js'
import { arithmeticOperators } from '../expression/arithmetic.js'
import type { Scope } from '../expression/scope.js'
import { functionFacts } from './function-facts.js'
import { isRowType, rowTypeOf } from './row-type.js'

export type Tables = Pick<Scope, 'tables' | 'known'>

/** Of a text literal and NULL, which take the type of what stands beside them. */
export const unknown = 'unknown'

type Type = string | undefined

/** Of the expressions of one statement; a long chain costs its length, because each is kept. */
export class DeclaredTypes {
  private readonly kept = new Map<Expression, Type>()

  constructor(private readonly tables: Tables) {}

  /** PostgreSQL's name without a length: `int4`, `text[]`; undefined if only the rows tell. */
  of(expression: Expression): Type {
    const { kept } = this
    if (kept.has(expression)) return kept.get(expression)
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
        return (
          functionFacts(expression.name).returns ??
          typeOfCall(expression, this.ofAll(expression.args))
        )
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

export function isWholeType(type: Type): type is WholeType {
  return type === 'int2' || type === 'int4' || type === 'int8'
}

/** In the order in which PostgreSQL converts one to the next. */
const ranks = ['int2 int4 int8 numeric float4 float8', 'date timestamp timestamptz'].map((names) =>
  names.split(' '),
)
const [numbers = [], times = []] = ranks

const families = new Map<string, string>([
  ...numbers.map((name) => [name, 'number'] as const),
  ...times.map((name) => [name, 'time'] as const),
  ...['text', 'varchar', 'bpchar', 'name'].map((name) => [name, 'text'] as const),
  ...['bool', 'json', 'jsonb'].map((name) => [name, name] as const),
])

/** Types of one family compare with each other, and a result may be of several of them. */
export function familyOf(type: Type): Type {
  if (type === undefined) return undefined
  if (isRowType(type)) return type
  if (!type.endsWith('[]')) return families.get(type)
  const element = families.get(type.slice(0, -2))
  return element === undefined ? undefined : `${element}[]`
}

/** The type of several results; undefined if they have none in common, or one is not known. */
export function commonType(types: readonly Type[]): Type {
  const given = new Set(types.filter((type) => type !== unknown))
  const [first] = given
  if (given.size === 0) return 'text'
  if (given.size === 1 || given.has(undefined)) return given.has(undefined) ? undefined : first
  const order = ranks.find((names) => [...given].every((type) => names.includes(type ?? '')))
  if (order !== undefined) return order.findLast((name) => given.has(name))
  return [...given].every((type) => familyOf(type) === 'text') ? 'text' : undefined
}

function arrayOf(element: Type): Type {
  if (element === undefined) return undefined
  return element.endsWith('[]') ? element : `${element}[]`
}

function numberOnly(type: Type): Type {
  return familyOf(type) === 'number' ? type : undefined
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
    return (families.has(other) && !other.startsWith('json')) || isRowType(other)
      ? 'text'
      : undefined
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

type Call = Extract<Expression, { kind: 'call' }>

function typeOfCall({ name }: Call, types: readonly Type[]): Type {
  const [first] = types
  switch (name) {
    case 'coalesce':
    case 'greatest':
    case 'least':
      return commonType(types)
    case 'nullif':
      return first === unknown ? commonType(types) : first
    case 'sum':
      if (first === 'int2' || first === 'int4') return 'int8'
      return first === 'int8' ? 'numeric' : numberOnly(first)
    case 'avg':
    case 'floor':
    case 'ceil':
    case 'ceiling':
    case 'round':
    case 'trunc':
    case 'sqrt':
      return typeOfRounding(name, first)
    case 'abs':
      return numberOnly(first)
    case 'min':
    case 'max':
      return familyOf(first) === 'text' || first === unknown ? 'text' : first
    case 'array_agg':
      return arrayOf(first === unknown ? 'text' : first)
    default:
      return undefined
  }
}

/** Whole numbers become numeric in an average, and double in the others. */
function typeOfRounding(name: string, type: Type): Type {
  if (familyOf(type) !== 'number') return undefined
  if (type === 'numeric') return type
  return name === 'avg' && type !== 'float4' && type !== 'float8' ? 'numeric' : 'float8'
}
