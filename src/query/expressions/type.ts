// Types: $type, $isNumber, and $convert with its short forms $toInt … $toObjectId. A failed
// conversion is error 241, or the value of `onError`; null and missing give `onNull`.

import { fail, type GatewayError, hasKind } from '../../base/errors.js'
import { work } from '../../base/work/work-budget.js'
import { decimalFromString, truncDecimal } from '../../value/decimal.js'
import { exactOf, integerOf, isZero, numberOf, toDecimal } from '../../value/numbers.js'
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
  trueValue,
  type Value,
} from '../../value/value.js'
import { isoText } from './dates/calendar.js'
import { dateFromText } from './dates/date-text.js'
import { momentOf } from './dates/time-zone.js'
import {
  Constant,
  compileNamed,
  type Env,
  type Expression,
  fold,
  isNullish,
  missing,
  type OperatorRow,
  operandsOf,
  type Result,
  type Scope,
  typeName,
  unary,
  valueText,
} from './operator.js'

type Convert = (value: Value) => Value

/** Work units of a number's text, 0.5 µs. */
const numberTextUnits = 5

const int32Range = [-(2n ** 31n), 2n ** 31n - 1n] as const
const int64Range = [-(2n ** 63n), 2n ** 63n - 1n] as const

function failure(text: string): GatewayError {
  return fail('ConversionFailure', text)
}

function unsupported(value: Value, to: string): GatewayError {
  return failure(
    `Unsupported conversion from ${typeName(value)} to ${to} in $convert with no onError value`,
  )
}

function overflow(value: Value): GatewayError {
  return failure(
    `Conversion would overflow target type in $convert with no onError value: ${valueText(value)}`,
  )
}

function unparsable(kind: string, text: string, why: string): GatewayError {
  return failure(`Failed to parse ${kind} '${text}' in $convert with no onError value: ${why}`)
}

function toDouble(value: Value): Value {
  switch (value.type) {
    case bsonType.double:
      return value
    case bsonType.int32:
    case bsonType.int64:
      return doubleValue(numberOf(value))
    case bsonType.decimal128: {
      const n = numberOf(value)
      if (!Number.isFinite(n) && !/nan|inf/i.test(valueText(value))) throw overflow(value)
      return doubleValue(n)
    }
    case bsonType.bool:
      return doubleValue(boolOf(value) ? 1 : 0)
    case bsonType.date:
      return doubleValue(Number(bigintOf(value)))
    case bsonType.string:
      return doubleFromText(stringOf(value))
    default:
      throw unsupported(value, 'double')
  }
}

const doubleText = /^[+-]?(?:\d+\.?\d*|\.\d+)(?:[eE][+-]?\d+)?$/
const specialText = /^([+-]?)(?:(inf(?:inity)?)|nan)$/i

function doubleFromText(text: string): Value {
  const special = specialText.exec(text)
  if (special !== null) {
    if (special[2] === undefined) return doubleValue(Number.NaN)
    return doubleValue(special[1] === '-' ? Number.NEGATIVE_INFINITY : Number.POSITIVE_INFINITY)
  }
  if (!doubleText.test(text)) {
    throw unparsable('number', text, text === '' ? 'Empty string' : 'Did not consume whole string.')
  }
  const n = Number(text)
  if (!Number.isFinite(n)) throw unparsable('number', text, 'Out of range')
  return doubleValue(n)
}

/** $toInt and $toLong: fractions are truncated. */
function toWhole(
  to: string,
  [least, most]: readonly [bigint, bigint],
  make: (n: bigint) => Value,
): Convert {
  return (value) => {
    const n = wholeFrom(to, value)
    if (n < least || n > most) throw overflow(value)
    return make(n)
  }
}

function wholeFrom(to: string, value: Value): bigint {
  switch (value.type) {
    case bsonType.int32:
      return BigInt(numberOf(value))
    case bsonType.int64:
      return bigintOf(value)
    case bsonType.double:
      return wholeFromDouble(value, numberOf(value))
    case bsonType.decimal128: {
      const n = numberOf(value)
      const whole = integerOf(value)
      if (whole !== undefined || !Number.isFinite(n)) return wholeFromDouble(value, whole ?? n)
      return wholeFromDecimal(value)
    }
    case bsonType.bool:
      return boolOf(value) ? 1n : 0n
    case bsonType.date:
      if (to === 'long') return bigintOf(value)
      throw unsupported(value, to)
    case bsonType.string: {
      const text = stringOf(value)
      if (/^[+-]?\d+$/.test(text) && text.length < 32) {
        const n = BigInt(text.replace('+', ''))
        if (n >= int64Range[0] && n <= int64Range[1]) return n
        throw unparsable('number', text, 'Overflow')
      }
      throw unparsable(
        'number',
        text,
        text === '' ? 'Empty string' : 'Did not consume whole string.',
      )
    }
    default:
      throw unsupported(value, to)
  }
}

function wholeFromDouble(value: Value, n: number): bigint {
  if (Number.isFinite(n)) return BigInt(Math.trunc(n))
  const what = Number.isNaN(n) ? 'NaN' : 'infinity'
  throw failure(
    `Attempt to convert ${what} value to integer type in $convert with no onError value: ` +
      valueText(value),
  )
}

/** The whole part of a decimal above 2^53 or with a fraction. */
function wholeFromDecimal(value: Value): bigint {
  if (Math.abs(numberOf(value)) >= 2 ** 64) throw overflow(value)
  const exact = truncDecimal(exactOf(value))
  const size = exact.coefficient * 10n ** BigInt(exact.exponent)
  return exact.negative ? -size : size
}

function toText(value: Value): Value {
  switch (value.type) {
    case bsonType.string:
      return value
    case bsonType.double:
      work.spend(numberTextUnits)
      return stringValue(doubleToText(numberOf(value)))
    case bsonType.int32:
    case bsonType.int64:
    case bsonType.decimal128:
      work.spend(numberTextUnits)
      return stringValue(valueText(value))
    case bsonType.bool:
      return stringValue(String(boolOf(value)))
    case bsonType.date:
      return stringValue(isoText(Number(bigintOf(value))))
    case bsonType.objectId:
      return stringValue(Buffer.from(value.payload()).toString('hex'))
    default:
      throw unsupported(value, 'string')
  }
}

function doubleToText(n: number): string {
  return Object.is(n, -0) ? '-0' : String(n)
}

function toDate(value: Value): Value {
  switch (value.type) {
    case bsonType.date:
      return value
    case bsonType.int64:
      return dateValue(bigintOf(value))
    case bsonType.double:
    case bsonType.decimal128: {
      const n = wholeFrom('date', value)
      if (n < int64Range[0] || n > int64Range[1]) throw overflow(value)
      return dateValue(n)
    }
    case bsonType.timestamp:
    case bsonType.objectId:
      return dateValue(momentOf(value))
    case bsonType.string:
      return dateValue(dateFromText(stringOf(value)))
    default:
      throw unsupported(value, 'date')
  }
}

function toObjectId(value: Value): Value {
  if (value.type === bsonType.objectId) return value
  if (value.type !== bsonType.string) throw unsupported(value, 'objectId')
  const text = stringOf(value)
  if (/^[0-9a-fA-F]{24}$/.test(text)) return objectIdValue(Buffer.from(text, 'hex'))
  throw unparsable(
    'objectId',
    text,
    text.length === 24
      ? 'Invalid character found in hex string'
      : `Invalid string length for parsing to OID, expected 24 but found ${text.length}`,
  )
}

function toBool(value: Value): Value {
  if (value.type === bsonType.bool) return value
  return value.isNumber ? boolValue(!isZero(value)) : trueValue
}

function convertToDecimal(value: Value): Value {
  switch (value.type) {
    case bsonType.string: {
      const text = stringOf(value)
      try {
        return decimalFromString(text, true)
      } catch {
        throw unparsable('number', text, 'Failed to parse string to decimal')
      }
    }
    case bsonType.bool:
      return toDecimal(int32Value(boolOf(value) ? 1 : 0))
    case bsonType.date:
      return toDecimal(int64Value(bigintOf(value)))
    default:
      if (value.isNumber) return toDecimal(value)
      throw unsupported(value, 'decimal')
  }
}

/** By the name of the target type; other types cannot be targets. */
const conversions = new Map<string, Convert>([
  ['double', toDouble],
  ['string', toText],
  ['objectId', toObjectId],
  ['bool', toBool],
  ['date', toDate],
  ['int', toWhole('int', int32Range, (n) => int32Value(Number(n)))],
  ['long', toWhole('long', int64Range, int64Value)],
  ['decimal', convertToDecimal],
])

const numberedTypes = new Map<number, string>([
  [1, 'double'],
  [2, 'string'],
  [3, 'object'],
  [4, 'array'],
  [5, 'binData'],
  [6, 'undefined'],
  [7, 'objectId'],
  [8, 'bool'],
  [9, 'date'],
  [10, 'null'],
  [11, 'regex'],
  [12, 'dbPointer'],
  [13, 'javascript'],
  [14, 'symbol'],
  [15, 'javascriptWithScope'],
  [16, 'int'],
  [17, 'timestamp'],
  [18, 'long'],
  [19, 'decimal'],
  [-1, 'minKey'],
  [127, 'maxKey'],
])
const namedTypes = new Set(numberedTypes.values())

/** The name of the type in a `to` argument. */
function targetOf(to: Value): string {
  if (to.type === bsonType.string) {
    const name = stringOf(to)
    if (!namedTypes.has(name)) throw fail('BadValue', `Unknown type name: ${name}`)
    return name
  }
  if (!to.isNumber) {
    throw fail(
      'FailedToParse',
      `$convert's 'to' argument must be a string or number, but is ${typeName(to)}`,
    )
  }
  const number = integerOf(to)
  if (number === undefined) {
    throw fail('FailedToParse', "In $convert, numeric 'to' argument is not an integer")
  }
  const name = numberedTypes.get(number)
  if (name !== undefined) return name
  throw fail(
    'FailedToParse',
    `In $convert, numeric value for 'to' does not correspond to a BSON type: ${number}`,
  )
}

function convert(value: Value, to: string): Value {
  const conversion = conversions.get(to)
  if (conversion === undefined) throw unsupported(value, to)
  return conversion(value)
}

class ConvertExpression implements Expression {
  constructor(
    private readonly operands: readonly [Expression, Expression, Expression, Expression],
  ) {}

  evaluate(env: Env): Result {
    const [input, to, onError, onNull] = this.operands
    const value = input.evaluate(env)
    const target = to.evaluate(env)
    const name = isNullish(target) ? undefined : targetOf(target)
    if (isNullish(value)) return onNull === missing ? nullValue : onNull.evaluate(env)
    if (name === undefined) return nullValue
    try {
      return convert(value, name)
    } catch (error) {
      const isFailure = hasKind(error, 'ConversionFailure')
      if (!isFailure || onError === missing) throw error
      return onError.evaluate(env)
    }
  }
}

function compileConvert(operand: Value, scope: Scope): Expression {
  const rules = {
    notObject: [
      'FailedToParse',
      `$convert expects an object of named arguments but found: ${typeName(operand)}`,
    ],
    unknown: (name: string) =>
      ['FailedToParse', `$convert found an unknown argument: ${name}`] as const,
    required: {
      input: ['FailedToParse', "Missing 'input' parameter to $convert"],
      to: ['FailedToParse', "Missing 'to' parameter to $convert"],
    },
    optional: ['onError', 'onNull'],
  } as const
  const operands = compileNamed(operand, scope, rules, ['input', 'to', 'onError', 'onNull'])
  return fold(
    new ConvertExpression(operands as [Expression, Expression, Expression, Expression]),
    operands,
  )
}

/** `$toInt: x` is `$convert: {input: x, to: 'int'}`. */
function shortForm(name: string, to: string): OperatorRow {
  const arity = [1, 1] as const
  return {
    name,
    readsRoot: false,
    arity,
    compile: (operand, scope) => {
      const [input] = operandsOf(name, arity, operand, scope)
      const target = new Constant(stringValue(to))
      const operands = [input as Expression, target, missing, missing] as const
      return fold(new ConvertExpression(operands), operands)
    },
  }
}

export const typeOperators: readonly OperatorRow[] = [
  unary('$type', (value) => stringValue(typeName(value))),
  unary('$isNumber', (value) => boolValue(value?.isNumber === true)),
  { name: '$convert', readsRoot: false, compile: compileConvert },
  shortForm('$toBool', 'bool'),
  shortForm('$toInt', 'int'),
  shortForm('$toLong', 'long'),
  shortForm('$toDouble', 'double'),
  shortForm('$toDecimal', 'decimal'),
  shortForm('$toString', 'string'),
  shortForm('$toDate', 'date'),
  shortForm('$toObjectId', 'objectId'),
]
