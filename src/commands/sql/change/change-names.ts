// Binds the names of a change of a declared table: columns get their table, `*` becomes the
// columns, and unknown names are refused at their position. Changes of other collections stay as
// they are, because their documents may have any field.

import type {
  Assignment,
  DeleteStatement,
  Expression,
  InsertStatement,
  ResultItem,
  Target,
  UpdateStatement,
} from '../../../protocol/sql/ast.js'
import { requireTargetParts } from '../catalog/column-parts.js'
import { hasColumn, type KnownTable, type KnownTables } from '../catalog/known-table.js'
import { evaluationError, evaluationState } from '../expression/evaluation-error.js'
import { requireNoAggregate } from '../expression/misplaced-aggregate.js'
import { Names } from '../select/names.js'
import type { Tables } from '../typing/declared-type.js'
import { typedAssignment, typedCondition, withOperandTypes } from '../typing/operand-types.js'

type Change = UpdateStatement | DeleteStatement | InsertStatement

export interface BoundChange<S extends Change> {
  readonly statement: S
  /** Names of the tables of the rows. */
  readonly tables: readonly string[]
  /** Undefined if the collection is not from CREATE TABLE. */
  readonly known: KnownTables | undefined
}

const bound = new WeakMap<Change, BoundChange<Change> & { readonly table: KnownTable }>()

/** Throws 42703, 42P01, 42702, 42804, 42809. */
export function boundChange<S extends Change>(
  statement: S,
  table: KnownTable | undefined,
): BoundChange<S> {
  const name = statement.table.alias ?? statement.table.name
  if (table === undefined) return { statement, tables: [name], known: undefined }
  const before = bound.get(statement)
  if (before?.table === table) return before as BoundChange<S> & { readonly table: KnownTable }
  const names = new Names([name], [table])
  // The bound statement has the kind of the original.
  const own = inPlaces(statement, names, table) as S
  const made = { statement: own, tables: [name], known: [table] }
  bound.set(statement, { ...made, table })
  return made
}

function inPlaces(statement: Change, names: Names, table: KnownTable): Change {
  const returning = resultsOf(statement.returning, names)
  switch (statement.kind) {
    case 'delete':
      return { ...statement, ...whereOf(statement, names), returning }
    case 'update': {
      const set = assignments(statement.set, names, statement, table)
      return { ...statement, set, ...whereOf(statement, names), returning }
    }
    case 'insert': {
      for (const target of statement.columns ?? []) requireTarget(target, statement, table)
      const { conflict } = statement
      const rows = rowsOf(statement, table)
      if (conflict === undefined) return { ...statement, rows, returning }
      for (const target of conflict.columns) requireConflictTarget(target, conflict.at, table)
      if (conflict.action === 'nothing') return { ...statement, rows, returning }
      const both = new Names([...names.tables, 'excluded'], [table, table])
      const set = assignments(conflict.action.set, both, statement, table)
      const action = { ...conflict.action, set, ...whereOf(conflict.action, both) }
      return { ...statement, rows, conflict: { ...conflict, action }, returning }
    }
  }
}

function resultsOf(items: readonly ResultItem[], names: Names): readonly ResultItem[] {
  return items
    .flatMap((item) => names.starred(item) ?? [item])
    .map((item) => {
      requireNoAggregate(item.expression, 'RETURNING')
      return { ...item, expression: withOperandTypes(names.bound(item.expression), names) }
    })
}

function whereOf(
  { where }: { readonly where?: Expression },
  names: Names,
): { readonly where?: Expression } {
  if (where !== undefined) requireNoAggregate(where, 'WHERE')
  return where === undefined ? {} : { where: typedCondition(names.bound(where), names, 'WHERE') }
}

function assignments(
  set: readonly Assignment[],
  names: Names,
  statement: Change,
  table: KnownTable,
): readonly Assignment[] {
  return set.map(({ target, value }) => {
    requireTarget(target, statement, table)
    if (value !== undefined) requireNoAggregate(value, 'UPDATE')
    return { target, value: value && assigned(names.bound(value), target, names, table) }
  })
}

/** The values of INSERT, which have no columns to read. */
function rowsOf({ rows, columns }: InsertStatement, table: KnownTable): InsertStatement['rows'] {
  const targets = columns ?? [...table.columns.keys()].map((name) => ({ at: 0, path: [name] }))
  const none: Tables = { tables: [] }
  return rows?.map((row) =>
    row.map((value, i) => {
      const target = targets[i]
      if (value !== undefined && value.kind !== 'literal') requireNoAggregate(value, 'VALUES')
      return value === undefined || target === undefined
        ? value
        : assigned(value, target, none, table)
    }),
  )
}

function assigned(
  value: Expression,
  { path }: Target,
  tables: Tables,
  table: KnownTable,
): Expression {
  const name = String(path[0])
  const type = path.length > 1 ? undefined : table.columns.get(name)
  return type === undefined
    ? withOperandTypes(value, tables)
    : typedAssignment(value, { name, type }, tables)
}

function requireTarget({ path, at }: Target, { table }: Change, known: KnownTable): void {
  const name = String(path[0])
  if (hasColumn(known, name)) {
    requireTargetParts(known, { path, at })
    return
  }
  const message = `column "${name}" of relation "${table.name}" does not exist`
  throw evaluationError(evaluationState.undefinedColumn, message, at)
}

function requireConflictTarget({ path }: Target, at: number, known: KnownTable): void {
  const name = String(path[0])
  if (hasColumn(known, name)) return
  const message = `column "${name}" does not exist`
  throw evaluationError(evaluationState.undefinedColumn, message, at)
}
