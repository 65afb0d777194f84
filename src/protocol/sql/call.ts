// Function calls: those of the usual form, those with keywords between arguments, and the clauses
// of aggregates after their arguments.

import { sqlListMax } from '../../base/limits/sql.js'
import { int32Value, stringValue } from '../../value/value.js'
import type { Expression, OrderItem } from './ast.js'
import type { TokenStream } from './token-stream.js'

/** Which operators may follow: all, or only those of the low bound of BETWEEN. */
export type Extent = 'all' | 'bound'

export type Parse = (tokens: TokenStream, extent?: Extent) => Expression

export type Call = Extract<Expression, { kind: 'call' }>

/** Calls with keywords between their arguments. */
const special = new Map<string, (tokens: TokenStream, parse: Parse) => Expression>([
  ['extract', extractOf],
  ['position', positionOf],
  ['substring', substringOf],
  ['trim', trimOf],
  ['coalesce', plainOf],
  ['greatest', plainOf],
  ['least', plainOf],
  ['nullif', nullifOf],
])

/** Names that PostgreSQL parses with a separate grammar. */
const notCalled = new Set(
  `between grouping json json_array json_exists json_object json_query json_scalar
  json_serialize json_table json_value merge_action normalize overlay row treat xmlconcat
  xmlelement xmlexists xmlforest xmlparse xmlpi xmlroot xmlserialize xmltable`.split(/\s+/),
)

/** A call of a function with a separate grammar; undefined for any other name. */
export function acceptSpecialCall(
  tokens: TokenStream,
  name: string,
  parse: Parse,
): Expression | undefined {
  if (notCalled.has(name)) throw tokens.notSupported(`calls of ${name.toUpperCase()}`)
  return special.get(name)?.(tokens, parse)
}

/** Expressions and nothing else: no DISTINCT, no ORDER BY, no FILTER. */
function plainOf(tokens: TokenStream, parse: Parse): Expression {
  const { token } = tokens
  const at = open(tokens)
  const args = tokens.list(() => parse(tokens), sqlListMax)
  tokens.expectSymbol(')')
  return callOf(at, token.kind === 'word' ? token.lower : '', args)
}

function nullifOf(tokens: TokenStream, parse: Parse): Expression {
  const at = open(tokens)
  const first = parse(tokens)
  tokens.expectSymbol(',')
  const args = [first, parse(tokens)]
  tokens.expectSymbol(')')
  return callOf(at, 'nullif', args)
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
  const args = tokens.hasSymbol(')') ? [] : tokens.list(() => parse(tokens), sqlListMax)
  let start: Expression | undefined
  let length: Expression | undefined
  while (args.length === 1 && !tokens.hasSymbol(')')) {
    if (start === undefined && tokens.accept('from')) start = parse(tokens)
    else if (length === undefined && tokens.accept('for')) length = parse(tokens)
    else throw tokens.unexpected()
  }
  tokens.expectSymbol(')')
  if (length !== undefined && start === undefined) {
    // A count without a start means start 1, not a pattern.
    start = { kind: 'literal', at, value: int32Value(1) }
    const type = { name: 'int4', modifiers: [], isArray: false } as const
    length = { kind: 'cast', at: length.at, operand: length, type }
  }
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

export function callOf(at: number, name: string, args: readonly Expression[]): Call {
  return { kind: 'call', at, name, args, isStar: false, isDistinct: false, orderBy: [] }
}

/** After the name: arguments, and the clauses of aggregates. */
export function parseCall(tokens: TokenStream, at: number, name: string, parse: Parse): Expression {
  tokens.expectSymbol('(')
  if (tokens.has('variadic')) throw tokens.notSupported('VARIADIC arguments')
  const isStar = tokens.acceptSymbol('*')
  const isDistinct = !isStar && tokens.accept('distinct')
  const isList = isDistinct || (!isStar && (tokens.accept('all') || !tokens.hasSymbol(')')))
  const args = isList ? tokens.list(() => argument(tokens, parse), sqlListMax) : []
  const orderBy = isList && tokens.accept('order', 'by') ? parseOrder(tokens, parse) : []
  tokens.expectSymbol(')')
  if (tokens.has('within', 'group')) throw tokens.notSupported('ordered-set aggregates')
  const filter = tokens.has('filter') ? filterOf(tokens, parse) : undefined
  if (tokens.has('over')) throw tokens.notSupported('window functions')
  if (tokens.token.kind === 'string') throw tokens.notSupported('modifiers of such types')
  const found = { kind: 'call', at, name, args, isStar, isDistinct, orderBy } as const
  return filter === undefined ? found : { ...found, filter }
}

function argument(tokens: TokenStream, parse: Parse): Expression {
  const value = parse(tokens)
  if (tokens.hasSymbol('=>')) throw tokens.notSupported('named arguments')
  return value
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

/** The list after ORDER BY. */
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
