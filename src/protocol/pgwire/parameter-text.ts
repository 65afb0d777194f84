// Parses text parameters as PostgreSQL's input functions do, with the same SQLSTATE for invalid
// texts. A text of unknown type stays a string.

import { type Bytes, textOf } from '../../base/bytes/bytes.js'
import { GatewayError } from '../../base/errors.js'
import { jsonInThreadBytes } from '../../base/limits/engine.js'
import { pgScalarCharsMax, sqlListMax } from '../../base/limits/sql.js'
import { work } from '../../base/work/work-budget.js'
import { bytesPerUnit, wordUnits } from '../../base/work/work-figures.js'
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
  stringValueOf,
  type Value,
} from '../../value/value.js'
import { writeArray } from '../../value/writer.js'
import { requireUtf8, strictText } from './body-reader.js'
import { type ArrayItem, arrayParts, byteaParts, type InParts, whole } from './long-text.js'
import { pgError, pgState } from './pg-error.js'
import { parseDate, parseTimestamp } from './timestamp.js'
import { elementTypeOf, type PgTypeName, pgTypes } from './types.js'

const uuidSubtype = 4
const integerForm = /^[+-]?\d+$/
const floatForm = /^[+-]?(?:\d+\.?\d*|\.\d+)(?:[eE][+-]?\d+)?$/
const specialForm = /^(?:nan|[+-]?(?:inf|infinity))$/i
const uuidForm = /^\{?((?:[0-9a-fA-F]{4}-?){8})\}?$/
/** Texts in errors are cut here, characters. */
const shownCharsMax = 100
const integerBits: Partial<Record<PgTypeName, number>> = { int2: 16, int4: 32, int8: 64 }

/**
 * The value of a parameter's text. Throws 22P02 if it is not of the type, 22003 out of its range,
 * 22007 and 22008 for dates, 22021 for invalid UTF-8.
 */
export function valueOfText(bytes: Bytes, type: PgTypeName): Value {
  if (isTextual(type)) return textValue(bytes)
  if (isInParts(type)) return whole(valueParts(bytes, type))
  const text = scalars.has(type) ? scalarText(bytes) : strictText(bytes)
  switch (type) {
    case 'bool':
      return boolValue(parseBool(text))
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
    default:
      throw new Error(`${type} is no type of a parameter`)
  }
}

/** Types that are parsed as numbers, times and the like. */
const scalars = new Set<PgTypeName>([
  ...(['bool', 'int2', 'int4', 'int8', 'oid', 'float4', 'float8', 'numeric'] as const),
  ...(['date', 'timestamptz', 'uuid'] as const),
])

const parsed = new Set<PgTypeName>([...scalars, 'bytea', 'json', 'jsonb'])

/** Whether a value of the type is stored as text. */
function isTextual(type: PgTypeName): boolean {
  return !parsed.has(type) && elementTypeOf(type) === undefined
}

/** A text value: 15 MB are checked and copied without making a string. Throws 22021. */
export function textValue(bytes: Bytes): Value {
  requireUtf8(bytes)
  return stringValueOf(bytes)
}

/** Any scalar has fewer characters than this many bytes. */
const scalarBytesMax = 4 * pgScalarCharsMax

/** An overlong scalar is cut, with an ending that no scalar accepts. */
function scalarText(bytes: Bytes): string {
  if (bytes.length <= scalarBytesMax) return strictText(bytes)
  requireUtf8(bytes)
  return `${textOf(bytes, 0, scalarBytesMax)}…`
}

/** A JSON text as a value; Extended JSON wrappers count. */
export function parseJson(text: string | Bytes, type: 'json' | 'jsonb'): Value {
  try {
    return jsonToValue(text)
  } catch (cause) {
    throw badJson(cause, type)
  }
}

/** The error for invalid JSON, from the error of its parser. */
export function badJson(cause: unknown, type: 'json' | 'jsonb'): unknown {
  if (!(cause instanceof GatewayError)) return cause
  const error = pgError(pgState.badText, `invalid input syntax for type ${type}`, cause.message)
  error.cause = cause
  return error
}

/** `t`, `true`, `y`, `yes`, `on`, `1`, and their abbreviations. */
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

/** Deviation: 34 digits are kept; a longer number is refused, where PostgreSQL keeps it. */
function parseNumeric(text: string): Value {
  const trimmed = bounded(text, 'numeric')
  if (!floatForm.test(trimmed) && !specialForm.test(trimmed)) throw badSyntax(text, 'numeric')
  try {
    return decimalFromString(trimmed)
  } catch {
    throw outOfRange(text, 'numeric')
  }
}

function parseUuid(text: string): Bytes {
  const [, digits] = uuidForm.exec(text) ?? []
  if (digits === undefined || text.startsWith('{') !== text.endsWith('}')) {
    throw badSyntax(text, 'uuid')
  }
  if (digits.endsWith('-')) throw badSyntax(text, 'uuid')
  return new Uint8Array(Buffer.from(digits.replaceAll('-', ''), 'hex'))
}

/** Whether a text of the type is read in parts, by `valueParts`. */
export function isInParts(type: PgTypeName): boolean {
  return type === 'bytea' || elementTypeOf(type) !== undefined
}

/** As valueOfText, for a type of isInParts. */
export function* valueParts(bytes: Bytes, type: PgTypeName): InParts<Value> {
  requireUtf8(bytes)
  yield* copied(bytes)
  const element = elementTypeOf(type)
  if (element !== undefined) return yield* arrayValueParts(bytes, element)
  const body = yield* byteaParts(bytes)
  if (body === undefined) throw badSyntax(beginning(bytes), 'bytea')
  return binaryValue(0, body)
}

function* arrayValueParts(bytes: Bytes, element: PgTypeName): InParts<Value> {
  const items: Value[] = []
  const isArray = yield* arrayParts(bytes, function* (item) {
    if (items.length === sqlListMax) {
      throw pgError(pgState.limitExceeded, `an array has at most ${sqlListMax} elements`)
    }
    items.push(yield* itemParts(item, element))
    yield* copied(item.text)
  })
  if (!isArray) throw badArray(beginning(bytes))
  return writeArray(items)
}

/** A step: a value whose bytes native code has checked or copied. */
function* copied({ length }: Bytes): InParts<void> {
  work.note(wordUnits + length / bytesPerUnit)
  yield
}

/** A bare `NULL` in any case is null. */
function* itemParts({ text, isLiteral }: ArrayItem, element: PgTypeName): InParts<Value> {
  if (!isLiteral && text.length === 4 && textOf(text).toLowerCase() === 'null') return nullValue
  if (isInParts(element)) return yield* valueParts(text, element)
  const isJson = element === 'json' || element === 'jsonb'
  if (isJson && text.length > jsonInThreadBytes) {
    const most = `a ${element} in an array has at most ${jsonInThreadBytes} bytes`
    throw pgError(pgState.limitExceeded, most)
  }
  return valueOfText(text, element)
}

/** Without surrounding spaces. A longer text is no number. */
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

/** The start of the text, as much as errors show. */
function beginning(bytes: Bytes): string {
  return textOf(bytes, 0, Math.min(bytes.length, 4 * shownCharsMax))
}

function shown(text: string): string {
  return text.length > shownCharsMax ? `${text.slice(0, shownCharsMax)}…` : text
}
