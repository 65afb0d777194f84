// Casts: a value as text, number, bool, time or document. A text that does not parse as the type is
// 22P02 (22007 for times), a number out of range 22003.

import { offsetInUtf8 } from '../../../base/bytes/code-points.js'
import { hasKind } from '../../../base/errors.js'
import type { TypeName } from '../../../protocol/sql/ast.js'
import { dayMs } from '../../../query/expressions/dates/calendar.js'
import {
  decimalFromString,
  decodeDecimal,
  digitsOf,
  encodeDecimal,
  finiteExact,
} from '../../../value/decimal.js'
import { jsonToValue } from '../../../value/json/json.js'
import { numberOf, wholeOf } from '../../../value/numbers.js'
import {
  bigintOf,
  boolOf,
  boolValue,
  bsonType,
  dateValue,
  doubleValue,
  int32Value,
  int64Value,
  nullValue,
  objectIdValue,
  stringOf,
  stringValue,
  stringValueOf,
  type Value,
} from '../../../value/value.js'
import { writeArray } from '../../../value/writer.js'
import { isWhole } from './arithmetic.js'
import { evaluationError, evaluationState, outOfRange, withDetail } from './evaluation-error.js'
import { bigintOfExact, decimalOf, roundExact, shownExact } from './rounding.js'
import { parseArrayText } from './texts/array-text.js'
import { elementsSpent, spendOn } from './texts/text-cost.js'
import { textForm, utf8Form } from './texts/text-form.js'
import { hasTimeForm, parseTime } from './texts/time-text.js'

export type Cast = (value: Value) => Value

const text: CastOf = ({ modifiers: [length] }) => {
  if (length === undefined)
    return (value) => (isText(value) ? value : stringValueOf(utf8Form(value)))
  return (value) => {
    const whole = utf8Form(value)
    return stringValueOf(whole.subarray(0, offsetInUtf8(whole, length)))
  }
}

type CastOf = (type: TypeName) => Cast

const casts = new Map<string, CastOf>([
  ['text', text],
  ['varchar', text],
  ['bpchar', text],
  ['name', text],
  ['int2', () => whole('smallint', 16)],
  ['int4', () => whole('integer', 32)],
  ['int8', () => whole('bigint', 64)],
  ['float4', () => (value) => doubleValue(Math.fround(numberOf(double(value))))],
  ['float8', () => double],
  ['numeric', numeric],
  ['bool', () => bool],
  ['timestamptz', () => (value) => time(value, 'timestamp with time zone')],
  ['timestamp', () => (value) => time(value, 'timestamp')],
  ['date', () => (value) => startOfDay(time(value, 'date'))],
  // Numbers and names in the catalog; either stays as it is.
  ...['regclass', 'regtype', 'regnamespace', 'regproc'].map(
    (name) => [name, () => reference] as const,
  ),
  ['oid', () => whole('oid', 64)],
  ['json', () => json],
  ['jsonb', () => json],
])

/** Throws 42704 for an unknown type. */
export function castTo(type: TypeName): Cast {
  if (type.name === 'interval') {
    const message = 'intervals stand only behind + and - of a time'
    throw evaluationError(evaluationState.featureNotSupported, message)
  }
  const made = casts.get(type.name)
  if (made === undefined) {
    throw evaluationError(evaluationState.undefinedType, `type "${type.name}" does not exist`)
  }
  const single = made(type)
  return type.isArray ? (value) => arrayOf(value, single) : single
}

function arrayOf(value: Value, single: Cast): Value {
  const array = isText(value) ? parseArrayText(stringOf(value)) : value
  if (array.type !== bsonType.array) throw cannotCast(value, 'an array')
  return writeArray(
    elementsSpent(array).map((element) => (element.isNullish ? nullValue : single(element))),
  )
}

function reference(value: Value): Value {
  return value.isNumber || isText(value) ? value : stringValue(textForm(value))
}

function isText({ type }: Value): boolean {
  return type === bsonType.string || type === bsonType.symbol
}

function whole(name: string, bits: number): Cast {
  const limit = 2n ** BigInt(bits - 1)
  return (value) => {
    const n = wholeNumber(value, name)
    if (n < -limit || n >= limit) throw beyond(value, name)
    return bits === 64 ? int64Value(n) : int32Value(Number(n))
  }
}

function wholeNumber(value: Value, name: string): bigint {
  if (isWhole(value)) return wholeOf(value)
  if (value.isNumber) {
    const rounded = roundExact(shownExact(value), 0, 'nearest')
    if (rounded.kind === 'finite' && rounded.coefficient === 0n) return 0n
    if (rounded.kind !== 'finite' || digitsOf(rounded.coefficient) + rounded.exponent > 20) {
      throw outOfRange(`${name} out of range`)
    }
    return bigintOfExact(rounded)
  }
  if (value.type === bsonType.bool) return boolOf(value) ? 1n : 0n
  if (!isText(value)) throw cannotCast(value, name)
  spendOn(value.end - value.start, scanWeight)
  const given = stringOf(value).trim()
  if (!/^[+-]?\d+$/.test(given)) throw badText(name, stringOf(value))
  // Apart from leading zeros, more digits are out of range for every type.
  if (given.length > numberCharsMax) throw beyond(value, name)
  return BigInt(given.replace(/^\+/, ''))
}

/** 22003 */
function beyond(value: Value, type: string): Error {
  if (!isText(value)) return outOfRange(`${type} out of range`)
  return outOfRange(`value ${quoted(stringOf(value))} is out of range for type ${type}`)
}

const numberCharsMax = 400

function double(value: Value): Value {
  if (value.type === bsonType.double) return value
  if (value.isNumber) return doubleValue(numberOf(value))
  if (!isText(value)) throw cannotCast(value, 'double precision')
  const given = wordOf(value, 'double precision')
  const special = /^([+-]?)(?:(inf(?:inity)?)|nan)$/i.exec(given)
  if (special !== null) {
    if (special[2] === undefined) return doubleValue(Number.NaN)
    return doubleValue(special[1] === '-' ? Number.NEGATIVE_INFINITY : Number.POSITIVE_INFINITY)
  }
  const isNumber = given.length <= numberCharsMax && numberForm.test(given)
  if (!isNumber) throw badText('double precision', given)
  const n = Number(given)
  if (!Number.isFinite(n)) throw outOfRange(`"${given}" is out of range for type double precision`)
  return doubleValue(n)
}

const numberForm = /^[+-]?(?:\d+(?:\.\d*)?|\.\d+)(?:e[+-]?\d+)?$/i

/** `numeric(precision, scale)`: rounds to the scale, and refuses numbers above the precision. */
function numeric({ modifiers: [precision, scale = 0] }: TypeName): Cast {
  if (precision === undefined) return anyNumeric
  if (precision < 1 || precision > 34 || scale > precision) {
    throw evaluationError(
      evaluationState.badArgument,
      `NUMERIC precision ${precision} must be between 1 and 34`,
    )
  }
  return (value) => {
    const given = anyNumeric(value)
    const exact = roundExact(decodeDecimal(given.bytes, given.start), scale, 'nearest')
    if (exact.kind === 'nan') return given
    const { kind, negative, coefficient, exponent } = exact
    const isHeld = kind === 'finite' && digitsOf(coefficient) + exponent <= precision - scale
    if (coefficient !== 0n && !isHeld) throw fieldOverflow(precision, scale)
    if (kind !== 'finite') throw fieldOverflow(precision, scale)
    const pad = coefficient === 0n ? 0 : exponent + scale
    return encodeDecimal(finiteExact(negative, coefficient * 10n ** BigInt(pad), -scale))
  }
}

function fieldOverflow(precision: number, scale: number): Error {
  const below = precision === scale ? '1' : `10^${precision - scale}`
  const what = `A field with precision ${precision}, scale ${scale}`
  const detail = `${what} must round to an absolute value less than ${below}.`
  return withDetail(outOfRange('numeric field overflow'), detail)
}

function anyNumeric(value: Value): Value {
  if (value.type === bsonType.decimal128) return value
  if (value.isNumber) return decimalOf(value)
  if (!isText(value)) throw cannotCast(value, 'numeric')
  const given = wordOf(value, 'numeric')
  const isSpecial = /^[+-]?(?:inf(?:inity)?|nan)$/i.test(given)
  if (!isSpecial && (given.length > numberCharsMax || !numberForm.test(given))) {
    throw badText('numeric', given)
  }
  const made = decimalFromString(given, true)
  const { kind } = decodeDecimal(made.bytes, made.start)
  if (kind === 'infinity' && !isSpecial) throw outOfRange('value overflows numeric format')
  return made
}

const truths = new Map<string, boolean>([
  ...['t', 'tr', 'tru', 'true', 'y', 'ye', 'yes', 'on', '1'].map((word) => [word, true] as const),
  ...['f', 'fa', 'fal', 'fals', 'false', 'n', 'no', 'of', 'off', '0'].map(
    (word) => [word, false] as const,
  ),
])

function bool(value: Value): Value {
  if (value.type === bsonType.bool) return value
  if (isWhole(value)) return boolValue(wholeOf(value) !== 0n)
  if (!isText(value)) throw cannotCast(value, 'boolean')
  const given = wordOf(value, 'boolean')
  const truth = truths.get(given.toLowerCase())
  if (truth === undefined) throw badText('boolean', given)
  return boolValue(truth)
}

function time(value: Value, type = 'timestamp with time zone'): Value {
  if (value.type === bsonType.date) return value
  if (!isText(value)) throw cannotCast(value, type)
  const given = wordOf(value, type, evaluationState.badDate)
  const ms = parseTime(given)
  if (ms !== undefined) return dateValue(ms)
  if (!hasTimeForm(given)) throw badText(type, given, evaluationState.badDate)
  const message = `date/time field value out of range: ${quoted(given)}`
  throw evaluationError(evaluationState.dateOutOfRange, message, undefined, styleHint(given))
}

/** A hint if the month or the day does not exist. */
function styleHint(given: string): string | undefined {
  const [month = 0, day = 0] = [Number(given.slice(5, 7)), Number(given.slice(8, 10))]
  const isFitting = month >= 1 && month <= 12 && day >= 1 && day <= 31
  return isFitting ? undefined : 'Perhaps you need a different "datestyle" setting.'
}

/** Start of the day in UTC. */
function startOfDay(date: Value): Value {
  const ms = bigintOf(date)
  const day = BigInt(dayMs)
  const within = ((ms % day) + day) % day
  return dateValue(ms - within)
}

function json(value: Value): Value {
  if (!isText(value)) return value
  return jsonOfText(value)
}

/** The JSON of a text. Throws 22P02 if it is not valid. */
export function jsonOfText({ bytes, start, end }: Value): Value {
  spendOn(end - start)
  try {
    return jsonToValue(bytes.subarray(start + 4, end - 1))
  } catch (error) {
    if (hasKind(error, 'MaxTimeMSExpired')) throw error
    throw evaluationError(evaluationState.badText, 'invalid input syntax for type json')
  }
}

/**
 * An array element that came as text, cast to the type of the value it is compared with. It stays a
 * text if it does not parse.
 */
export function inTypeOf(
  other: Value | undefined,
  element: Value | undefined,
  isId: boolean,
): Value | undefined {
  if (other === undefined || element === undefined) return element
  if (other.isNumber) return read(anyNumeric, element)
  if (other.type === bsonType.bool) return read(bool, element)
  if (other.type === bsonType.date) return read(time, element)
  const isHex = /^[0-9a-f]{24}$/i.test(stringOf(element))
  if (!isId || other.type !== bsonType.objectId || !isHex) return element
  return objectIdValue(Buffer.from(stringOf(element), 'hex'))
}

function read(cast: Cast, text: Value): Value {
  try {
    return cast(text)
  } catch (error) {
    if (hasKind(error, 'MaxTimeMSExpired')) throw error
    // Other rows may have other types, so the text only counts as unequal here.
    return text
  }
}

/** The text of a short word; an overlong text is 22P02. */
function wordOf(value: Value, type: string, state: TextState = evaluationState.badText): string {
  const { start, end } = value
  if (end - start <= wordBytesMax) return stringOf(value).trim()
  const shown = Buffer.from(value.bytes.buffer, value.bytes.byteOffset + start + 4, shownBytes)
  throw badText(type, shown.toString(), state)
}

type TextState = typeof evaluationState.badText | typeof evaluationState.badDate

/** Spaces around a number or a time count toward this bound. */
const wordBytesMax = 8_192
const shownBytes = 256
/** Cost of parsing a character, relative to reading it. */
const scanWeight = 4

function badText(type: string, given: string, state: TextState = evaluationState.badText): Error {
  return evaluationError(state, `invalid input syntax for type ${type}: ${quoted(given)}`)
}

function quoted(given: string): string {
  return `"${given.length > 60 ? `${given.slice(0, 60)}…` : given}"`
}

function cannotCast(value: Value, type: string): Error {
  const message = `cannot cast type ${typeNameOf(value)} to ${type}`
  return evaluationError(evaluationState.cannotCast, message)
}

/** The SQL type of a value, for error texts. */
export function typeNameOf(value: Value): string {
  switch (value.type) {
    case bsonType.string:
    case bsonType.symbol:
      return 'text'
    case bsonType.int32:
      return 'integer'
    case bsonType.int64:
      return 'bigint'
    case bsonType.double:
      return 'double precision'
    case bsonType.decimal128:
      return 'numeric'
    case bsonType.bool:
      return 'boolean'
    case bsonType.date:
      return 'timestamp with time zone'
    case bsonType.objectId:
      return 'ObjectId'
    case bsonType.array:
    case bsonType.object:
      return 'jsonb'
    default:
      return 'unknown'
  }
}
