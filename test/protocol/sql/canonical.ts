// Our trees in a form that PostgreSQL's own can be brought to as well: nested lists of words. What
// both may show in two ways (a chain of ANDs, a sign before a number) is shown in one.

import type {
  Assigned,
  Expression,
  OrderItem,
  ResultItem,
  SelectStatement,
  Statement,
  TableReference,
  Target,
  TypeName,
} from '../../../src/protocol/sql/ast.js'
import { bsonType } from '../../../src/value/value.js'
import { toJs } from '../../support/literal.js'

export type Tree = string | number | boolean | null | readonly Tree[]

/** `12`, `0.50`, `1e3` and `0x0c` as `digits e power`, so that equal numbers are equal texts. */
export function numberTree(written: string, isNegative = false): Tree {
  const [, sign, digits = ''] =
    /^([+-]?)(.*)$/.exec(written.toLowerCase().replaceAll('_', '')) ?? []
  const decimal = /^0[xob]/.test(digits) ? BigInt(digits).toString() : digits
  const [mantissa = '', power = '0'] = decimal.split('e')
  const [whole = '', fraction = ''] = mantissa.split('.')
  const shown = `${whole}${fraction}`.replace(/^0+/, '')
  const short = shown.replace(/0+$/, '')
  if (short === '') return ['number', '0']
  const exponent = Number(power) - fraction.length + shown.length - short.length
  const minus = (sign === '-') !== isNegative ? '-' : ''
  return ['number', `${minus}${short}e${exponent}`]
}

export function negated(tree: Tree): Tree {
  const [, shown] = tree as readonly [string, string]
  if (shown === '0') return tree
  return ['number', shown.startsWith('-') ? shown.slice(1) : `-${shown}`]
}

export function isNumberTree(tree: Tree): boolean {
  return Array.isArray(tree) && tree[0] === 'number'
}

/** `(a AND b) AND c` is one chain in PostgreSQL; `a AND (b AND c)` is not. */
export function chainTree(kind: string, operands: readonly Tree[]): Tree {
  const [first, ...rest] = operands
  if (!Array.isArray(first) || first[0] !== kind) return [kind, ...operands]
  return [kind, ...first.slice(1), ...rest]
}

function expressionTree(e: Expression): Tree {
  switch (e.kind) {
    case 'literal':
      return literalTree(e)
    case 'parameter':
      return ['parameter', e.index + 1]
    case 'column':
      return pathTree(e.path)
    case 'star':
      return ['star', ...(e.table?.split('.') ?? [])]
    case 'not':
      return ['not', expressionTree(e.operand)]
    case 'and':
    case 'or':
      return chainTree(e.kind, e.operands.map(expressionTree))
    case 'unary': {
      const operand = expressionTree(e.operand)
      return e.operator === '-' && isNumberTree(operand)
        ? negated(operand)
        : ['unary', e.operator, operand]
    }
    case 'binary':
      return ['binary', e.operator, expressionTree(e.left), expressionTree(e.right)]
    case 'is':
      return ['is', e.test, e.isNegated, expressionTree(e.operand)]
    case 'distinct':
      return ['distinct', e.isNegated, expressionTree(e.left), expressionTree(e.right)]
    case 'cast':
      return ['cast', expressionTree(e.operand), typeTree(e.type)]
    case 'array':
      return ['array', ...e.elements.map(expressionTree)]
    case 'subscript':
      return ['subscript', expressionTree(e.operand), expressionTree(e.index)]
    case 'field':
      return ['field', expressionTree(e.operand), e.name]
    default:
      return compoundTree(e)
  }
}

type Compound = Extract<
  Expression,
  { readonly kind: 'between' | 'in' | 'like' | 'quantified' | 'case' | 'call' }
>

function compoundTree(e: Compound): Tree {
  switch (e.kind) {
    case 'between': {
      const parts = [e.operand, e.low, e.high].map(expressionTree)
      return ['between', e.isSymmetric, e.isNegated, ...parts]
    }
    case 'in':
      return ['in', e.isNegated, expressionTree(e.operand), ...e.list.map(expressionTree)]
    case 'like': {
      const parts = [e.operand, e.pattern, ...(e.escape === undefined ? [] : [e.escape])]
      return ['like', e.ignoresCase, e.isNegated, ...parts.map(expressionTree)]
    }
    case 'quantified': {
      const parts = [e.left, e.array].map(expressionTree)
      return ['quantified', e.operator, e.quantifier, ...parts]
    }
    case 'case': {
      const branches = e.branches.map(({ when, result }) => [
        expressionTree(when),
        expressionTree(result),
      ])
      return ['case', optional(e.operand), branches, optional(e.otherwise)]
    }
    case 'call':
      return [
        ...['call', e.name, e.args.map(expressionTree), e.isStar, e.isDistinct],
        ...[e.orderBy.map(orderTree), optional(e.filter)],
      ]
  }
}

function literalTree({ value }: Extract<Expression, { readonly kind: 'literal' }>): Tree {
  if (value.isNumber) return numberTree(String(toJs(value)))
  const js = toJs(value)
  if (value.type === bsonType.string) return ['string', js as string]
  return value.type === bsonType.null ? ['null'] : ['boolean', js === true]
}

function pathTree(path: readonly (string | number)[]): Tree {
  const end = path.findIndex((part) => typeof part === 'number')
  const names = end < 0 ? path : path.slice(0, end)
  const rest = end < 0 ? [] : path.slice(end)
  return rest.reduce<Tree>(
    (tree, part) =>
      typeof part === 'number'
        ? ['subscript', tree, numberTree(String(part))]
        : ['field', tree, part],
    ['column', ...names],
  )
}

function typeTree({ name, modifiers, isArray }: TypeName): Tree {
  return [name, [...modifiers], isArray]
}

function optional(e: Expression | undefined): Tree {
  return e === undefined ? null : expressionTree(e)
}

function orderTree({ expression, descends, nulls }: OrderItem): Tree {
  return [expressionTree(expression), descends, nulls ?? null]
}

function resultTree({ expression, alias }: ResultItem): Tree {
  return [expressionTree(expression), alias ?? null]
}

function tableTree({ schema, name, alias, call, columns }: TableReference): Tree {
  if (call !== undefined) return [expressionTree(call), alias ?? null, [...(columns ?? [])]]
  return [schema ?? null, name, alias ?? null]
}

function targetTree({ path }: Target): Tree {
  return path.map((part) => (typeof part === 'number' ? ['place', part] : part))
}

function assignedTree(value: Assigned): Tree {
  return value === undefined ? ['default'] : expressionTree(value)
}

export function statementTree(s: Statement): Tree {
  switch (s.kind) {
    case 'select':
      return selectTree(s)
    case 'insert': {
      const rows = s.rows?.map((row) => row.map(assignedTree)) ?? null
      const columns = s.columns?.map(targetTree) ?? []
      const returning = s.returning.map(resultTree)
      return ['insert', tableTree(s.table), columns, rows, conflictTree(s), returning]
    }
    case 'update': {
      const set = s.set.map((one) => [targetTree(one.target), assignedTree(one.value)])
      return ['update', tableTree(s.table), set, optional(s.where), s.returning.map(resultTree)]
    }
    case 'delete':
      return ['delete', tableTree(s.table), optional(s.where), s.returning.map(resultTree)]
    case 'createIndex': {
      const columns = s.columns.map((one) => [targetTree(one.target), one.descends])
      const flags = [s.isUnique, s.ifNotExists]
      return ['index', s.name ?? null, tableTree(s.table), columns, ...flags, optional(s.where)]
    }
    default:
      return [s.kind]
  }
}

function selectTree(s: SelectStatement): Tree {
  const joins = s.joins.map((join) => [
    ...[join.type, tableTree(join.table), optional(join.on), [...(join.using ?? [])]],
  ])
  return [
    ...['select', s.isDistinct, s.results.map(resultTree)],
    ...[s.from === undefined ? null : tableTree(s.from), joins, optional(s.where)],
    ...[s.groupBy.map(expressionTree), optional(s.having), s.orderBy.map(orderTree)],
    ...[limitTree(optional(s.limit)), optional(s.offset)],
  ]
}

/** LIMIT NULL is LIMIT ALL. */
export function limitTree(limit: Tree): Tree {
  return Array.isArray(limit) && limit[0] === 'null' ? null : limit
}

function conflictTree({ conflict }: Extract<Statement, { readonly kind: 'insert' }>): Tree {
  if (conflict === undefined) return null
  const columns = conflict.columns.map(targetTree)
  if (conflict.action === 'nothing') return [columns, 'nothing']
  const { set, where } = conflict.action
  const changes = set.map((one) => [targetTree(one.target), assignedTree(one.value)])
  return [columns, changes, optional(where)]
}
