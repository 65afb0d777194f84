// Tables whose columns are known before a row is read: virtual ones, and those that CREATE TABLE
// has made. Their names are looked up, `*` is their columns, and what they have not is an error.

import type { TableColumns } from './catalog-tables.js'

export interface KnownTable {
  /** Names and PostgreSQL's names of types, in order: what `*` shows. */
  readonly columns: TableColumns
  /** Columns that hold no NULL. */
  readonly required: ReadonlySet<string>
  /** Made by CREATE TABLE; else it is a table of the catalog. */
  readonly isDeclared: boolean
}

/** By the tables of a statement; undefined: its documents may have any field. */
export type KnownTables = readonly (KnownTable | undefined)[]

/** A column of every declared table; `*` shows it where CREATE TABLE names it. */
export const idColumn = '_id'

export function hasColumn({ columns, isDeclared }: KnownTable, name: string): boolean {
  return columns.has(name) || (isDeclared && name === idColumn)
}
