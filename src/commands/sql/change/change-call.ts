// The arguments of the SQL commands: the text of a statement, the values of its placeholders, and
// the collections of its tables.

import { fail } from '../../../base/errors.js'
import type { Call } from '../../../bus/document/call.js'
import {
  anyValue,
  arrayOf,
  countNumber,
  optional,
  withDefault,
} from '../../../bus/document/params.js'
import type { Args } from '../../../bus/document/schema.js'
import type {
  DeleteStatement,
  InsertStatement,
  Statement,
  TableName,
  UpdateStatement,
} from '../../../protocol/sql/ast.js'
import type { Value } from '../../../value/value.js'
import type { KnownTables } from '../catalog/known-table.js'
import type { Scope } from '../expression/scope.js'
import { sessionOf, transactionTime } from '../session/session-facts.js'
import { parsedStatement } from '../statement-cache.js'

/** The parameters beside the text in every SQL command. */
export const sqlParams = {
  params: withDefault(arrayOf(anyValue), []),
  rowsDefault: optional(countNumber),
  batchSize: optional(countNumber),
} as const

type SqlArgs = Args<typeof sqlParams>
export type SqlCall = Call<SqlArgs, string>
export type TruncateStatement = Extract<Statement, { kind: 'truncate' }>
export type ChangeStatement =
  | InsertStatement
  | UpdateStatement
  | DeleteStatement
  | TruncateStatement

/** The scope of a statement's expressions over rows of these tables. */
export function scopeOf(call: SqlCall, tables: readonly string[], known?: KnownTables): Scope {
  const parameters: readonly Value[] = call.args.params
  // Constants are evaluated during compilation.
  return {
    tables,
    parameters,
    now: transactionTime(call),
    statementAt: call.now,
    session: sessionOf(call),
    ...(known === undefined ? undefined : { known }),
  }
}

export function changeOf(call: Pick<SqlCall, 'target'>): ChangeStatement {
  const { statement } = parsedStatement(call.target)
  switch (statement.kind) {
    case 'insert':
    case 'update':
    case 'delete':
    case 'truncate':
      return statement
    default:
      throw fail('BadValue', 'sqlChange takes INSERT, UPDATE, DELETE and TRUNCATE statements')
  }
}

/** Throws 42P01 for a table with a schema: collections have none, and the catalog is read-only. */
export function collectionOf({ schema, name }: TableName): string {
  if (schema === undefined) return name
  if (schema === 'information_schema' || schema === 'pg_catalog') {
    throw fail('IllegalOperation', `"${name}" is part of the catalog`, { sqlState: '42809' })
  }
  const text = `relation "${schema}.${name}" does not exist`
  throw fail('NamespaceNotFound', text, { sqlState: '42P01' })
}
