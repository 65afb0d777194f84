// Parses INSERT, UPDATE and DELETE: rows, assignments, conflicts, the condition and the returned
// columns.

import { sqlListMax, sqlRowsMax } from '../../base/limits/sql.js'
import type {
  Assigned,
  Assignment,
  Conflict,
  DeleteStatement,
  Expression,
  InsertStatement,
  ResultItem,
  TableReference,
  Target,
  UpdateStatement,
} from './ast.js'
import { parseExpression } from './expression.js'
import { startsQuery } from './primary.js'
import { parseResults } from './select.js'
import { parseTable, parseTableReference, parseTarget } from './table.js'
import type { TokenStream } from './token-stream.js'

export function parseInsert(tokens: TokenStream): InsertStatement {
  tokens.expect('insert', 'into')
  const table = parseInsertTable(tokens)
  if (tokens.hasSymbol('(') && startsQuery(tokens, 1)) throw tokens.notSupported('subqueries')
  const columns = tokens.hasSymbol('(')
    ? tokens.listInParentheses(() => parseTarget(tokens), sqlListMax)
    : undefined
  if (tokens.has('overriding')) throw tokens.notSupported('OVERRIDING clauses')
  const isQuery = ['select', 'with', 'table'].some((word) => tokens.has(word))
  if (isQuery || tokens.hasSymbol('(')) throw tokens.notSupported('subqueries')
  const hasNoRows = columns === undefined && tokens.accept('default', 'values')
  const rows = hasNoRows ? undefined : parseRows(tokens)
  const conflict = tokens.accept('on', 'conflict') ? parseConflict(tokens) : undefined
  const returning = parseReturning(tokens)
  return {
    kind: 'insert',
    table,
    columns,
    rows,
    returning,
    ...(conflict === undefined ? {} : { conflict }),
  }
}

function parseInsertTable(tokens: TokenStream): TableReference {
  const table = parseTable(tokens)
  return tokens.accept('as') ? { ...table, alias: tokens.name() } : table
}

function parseRows(tokens: TokenStream): Assigned[][] {
  tokens.expect('values')
  const row = () => tokens.listInParentheses(() => parseAssigned(tokens), sqlListMax)
  return tokens.list(row, sqlRowsMax)
}

/** DEFAULT, or an expression: a field with that name is no value by itself. */
function parseAssigned(tokens: TokenStream): Assigned {
  const { at } = tokens
  const isWord = tokens.has('default')
  const value = parseExpression(tokens)
  const isAlone = value.kind === 'column' && value.path.length === 1 && value.at === at
  return isWord && isAlone ? undefined : value
}

function parseConflict(tokens: TokenStream): Conflict {
  if (tokens.has('on', 'constraint')) throw tokens.notSupported('ON CONSTRAINT clauses')
  const { at } = tokens
  const columns = tokens.hasSymbol('(')
    ? tokens.listInParentheses(() => parseConflictTarget(tokens), sqlListMax)
    : []
  if (tokens.has('where')) throw tokens.notSupported('partial conflict targets')
  tokens.expect('do')
  if (tokens.accept('nothing')) return { at, columns, action: 'nothing' }
  if (columns.length === 0) {
    throw tokens.refuse('ON CONFLICT DO UPDATE requires inference specification or constraint name')
  }
  tokens.expect('update', 'set')
  tokens.namesExcluded = true
  const set = parseAssignments(tokens)
  const where = parseWhere(tokens)
  tokens.namesExcluded = false
  return { at, columns, action: where === undefined ? { set } : { set, where } }
}

function parseConflictTarget(tokens: TokenStream): Target {
  if (tokens.hasSymbol('(')) throw tokens.notSupported('conflict targets but columns')
  const target = parseTarget(tokens)
  const { kind } = tokens.token
  if (tokens.hasSymbol('(') || kind === 'word' || kind === 'name') {
    throw tokens.notSupported('conflict targets but columns')
  }
  return target
}

export function parseUpdate(tokens: TokenStream): UpdateStatement {
  tokens.expect('update')
  const table = parseTableReference(tokens)
  tokens.expect('set')
  const set = parseAssignments(tokens)
  if (tokens.has('from')) throw tokens.notSupported('joins of UPDATE')
  return { kind: 'update', table, set, ...parseChanged(tokens) }
}

export function parseDelete(tokens: TokenStream): DeleteStatement {
  tokens.expect('delete', 'from')
  const table = parseTableReference(tokens)
  if (tokens.has('using')) throw tokens.notSupported('joins of DELETE')
  return { kind: 'delete', table, ...parseChanged(tokens) }
}

interface Changed {
  readonly where?: Expression
  readonly limit?: Expression
  readonly returning: readonly ResultItem[]
}

/** The condition of a change and its RETURNING list; LIMIT 1 is an extension. */
function parseChanged(tokens: TokenStream): Changed {
  const where = parseWhere(tokens)
  const limit = tokens.accept('limit') ? parseExpression(tokens) : undefined
  const returning = parseReturning(tokens)
  return {
    returning,
    ...(where === undefined ? {} : { where }),
    ...(limit === undefined ? {} : { limit }),
  }
}

function parseAssignments(tokens: TokenStream): Assignment[] {
  return tokens.list(() => {
    if (tokens.hasSymbol('(')) throw tokens.notSupported('row values')
    const target = parseTarget(tokens)
    tokens.expectSymbol('=')
    return { target, value: parseAssigned(tokens) }
  }, sqlListMax)
}

function parseWhere(tokens: TokenStream): Expression | undefined {
  if (!tokens.accept('where')) return undefined
  if (tokens.has('current', 'of')) throw tokens.notSupported('cursors')
  return parseExpression(tokens)
}

function parseReturning(tokens: TokenStream): ResultItem[] {
  return tokens.accept('returning') ? parseResults(tokens) : []
}
