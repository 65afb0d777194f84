// Columns written with a schema, `public.t.a`, as some clients write every column. Parsing shortens
// them to `t.a`. Otherwise three parts would be a path into a document, and a missing path is NULL.
// Source: PostgreSQL 17, 4.2.1.

import type {
  Assignment,
  Expression,
  PathPart,
  ResultItem,
  SelectStatement,
  Statement,
  TableReference,
} from '../../protocol/sql/ast.js'
import { isOwnSchema } from '../../protocol/sql/table.js'
import { evaluationError, evaluationState } from './expression/evaluation-error.js'
import { mapExpression } from './expression/expression-tree.js'

type Rename = (expression: Expression) => Expression

/** Throws 42P01 if a schema names a table that has an alias. */
export function withoutSchemas(statement: Statement): Statement {
  switch (statement.kind) {
    case 'select':
      return select(statement)
    case 'declare':
      return { ...statement, statement: select(statement.statement) }
    case 'explain':
      return { ...statement, statement: withoutSchemas(statement.statement) }
    case 'update': {
      const map = renamer([statement.table])
      const set = statement.set.map((one) => assignment(one, map))
      return { ...statement, set, ...where(statement, map), returning: items(statement, map) }
    }
    case 'delete': {
      const map = renamer([statement.table])
      return { ...statement, ...where(statement, map), returning: items(statement, map) }
    }
    case 'insert': {
      const map = renamer([statement.table])
      const { conflict } = statement
      if (conflict === undefined || conflict.action === 'nothing') {
        return { ...statement, returning: items(statement, map) }
      }
      const set = conflict.action.set.map((one) => assignment(one, map))
      const action = { ...conflict.action, set, ...where(conflict.action, map) }
      return { ...statement, conflict: { ...conflict, action }, returning: items(statement, map) }
    }
    default:
      return statement
  }
}

function select(statement: SelectStatement): SelectStatement {
  const { from, joins, having, groupBy, orderBy } = statement
  if (from === undefined) return statement
  const map = renamer([from, ...joins.map(({ table }) => table)])
  return {
    ...statement,
    results: statement.results.map((item) => ({ ...item, expression: map(item.expression) })),
    joins: joins.map((join) => (join.on === undefined ? join : { ...join, on: map(join.on) })),
    ...where(statement, map),
    groupBy: groupBy.map(map),
    ...(having === undefined ? {} : { having: map(having) }),
    orderBy: orderBy.map((item) => ({ ...item, expression: map(item.expression) })),
  }
}

function where(part: { readonly where?: Expression }, map: Rename): { where?: Expression } {
  return part.where === undefined ? {} : { where: map(part.where) }
}

function items({ returning }: { readonly returning: readonly ResultItem[] }, map: Rename) {
  return returning.map((item) => ({ ...item, expression: map(item.expression) }))
}

function assignment({ target, value }: Assignment, map: Rename): Assignment {
  return { target, value: value === undefined ? undefined : map(value) }
}

function renamer(tables: readonly TableReference[]): Rename {
  const isTaken = (name: PathPart | undefined) =>
    tables.some((table) => (table.alias ?? table.name) === name)
  /** The name without its schema; undefined if it has none. */
  const bare = (path: readonly PathPart[], at: number): readonly PathPart[] | undefined => {
    const [schema, name, third] = path
    if (path.length < 2 || typeof schema !== 'string' || isTaken(schema)) return undefined
    const isOf = (table: TableReference, given: string) =>
      table.schema === undefined ? isOwnSchema(given) : table.schema === given
    const named = tables.filter((table) => table.name === name && isOf(table, schema))
    if (named.length === 0) {
      const isForeign =
        typeof name === 'string' &&
        path.length > 3 &&
        tables.some((table) => table.name === third && isOf(table, name))
      if (!isForeign) return undefined
      const text = `cross-database references are not implemented: ${path.join('.')}`
      throw evaluationError(evaluationState.featureNotSupported, text, at)
    }
    if (named.some(({ alias }) => alias === undefined)) return path.slice(1)
    const text = `invalid reference to FROM-clause entry for table "${String(name)}"`
    throw evaluationError(evaluationState.undefinedTable, text, at)
  }
  const replace = (node: Expression): Expression | undefined => {
    if (node.kind === 'column' && node.path.length > 2) {
      const path = bare(node.path, node.at)
      if (path === undefined) return undefined
      const { written } = node
      return { ...node, path, ...(written === undefined ? {} : { written: written.slice(1) }) }
    }
    if (node.kind !== 'star' || node.table === undefined) return undefined
    const table = bare(node.table.split('.'), node.at)?.join('.')
    return table === undefined ? undefined : { ...node, table }
  }
  return (expression) => mapExpression(expression, replace)
}
