// Names of types, as casts and column definitions have them, under PostgreSQL's own names: `int4`
// for `integer`.

import type { TypeName } from './ast.js'
import type { TokenStream } from './token-stream.js'

/** What the grammar calls a type beside its own name. */
const aliases: Readonly<Record<string, string>> = {
  int: 'int4',
  integer: 'int4',
  smallint: 'int2',
  bigint: 'int8',
  real: 'float4',
  float: 'float8',
  boolean: 'bool',
  decimal: 'numeric',
  dec: 'numeric',
  char: 'bpchar',
  character: 'bpchar',
}

const modifiersMax = 2

export function parseTypeName(tokens: TokenStream): TypeName {
  const { token } = tokens
  const isQuoted = token.kind === 'name'
  let name = tokens.label()
  if (tokens.acceptSymbol('.')) {
    if (name.toLowerCase() !== 'pg_catalog') throw tokens.refuse(`schema "${name}" does not exist`)
    name = tokens.label()
  } else if (!isQuoted) name = plainName(tokens, name.toLowerCase())
  const modifiers = tokens.hasSymbol('(')
    ? tokens.listInParentheses(() => modifier(tokens), modifiersMax)
    : []
  const zoned = name === 'timestamp' || name === 'time' ? withZone(tokens, name) : name
  return { name: zoned, modifiers, isArray: acceptArray(tokens) }
}

/** Names of more than one word. */
function plainName(tokens: TokenStream, word: string): string {
  if (word === 'double') {
    tokens.expect('precision')
    return 'float8'
  }
  if ((word === 'character' || word === 'char') && tokens.accept('varying')) return 'varchar'
  return aliases[word] ?? word
}

function withZone(tokens: TokenStream, name: string): string {
  if (tokens.accept('with', 'time', 'zone')) return `${name}tz`
  tokens.accept('without', 'time', 'zone')
  return name
}

function modifier(tokens: TokenStream): number {
  const token = tokens.take()
  if (token.kind !== 'number' || !/^\d{1,9}$/.test(token.digits)) throw tokens.unexpected()
  return Number(token.digits)
}

function acceptArray(tokens: TokenStream): boolean {
  let isArray = tokens.accept('array')
  while (tokens.hasSymbol('[')) {
    const next = tokens.ahead()
    if (next.kind !== 'symbol' || next.text !== ']') break
    tokens.take()
    tokens.take()
    isArray = true
  }
  return isArray
}
