// `SELECT unnest(…)` and its like without FROM: the rows of the function are the result, so it is
// read as a table. Clients ask `SELECT pg_listening_channels()` in this way.
// Source: PostgreSQL 17, 36.5.9.

import type { Expression, Statement } from '../../protocol/sql/ast.js'

/** The functions that answer rows. */
const setFunctions = [
  ...(['generate_series', 'unnest', 'json_array_elements', 'jsonb_array_elements'] as const),
  ...(['json_array_elements_text', 'jsonb_array_elements_text', 'pg_get_keywords'] as const),
  'pg_listening_channels',
] as const

export type SetFunction = (typeof setFunctions)[number]

export function isSetFunction(name: string): name is SetFunction {
  return (setFunctions as readonly string[]).includes(name)
}

export function withSetAsTable(statement: Statement): Statement {
  if (statement.kind !== 'select' || statement.from !== undefined) return statement
  const { results, where, having, groupBy, isDistinct } = statement
  const [only, ...others] = results
  const isPlain = where === undefined && having === undefined && groupBy.length === 0
  if (only === undefined || others.length > 0 || !isPlain || isDistinct) return statement
  const { expression: call, alias } = only
  if (call.kind !== 'call' || !isSetFunction(call.name)) return statement
  // Its rows have several columns, which would be one of a composite type.
  if (call.name === 'pg_get_keywords') return statement
  const { at, name } = call
  const from = { at, name, call, columns: [alias ?? name] }
  const all: Expression = { kind: 'star', at }
  return { ...statement, from, results: [{ expression: all }] }
}
