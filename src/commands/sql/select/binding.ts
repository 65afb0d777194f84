// Binds the names of a SELECT before compiling. Every column gets its table, aliases and ordinals
// become their results, and USING becomes a condition.

import { pgColumnsMax } from '../../../base/limits/sql.js'
import { turnUnits } from '../../../base/work/work-figures.js'
import type {
  Expression,
  Join,
  OrderItem,
  ResultItem,
  RowLocks,
  SelectStatement,
} from '../../../protocol/sql/ast.js'
import type { Program, ReadTx } from '../../../store/store.js'
import { integerOf } from '../../../value/numbers.js'
import { bsonType } from '../../../value/value.js'
import { hasColumn, type KnownTables } from '../catalog/known-table.js'
import { evaluationError, evaluationState } from '../expression/evaluation-error.js'
import { ExpressionPlaces, keysInParts, sameExpression } from '../expression/expression-key.js'
import { someNode } from '../expression/expression-tree.js'
import { requireNoAggregate } from '../expression/misplaced-aggregate.js'
import { isLarge } from '../expression/parts.js'
import { referencesOf } from '../relation-names.js'
import { typingOf } from '../typing/operand-types.js'
import { hasAggregate } from './aggregate.js'
import { Names } from './names.js'
import { nameOf, resultNames } from './result.js'

export interface BoundSelect {
  readonly tables: readonly string[]
  /** The known columns of each table. */
  readonly known: KnownTables
  readonly isDistinct: boolean
  /** Whether its rows are groups; without GROUP BY all rows may be one group. */
  readonly isGrouped: boolean
  readonly results: readonly ResultItem[]
  /** By table, from the second on; undefined without a condition. */
  readonly joins: readonly BoundJoin[]
  readonly where: Expression | undefined
  readonly groupBy: readonly Expression[]
  readonly having: Expression | undefined
  readonly orderBy: readonly OrderItem[]
  /** Columns of USING, which `*` shows once. */
  readonly merged: ReadonlySet<string>
  readonly locks: RowLocks | undefined
  /** Nodes of the expressions that are worked on in parts, with pauses: mostly none. */
  readonly largeNodes: number
}

export interface BoundJoin {
  readonly isLeft: boolean
  readonly on: Expression | undefined
}

/** Throws 54011 above PostgreSQL's bound: results, and what groups and orders rows beside them. */
function requireTargets(results: readonly ResultItem[], others: readonly Expression[]): void {
  if (results.length + others.length <= pgColumnsMax) return
  const places = new ExpressionPlaces()
  let count = results.length
  for (const { expression } of results) places.add(expression, 0)
  for (const expression of others) if (places.add(expression, 0)) count++
  if (count <= pgColumnsMax) return
  const message = `target lists can have at most ${pgColumnsMax} entries`
  throw evaluationError(evaluationState.tooManyColumns, message)
}

/** Throws 42702, 42703, 42712, 42P01, 42P10, 42803, 54011. */
export function* bindSelect(
  tx: ReadTx,
  statement: SelectStatement,
  known: KnownTables,
): Program<BoundSelect> {
  const tables = tableNames(statement)
  const binder = new Binder(tables, known)
  const joins: BoundJoin[] = []
  for (const [i, join] of statement.joins.entries()) {
    yield* binder.prepare(tx, [join.on])
    joins.push(binder.join(join, i + 1))
  }
  const given = statement.results.flatMap((item) => binder.starred(item) ?? [item])
  const items = [...given, ...statement.orderBy].map(({ expression }) => expression)
  yield* binder.prepare(tx, [...items, ...statement.groupBy, statement.where, statement.having])
  const { largeNodes } = binder
  const results = given.map((item) => {
    const expression = binder.typed(item.expression)
    // Keeps the written name for a field that may also stand for a row.
    const isOther = item.expression.kind === 'column' && expression.kind === 'call'
    const name = isOther ? { alias: nameOf(item.expression) } : {}
    return { ...name, ...item, expression }
  })
  const where = statement.where && binder.condition(statement.where, 'WHERE')
  const having = statement.having && binder.condition(statement.having, 'HAVING')
  const names = resultNames(given)
  const grouped = statement.groupBy.map((item) => binder.groupItem(item, given, results, names))
  const orderBy = statement.orderBy.map((item): OrderItem => {
    const expression = binder.orderItem(item.expression, given, results, names)
    return binder.ordered({ ...item, expression })
  })
  if (largeNodes > 0) yield* largePhase(tx, largeNodes)
  const asked = [...results, ...orderBy].map(({ expression }) => expression)
  const isGrouped = grouped.length > 0 || having !== undefined || asked.some(hasAggregate)
  const { isDistinct } = statement
  if (largeNodes > 0) yield* largePhase(tx, largeNodes)
  // These are looked for among others.
  if (largeNodes > 0 && (isGrouped || isDistinct)) yield* keysInParts(tx, [...grouped, ...asked])
  requireTargets(results, [...grouped, ...orderBy.map(({ expression }) => expression)])
  if (isDistinct) requireListed(orderBy, results)
  return {
    tables,
    known,
    isDistinct,
    results,
    joins,
    where,
    having,
    orderBy,
    merged: binder.merged,
    locks: statement.locks,
    isGrouped,
    largeNodes,
    groupBy: distinctOnes(grouped),
  }
}

/** Work units of a node in a phase that walks over all nodes: 0.2 µs. */
const phaseNodeUnits = 2

/** Ends the turn between two phases of a statement with so many nodes in large expressions. */
export function* largePhase(tx: ReadTx, nodes: number): Program<void> {
  yield* tx.pause(Math.min(nodes * phaseNodeUnits, turnUnits))
}

function distinctOnes(expressions: readonly Expression[]): Expression[] {
  const places = new ExpressionPlaces()
  return expressions.filter((expression, i) => places.add(expression, i))
}

/** Throws 42P10 for an order of DISTINCT rows by what they do not have. */
function requireListed(orderBy: readonly OrderItem[], results: readonly ResultItem[]): void {
  if (results.some(({ expression }) => expression.kind === 'star')) return
  const listed = new ExpressionPlaces(results.map(({ expression }) => expression))
  for (const { expression } of orderBy) {
    if (listed.of(expression) !== undefined) continue
    const message = 'for SELECT DISTINCT, ORDER BY expressions must appear in select list'
    throw evaluationError(evaluationState.badColumnReference, message, expression.at)
  }
}

/** Names of the tables. Throws 42712 if two are equal. */
export function tableNames(statement: SelectStatement): string[] {
  const references = referencesOf(statement)
  const names = references.map(({ alias, name }) => alias ?? name)
  const twice = names.find((name, i) => names.indexOf(name) !== i)
  if (twice === undefined) return names
  const message = `table name "${twice}" specified more than once`
  throw evaluationError(evaluationState.duplicateAlias, message)
}

class Binder extends Names {
  private readonly typing = typingOf(this)

  /** Bound, with each text literal in the type of what stands beside it. */
  typed(expression: Expression): Expression {
    const bound = this.bound(expression)
    return this.typing?.typed(bound) ?? bound
  }

  /** Binds and types the parts of large expressions in turns, before the expressions are asked. */
  *prepare(tx: ReadTx, expressions: readonly (Expression | undefined)[]): Program<void> {
    const { typing } = this
    const large = expressions.filter((each) => each !== undefined).filter(isLarge)
    if (large.length === 0) return
    const bound = yield* this.boundParts.make(tx, large, (part) => this.bound(part))
    if (typing === undefined) return
    yield* typing.parts.make(tx, bound, (part) => typing.typed(part))
  }

  get largeNodes(): number {
    return this.boundParts.nodes
  }

  condition(expression: Expression, clause: 'WHERE' | 'HAVING' | 'JOIN/ON'): Expression {
    if (clause === 'WHERE') requireNoAggregate(expression, clause)
    if (clause === 'JOIN/ON') requireNoAggregate(expression, 'JOIN conditions')
    const bound = this.bound(expression)
    return this.typing?.condition(bound, clause) ?? bound
  }

  join({ type, on, using }: Join, table: number): BoundJoin {
    const isLeft = type === 'left'
    if (using === undefined) return { isLeft, on: on && this.condition(on, 'JOIN/ON') }
    const operands = using.map((name): Expression => {
      const right = this.named(table, name)
      const left = this.earlier(name, table)
      this.merged.add(name)
      return { kind: 'binary', at: 0, operator: '=', left, right }
    })
    return { isLeft, on: { kind: 'and', at: 0, operands } }
  }

  /**
   * The left side of a USING column: the first earlier table that has it, or a coalesce of several.
   */
  private earlier(name: string, before: number): Expression {
    const having = this.tables.slice(0, before).flatMap((_, i) => {
      const known = this.known[i]
      return known === undefined || hasColumn(known, name) ? [i] : []
    })
    if (having.length === 0) throw notInUsing(name, 'left')
    const columns = having.map((i) => this.named(i, name))
    const [first] = columns
    if (columns.length === 1 && first !== undefined) return first
    if (this.merged.has(name) && first !== undefined) return first
    const flags = { isStar: false, isDistinct: false, orderBy: [] } as const
    return { kind: 'call', at: 0, name: 'coalesce', args: columns, ...flags }
  }

  private named(table: number, name: string): Expression {
    const known = this.known[table]
    if (known !== undefined && !hasColumn(known, name)) throw notInUsing(name, 'right')
    return { kind: 'column', at: 0, path: [this.tables[table] ?? '', name] }
  }

  /** An ordinal, an alias, or an expression of the rows. */
  groupItem(
    item: Expression,
    given: readonly ResultItem[],
    results: readonly ResultItem[],
    names: readonly (string | undefined)[],
  ): Expression {
    const ordinal = ordinalOf(item)
    if (ordinal === undefined) requireVariable(item, 'GROUP BY')
    const found =
      ordinal === undefined
        ? this.aliased(item, given, results, names)
        : resultAt(ordinal, item.at, results, 'GROUP BY')
    const expression = found ?? this.typed(item)
    requireNoAggregate(expression, 'GROUP BY')
    return expression
  }

  /** The result of an alias, unless that result is computed from a column of the same name. */
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
    const isKnown = this.known.some((table) => table !== undefined && hasColumn(table, name ?? ''))
    if (isKnown) return undefined
    requireOneMeaning(item, given, results, at, 'GROUP BY')
    const isOwn = someNode(alias.expression, (node) => this.fieldName(node) === name)
    return isOwn ? undefined : results[at]?.expression
  }

  /** Name of a column that has no path into its value. */
  private fieldName(node: Expression): string | undefined {
    if (node.kind !== 'column' || node.path.length > 2) return undefined
    const [first, second] = node.path
    if (second === undefined) return String(first)
    return this.tables.includes(String(first)) ? String(second) : undefined
  }

  orderItem(
    item: Expression,
    given: readonly ResultItem[],
    results: readonly ResultItem[],
    names: readonly (string | undefined)[],
  ): Expression {
    const ordinal = ordinalOf(item)
    if (ordinal !== undefined) return resultAt(ordinal, item.at, results, 'ORDER BY')
    requireVariable(item, 'ORDER BY')
    const name = bareName(item)
    const at = name === undefined ? -1 : names.indexOf(name)
    requireOneMeaning(item, given, results, at, 'ORDER BY')
    return results[at]?.expression ?? this.typed(item)
  }
}

function notInUsing(name: string, side: 'left' | 'right'): Error {
  const message = `column "${name}" specified in USING clause does not exist in ${side} table`
  return evaluationError(evaluationState.undefinedColumn, message)
}

function bareName(expression: Expression): string | undefined {
  if (expression.kind !== 'column' || expression.path.length !== 1) return undefined
  return String(expression.path[0])
}

/** Throws 42702 if results of the same name are of different expressions. */
function requireOneMeaning(
  { at: place }: Expression,
  given: readonly ResultItem[],
  results: readonly ResultItem[],
  at: number,
  clause: 'GROUP BY' | 'ORDER BY',
): void {
  const found = results[at]?.expression
  const name = shownName(given[at])
  if (found === undefined || name === undefined) return
  const isOther = results.some(({ expression }, i) => {
    return i > at && shownName(given[i]) === name && !sameExpression(expression, found)
  })
  if (!isOther) return
  const message = `${clause} "${name}" is ambiguous`
  throw evaluationError(evaluationState.ambiguousColumn, message, place)
}

function shownName(item: ResultItem | undefined): string | undefined {
  if (item === undefined || item.expression.kind === 'star') return undefined
  return item.alias ?? nameOf(item.expression)
}

/** The position that an item of ORDER BY or GROUP BY names. */
export function ordinalOf(expression: Expression): number | undefined {
  const isNumber = expression.kind === 'literal' && expression.value.type === bsonType.int32
  return isNumber ? integerOf(expression.value) : undefined
}

/** Throws 42601 for another constant: it is more often a name in the wrong quotes than meant. */
function requireVariable({ kind, at }: Expression, clause: 'GROUP BY' | 'ORDER BY'): void {
  if (kind !== 'literal') return
  throw evaluationError(evaluationState.syntax, `non-integer constant in ${clause}`, at)
}

function resultAt(
  ordinal: number,
  at: number,
  results: readonly ResultItem[],
  clause: 'GROUP BY' | 'ORDER BY',
): Expression {
  const found = results[ordinal - 1]?.expression
  if (found !== undefined && found.kind !== 'star') return found
  const message = `${clause} position ${ordinal} is not in select list`
  throw evaluationError(evaluationState.badColumnReference, message, at)
}
