// Parses names of types in casts and column definitions to PostgreSQL's internal names: `int4` for
// `integer`.

import type { TypeName } from './ast.js'
import { canNameType, isJoiner } from './reserved.js'
import type { TokenStream } from './token-stream.js'

/** Other names of types in the grammar. */
const aliases = new Map(
  Object.entries({
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
    nchar: 'bpchar',
  }),
)

const modifiersMax = 2
/** More digits are too precise for a float4. */
const float4BitsMax = 24

export function parseTypeName(tokens: TokenStream): TypeName {
  const { token } = tokens
  const type = parsePlainType(tokens)
  // CHAR alone has length one; before a string it has the string's length.
  const isChar = type.name === 'bpchar' && token.kind === 'word' && chars.has(token.lower)
  const modifiers = isChar && type.modifiers.length === 0 ? [1] : type.modifiers
  return { ...type, modifiers, isArray: acceptArray(tokens), at: token.start }
}

const chars = new Set(['char', 'character', 'nchar'])

/** A type that is not an array: the only kind in a typed literal. */
export function parsePlainType(tokens: TokenStream): TypeName {
  const { token } = tokens
  if (token.kind === 'word' && !canNameType(token.lower)) {
    if (isJoiner(token.lower)) throw tokens.notSupported('types named like operators')
    throw tokens.unexpected()
  }
  let name = tokens.label()
  if (token.kind !== 'word' || tokens.hasSymbol('.')) name = schemaType(tokens, name)
  else name = plainName(tokens, name.toLowerCase())
  const modifiers = tokens.hasSymbol('(')
    ? tokens.listInParentheses(() => givenModifier(tokens), modifiersMax)
    : []
  if (token.kind !== 'word') return { name, modifiers, isArray: false }
  if (name === 'timestamp' || name === 'time') name = withZone(tokens, name)
  if (name === 'interval') refuseFields(tokens)
  const isFloat4 = token.lower === 'float' && (modifiers[0] ?? Infinity) <= float4BitsMax
  if (token.lower === 'float')
    return { name: isFloat4 ? 'float4' : name, modifiers: [], isArray: false }
  return { name, modifiers, isArray: false }
}

/** A quoted name is the internal name; the only schema with types is that of PostgreSQL's types. */
function schemaType(tokens: TokenStream, first: string): string {
  if (!tokens.acceptSymbol('.')) return first
  if (first.toLowerCase() !== 'pg_catalog') throw tokens.notSupported('types of schemas')
  const { token } = tokens
  const name = tokens.label()
  return token.kind === 'word' ? token.lower : name
}

/** Refuses `INTERVAL '1' DAY`, which would parse as `INTERVAL '1'` with an alias. */
export function refuseFields(tokens: TokenStream): void {
  const fields = ['year', 'month', 'day', 'hour', 'minute', 'second']
  if (fields.some((field) => tokens.has(field))) throw tokens.notSupported('fields of intervals')
}

/** Names of more than one word. */
function plainName(tokens: TokenStream, word: string): string {
  if (word === 'double' && tokens.accept('precision')) return 'float8'
  if ((word === 'character' || word === 'char') && tokens.accept('varying')) return 'varchar'
  return aliases.get(word) ?? word
}

function withZone(tokens: TokenStream, name: string): string {
  if (tokens.accept('with', 'time', 'zone')) return `${name}tz`
  tokens.accept('without', 'time', 'zone')
  return name
}

/** PostgreSQL's grammar allows any expression; no type uses one. */
function givenModifier(tokens: TokenStream): number {
  const { token } = tokens
  const next = tokens.ahead()
  const ends = next.kind === 'symbol' && (next.text === ')' || next.text === ',')
  const isMissing = tokens.hasSymbol(')') || tokens.hasSymbol(',') || token.kind === 'end'
  if (isMissing) throw tokens.unexpected()
  if (token.kind !== 'number' || !ends || !/^\d+$/.test(token.digits)) {
    throw tokens.notSupported('modifiers of types but numbers')
  }
  if (Number(token.digits) > modifierMax) throw tokens.outOfRange(token.digits, token.start)
  return modifier(tokens)
}

function modifier(tokens: TokenStream): number {
  const token = tokens.token
  const value = token.kind === 'number' && /^\d{1,10}$/.test(token.digits) ? token.digits : ''
  if (value === '' || Number(value) > modifierMax) throw tokens.unexpected()
  tokens.take()
  return Number(value)
}

/** An int32, as in PostgreSQL's grammar. */
const modifierMax = 0x7fff_ffff

/** `int[]`, `int[3]`, `int ARRAY[3]`: the sizes are ignored. */
function acceptArray(tokens: TokenStream): boolean {
  if (tokens.accept('array')) {
    if (tokens.acceptSymbol('[')) {
      modifier(tokens)
      tokens.expectSymbol(']')
    }
    return true
  }
  let isArray = false
  for (let dimensions = 1; tokens.acceptSymbol('['); dimensions++) {
    tokens.requireChain(dimensions, dimensionsMax)
    if (!tokens.hasSymbol(']')) modifier(tokens)
    tokens.expectSymbol(']')
    isArray = true
  }
  return isArray
}

const dimensionsMax = 6
