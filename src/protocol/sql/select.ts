// Parses SELECT: results, tables and joins, conditions, groups, order and window. It refuses set
// operations, subqueries and window functions by name.

import { sqlListMax } from '../../base/limits/sql.js'
import { int32Value } from '../../value/value.js'
import type { Expression, Join, ResultItem, SelectStatement, TableReference } from './ast.js'
import { parseOrder } from './call.js'
import { parseExpression } from './expression.js'
import { parseLocks, requireLockable } from './locks.js'
import { parsePrimary } from './primary.js'
import { isAlwaysEmpty } from './subquery.js'
import { parseTableItem, parseWholeName } from './table.js'
import type { TokenStream } from './token-stream.js'

export function parseSelect(tokens: TokenStream): SelectStatement {
  const { refusals } = tokens
  const { core, isWhole } = parseArms(tokens)
  const orderBy = tokens.accept('order', 'by') ? parseOrder(tokens, parseExpression) : []
  const before = parseWindow(tokens)
  const locks = parseLocks(tokens)
  const window = locks === undefined ? before : { ...before, ...parseWindow(tokens) }
  if (locks !== undefined) requireLockable(tokens, locks, core)
  const select: SelectStatement = {
    ...core,
    orderBy,
    ...window,
    ...(locks === undefined ? {} : { locks }),
  }
  if (isWhole && isAlwaysEmpty(select)) tokens.forget(refusals)
  return select
}

/**
 * A set operation is its left side if the right side has no rows (`isWhole`); others are refused.
 */
function parseArms(tokens: TokenStream): { core: SelectStatement; isWhole: boolean } {
  let core = parseCore(tokens)
  let isWhole = true
  for (let arms = 1; ; arms++) {
    const { at } = tokens
    const refusal = () => tokens.notSupported('UNION, EXCEPT and INTERSECT', at)
    const isCut = tokens.accept('intersect')
    if (!isCut && !tokens.accept('union') && !tokens.accept('except')) {
      return { core, isWhole }
    }
    tokens.requireChain(arms, joinsMax)
    const isAll = tokens.accept('all')
    if (!isAll) tokens.accept('distinct')
    if (tokens.hasSymbol('(')) throw refusal()
    const right = parseCore(tokens)
    if (isCut || !isAlwaysEmpty(right)) {
      tokens.defer(refusal)
      isWhole = false
    }
    if (!isAll) core = { ...core, isDistinct: true }
  }
}

function parseCore(tokens: TokenStream): SelectStatement {
  const { refusals } = tokens
  tokens.expect('select')
  const isDistinct = tokens.accept('distinct')
  if (isDistinct && tokens.has('on')) throw tokens.notSupported('DISTINCT ON lists')
  if (!isDistinct) tokens.accept('all')
  const results = parseResults(tokens)
  const source = tokens.accept('from') ? parseFrom(tokens) : { joins: [] }
  const where = tokens.accept('where') ? parseExpression(tokens) : undefined
  const groupBy = tokens.accept('group', 'by') ? parseGroups(tokens) : []
  const having = tokens.accept('having') ? parseExpression(tokens) : undefined
  if (tokens.has('window')) throw tokens.notSupported('window functions')
  const core: SelectStatement = {
    kind: 'select',
    isDistinct,
    results,
    groupBy,
    orderBy: [],
    ...source,
    ...(where === undefined ? {} : { where }),
    ...(having === undefined ? {} : { having }),
  }
  if (isAlwaysEmpty(core)) tokens.forget(refusals)
  return core
}

/** The list of SELECT or RETURNING. */
export function parseResults(tokens: TokenStream): ResultItem[] {
  return tokens.list(() => {
    const { at } = tokens
    if (tokens.acceptSymbol('*')) return { expression: { kind: 'star', at } as const }
    const expression = parseExpression(tokens)
    if (tokens.accept('as')) return { expression, alias: tokens.label() }
    const alias = tokens.acceptName()
    return alias === undefined ? { expression } : { expression, alias }
  }, sqlListMax)
}

function parseFrom(tokens: TokenStream): { from: TableReference; joins: Join[] } {
  const from = parseTableItem(tokens)
  const joins: Join[] = []
  for (let join = parseJoin(tokens); join !== undefined; join = parseJoin(tokens)) {
    joins.push(join)
    tokens.requireChain(joins.length, joinsMax)
  }
  return { from, joins }
}

const joinsMax = 64

function parseJoin(tokens: TokenStream): Join | undefined {
  if (tokens.acceptSymbol(',')) return { type: 'cross', table: parseTableItem(tokens) }
  if (tokens.accept('cross')) {
    tokens.expect('join')
    return { type: 'cross', table: parseTableItem(tokens) }
  }
  if (tokens.has('right') || tokens.has('full') || tokens.has('natural')) {
    throw tokens.notSupported('RIGHT, FULL and NATURAL joins')
  }
  const type = joinType(tokens)
  if (type === undefined) return undefined
  const table = parseTableItem(tokens)
  if (tokens.accept('on')) return { type, table, on: parseExpression(tokens) }
  tokens.expect('using')
  return { type, table, using: tokens.listInParentheses(() => tokens.name(), sqlListMax) }
}

function joinType(tokens: TokenStream): 'inner' | 'left' | undefined {
  if (tokens.accept('join')) return 'inner'
  if (tokens.accept('inner')) {
    tokens.expect('join')
    return 'inner'
  }
  if (!tokens.accept('left')) return undefined
  tokens.accept('outer')
  tokens.expect('join')
  return 'left'
}

function parseGroups(tokens: TokenStream): Expression[] {
  if (tokens.has('all') || tokens.has('distinct')) {
    throw tokens.notSupported('GROUP BY ALL and GROUP BY DISTINCT')
  }
  return tokens.list(() => {
    const next = tokens.ahead()
    const opens = next.kind === 'symbol' && next.text === '('
    if (tokens.hasSymbol('(') && next.kind === 'symbol' && next.text === ')') {
      throw tokens.notSupported('empty grouping sets')
    }
    if (opens && (tokens.has('rollup') || tokens.has('cube') || tokens.has('grouping', 'sets'))) {
      throw tokens.notSupported('ROLLUP, CUBE and GROUPING SETS')
    }
    return parseExpression(tokens)
  }, sqlListMax)
}

/** LIMIT, OFFSET and FETCH in either order; also MySQL's `LIMIT offset, count`. */
function parseWindow(tokens: TokenStream): Pick<SelectStatement, 'limit' | 'offset'> {
  let limit: Expression | undefined
  let offset: Expression | undefined
  let hasLimit = false
  for (;;) {
    if (!hasLimit && tokens.accept('limit')) {
      hasLimit = true
      if (tokens.accept('all')) continue
      limit = parseExpression(tokens)
      if (offset === undefined && tokens.acceptSymbol(',')) {
        offset = limit
        limit = parseExpression(tokens)
      }
    } else if (!hasLimit && tokens.accept('fetch')) {
      hasLimit = true
      limit = parseFetch(tokens)
    } else if (offset === undefined && tokens.accept('offset')) {
      offset = parseExpression(tokens)
      if (!tokens.accept('rows')) tokens.accept('row')
    } else break
  }
  return { ...(limit === undefined ? {} : { limit }), ...(offset === undefined ? {} : { offset }) }
}

/** `FETCH FIRST 5 ROWS ONLY` */
function parseFetch(tokens: TokenStream): Expression {
  if (!tokens.accept('first')) tokens.expect('next')
  const one: Expression = { kind: 'literal', at: tokens.at, value: int32Value(1) }
  const isOne = ['row', 'rows'].some((w) => tokens.has(w, 'only') || tokens.has(w, 'with'))
  const count = isOne ? one : parsePlain(tokens)
  if (!tokens.accept('rows')) tokens.expect('row')
  if (tokens.has('with')) throw tokens.notSupported('WITH TIES clauses')
  tokens.expect('only')
  return count
}

/** A number, a placeholder or an expression in parentheses. */
function parsePlain(tokens: TokenStream): Expression {
  return parsePrimary(tokens, parseExpression)
}

/** `TABLE t`, the same as `SELECT * FROM t`. */
export function parseWholeTable(tokens: TokenStream): SelectStatement {
  const { at } = tokens
  tokens.expect('table')
  const from = parseWholeName(tokens)
  const results: ResultItem[] = [{ expression: { kind: 'star', at } }]
  return { kind: 'select', isDistinct: false, results, from, joins: [], groupBy: [], orderBy: [] }
}
