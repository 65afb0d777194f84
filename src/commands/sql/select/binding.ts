// The names of a SELECT put in their places before anything is compiled: every column begins with
// its table, aliases and ordinals of results are the results, USING is a condition.

import type {
  Expression,
  Join,
  OrderItem,
  PathPart,
  ResultItem,
  SelectStatement,
} from '../../../protocol/sql/ast.js'
import { integerOf } from '../../../value/numbers.js'
import { bsonType, int32Value, stringOf } from '../../../value/value.js'
import type { TableColumns } from '../catalog/catalog-tables.js'
import { isComparison } from '../expression/comparison.js'
import { evaluationError, evaluationState } from '../expression/evaluation-error.js'
import { mapExpression, sameExpression, someNode } from '../expression/expression-tree.js'
import { hasAggregate } from './aggregate.js'
import { resultNames } from './result.js'

export interface BoundSelect {
  readonly tables: readonly string[]
  readonly isDistinct: boolean
  /** Its rows are those of groups, of which all rows together may be one. */
  readonly isGrouped: boolean
  readonly results: readonly ResultItem[]
  /** In the order of the tables, from the second one on; undefined where there is no condition. */
  readonly joins: readonly BoundJoin[]
  readonly where: Expression | undefined
  readonly groupBy: readonly Expression[]
  readonly having: Expression | undefined
  readonly orderBy: readonly OrderItem[]
  /** Columns of USING, which `*` shows once. */
  readonly merged: ReadonlySet<string>
}

export interface BoundJoin {
  readonly isLeft: boolean
  readonly on: Expression | undefined
}

/** What is known of a table's columns: those of virtual tables are fixed. */
export type KnownColumns = readonly (TableColumns | undefined)[]

/** Throws 42702, 42703, 42712, 42P01, 42P10, 42803. */
export function bindSelect(statement: SelectStatement, known: KnownColumns): BoundSelect {
  const tables = tableNames(statement)
  const binder = new Binder(tables, known)
  const joins = statement.joins.map((join, i) => binder.join(join, i + 1))
  const results = statement.results.map((item) => {
    return { ...item, expression: binder.bound(item.expression) }
  })
  const where = statement.where && binder.bound(statement.where)
  const having = statement.having && binder.bound(statement.having)
  const names = resultNames(statement.results)
  const grouped = statement.groupBy.map((item) =>
    binder.groupItem(item, statement.results, results, names),
  )
  const orderBy = statement.orderBy.map((item): OrderItem => {
    const expression = binder.orderItem(item.expression, results, names)
    return { ...item, expression }
  })
  const { isDistinct } = statement
  const asked = [...results, ...orderBy].map(({ expression }) => expression)
  return {
    tables,
    isDistinct,
    results,
    joins,
    where,
    having,
    orderBy,
    merged: binder.merged,
    isGrouped: grouped.length > 0 || having !== undefined || asked.some(hasAggregate),
    groupBy: grouped.filter((item, i) => {
      return grouped.findIndex((other) => sameExpression(other, item)) === i
    }),
  }
}

/** What the tables are called. Throws 42712 where two are called the same. */
export function tableNames({ from, joins }: SelectStatement): string[] {
  const references = [...(from === undefined ? [] : [from]), ...joins.map(({ table }) => table)]
  const names = references.map(({ alias, name }) => alias ?? name)
  const twice = names.find((name, i) => names.indexOf(name) !== i)
  if (twice === undefined) return names
  const message = `table name "${twice}" specified more than once`
  throw evaluationError(evaluationState.duplicateAlias, message)
}

class Binder {
  readonly merged = new Set<string>()

  constructor(
    private readonly tables: readonly string[],
    private readonly known: KnownColumns,
  ) {}

  bound(expression: Expression): Expression {
    return mapExpression(expression, (node) => {
      if (node.kind === 'column') return { ...node, path: this.path(node.path) }
      return node.kind === 'binary' ? this.numbered(node) : undefined
    })
  }

  /** `oid = '16384'`: beside a column that is known to hold numbers a text is read as one. */
  private numbered(node: Extract<Expression, { kind: 'binary' }>): Expression | undefined {
    if (!isComparison(node.operator) || this.known.every((columns) => columns === undefined)) {
      return undefined
    }
    const [left, right] = [this.bound(node.left), this.bound(node.right)]
    return {
      ...node,
      left: this.isNumber(right) ? numberOfText(left) : left,
      right: this.isNumber(left) ? numberOfText(right) : right,
    }
  }

  private isNumber(expression: Expression): boolean {
    if (expression.kind !== 'column') return false
    const [table, column] = expression.path
    const columns = this.known[this.tables.indexOf(String(table))]
    return numberTypes.has(columns?.get(String(column)) ?? '')
  }

  join({ type, on, using }: Join, table: number): BoundJoin {
    const isLeft = type === 'left'
    if (using === undefined) return { isLeft, on: on && this.bound(on) }
    const operands = using.map((name): Expression => {
      const right = this.column(table, name)
      const left = this.earlier(name, table)
      this.merged.add(name)
      return { kind: 'binary', at: 0, operator: '=', left, right }
    })
    return { isLeft, on: { kind: 'and', at: 0, operands } }
  }

  /** A column of USING on its left side: of the tables before, the first that has it. */
  private earlier(name: string, before: number): Expression {
    const columns = this.tables.slice(0, before).map((_, i) => this.column(i, name))
    const [first] = columns
    if (columns.length === 1 && first !== undefined) return first
    if (this.merged.has(name) && first !== undefined) return first
    const flags = { isStar: false, isDistinct: false, orderBy: [] } as const
    return { kind: 'call', at: 0, name: 'coalesce', args: columns, ...flags }
  }

  private column(table: number, name: string): Expression {
    return { kind: 'column', at: 0, path: [this.tables[table] ?? '', name] }
  }

  private path(path: readonly PathPart[]): readonly PathPart[] {
    const { tables } = this
    const [first] = path
    const name = `"${path.join('.')}"`
    if (tables.length === 0) {
      throw evaluationError(evaluationState.undefinedColumn, `column ${name} does not exist`)
    }
    if (path.length > 1 && typeof first === 'string' && tables.includes(first)) {
      this.requireKnown(tables.indexOf(first), path[1], name)
      return path
    }
    const owners = this.owners(first)
    const [owner] = owners
    if (owners.length === 1 && owner !== undefined) {
      this.requireKnown(owner, first, name)
      return [tables[owner] ?? '', ...path]
    }
    if (owners.length === 0) {
      throw evaluationError(evaluationState.undefinedColumn, `column ${name} does not exist`)
    }
    const message = `column reference ${name} is ambiguous`
    throw evaluationError(evaluationState.ambiguousColumn, message)
  }

  /** The tables that may have the column. */
  private owners(column: PathPart | undefined): readonly number[] {
    const { tables, known, merged } = this
    if (tables.length === 1) return [0]
    if (typeof column === 'string' && merged.has(column)) return [0]
    return tables.flatMap((_, i) => {
      const columns = known[i]
      return columns === undefined || columns.has(String(column)) ? [i] : []
    })
  }

  private requireKnown(table: number, column: PathPart | undefined, name: string): void {
    const columns = this.known[table]
    if (columns === undefined || columns.has(String(column))) return
    throw evaluationError(evaluationState.undefinedColumn, `column ${name} does not exist`)
  }

  /** An ordinal, an alias, or an expression of the rows. */
  groupItem(
    item: Expression,
    given: readonly ResultItem[],
    results: readonly ResultItem[],
    names: readonly (string | undefined)[],
  ): Expression {
    const ordinal = ordinalOf(item)
    const found =
      ordinal === undefined
        ? this.aliased(item, given, results, names)
        : resultAt(ordinal, results, 'GROUP BY')
    const expression = found ?? this.bound(item)
    if (!hasAggregate(expression)) return expression
    const message = 'aggregate functions are not allowed in GROUP BY'
    throw evaluationError(evaluationState.misplacedAggregate, message)
  }

  /** An alias, unless what it stands for is computed from a column of that very name. */
  private aliased(
    item: Expression,
    given: readonly ResultItem[],
    results: readonly ResultItem[],
    names: readonly (string | undefined)[],
  ): Expression | undefined {
    const name = bareName(item)
    const at = name === undefined ? -1 : names.indexOf(name)
    const alias = given[at]
    if (alias?.alias === undefined) return undefined
    if (this.known.some((columns) => columns?.has(name ?? '') === true)) return undefined
    const isOwn = someNode(alias.expression, (node) => bareName(node) === name)
    return isOwn ? undefined : results[at]?.expression
  }

  orderItem(
    item: Expression,
    results: readonly ResultItem[],
    names: readonly (string | undefined)[],
  ): Expression {
    const ordinal = ordinalOf(item)
    if (ordinal !== undefined) return resultAt(ordinal, results, 'ORDER BY')
    const name = bareName(item)
    const at = name === undefined ? -1 : names.indexOf(name)
    return results[at]?.expression ?? this.bound(item)
  }
}

const numberTypes = new Set(['oid', 'int2', 'int4', 'int8'])

function numberOfText(expression: Expression): Expression {
  if (expression.kind !== 'literal' || expression.value.type !== bsonType.string) return expression
  const text = stringOf(expression.value)
  return /^-?\d{1,9}$/.test(text) ? { ...expression, value: int32Value(Number(text)) } : expression
}

function bareName(expression: Expression): string | undefined {
  if (expression.kind !== 'column' || expression.path.length !== 1) return undefined
  return String(expression.path[0])
}

function ordinalOf(expression: Expression): number | undefined {
  if (expression.kind !== 'literal' || expression.value.isNullish) return undefined
  const { value } = expression
  const isWhole = value.type === bsonType.int32 || value.type === bsonType.int64
  return isWhole ? integerOf(value) : undefined
}

function resultAt(
  ordinal: number,
  results: readonly ResultItem[],
  clause: 'GROUP BY' | 'ORDER BY',
): Expression {
  const found = results[ordinal - 1]?.expression
  if (found !== undefined && found.kind !== 'star') return found
  const message = `${clause} position ${ordinal} is not in select list`
  throw evaluationError(evaluationState.badColumnReference, message)
}
