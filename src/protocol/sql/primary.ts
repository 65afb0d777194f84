// Parses operands of expressions: literals, placeholders, columns, calls, CASE, CAST, ARRAY and
// expressions in parentheses.

import { sqlChainMax, sqlListMax } from '../../base/limits/sql.js'
import { falseValue, nullValue, stringValue, trueValue, type Value } from '../../value/value.js'
import type { Expression, PathPart } from './ast.js'
import { acceptSpecialCall, type Call, callOf, type Parse, parseCall } from './call.js'
import { readNumber } from './number.js'
import { canNameType, isJoiner, isReserved } from './reserved.js'
import { acceptKeyCount, parseSubquery } from './subquery.js'
import type { TokenStream } from './token-stream.js'
import { parsePlainType, parseTypeName, refuseFields } from './type-name.js'

/** `parse` reads a whole expression. */
export function parsePrimary(tokens: TokenStream, parse: Parse): Expression {
  const { token, at } = tokens
  switch (token.kind) {
    case 'number': {
      tokens.take()
      const value = readNumber(token.digits)
      if (value === undefined) throw tokens.outOfRange(token.digits, at)
      return { kind: 'literal', at, value }
    }
    case 'string':
      tokens.take()
      return { kind: 'literal', at, value: stringValue(token.text) }
    case 'parameter':
      tokens.take()
      return indirected(tokens, { kind: 'parameter', at, index: tokens.parameter(token) }, parse)
    case 'symbol':
      if (token.text !== '(') throw tokens.unexpected()
      return indirected(tokens, inParentheses(tokens, parse), parse)
    case 'word':
      return word(tokens, token.lower, parse)
    case 'name':
      if (tokens.ahead().kind === 'string') return typedLiteral(tokens)
      return columnOrCall(tokens, parse)
    case 'end':
      throw tokens.unexpected()
  }
}

function inParentheses(tokens: TokenStream, parse: Parse): Expression {
  const { at } = tokens
  tokens.expectSymbol('(')
  if (startsQuery(tokens)) return valueOfQuery(tokens, at, nullValue)
  const inner = parse(tokens)
  if (tokens.hasSymbol(',')) throw tokens.notSupported('row values')
  tokens.expectSymbol(')')
  return inner
}

/** The value of a query without rows; after its opening parenthesis. */
function valueOfQuery(tokens: TokenStream, at: number, empty: Value): Expression {
  const count = acceptKeyCount(tokens)
  const found = count === undefined ? parseSubquery(tokens) : undefined
  tokens.expectSymbol(')')
  if (count !== undefined) return count
  return { kind: 'literal', at, value: found === 'empty' ? empty : nullValue }
}

/** Whether a query starts at the next token, or `by` further on. */
export function startsQuery(tokens: TokenStream, by = 0): boolean {
  const token = tokens.ahead(by)
  return token.kind === 'word' && queries.has(token.lower)
}

const queries = new Set(['select', 'values', 'with'])

const constants = new Map<string, Value>([
  ['null', nullValue],
  ['true', trueValue],
  ['false', falseValue],
])

/** Functions that are called without parentheses; some of the times may have a precision. */
const bareCalls = new Set([
  ...['current_date', 'current_time', 'current_timestamp', 'localtime', 'localtimestamp'],
  ...['current_user', 'session_user', 'current_role', 'current_catalog', 'current_schema'],
])
const preciseCalls = new Set([
  ...['current_time', 'current_timestamp', 'localtime', 'localtimestamp'],
])

/** Types that cannot be called like functions: their parentheses contain a modifier. */
const typeWords = new Set(
  `bigint bit boolean char character dec decimal float int integer interval nchar numeric real
  smallint time timestamp varchar`.split(/\s+/),
)

function word(tokens: TokenStream, lower: string, parse: Parse): Expression {
  const { at } = tokens
  const value = constants.get(lower)
  if (value !== undefined) {
    tokens.take()
    return { kind: 'literal', at, value }
  }
  const next = tokens.ahead()
  const opens = next.kind === 'symbol' && next.text === '('
  if (lower === 'case') return caseOf(tokens, parse)
  if (lower === 'cast') return castOf(tokens, parse)
  if (lower === 'array') return arrayOf(tokens, parse)
  if (lower === 'exists') return existsOf(tokens)
  const bare = acceptBareCall(tokens)
  if (bare !== undefined) return bare
  if (opens) {
    const special = acceptSpecialCall(tokens, lower, parse)
    if (special !== undefined) return special
    if (typeWords.has(lower)) return typedLiteral(tokens)
  }
  // `timestamp '2024-01-02'`: a type before a string casts it.
  if (next.kind === 'string' && canNameType(lower)) return typedLiteral(tokens)
  if (isTypeOfWords(tokens, lower)) return typedLiteral(tokens)
  if (isReserved(lower) && !(opens && (lower === 'left' || lower === 'right'))) {
    if ((opens || next.kind === 'string') && isJoiner(lower)) {
      throw tokens.notSupported('functions and types named like operators')
    }
    throw tokens.unexpected()
  }
  return columnOrCall(tokens, parse)
}

/** `current_user`: a function without parentheses. */
export function acceptBareCall(tokens: TokenStream): Call | undefined {
  const { token } = tokens
  if (token.kind !== 'word' || !bareCalls.has(token.lower)) return undefined
  const next = tokens.ahead()
  const opens = next.kind === 'symbol' && next.text === '('
  return opens && token.lower === 'current_schema' ? undefined : bareCall(tokens, token.lower)
}

function bareCall(tokens: TokenStream, name: string): Call {
  const { at } = tokens
  tokens.take()
  if (!preciseCalls.has(name) || !tokens.acceptSymbol('(')) return callOf(at, name, [])
  const { token } = tokens
  const isPrecision = token.kind === 'number' && /^\d{1,9}$/.test(token.digits)
  const precision = isPrecision ? readNumber(token.digits) : undefined
  if (precision === undefined) throw tokens.unexpected()
  tokens.take()
  tokens.expectSymbol(')')
  return callOf(at, name, [{ kind: 'literal', at: token.start, value: precision }])
}

/** Whether these words name one type: `timestamp with time zone`, `double precision`. */
function isTypeOfWords(tokens: TokenStream, lower: string): boolean {
  if (lower === 'timestamp' || lower === 'time') {
    return tokens.has(lower, 'with', 'time', 'zone') || tokens.has(lower, 'without', 'time', 'zone')
  }
  if (lower === 'double') return tokens.has(lower, 'precision')
  return (lower === 'character' || lower === 'char') && tokens.has(lower, 'varying')
}

function typedLiteral(tokens: TokenStream): Expression {
  const { at } = tokens
  const type = parsePlainType(tokens)
  const { token } = tokens
  if (token.kind !== 'string') throw tokens.unexpected()
  tokens.take()
  if (type.name === 'interval') refuseFields(tokens)
  const operand = { kind: 'literal', at: token.start, value: stringValue(token.text) } as const
  return { kind: 'cast', at, operand, type }
}

function caseOf(tokens: TokenStream, parse: Parse): Expression {
  const { at } = tokens
  tokens.expect('case')
  const operand = tokens.has('when') ? undefined : parse(tokens)
  const branches: { at: number; when: Expression; result: Expression }[] = []
  do {
    const { at } = tokens
    tokens.expect('when')
    const when = tokens.part(() => parse(tokens))
    tokens.expect('then')
    branches.push({ at, when, result: tokens.part(() => parse(tokens)) })
    tokens.requireChain(branches.length, sqlListMax)
  } while (tokens.has('when'))
  const otherwise = tokens.accept('else') ? parse(tokens) : undefined
  tokens.expect('end')
  return {
    kind: 'case',
    at,
    branches,
    ...(operand === undefined ? {} : { operand }),
    ...(otherwise === undefined ? {} : { otherwise }),
  }
}

function castOf(tokens: TokenStream, parse: Parse): Expression {
  const { at } = tokens
  tokens.expect('cast')
  tokens.expectSymbol('(')
  const operand = parse(tokens)
  tokens.expect('as')
  const type = parseTypeName(tokens)
  tokens.expectSymbol(')')
  return { kind: 'cast', at, operand, type }
}

/** `ARRAY[1, 2]`; inner arrays need only brackets. */
function arrayOf(tokens: TokenStream, parse: Parse): Expression {
  const { at } = tokens
  tokens.expect('array')
  if (!tokens.acceptSymbol('(')) return elementsOf(tokens, parse, at)
  if (!startsQuery(tokens)) throw tokens.notSupported('subqueries')
  const value = valueOfQuery(tokens, at, trueValue)
  const isEmpty = value.kind === 'literal' && value.value === trueValue
  return isEmpty ? { kind: 'array', at, elements: [], isOfQuery: true } : value
}

function existsOf(tokens: TokenStream): Expression {
  const { at } = tokens
  tokens.take()
  if (!tokens.hasSymbol('(') || !startsQuery(tokens, 1)) throw tokens.notSupported('subqueries')
  tokens.take()
  return valueOfQuery(tokens, at, falseValue)
}

function elementsOf(tokens: TokenStream, parse: Parse, at: number): Expression {
  return tokens.deeper(() => {
    tokens.expectSymbol('[')
    if (tokens.acceptSymbol(']')) return { kind: 'array', at, elements: [] }
    const isNested = tokens.hasSymbol('[')
    const element = () => (isNested ? elementsOf(tokens, parse, tokens.at) : parse(tokens))
    const elements = tokens.list(element, sqlListMax)
    tokens.expectSymbol(']')
    return { kind: 'array', at, elements }
  })
}

function columnOrCall(tokens: TokenStream, parse: Parse): Expression {
  const { at } = tokens
  const path: PathPart[] = []
  let isName = true
  const written: PathPart[] = []
  let { token } = tokens
  const isExcluded = tokens.namesExcluded && token.kind === 'word' && token.lower === 'excluded'
  path.push(tokens.label())
  written.push(tokens.written)
  for (;;) {
    tokens.requireChain(path.length, sqlChainMax)
    if (isName && tokens.hasSymbol('(')) {
      const name = String(path.at(-1))
      return parseCall(tokens, at, token.kind === 'word' ? name.toLowerCase() : name, parse)
    }
    if (tokens.acceptSymbol('.')) {
      if (isName && tokens.acceptSymbol('*')) return { kind: 'star', at, table: path.join('.') }
      token = tokens.token
      path.push(part(tokens))
      written.push(tokens.written)
    } else if (acceptPlace(tokens, path)) {
      isName = false
      written.push(path.at(-1) ?? 0)
    } else break
  }
  if (path.length > 1 && tokens.token.kind === 'string')
    throw tokens.notSupported('types of schemas')
  if (isExcluded && path.length > 1) path[0] = 'excluded'
  const isFolded = tokens.folds && path.some((name, i) => name !== written[i])
  const column: Expression = { kind: 'column', at, path, ...(isFolded ? { written } : {}) }
  return indirected(tokens, column, parse)
}

/** The name after a dot. */
function part(tokens: TokenStream): string {
  if (tokens.hasSymbol('*')) throw tokens.notSupported('the fields of a value as columns')
  return tokens.label()
}

/** Subscripts and fields of a value: `$1[0].name`, `(a || b)[i]`. */
function indirected(tokens: TokenStream, value: Expression, parse: Parse): Expression {
  const { at } = value
  let operand = value
  for (let links = 1; ; links++) {
    if (tokens.acceptSymbol('[')) {
      refuseSlice(tokens)
      const index = parse(tokens)
      refuseSlice(tokens)
      tokens.expectSymbol(']')
      operand = { kind: 'subscript', at, operand, index }
    } else if (tokens.acceptSymbol('.')) {
      part(tokens)
      operand = { kind: 'field', at, operand, name: tokens.written }
    } else return operand
    tokens.requireChain(links, sqlChainMax)
  }
}

/** `[1:2]`, where `:2` and `:b` are tokens. */
function refuseSlice(tokens: TokenStream): void {
  const { token } = tokens
  const isNamed = token.kind === 'parameter' && token.style === 'named'
  if (tokens.hasSymbol(':') || (isNamed && tokens.ahead(-1).kind !== 'symbol')) {
    throw tokens.notSupported('array slices')
  }
}

/** `[0]`: an array position is part of the path; any other subscript is an operator. */
function acceptPlace(tokens: TokenStream, path: PathPart[]): boolean {
  if (!tokens.hasSymbol('[')) return false
  const number = tokens.ahead(1)
  const close = tokens.ahead(2)
  if (number.kind !== 'number' || !/^\d{1,9}$/.test(number.digits)) return false
  if (close.kind !== 'symbol' || close.text !== ']') return false
  for (let i = 0; i < 3; i++) tokens.take()
  path.push(Number(number.digits))
  return true
}
