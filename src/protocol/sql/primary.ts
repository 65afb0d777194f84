// Operands of expressions: literals, placeholders, columns, calls, CASE, CAST, ARRAY and what
// stands in parentheses.

import { sqlListMax } from '../../base/limits.js'
import {
  falseValue,
  int32Value,
  nullValue,
  stringValue,
  trueValue,
  type Value,
} from '../../value/value.js'
import type { Expression, OrderItem, PathPart } from './ast.js'
import type { Extent } from './expression.js'
import { readNumber } from './number.js'
import { isReserved } from './reserved.js'
import type { TokenStream } from './token-stream.js'
import { parseTypeName } from './type-name.js'

type Parse = (tokens: TokenStream, extent?: Extent) => Expression

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
      return { kind: 'parameter', at, index: tokens.parameter(token) }
    case 'symbol':
      if (token.text !== '(') throw tokens.unexpected()
      return inParentheses(tokens, parse)
    case 'word':
      return word(tokens, token.lower, parse)
    case 'name':
      return columnOrCall(tokens, parse)
    case 'end':
      throw tokens.unexpected()
  }
}

function inParentheses(tokens: TokenStream, parse: Parse): Expression {
  tokens.expectSymbol('(')
  if (tokens.has('select') || tokens.has('with')) throw tokens.notSupported('subqueries')
  const inner = parse(tokens)
  if (tokens.hasSymbol(',')) throw tokens.notSupported('row values')
  tokens.expectSymbol(')')
  return inner
}

const constants: Readonly<Record<string, Value>> = {
  null: nullValue,
  true: trueValue,
  false: falseValue,
}

/** Functions that are called without parentheses. */
const bareCalls = new Set([
  ...['current_date', 'current_time', 'current_timestamp', 'localtime', 'localtimestamp'],
  ...['current_user', 'session_user', 'current_role', 'current_catalog', 'current_schema'],
])

function word(tokens: TokenStream, lower: string, parse: Parse): Expression {
  const { at } = tokens
  const value = constants[lower]
  if (value !== undefined) {
    tokens.take()
    return { kind: 'literal', at, value }
  }
  const next = tokens.ahead()
  const opens = next.kind === 'symbol' && next.text === '('
  if (lower === 'case') return caseOf(tokens, parse)
  if (lower === 'cast') return castOf(tokens, parse)
  if (lower === 'array') return arrayOf(tokens, parse)
  if (lower === 'exists') throw tokens.notSupported('subqueries')
  if (bareCalls.has(lower) && !opens) {
    tokens.take()
    return callOf(at, lower, [])
  }
  if (opens && special[lower] !== undefined) return special[lower](tokens, parse)
  // `timestamp '2024-01-02'`: a type before a string is a cast of it.
  if (next.kind === 'string' && !isReserved(lower)) return typedLiteral(tokens)
  if (lower === 'timestamp' || lower === 'double') {
    const typed = tryTypedLiteral(tokens)
    if (typed !== undefined) return typed
  }
  if (isReserved(lower) && !(opens && (lower === 'left' || lower === 'right'))) {
    throw tokens.unexpected()
  }
  return columnOrCall(tokens, parse)
}

function typedLiteral(tokens: TokenStream): Expression {
  const { at } = tokens
  const type = parseTypeName(tokens)
  const token = tokens.take()
  const value = stringValue(token.kind === 'string' ? token.text : '')
  return { kind: 'cast', at, operand: { kind: 'literal', at: token.start, value }, type }
}

/** `timestamp with time zone '…'`, `double precision '…'`; undefined where the word is a name. */
function tryTypedLiteral(tokens: TokenStream): Expression | undefined {
  const words = tokens.has('double', 'precision') ? 2 : tokens.ahead().kind === 'word' ? 4 : 0
  return words > 0 && tokens.ahead(words).kind === 'string' ? typedLiteral(tokens) : undefined
}

function caseOf(tokens: TokenStream, parse: Parse): Expression {
  const { at } = tokens
  tokens.expect('case')
  const operand = tokens.has('when') ? undefined : parse(tokens)
  const branches: { when: Expression; result: Expression }[] = []
  do {
    tokens.expect('when')
    const when = parse(tokens)
    tokens.expect('then')
    branches.push({ when, result: parse(tokens) })
    tokens.requireChain(branches.length, sqlListMax)
  } while (tokens.has('when'))
  const otherwise = tokens.accept('else') ? parse(tokens) : undefined
  tokens.expect('end')
  return {
    ...{ kind: 'case', at, branches },
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

/** `ARRAY[1, 2]`, within one another by their brackets alone. */
function arrayOf(tokens: TokenStream, parse: Parse): Expression {
  const { at } = tokens
  tokens.expect('array')
  if (tokens.hasSymbol('(')) throw tokens.notSupported('subqueries')
  return elementsOf(tokens, parse, at)
}

function elementsOf(tokens: TokenStream, parse: Parse, at: number): Expression {
  return tokens.deeper(() => {
    tokens.expectSymbol('[')
    if (tokens.acceptSymbol(']')) return { kind: 'array', at, elements: [] }
    const element = () =>
      tokens.hasSymbol('[') ? elementsOf(tokens, parse, tokens.at) : parse(tokens)
    const elements = tokens.list(element, sqlListMax)
    tokens.expectSymbol(']')
    return { kind: 'array', at, elements }
  })
}

/** Calls whose arguments are joined by words. */
const special: Readonly<Record<string, (tokens: TokenStream, parse: Parse) => Expression>> = {
  extract: extractOf,
  position: positionOf,
  substring: substringOf,
  trim: trimOf,
  overlay: (tokens) => {
    throw tokens.notSupported('OVERLAY calls')
  },
}

/** `EXTRACT(field FROM time)` */
function extractOf(tokens: TokenStream, parse: Parse): Expression {
  const at = open(tokens)
  const { token } = tokens
  const field = token.kind === 'string' ? token.text : tokens.label().toLowerCase()
  if (token.kind === 'string') tokens.take()
  tokens.expect('from')
  const args: Expression[] = [
    { kind: 'literal', at: token.start, value: stringValue(field) },
    parse(tokens),
  ]
  tokens.expectSymbol(')')
  return callOf(at, 'extract', args)
}

/** `POSITION(part IN whole)` */
function positionOf(tokens: TokenStream, parse: Parse): Expression {
  const at = open(tokens)
  const part = parse(tokens, 'bound')
  tokens.expect('in')
  const whole = parse(tokens, 'bound')
  tokens.expectSymbol(')')
  return callOf(at, 'position', [whole, part])
}

/** `SUBSTRING(text FROM start FOR length)`, in either order, or with commas. */
function substringOf(tokens: TokenStream, parse: Parse): Expression {
  const at = open(tokens)
  const args = tokens.list(() => parse(tokens), sqlListMax)
  let start: Expression | undefined
  let length: Expression | undefined
  while (args.length === 1 && !tokens.hasSymbol(')')) {
    if (start === undefined && tokens.accept('from')) start = parse(tokens)
    else if (length === undefined && tokens.accept('for')) length = parse(tokens)
    else throw tokens.unexpected()
  }
  tokens.expectSymbol(')')
  if (length !== undefined) start ??= { kind: 'literal', at, value: int32Value(1) }
  const given = [start, length].filter((arg) => arg !== undefined)
  return callOf(at, 'substring', [...args, ...given])
}

/** `TRIM([LEADING | TRAILING | BOTH] [characters] FROM text)`, as btrim, ltrim and rtrim. */
function trimOf(tokens: TokenStream, parse: Parse): Expression {
  const at = open(tokens)
  let name = 'btrim'
  if (tokens.accept('leading')) name = 'ltrim'
  else if (tokens.accept('trailing')) name = 'rtrim'
  else tokens.accept('both')
  if (tokens.accept('from')) {
    const args = tokens.list(() => parse(tokens), sqlListMax)
    tokens.expectSymbol(')')
    return callOf(at, name, args)
  }
  const first = parse(tokens)
  const rest = tokens.accept('from')
    ? [...tokens.list(() => parse(tokens), sqlListMax), first]
    : [first, ...(tokens.acceptSymbol(',') ? tokens.list(() => parse(tokens), sqlListMax) : [])]
  tokens.expectSymbol(')')
  return callOf(at, name, rest)
}

function open(tokens: TokenStream): number {
  const { at } = tokens
  tokens.take()
  tokens.expectSymbol('(')
  return at
}

function callOf(at: number, name: string, args: readonly Expression[]): Expression {
  return { kind: 'call', at, name, args, isStar: false, isDistinct: false, orderBy: [] }
}

function columnOrCall(tokens: TokenStream, parse: Parse): Expression {
  const { at, token } = tokens
  const path: PathPart[] = [tokens.label()]
  for (;;) {
    if (tokens.hasSymbol('(') && path.every((part) => typeof part === 'string')) {
      const name = String(path.at(-1))
      return call(tokens, at, token.kind === 'word' ? name.toLowerCase() : name, parse)
    }
    if (tokens.acceptSymbol('.')) {
      if (tokens.acceptSymbol('*')) return { kind: 'star', at, table: path.join('.') }
      path.push(tokens.label())
    } else if (!acceptPlace(tokens, path)) return { kind: 'column', at, path }
  }
}

/** `[0]`: a place in an array is a part of the path; any other subscript is an operator. */
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

function call(tokens: TokenStream, at: number, name: string, parse: Parse): Expression {
  tokens.expectSymbol('(')
  let args: Expression[] = []
  const isStar = tokens.acceptSymbol('*')
  const isDistinct = !isStar && tokens.accept('distinct')
  if (!isDistinct) tokens.accept('all')
  if (!isStar && (isDistinct || !tokens.hasSymbol(')'))) {
    args = tokens.list(() => parse(tokens), sqlListMax)
  }
  const orderBy = tokens.accept('order', 'by') ? parseOrder(tokens, parse) : []
  tokens.expectSymbol(')')
  if (tokens.has('within', 'group')) throw tokens.notSupported('ordered-set aggregates')
  const filter = tokens.has('filter') ? filterOf(tokens, parse) : undefined
  if (tokens.has('over')) throw tokens.notSupported('window functions')
  const found = { kind: 'call', at, name, args, isStar, isDistinct, orderBy } as const
  return filter === undefined ? found : { ...found, filter }
}

/** `FILTER (WHERE condition)` */
function filterOf(tokens: TokenStream, parse: Parse): Expression {
  tokens.expect('filter')
  tokens.expectSymbol('(')
  tokens.expect('where')
  const filter = parse(tokens)
  tokens.expectSymbol(')')
  return filter
}

/** The list behind ORDER BY. */
export function parseOrder(tokens: TokenStream, parse: Parse): OrderItem[] {
  return tokens.list(() => {
    const expression = parse(tokens)
    const descends = tokens.accept('desc')
    if (!descends) tokens.accept('asc')
    if (!tokens.accept('nulls')) return { expression, descends }
    const isFirst = tokens.accept('first')
    if (!isFirst) tokens.expect('last')
    return { expression, descends, nulls: isFirst ? 'first' : 'last' }
  }, sqlListMax)
}
