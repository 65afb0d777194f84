// CREATE, DROP and TRUNCATE of tables and indexes. A table is a collection. This code only parses
// types and keys; the executor of the statement interprets them.

import { sqlListMax } from '../../base/limits/sql.js'
import type {
  ColumnDefinition,
  CreateIndexStatement,
  CreateTableStatement,
  DropIndexStatement,
  Statement,
  Target,
} from './ast.js'
import { parseExpression } from './expression.js'
import { parseTable, parseTarget, parseWholeName } from './table.js'
import type { TokenStream } from './token-stream.js'
import { parseTypeName } from './type-name.js'

export function parseCreate(tokens: TokenStream): Statement {
  tokens.expect('create')
  if (tokens.accept('table')) return parseCreateTable(tokens)
  const isUnique = tokens.accept('unique')
  if (tokens.accept('index')) return parseCreateIndex(tokens, isUnique)
  if (isUnique) throw tokens.unexpected()
  throw notCreated.some((word) => tokens.has(word))
    ? tokens.notSupported('CREATE statements of anything but tables and indexes')
    : tokens.unexpected()
}

/** Other objects that PostgreSQL can create. */
const notCreated =
  `view materialized or schema database role user function procedure trigger sequence
  type domain extension temp temporary unlogged policy rule server cast aggregate`.split(/\s+/)

function parseCreateIndex(tokens: TokenStream, isUnique: boolean): CreateIndexStatement {
  tokens.accept('concurrently')
  const ifNotExists = tokens.accept('if', 'not', 'exists')
  const name = tokens.has('on') ? undefined : tokens.name()
  tokens.expect('on')
  const table = parseWholeName(tokens)
  if (tokens.accept('using') && !tokens.accept('btree')) {
    throw tokens.notSupported('indexes of another kind than btree')
  }
  const columns = tokens.listInParentheses(() => parseIndexColumn(tokens), sqlListMax)
  const where = tokens.accept('where') ? parseExpression(tokens) : undefined
  return {
    kind: 'createIndex',
    table,
    columns,
    isUnique,
    ifNotExists,
    ...(name === undefined ? {} : { name }),
    ...(where === undefined ? {} : { where }),
  }
}

function parseIndexColumn(tokens: TokenStream): { target: Target; descends: boolean } {
  const target = parseIndexTarget(tokens)
  const next = tokens.token
  const isOrder = next.kind === 'word' && ['asc', 'desc', 'nulls'].includes(next.lower)
  if (!isOrder && (next.kind === 'word' || next.kind === 'name')) {
    throw tokens.notSupported('operator classes and COLLATE of indexes')
  }
  const descends = tokens.accept('desc')
  if (!descends) tokens.accept('asc')
  if (tokens.has('nulls')) throw tokens.notSupported('NULLS FIRST and LAST of indexes')
  return { target, descends }
}

/** A column or a path; inside more parentheses PostgreSQL allows any expression. */
function parseIndexTarget(tokens: TokenStream): Target {
  if (tokens.hasSymbol('(')) return parseWrappedTarget(tokens)
  const next = tokens.ahead()
  if (tokens.token.kind === 'word' && next.kind === 'symbol' && next.text === '(') {
    throw tokens.notSupported('indexes of expressions')
  }
  const target = parseTarget(tokens)
  if (tokens.hasSymbol('(')) throw tokens.notSupported('indexes of expressions')
  return target
}

function parseWrappedTarget(tokens: TokenStream): Target {
  const { at } = tokens
  tokens.expectSymbol('(')
  const expression = parseExpression(tokens)
  tokens.expectSymbol(')')
  if (expression.kind !== 'column') throw tokens.notSupported('indexes of expressions', at)
  const { path, written = path } = expression
  return { at: expression.at, path: [...path.slice(0, 1), ...written.slice(1)] }
}

export function parseDrop(tokens: TokenStream): Statement {
  tokens.expect('drop')
  if (tokens.accept('table')) {
    const ifExists = tokens.accept('if', 'exists')
    const table = parseTable(tokens)
    endDrop(tokens)
    return { kind: 'dropTable', table, ifExists }
  }
  if (tokens.accept('index')) return parseDropIndex(tokens)
  throw notCreated.some((word) => tokens.has(word))
    ? tokens.notSupported('DROP statements of anything but tables and indexes')
    : tokens.unexpected()
}

/** `DROP INDEX name`, `table.name`, or `name ON table`. */
function parseDropIndex(tokens: TokenStream): DropIndexStatement {
  tokens.accept('concurrently')
  const ifExists = tokens.accept('if', 'exists')
  const named = parseTable(tokens)
  const on = tokens.accept('on') ? parseTable(tokens) : undefined
  endDrop(tokens)
  const table =
    on ?? (named.schema === undefined ? undefined : { at: named.at, name: named.schema })
  return {
    kind: 'dropIndex',
    name: named.name,
    ifExists,
    ...(table === undefined ? {} : { table }),
  }
}

function endDrop(tokens: TokenStream): void {
  if (tokens.hasSymbol(',')) throw tokens.notSupported('DROP statements of several')
  if (tokens.has('cascade')) throw tokens.notSupported('CASCADE clauses')
  tokens.accept('restrict')
}

export function parseTruncate(tokens: TokenStream): Statement {
  tokens.expect('truncate')
  tokens.accept('table')
  const table = parseTable(tokens)
  if (tokens.hasSymbol(',')) throw tokens.notSupported('TRUNCATE statements of several')
  return { kind: 'truncate', table }
}

type Key = CreateTableStatement['keys'][number]

function parseCreateTable(tokens: TokenStream): CreateTableStatement {
  const ifNotExists = tokens.accept('if', 'not', 'exists')
  const table = parseTable(tokens)
  if (tokens.has('as')) throw tokens.notSupported('subqueries')
  const columns: ColumnDefinition[] = []
  const keys: Key[] = []
  const item = () => {
    const key = parseTableKey(tokens)
    if (key === undefined) columns.push(parseColumn(tokens))
    else keys.push(key)
  }
  tokens.expectSymbol('(')
  if (!tokens.hasSymbol(')')) tokens.list(item, sqlListMax)
  tokens.expectSymbol(')')
  return { kind: 'createTable', table, columns, keys, ifNotExists }
}

function parseTableKey(tokens: TokenStream): Key | undefined {
  if (tokens.accept('constraint')) tokens.name()
  if (tokens.has('foreign', 'key') || tokens.has('check') || tokens.has('exclude')) {
    throw tokens.notSupported('FOREIGN KEY, CHECK and EXCLUDE constraints')
  }
  const isPrimary = tokens.accept('primary', 'key')
  const next = tokens.ahead()
  const isUnique = !isPrimary && tokens.has('unique') && next.kind === 'symbol' && next.text === '('
  if (!isPrimary && !isUnique) return undefined
  if (isUnique) tokens.expect('unique')
  return { columns: tokens.listInParentheses(() => tokens.name(), sqlListMax), isPrimary }
}

function parseColumn(tokens: TokenStream): ColumnDefinition {
  const name = tokens.name()
  const type = parseTypeName(tokens)
  let isPrimaryKey = false
  let isUnique = false
  let isRequired = false
  for (;;) {
    if (tokens.accept('primary', 'key')) isPrimaryKey = true
    else if (tokens.accept('unique')) isUnique = true
    else if (tokens.accept('not', 'null')) isRequired = true
    else if (!tokens.accept('null')) break
  }
  if (['default', 'references', 'check', 'generated', 'collate'].some((word) => tokens.has(word))) {
    throw tokens.notSupported('DEFAULT, REFERENCES, CHECK, GENERATED and COLLATE of columns')
  }
  return { name, type, isPrimaryKey, isUnique, isRequired }
}
