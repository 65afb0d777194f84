// Parses expressions by precedence climbing with PostgreSQL's precedences. The low bound of BETWEEN
// (PostgreSQL's `b_expr`) excludes the operators that would end it. (PostgreSQL, "Operator
// Precedence"; its grammar's a_expr and b_expr)

import { sqlChainMax, sqlListMax } from '../../base/limits/sql.js'
import { falseValue, nullValue, trueValue } from '../../value/value.js'
import type { Expression } from './ast.js'
import type { Extent } from './call.js'
import type { ChainKind } from './long-chain.js'
import { readNumber } from './number.js'
import { parsePrimary, startsQuery } from './primary.js'
import { acceptSearchPath, parseSubquery } from './subquery.js'
import type { TokenStream } from './token-stream.js'
import { parseTypeName } from './type-name.js'

/** From loose to tight. A right operand is parsed one level higher: operators group to the left. */
const power = {
  or: 1,
  and: 2,
  not: 3,
  is: 4,
  comparison: 5,
  range: 6,
  other: 7,
  sum: 8,
  product: 9,
  exponent: 10,
  zone: 11,
  collation: 12,
  sign: 13,
  cast: 14,
} as const

const comparisons = new Set(['=', '<', '>', '<=', '>=', '<>', '!='])
/** Operators that share the default level. */
const others = new Set(
  '|| -> ->> #> #>> @> <@ ~ ~* !~ !~* & | # << >> ~~ ~~* !~~ !~~* @@ @? && -|- ^@'.split(' '),
)
const products = new Set(['*', '/', '%'])

/** One whole expression. Throws 54001 if it is nested too deeply. */
export function parseExpression(tokens: TokenStream, extent: Extent = 'all'): Expression {
  return tokens.deeper(() => climb(tokens, extent === 'all' ? 0 : power.is, extent))
}

function climb(tokens: TokenStream, least: number, extent: Extent): Expression {
  let left = prefixed(tokens, extent)
  /** The level of a non-associative operator, which must not follow itself. */
  let closed = 0
  for (let links = 1; ; links++) {
    const level = levelOfNext(tokens, extent)
    if (level === 0 || level < least) return left
    if (level === closed) throw tokens.unexpected()
    tokens.requireChain(links, sqlChainMax, kindOf(level))
    left = infix(tokens, left, level, left.at, extent)
    closed = !groups(level) && endsWithOperand(left) ? level : 0
  }
}

/** The kinds of chains whose excess length is detected before parsing. */
function kindOf(level: number): ChainKind | undefined {
  if (level === power.sum) return 'sum'
  return level === power.product ? 'product' : undefined
}

/** Whether operators of the level group to the left; the others are non-associative. */
function groups(level: number): boolean {
  return level !== power.is && level !== power.comparison && level !== power.range
}

/** True for `a = b`; false for `a IN (b)`, `a = ANY (b)` and `a IS NULL`. */
function endsWithOperand({ kind }: Expression): boolean {
  return kind === 'binary' || kind === 'distinct' || kind === 'between' || kind === 'like'
}

/** 0 if no operator comes next. */
function levelOfNext(tokens: TokenStream, extent: Extent): number {
  const { token } = tokens
  if (token.kind === 'symbol') {
    const level = levelOfSymbol(token.text)
    if (level === 0 && isOperator(token.text)) {
      throw tokens.notSupported(`operators like ${token.text}`)
    }
    return level
  }
  if (token.kind !== 'word') return 0
  return levelOfWord(tokens, token.lower, extent)
}

/** PostgreSQL accepts any run of such characters as an operator; `=>` names an argument. */
function isOperator(text: string): boolean {
  return text !== '=>' && /^[-+*/<>=~!@#%^&|]/.test(text)
}

function levelOfSymbol(text: string): number {
  if (comparisons.has(text)) return power.comparison
  if (text === '+' || text === '-') return power.sum
  if (products.has(text)) return power.product
  if (text === '^') return power.exponent
  if (text === '::') return power.cast
  return others.has(text) ? power.other : 0
}

function levelOfWord(tokens: TokenStream, word: string, extent: Extent): number {
  if (extent === 'bound') {
    const isDistinct = isWord(tokens, isWord(tokens, 1, 'not') ? 2 : 1, 'distinct')
    return word === 'is' && isDistinct ? power.is : 0
  }
  switch (word) {
    case 'or':
      return power.or
    case 'and':
      return power.and
    case 'is':
    case 'isnull':
    case 'notnull':
      return power.is
    case 'between':
    case 'in':
    case 'like':
    case 'ilike':
    case 'similar':
      return power.range
    case 'not':
      return ['between', 'in', 'like', 'ilike', 'similar'].some((next) => isWord(tokens, 1, next))
        ? power.range
        : 0
    case 'at':
      return isWord(tokens, 1, 'time') || isWord(tokens, 1, 'local') ? power.zone : 0
    case 'collate':
      return power.collation
    case 'operator':
      return isSymbol(tokens, 1, '(') ? power.other : 0
    default:
      return 0
  }
}

function isWord(tokens: TokenStream, by: number, word: string): boolean {
  const token = tokens.ahead(by)
  return token.kind === 'word' && token.lower === word
}

function isSymbol(tokens: TokenStream, by: number, text: string): boolean {
  const token = tokens.ahead(by)
  return token.kind === 'symbol' && token.text === text
}

/** Between operands only: PostgreSQL's grammar has no prefix form of it either. */
function isBinary(text: string): boolean {
  return comparisons.has(text) || products.has(text) || text === '^'
}

/** The start of an expression: a sign, NOT, or an operand. */
function prefixed(tokens: TokenStream, extent: Extent): Expression {
  const { token, at } = tokens
  if (token.kind === 'word' && token.lower === 'not' && extent === 'all') {
    tokens.take()
    return { kind: 'not', at, operand: tokens.deeper(() => climb(tokens, power.not, extent)) }
  }
  if (token.kind !== 'symbol') return parsePrimary(tokens, parseExpression)
  if (token.text === '+' || token.text === '-') return signed(tokens, token.text, at, extent)
  if (isOperator(token.text) && !isBinary(token.text)) {
    throw tokens.notSupported('prefix operators')
  }
  return parsePrimary(tokens, parseExpression)
}

/** A sign before a number belongs to the number: -9223372036854775808 is an int64. */
function signed(tokens: TokenStream, sign: '+' | '-', at: number, extent: Extent): Expression {
  tokens.take()
  const { token } = tokens
  const next = tokens.ahead()
  const isBare = next.kind !== 'symbol' || (next.text !== '::' && next.text !== '[')
  if (token.kind === 'number' && sign === '-' && isBare) {
    tokens.take()
    const value = readNumber(token.digits, true)
    if (value === undefined) throw tokens.outOfRange(token.digits, token.start)
    return { kind: 'literal', at, value }
  }
  const operand = tokens.deeper(() => climb(tokens, power.sign, extent))
  return { kind: 'unary', at, operator: sign, operand }
}

function infix(
  tokens: TokenStream,
  left: Expression,
  level: number,
  at: number,
  extent: Extent,
): Expression {
  switch (level) {
    case power.or:
      return chained(tokens, left, 'or', power.or)
    case power.and:
      return chained(tokens, left, 'and', power.and)
    case power.is:
      return is(tokens, left, at, extent)
    case power.range:
      return range(tokens, left, at)
    case power.zone:
      return zoned(tokens, left, at)
    case power.collation:
      takeCollation(tokens)
      return left
    case power.cast:
      return castOf(tokens, left, at)
    default:
      return binary(tokens, left, level, at, extent)
  }
}

function castOf(tokens: TokenStream, operand: Expression, at: number): Expression {
  const operatorAt = tokens.take().start
  return { kind: 'cast', at, operand, type: parseTypeName(tokens), operatorAt }
}

/** `a AND b AND c` as one node, so that a chain of a thousand is not a thousand levels deep. */
function chained(
  tokens: TokenStream,
  left: Expression,
  word: 'and' | 'or',
  level: number,
): Expression {
  const operands = [left]
  while (tokens.has(word)) {
    tokens.requireChain(operands.length, sqlChainMax, word)
    tokens.take()
    operands.push(tokens.part(() => climb(tokens, level + 1, 'all')))
  }
  return { kind: word, at: left.at, operands }
}

function binary(
  tokens: TokenStream,
  left: Expression,
  level: number,
  at: number,
  extent: Extent,
): Expression {
  const operatorAt = tokens.at
  const text = takeOperator(tokens)
  const operator = text === '!=' ? '<>' : text
  if (extent === 'all') {
    const quantifier = acceptQuantifier(tokens)
    if (quantifier !== undefined) {
      const array = parseArray(tokens)
      return { kind: 'quantified', at, operator, quantifier, left, array, operatorAt }
    }
  }
  const right = tokens.part(() => climb(tokens, level + 1, extent))
  return { kind: 'binary', at, operator, left, right, operatorAt }
}

/** An operator, or `OPERATOR(pg_catalog.~)`, which always has the precedence of `~`. */
function takeOperator(tokens: TokenStream): string {
  const token = tokens.take()
  if (token.kind === 'symbol') return token.text
  tokens.expectSymbol('(')
  if (!tokens.hasSymbol('.') && tokens.token.kind !== 'symbol') {
    if (tokens.label().toLowerCase() !== 'pg_catalog') {
      throw tokens.notSupported('operators of schemas')
    }
    tokens.expectSymbol('.')
  }
  const named = tokens.take()
  if (named.kind !== 'symbol' || (!comparisons.has(named.text) && !others.has(named.text))) {
    throw tokens.notSupported('operators like this')
  }
  tokens.expectSymbol(')')
  return named.text
}

/** Texts have only one order here, which may be PostgreSQL's default: only that can be named. */
function takeCollation(tokens: TokenStream): void {
  const { at } = tokens
  tokens.expect('collate')
  let name = tokens.label()
  if (name === 'pg_catalog' && tokens.acceptSymbol('.')) name = tokens.label()
  if (name !== 'default') throw tokens.notSupported('COLLATE clauses', at)
}

/** `= ANY (…)`, also written SOME. */
function acceptQuantifier(tokens: TokenStream): 'any' | 'all' | undefined {
  if (tokens.accept('all')) return 'all'
  return tokens.accept('any') || tokens.accept('some') ? 'any' : undefined
}

function parseArray(tokens: TokenStream): Expression {
  const { at } = tokens
  tokens.expectSymbol('(')
  if (startsQuery(tokens)) {
    const isEmpty = parseSubquery(tokens) === 'empty'
    tokens.expectSymbol(')')
    if (isEmpty) return { kind: 'array', at, elements: [], isOfQuery: true }
    return { kind: 'literal', at, value: nullValue }
  }
  const array = parseExpression(tokens)
  tokens.expectSymbol(')')
  return array
}

function is(tokens: TokenStream, operand: Expression, at: number, extent: Extent): Expression {
  if (tokens.accept('isnull')) return { kind: 'is', at, operand, test: 'null', isNegated: false }
  if (tokens.accept('notnull')) return { kind: 'is', at, operand, test: 'null', isNegated: true }
  const operatorAt = tokens.at
  tokens.expect('is')
  const isNegated = tokens.accept('not')
  if (tokens.accept('distinct')) {
    tokens.expect('from')
    const right = climb(tokens, power.is + 1, extent)
    return { kind: 'distinct', at, left: operand, right, isNegated, operatorAt }
  }
  for (const test of ['null', 'true', 'false', 'unknown'] as const) {
    if (tokens.accept(test)) return { kind: 'is', at, operand, test, isNegated }
  }
  if (['document', 'normalized', 'json', 'nfc', 'nfd', 'nfkc', 'nfkd'].some((w) => tokens.has(w))) {
    throw tokens.notSupported('IS DOCUMENT, NORMALIZED and JSON')
  }
  throw tokens.unexpected()
}

function range(tokens: TokenStream, operand: Expression, at: number): Expression {
  const operatorAt = tokens.at
  const isNegated = tokens.accept('not')
  if (tokens.accept('between')) {
    const isSymmetric = tokens.accept('symmetric')
    if (!isSymmetric) tokens.accept('asymmetric')
    const low = parseExpression(tokens, 'bound')
    tokens.expect('and')
    const high = climb(tokens, power.range + 1, 'all')
    return { kind: 'between', at, operand, low, high, isSymmetric, isNegated, operatorAt }
  }
  if (tokens.accept('in')) {
    if (tokens.hasSymbol('(') && startsQuery(tokens, 1)) {
      return inQuery(tokens, operand, at, isNegated)
    }
    const list = tokens.listInParentheses(() => parseExpression(tokens), sqlListMax)
    return { kind: 'in', at, operand, list, isNegated, operatorAt }
  }
  if (tokens.has('similar')) throw tokens.notSupported('SIMILAR TO patterns')
  const ignoresCase = tokens.accept('ilike')
  if (!ignoresCase) tokens.expect('like')
  if (['any', 'some', 'all'].some((word) => tokens.has(word))) {
    throw tokens.notSupported('LIKE ANY and LIKE ALL')
  }
  const pattern = climb(tokens, power.range + 1, 'all')
  const like = { kind: 'like', at, operand, pattern, ignoresCase, isNegated, operatorAt } as const
  if (!tokens.accept('escape')) return like
  return { ...like, escape: climb(tokens, power.range + 1, 'all') }
}

/** `x IN (SELECT …)`: false for a query without rows, whatever x is. */
function inQuery(
  tokens: TokenStream,
  operand: Expression,
  at: number,
  isNegated: boolean,
): Expression {
  tokens.expectSymbol('(')
  const list = acceptSearchPath(tokens)
  const isEmpty = list === undefined && parseSubquery(tokens) === 'empty'
  tokens.expectSymbol(')')
  if (list !== undefined) return { kind: 'in', at, operand, list, isNegated }
  if (!isEmpty) return { kind: 'literal', at, value: nullValue }
  return { kind: 'literal', at, value: isNegated ? trueValue : falseValue }
}

/** `time AT TIME ZONE zone`, the same as `timezone(zone, time)`. */
function zoned(tokens: TokenStream, time: Expression, at: number): Expression {
  const plain = { isStar: false, isDistinct: false, orderBy: [] } as const
  const call = { kind: 'call', at, name: 'timezone', ...plain } as const
  if (tokens.accept('at', 'local')) return { ...call, args: [time] }
  tokens.expect('at', 'time', 'zone')
  return { ...call, args: [climb(tokens, power.zone + 1, 'all'), time] }
}
