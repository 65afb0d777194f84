// The relation of an unquoted name: PostgreSQL folds it to lower case, documents keep their case.
// Declared and virtual tables match the folded name, other collections the name as written. If a
// statement uses a table of the first kind, all its names are folded. (docs/sql.md, "Names")

import type { Namespace, Resource } from '../../engine/types.js'
import type { Join, SelectStatement, Statement, TableReference } from '../../protocol/sql/ast.js'
import { isVirtual } from './catalog/catalog.js'
import { virtualName } from './catalog/catalog-tables.js'
import { isDeclared } from './define/declared-table.js'
import { canFold, foldedStatement, parsedStatement } from './statement-cache.js'

/** A relation as written, and with its names folded. */
export interface RelationName {
  readonly written: TableReference
  readonly folded: TableReference
}

/** Tables of a SELECT, in the order of a row's documents. */
export function referencesOf({ from, joins }: SelectStatement): readonly TableReference[] {
  return from === undefined ? [] : [from, ...joins.map(({ table }) => table)]
}

/** Names of statements that folding does not change. */
const plainNames = new WeakMap<Statement, readonly RelationName[]>()

/** The relations of a statement; for EXPLAIN and DECLARE those of the inner statement. */
export function relationNames(text: string, written: Statement): readonly RelationName[] {
  const known = plainNames.get(written)
  if (known !== undefined) return known
  const own = tablesOf(written)
  if (!canFold(written)) {
    const plain = own.map((table) => ({ written: table, folded: table }))
    plainNames.set(written, plain)
    return plain
  }
  const folded = tablesOf(foldedStatement(text))
  return own.map((table, i) => ({ written: table, folded: folded[i] ?? table }))
}

function tablesOf(statement: Statement): readonly TableReference[] {
  switch (statement.kind) {
    case 'select':
      return referencesOf(statement)
    case 'explain':
    case 'declare':
      return tablesOf(statement.statement)
    default:
      return 'table' in statement && statement.table !== undefined ? [statement.table] : []
  }
}

/** The resource of the name as written, or of the folded name if that is a declared table. */
export function meaning(resource: Resource, { written, folded }: RelationName): Resource {
  if (resource.collection === undefined || written.name === folded.name) return resource
  return { ...resource, instead: { name: folded.name, accepts: isDeclared } }
}

/** Whether it is a virtual table, under its folded name, or a function. */
export function isOfCatalog({ written, folded }: RelationName): boolean {
  return written.call !== undefined || isVirtual(written) || virtualName(folded) !== undefined
}

/**
 * The statement with names folded as these relations require. A missing relation, or a virtual
 * table, is undefined in `found`.
 */
export function statementOver(
  text: string,
  written: Statement,
  found: readonly (Namespace | undefined)[],
): Statement {
  if (!canFold(written)) return written
  const names = relationNames(text, written)
  const isRead = names.some((name, i) => {
    const ns = found[i]
    return isOfCatalog(name) || (ns !== undefined && isDeclared(ns))
  })
  if (!isRead) return written
  const folded = innerOf(foldedStatement(text))
  const tables = names.map((name, i) => meantTable(name, found[i]))
  const isWhole = tables.every((table, i) => table.name === names[i]?.folded.name)
  return isWhole ? folded : withTables(folded, tables)
}

function innerOf(statement: Statement): Statement {
  return statement.kind === 'explain' || statement.kind === 'declare'
    ? statement.statement
    : statement
}

/** The table under its stored name, with the alias from the statement. */
function meantTable({ written, folded }: RelationName, ns: Namespace | undefined): TableReference {
  if (folded.call !== undefined || virtualName(folded) !== undefined) return folded
  const name = ns?.name ?? written.name
  if (name === folded.name) return folded
  return { ...folded, name, alias: folded.alias ?? folded.name }
}

function withTables(statement: Statement, tables: readonly TableReference[]): Statement {
  const [first, ...others] = tables
  if (first === undefined) return statement
  if (statement.kind === 'select') {
    const joins = statement.joins.map(
      (join, i): Join => ({ ...join, table: others[i] ?? join.table }),
    )
    return { ...statement, from: first, joins }
  }
  return 'table' in statement ? ({ ...statement, table: first } as Statement) : statement
}

/** A CREATE TABLE: with columns its names are folded; without, it makes a collection as written. */
export function declaredStatement(text: string): Statement {
  const folded = foldedStatement(text)
  const isDeclaring = folded.kind === 'createTable' && folded.columns.length > 0
  return isDeclaring ? folded : parsedStatement(text).statement
}
