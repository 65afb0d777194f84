// The plan of joins: their order, the conditions of each step, and the equalities by which a step
// finds its rows. Inner joins may be reordered; LEFT JOINs keep the written order.

import type { Expression } from '../../../protocol/sql/ast.js'
import { conjunctsOf, someNode } from '../expression/expression-tree.js'
import type { BoundJoin, BoundSelect } from './binding.js'

/** `outer` is known when rows of the table are searched by `inner`. */
export interface JoinKey {
  readonly condition: Expression
  readonly outer: Expression
  readonly inner: Expression
}

export interface JoinStep {
  readonly table: number
  readonly isLeft: boolean
  readonly keys: readonly JoinKey[]
  /** All conditions of the join, the keys included. */
  readonly conditions: readonly Expression[]
}

interface JoinOrder {
  /** The table that the others join. */
  readonly first: number
  /** The conditions on the first table alone. */
  readonly conditions: readonly Expression[]
  readonly steps: readonly JoinStep[]
  /** Whether WHERE must be checked again on joined rows. */
  readonly keepsWhere: boolean
}

export function planJoins(bound: BoundSelect): JoinOrder {
  const isInner = bound.joins.every(({ isLeft }) => !isLeft)
  return isInner ? planInner(bound) : planWritten(bound)
}

function tablesOf(expression: Expression, tables: readonly string[]): ReadonlySet<number> {
  const found = new Set<number>()
  someNode(expression, (node) => {
    if (node.kind === 'column') found.add(tables.indexOf(String(node.path[0])))
    return false
  })
  return found
}

interface Placed {
  readonly expression: Expression
  readonly tables: ReadonlySet<number>
}

function planInner({ tables, joins, where }: BoundSelect): JoinOrder {
  const all = [...joins.flatMap(({ on }) => conjunctsOf(on)), ...conjunctsOf(where)]
  let left: Placed[] = all.map((expression) => {
    return { expression, tables: tablesOf(expression, tables) }
  })
  const placed = new Set([0])
  const take = (): Expression[] => {
    const isDecided = (one: Placed): boolean => [...one.tables].every((at) => placed.has(at))
    const decided = left.filter(isDecided)
    left = left.filter((one) => !isDecided(one))
    return decided.map(({ expression }) => expression)
  }
  const conditions = take()
  const steps: JoinStep[] = []
  while (placed.size < tables.length) {
    const table = nextTable(tables, left, placed)
    const keys = keysOf(
      left.map(({ expression }) => expression),
      table,
      placed,
      tables,
    )
    placed.add(table)
    steps.push({ table, isLeft: false, keys, conditions: take() })
  }
  return { first: 0, conditions, steps, keepsWhere: false }
}

/** The next table with an equality to placed ones, else the next as written. */
function nextTable(
  tables: readonly string[],
  left: readonly Placed[],
  placed: ReadonlySet<number>,
): number {
  const open = tables.map((_, i) => i).filter((i) => !placed.has(i))
  const expressions = left.map(({ expression }) => expression)
  const linked = open.find((table) => keysOf(expressions, table, placed, tables).length > 0)
  return linked ?? open[0] ?? 0
}

function planWritten({ tables, joins, where }: BoundSelect): JoinOrder {
  const placed = new Set([0])
  const steps = joins.map((join: BoundJoin, i): JoinStep => {
    const table = i + 1
    const conditions = [...conjunctsOf(join.on), ...innerWhere(join, where, table, tables, placed)]
    const keys = keysOf(conditions, table, placed, tables)
    placed.add(table)
    return { table, isLeft: join.isLeft, keys, conditions }
  })
  const conditions = conjunctsOf(where).filter((part) => {
    return [...tablesOf(part, tables)].every((at) => at === 0)
  })
  return { first: 0, conditions, steps, keepsWhere: true }
}

/** The parts of WHERE that concern only an inner join's table and earlier ones, checked early. */
function innerWhere(
  { isLeft }: BoundJoin,
  where: Expression | undefined,
  table: number,
  tables: readonly string[],
  placed: ReadonlySet<number>,
): Expression[] {
  if (isLeft) return []
  return conjunctsOf(where).filter((part) => {
    const read = tablesOf(part, tables)
    return read.has(table) && [...read].every((at) => at === table || placed.has(at))
  })
}

/** The equalities between the table and the placed ones. */
function keysOf(
  conditions: readonly Expression[],
  table: number,
  placed: ReadonlySet<number>,
  tables: readonly string[],
): JoinKey[] {
  return conditions.flatMap((condition): JoinKey[] => {
    if (condition.kind !== 'binary' || condition.operator !== '=') return []
    const { left, right } = condition
    const [a, b] = [tablesOf(left, tables), tablesOf(right, tables)]
    const isOwn = (read: ReadonlySet<number>): boolean => read.size === 1 && read.has(table)
    const isPlaced = (read: ReadonlySet<number>): boolean =>
      read.size > 0 && [...read].every((at) => placed.has(at))
    if (isOwn(a) && isPlaced(b)) return [{ condition, outer: right, inner: left }]
    if (isOwn(b) && isPlaced(a)) return [{ condition, outer: left, inner: right }]
    return []
  })
}
