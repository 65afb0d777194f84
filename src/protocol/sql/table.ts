// Parses names of tables, and of the columns and paths that a statement writes. A collection whose
// name has dots is quoted as a whole.

import { sqlListMax } from '../../base/limits/sql.js'
import type { PathPart, TableName, TableReference, Target } from './ast.js'
import { type Call, parseCall } from './call.js'
import { parseExpression } from './expression.js'
import { acceptBareCall } from './primary.js'
import { sqlState } from './sql-error.js'
import type { TokenStream } from './token-stream.js'

/** Collections have no schema: `public.users` is `users`. */
const ownSchema = 'public'

export function isOwnSchema(name: string): boolean {
  return name.toLowerCase() === ownSchema
}

/** `users`, `public.users`, `information_schema.tables`; `"memory.agent.nodes"` is one name. */
export function parseTable(tokens: TokenStream): TableName {
  const { at } = tokens
  const first = tokens.name()
  if (!tokens.acceptSymbol('.')) return { at, name: first }
  const name = tokens.label()
  if (tokens.hasSymbol('.')) {
    const message = 'cross-database references are not implemented'
    throw tokens.refuse(message, at, sqlState.featureNotSupported)
  }
  return isOwnSchema(first) ? { at, name } : { at, schema: first, name }
}

/** `t *`: includes inheriting tables, of which there are none. */
export function parseWholeName(tokens: TokenStream): TableName {
  const table = parseTable(tokens)
  tokens.acceptSymbol('*')
  return table
}

/** A table of FROM, possibly a function. */
export function parseTableItem(tokens: TokenStream): TableReference {
  return parseTableReference(tokens, true)
}

/** A table with its alias. */
export function parseTableReference(tokens: TokenStream, mayCall = false): TableReference {
  if (tokens.hasSymbol('(')) throw tokens.notSupported('subqueries')
  if (tokens.has('lateral')) throw tokens.notSupported('LATERAL items')
  tokens.accept('only')
  const { token } = tokens
  const bare = mayCall ? acceptBareCall(tokens) : undefined
  if (bare !== undefined) return asTable(tokens, bare)
  const table = parseWholeName(tokens)
  if (mayCall && tokens.hasSymbol('(')) return parseFunction(tokens, table, token.kind === 'word')
  const alias = tokens.accept('as') ? tokens.name() : tokens.acceptName()
  if (alias !== undefined && tokens.hasSymbol('(')) throw tokens.notSupported('column aliases')
  return alias === undefined ? table : { ...table, alias }
}

/** A function as a table; its columns may be named: `f(1) AS t (a)`. */
function parseFunction(
  tokens: TokenStream,
  { at, name }: TableName,
  isWord: boolean,
): TableReference {
  const called = isWord ? name.toLowerCase() : name
  const call = parseCall(tokens, at, called, parseExpression)
  if (call.kind !== 'call') throw tokens.unexpected()
  return asTable(tokens, call)
}

function asTable(tokens: TokenStream, call: Call): TableReference {
  const { at, name } = call
  if (tokens.has('with', 'ordinality')) throw tokens.notSupported('WITH ORDINALITY clauses')
  const alias = tokens.accept('as') ? tokens.name() : tokens.acceptName()
  const table: TableReference = {
    at,
    name,
    call,
    ...(alias === undefined ? {} : { alias }),
  }
  if (alias === undefined || !tokens.hasSymbol('(')) return table
  return { ...table, columns: tokens.listInParentheses(() => tokens.name(), sqlListMax) }
}

/** A column, or a path into its value. */
export function parseTarget(tokens: TokenStream): Target {
  const { at } = tokens
  const path: PathPart[] = [tokens.name()]
  for (;;) {
    if (tokens.acceptSymbol('.')) {
      tokens.label()
      path.push(tokens.written)
    } else if (tokens.hasSymbol('[')) path.push(parsePlace(tokens))
    else return { at, path }
  }
}

function parsePlace(tokens: TokenStream): number {
  tokens.expectSymbol('[')
  const { token } = tokens
  const next = tokens.ahead()
  const isClosed = next.kind === 'symbol' && next.text === ']'
  if (token.kind !== 'number' || !/^\d{1,9}$/.test(token.digits) || !isClosed) {
    if (tokens.hasSymbol(']') || token.kind === 'end') throw tokens.unexpected()
    throw tokens.notSupported('places to write to but numbers')
  }
  tokens.take()
  tokens.take()
  return Number(token.digits)
}
