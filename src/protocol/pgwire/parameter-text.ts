// Parameters in text as values: what the types' input functions of PostgreSQL take, with the same
// SQLSTATE for what they refuse. A text that no type is known for stays a string.

import { type Bytes, utf8 } from '../../base/bytes/bytes.js'
import { GatewayError } from '../../base/errors.js'
import { pgScalarCharsMax, sqlListMax } from '../../base/limits.js'
import { decimalFromString } from '../../value/decimal.js'
import { jsonToValue } from '../../value/json/json.js'
import {
  binaryValue,
  boolValue,
  dateValue,
  doubleValue,
  int32Value,
  int64Value,
  nullValue,
  stringValue,
  type Value,
} from '../../value/value.js'
import { writeArray } from '../../value/writer.js'
import { strictText } from './body-reader.js'
import { pgError, pgState } from './pg-error.js'
import { parseDate, parseTimestamp } from './timestamp.js'
import { elementTypeOf, type PgTypeName, pgTypes } from './types.js'

const uuidSubtype = 4
const backslash = 0x5c
const integerForm = /^[+-]?\d+$/
const floatForm = /^[+-]?(?:\d+\.?\d*|\.\d+)(?:[eE][+-]?\d+)?$/
const specialForm = /^(?:nan|[+-]?(?:inf|infinity))$/i
const uuidForm = /^\{?((?:[0-9a-fA-F]{4}-?){8})\}?$/
/** Texts in errors are cut here, characters. */
const shownCharsMax = 100
const integerBits: Partial<Record<PgTypeName, number>> = { int2: 16, int4: 32, int8: 64 }

/**
 * The value of a parameter's text. Throws 22P02 where it is not of the type, 22003 out of its
 * range, 22007 and 22008 for dates, 22021 where it is no UTF-8.
 */
export function valueOfText(bytes: Bytes, type: PgTypeName): Value {
  const text = strictText(bytes)
  switch (type) {
    case 'bool':
      return boolValue(parseBool(text))
    case 'bytea':
      return binaryValue(0, parseBytea(text))
    case 'int2':
    case 'int4':
    case 'int8':
    case 'oid':
      return parseInteger(text, type)
    case 'float4':
    case 'float8':
      return parseFloating(text, type)
    case 'numeric':
      return parseNumeric(text)
    case 'date':
      return dateValue(parseDate(text, pgTypes.date.title))
    case 'timestamptz':
      return dateValue(parseTimestamp(text, pgTypes.timestamptz.title))
    case 'uuid':
      return binaryValue(uuidSubtype, parseUuid(text))
    case 'json':
    case 'jsonb':
      return parseJson(text, type)
    default: {
      const element = elementTypeOf(type)
      return element === undefined ? stringValue(text) : parseArray(text, element)
    }
  }
}

/** A JSON text as a value; Extended JSON wrappers count. */
export function parseJson(text: string | Bytes, type: 'json' | 'jsonb'): Value {
  try {
    return jsonToValue(text)
  } catch (cause) {
    throw badJson(cause, type)
  }
}

/** What a JSON text is refused with, from what its reader threw. */
export function badJson(cause: unknown, type: 'json' | 'jsonb'): unknown {
  if (!(cause instanceof GatewayError)) return cause
  const error = pgError(pgState.badText, `invalid input syntax for type ${type}`, cause.message)
  error.cause = cause
  return error
}

/** `t`, `true`, `y`, `yes`, `on`, `1`, and what they can be cut to. */
function parseBool(text: string): boolean {
  const word = text.trim().toLowerCase()
  if (word !== '') {
    if ('true'.startsWith(word) || 'yes'.startsWith(word) || word === 'on' || word === '1') {
      return true
    }
    const isOff = word === 'of' || word === 'off'
    if ('false'.startsWith(word) || 'no'.startsWith(word) || isOff || word === '0') return false
  }
  throw badSyntax(text, 'bool')
}

function parseInteger(text: string, type: PgTypeName): Value {
  const trimmed = bounded(text, type)
  if (!integerForm.test(trimmed)) throw badSyntax(text, type)
  const n = BigInt(trimmed.replace(/^\+/, ''))
  if (type === 'oid') {
    if (BigInt.asUintN(32, n) !== n) throw outOfRange(text, type)
    return int64Value(n)
  }
  if (BigInt.asIntN(integerBits[type] ?? 0, n) !== n) throw outOfRange(text, type)
  return type === 'int8' ? int64Value(n) : int32Value(Number(n))
}

function parseFloating(text: string, type: 'float4' | 'float8'): Value {
  const trimmed = bounded(text, type)
  if (specialForm.test(trimmed)) return doubleValue(specialNumber(trimmed))
  if (!floatForm.test(trimmed)) throw badSyntax(text, type)
  const n = type === 'float4' ? Math.fround(Number(trimmed)) : Number(trimmed)
  const isLost = n === 0 && /[1-9]/.test(trimmed.split(/e/i)[0] ?? '')
  if (!Number.isFinite(n) || isLost) throw outOfRange(text, type)
  return doubleValue(n)
}

function specialNumber(text: string): number {
  if (/nan/i.test(text)) return Number.NaN
  return text.startsWith('-') ? Number.NEGATIVE_INFINITY : Number.POSITIVE_INFINITY
}

/** Deviation: 34 digits are kept; a number of more is refused, where the peer keeps it. */
function parseNumeric(text: string): Value {
  const trimmed = bounded(text, 'numeric')
  if (!floatForm.test(trimmed) && !specialForm.test(trimmed)) throw badSyntax(text, 'numeric')
  try {
    return decimalFromString(trimmed)
  } catch {
    throw outOfRange(text, 'numeric')
  }
}

/** `\x` and pairs of hexadecimal digits, or the older form with octal escapes. */
function parseBytea(text: string): Bytes {
  if (!text.startsWith('\\x')) return parseEscaped(text)
  const digits = text.slice(2).replace(/\s/g, '')
  if (digits.length % 2 !== 0 || /[^0-9a-fA-F]/.test(digits)) throw badSyntax(text, 'bytea')
  return new Uint8Array(Buffer.from(digits, 'hex'))
}

/** `a\\b\001`. */
function parseEscaped(text: string): Bytes {
  const from = utf8(text)
  if (from.indexOf(backslash) < 0) return from
  const bytes = new Uint8Array(from.length)
  let length = 0
  for (let at = 0; at < from.length; at++) {
    let byte = from[at] ?? 0
    if (byte === backslash && from[at + 1] === backslash) {
      at++
    } else if (byte === backslash) {
      const octal = String.fromCharCode(...from.subarray(at + 1, at + 4))
      if (!/^[0-3][0-7]{2}$/.test(octal)) throw badSyntax(text, 'bytea')
      byte = Number.parseInt(octal, 8)
      at += 3
    }
    bytes[length++] = byte
  }
  return bytes.subarray(0, length)
}

function parseUuid(text: string): Bytes {
  const [, digits] = uuidForm.exec(text) ?? []
  if (digits === undefined || text.startsWith('{') !== text.endsWith('}')) {
    throw badSyntax(text, 'uuid')
  }
  if (digits.endsWith('-')) throw badSyntax(text, 'uuid')
  return new Uint8Array(Buffer.from(digits.replaceAll('-', ''), 'hex'))
}

/** `{a,"b c",NULL}`, of one dimension. */
function parseArray(text: string, element: PgTypeName): Value {
  const trimmed = text.trim()
  const items: Value[] = []
  if (!trimmed.startsWith('{')) throw badArray(text)
  let at = skipSpace(trimmed, 1)
  if (trimmed[at] === '}' && at + 1 === trimmed.length) return writeArray(items)
  for (;;) {
    const end = itemEnd(trimmed, at)
    if (end === undefined) throw badArray(text)
    if (items.length === sqlListMax) {
      throw pgError(pgState.limitExceeded, `an array has at most ${sqlListMax} elements`)
    }
    items.push(itemValue(trimmed.slice(at, end), element))
    at = skipSpace(trimmed, end)
    if (trimmed[at] === '}' && at + 1 === trimmed.length) return writeArray(items)
    if (trimmed[at] !== ',') throw badArray(text)
    at = skipSpace(trimmed, at + 1)
  }
}

/**
 * Where the item at `from` ends, its closing quote included; undefined where there is none. A loop:
 * a pattern of this shape keeps a place to come back to for each of millions of characters.
 */
function itemEnd(text: string, from: number): number | undefined {
  const isQuoted = text[from] === '"'
  for (let at = isQuoted ? from + 1 : from; at < text.length; at++) {
    const letter = text[at] ?? ''
    if (letter === '\\') at++
    else if (isQuoted && letter === '"') return at + 1
    else if (!isQuoted && (letter === '"' || letter === '{')) return undefined
    else if (!isQuoted && (letter === ',' || letter === '}')) return at > from ? at : undefined
  }
  return undefined
}

/** Quoted as it stands; bare without the spaces behind it, `NULL` in any case a null. */
function itemValue(item: string, element: PgTypeName): Value {
  const isQuoted = item.startsWith('"')
  const kept = isQuoted ? item.slice(1, -1) : item.trimEnd()
  if (!isQuoted && kept.toLowerCase() === 'null') return nullValue
  const text = kept.replace(/\\([\s\S])/g, '$1')
  return element === 'text' ? stringValue(text) : valueOfText(utf8(text), element)
}

function skipSpace(text: string, from: number): number {
  let at = from
  while (text[at] === ' ' || text[at] === '\t' || text[at] === '\n' || text[at] === '\r') at++
  return at
}

/** Without the spaces around it. Longer texts are of no number. */
function bounded(text: string, type: PgTypeName): string {
  if (text.length > pgScalarCharsMax) throw badSyntax(text, type)
  return text.trim()
}

function badArray(text: string): GatewayError {
  return pgError(pgState.badText, `malformed array literal: "${shown(text)}"`)
}

function badSyntax(text: string, type: PgTypeName): GatewayError {
  const { title } = pgTypes[type]
  return pgError(pgState.badText, `invalid input syntax for type ${title}: "${shown(text)}"`)
}

function outOfRange(text: string, type: PgTypeName): GatewayError {
  const { title } = pgTypes[type]
  return pgError(pgState.outOfRange, `value "${shown(text)}" is out of range for type ${title}`)
}

function shown(text: string): string {
  return text.length > shownCharsMax ? `${text.slice(0, shownCharsMax)}…` : text
}
