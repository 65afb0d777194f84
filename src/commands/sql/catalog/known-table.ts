// Tables with known columns: virtual ones, and those of CREATE TABLE. Their column names are
// checked before a row is read, `*` stands for their columns, and an unknown column is an error.

import type { TableColumns } from './catalog-tables.js'

export interface KnownTable {
  /** Column names with PostgreSQL's type names, in the order of `*`. */
  readonly columns: TableColumns
  /** Columns that may not be NULL. */
  readonly required: ReadonlySet<string>
  /** From CREATE TABLE; else a virtual table. */
  readonly isDeclared: boolean
  /** Of a declared table, which is also the name of its rows' type. */
  readonly name?: string
}

/** By the tables of a statement; the documents of an undefined one may have any field. */
export type KnownTables = readonly (KnownTable | undefined)[]

/** A column of every declared table; `*` shows it only if CREATE TABLE names it. */
export const idColumn = '_id'

export function hasColumn({ columns, isDeclared }: KnownTable, name: string): boolean {
  return columns.has(name) || (isDeclared && name === idColumn)
}
