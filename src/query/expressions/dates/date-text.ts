// Dates as text: $dateToString and $dateFromString, with MongoDB's formats. A text without a format
// is parsed in the usual forms (date-parse.ts).

import { fail, type GatewayError } from '../../../base/errors.js'
import { isTooMuchWork } from '../../../base/work/work-budget.js'
import {
  bsonType,
  dateValue,
  nullValue,
  stringOf,
  stringValue,
  type Value,
} from '../../../value/value.js'
import {
  Constant,
  compileNamed,
  type Env,
  type Expression,
  fold,
  isNullish,
  location,
  missing,
  type OperatorRow,
  type Result,
  type Scope,
  typeName,
  valueText,
} from '../operator.js'
import {
  dayMs,
  dayOfYear,
  isoWeekday,
  isoWeekOf,
  padded,
  partsOf,
  weekdayOf,
  weekOf,
} from './calendar.js'
import { parseByFormat, parseFreely } from './date-parse.js'
import { momentOf, type TimeZone, toUtc, utcZone, zoneArgument } from './time-zone.js'

const monthNames = [
  'January',
  'February',
  'March',
  'April',
  'May',
  'June',
  'July',
  'August',
  'September',
  'October',
  'November',
  'December',
]

interface Moment {
  readonly local: number
  readonly offsetMs: number
}

const specifiers: Readonly<Record<string, (moment: Moment) => string>> = {
  d: ({ local }) => padded(partsOf(local).day, 2),
  G: ({ local }) => padded(isoWeekOf(Math.floor(local / dayMs)).year, 4),
  H: ({ local }) => padded(partsOf(local).hour, 2),
  j: ({ local }) => padded(dayOfYear(Math.floor(local / dayMs)), 3),
  L: ({ local }) => padded(partsOf(local).millisecond, 3),
  m: ({ local }) => padded(partsOf(local).month, 2),
  M: ({ local }) => padded(partsOf(local).minute, 2),
  S: ({ local }) => padded(partsOf(local).second, 2),
  w: ({ local }) => String(weekdayOf(Math.floor(local / dayMs)) + 1),
  u: ({ local }) => String(isoWeekday(Math.floor(local / dayMs))),
  U: ({ local }) => padded(weekOf(Math.floor(local / dayMs)), 2),
  V: ({ local }) => padded(isoWeekOf(Math.floor(local / dayMs)).week, 2),
  Y: ({ local }) => padded(partsOf(local).year, 4),
  b: ({ local }) => (monthNames[partsOf(local).month - 1] ?? '').slice(0, 3),
  B: ({ local }) => monthNames[partsOf(local).month - 1] ?? '',
  z: ({ offsetMs }) => offsetText(offsetMs),
  Z: ({ offsetMs }) => `${offsetMs < 0 ? '-' : '+'}${padded(Math.abs(offsetMs) / 60_000, 3)}`,
  '%': () => '%',
}

function offsetText(offsetMs: number): string {
  const minutes = Math.abs(Math.trunc(offsetMs / 60_000))
  const sign = offsetMs < 0 ? '-' : '+'
  return sign + padded(Math.floor(minutes / 60), 2) + padded(minutes % 60, 2)
}

function formatted(format: string, utcMs: number, zone: TimeZone): string {
  const offsetMs = zone.offsetAt(utcMs)
  const moment = { local: utcMs + offsetMs, offsetMs }
  const { year } = partsOf(moment.local)
  if (year < 0 || year > 9999) {
    throw location(18537, `$dateToString is only defined on year 0-9999, tried to use year ${year}`)
  }
  let text = ''
  for (let i = 0; i < format.length; i++) {
    const char = format.charAt(i)
    text += char === '%' ? (specifiers[format.charAt(++i)] as (m: Moment) => string)(moment) : char
  }
  return text
}

/** Checks a format before it is used. */
function requireFormat(format: string): void {
  for (let i = format.indexOf('%'); i >= 0; i = format.indexOf('%', i + 2)) {
    const letter = format.charAt(i + 1)
    if (letter === '') throw location(18535, "Unmatched '%' at end of format string")
    if (!Object.hasOwn(specifiers, letter)) {
      throw location(18536, `Invalid format character '%${letter}' in format string`)
    }
  }
}

const isoFormat = '%Y-%m-%dT%H:%M:%S.%L'

function compileToString(operand: Value, scope: Scope): Expression {
  const rules = {
    notObject: [18629, '$dateToString only supports an object as its argument'],
    unknown: (name: string) => [18534, `Unrecognized argument to $dateToString: ${name}`] as const,
    required: { date: [18628, "Missing 'date' parameter to $dateToString"] },
    optional: ['format', 'timezone', 'onNull'],
  } as const
  const names = ['date', 'format', 'timezone', 'onNull']
  const operands = compileNamed(operand, scope, rules, names)
  const [, format, zone] = operands
  const fixed = format instanceof Constant && format !== missing ? format.value : undefined
  if (fixed?.type === bsonType.string) requireFormat(stringOf(fixed))
  return fold(
    new DateToString(
      operands as [Expression, Expression, Expression, Expression],
      format !== missing,
      zone !== missing,
    ),
    operands,
  )
}

class DateToString implements Expression {
  constructor(
    private readonly operands: readonly [Expression, Expression, Expression, Expression],
    private readonly hasFormat: boolean,
    private readonly hasZone: boolean,
  ) {}

  evaluate(env: Env): Result {
    const [dateOperand, formatOperand, zoneOperand, onNull] = this.operands
    const date = dateOperand.evaluate(env)
    const format = formatOperand.evaluate(env)
    const zone = zoneOperand.evaluate(env)
    if (this.hasFormat && !isNullish(format) && format.type !== bsonType.string) {
      throw location(
        18533,
        `$dateToString requires that 'format' be a string, found: ${typeName(format)} with ` +
          `value ${valueText(format)}`,
      )
    }
    if (isNullish(date)) return onNull === missing ? nullValue : onNull.evaluate(env)
    if ((this.hasZone && isNullish(zone)) || (this.hasFormat && isNullish(format))) {
      return nullValue
    }
    const timeZone = this.hasZone ? zoneArgument('$dateToString', zone) : utcZone
    const text = format === undefined ? isoFormat + (timeZone.isUtc ? 'Z' : '') : stringOf(format)
    requireFormat(text)
    return stringValue(formatted(text, momentOf(date), timeZone))
  }
}

function conversionFailure(text: string): GatewayError {
  return fail('ConversionFailure', text)
}

function compileFromString(operand: Value, scope: Scope): Expression {
  const rules = {
    notObject: [
      40540,
      `$dateFromString only supports an object as an argument, found: ${typeName(operand)}`,
    ],
    unknown: (name: string) =>
      [40541, `Unrecognized argument to $dateFromString: ${name}`] as const,
    required: { dateString: [40542, "Missing 'dateString' parameter to $dateFromString"] },
    optional: ['format', 'timezone', 'onError', 'onNull'],
  } as const
  const names = ['dateString', 'format', 'timezone', 'onError', 'onNull']
  const operands = compileNamed(operand, scope, rules, names)
  return fold(new DateFromString(operands), operands)
}

class DateFromString implements Expression {
  constructor(private readonly operands: readonly Expression[]) {}

  evaluate(env: Env): Result {
    const [text, format, zone, onError, onNull] = this.operands as [
      Expression,
      Expression,
      Expression,
      Expression,
      Expression,
    ]
    const value = text.evaluate(env)
    const pattern = format.evaluate(env)
    const timeZone = zone.evaluate(env)
    if (isNullish(value)) return onNull === missing ? nullValue : onNull.evaluate(env)
    if (format !== missing && !isNullish(pattern) && pattern.type !== bsonType.string) {
      throw location(
        40684,
        `$dateFromString requires that 'format' be a string, found: ${typeName(pattern)} with ` +
          `value ${valueText(pattern)}`,
      )
    }
    const isHalf =
      (format !== missing && isNullish(pattern)) || (zone !== missing && isNullish(timeZone))
    if (isHalf) return nullValue
    const local = zone === missing ? undefined : zoneArgument('$dateFromString', timeZone)
    try {
      return parseDate(value, pattern === undefined ? undefined : stringOf(pattern), local)
    } catch (error) {
      if (onError === missing || isTooMuchWork(error)) throw error
      return onError.evaluate(env)
    }
  }
}

function parseDate(value: Value, format: string | undefined, zone: TimeZone | undefined): Value {
  if (value.type !== bsonType.string) {
    throw conversionFailure(
      `$dateFromString requires that 'dateString' be a string, found: ${typeName(value)} with ` +
        `value ${valueText(value)}`,
    )
  }
  return dateValue(dateFromText(stringOf(value), format, zone))
}

/** Milliseconds since 1970 of a text. Throws ConversionFailure. */
export function dateFromText(text: string, format?: string, zone?: TimeZone): number {
  const parsed = format === undefined ? parseFreely(text) : parseByFormat(text, format)
  if (typeof parsed === 'string') {
    throw conversionFailure(`Error parsing date string '${text}'; ${parsed}`)
  }
  if (parsed.offsetMs !== undefined) {
    if (zone !== undefined) {
      throw conversionFailure(
        'you cannot pass in a date/time string with GMT offset together with a timezone argument',
      )
    }
    return parsed.localMs - parsed.offsetMs
  }
  if (parsed.zone !== undefined) {
    if (zone !== undefined) {
      throw conversionFailure(
        `you cannot pass in a date/time string with time zone information ('${text}') ` +
          'together with a timezone argument',
      )
    }
    return toUtc(parsed.localMs, parsed.zone)
  }
  return toUtc(parsed.localMs, zone ?? utcZone)
}

export const dateTextOperators: readonly OperatorRow[] = [
  { name: '$dateToString', readsRoot: false, compile: compileToString },
  { name: '$dateFromString', readsRoot: false, compile: compileFromString },
]
