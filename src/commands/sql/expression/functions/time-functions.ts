// Functions of times, all in UTC. `now` is the statement's time: one statement sees one moment, and
// a program that runs again gives the same result.

import { integerOf, numberOf } from '../../../../value/numbers.js'
import { dateValue, doubleValue, int32Value, type Value } from '../../../../value/value.js'
import { evaluationError, evaluationState } from '../evaluation-error.js'
import { dayMs, timeMsMax } from '../texts/time-text.js'
import { countAt, type FunctionRow, numberAt, row, textOf, timeAt } from './function-row.js'

export const timeFunctions: readonly FunctionRow[] = [
  row(
    'now current_timestamp transaction_timestamp statement_timestamp localtimestamp',
    [0, 1],
    (_, now) => dateValue(now),
  ),
  row('current_date', [0, 0], (_, now) => dateValue(Math.floor(now / dayMs) * dayMs)),
  row('extract date_part', [2, 2], (args) => part(textOf(args, 0), timeAt(args, 1))),
  row('date_trunc', [2, 3], dateTrunc),
  row('timezone', [1, 2], inZone),
  row('to_timestamp', [1, 1], toTimestamp),
  row('make_date', [3, 3], makeDate),
]

function dateTrunc(args: readonly Value[]): Value {
  if (args.length > 2) requireUtc(textOf(args, 2))
  return dateValue(truncated(textOf(args, 0), timeAt(args, 1)))
}

/** `AT TIME ZONE`: only UTC is supported, so the value is unchanged. */
function inZone(args: readonly Value[]): Value {
  if (args.length > 1) requireUtc(textOf(args, 0))
  return dateValue(timeAt(args, args.length - 1))
}

function toTimestamp(args: readonly Value[]): Value {
  const ms = Math.round(numberOf(numberAt(args, 0)) * 1000)
  if (Math.abs(ms) <= timeMsMax) return dateValue(ms)
  throw evaluationError(evaluationState.dateOutOfRange, 'timestamp out of range')
}

function makeDate(args: readonly Value[]): Value {
  const [year, month, day] = [countAt(args, 0), countAt(args, 1), countAt(args, 2)]
  const ms = utcDay(year, month - 1, day)
  const made = new Date(ms)
  if (made.getUTCMonth() === month - 1 && made.getUTCDate() === day) return dateValue(ms)
  throw evaluationError(evaluationState.dateOutOfRange, 'date field value out of range')
}

function requireUtc(zone: string): void {
  if (/^(?:utc|gmt|z|etc\/utc)$/i.test(zone)) return
  throw evaluationError(evaluationState.featureNotSupported, 'time zones but UTC are not supported')
}

/** Midnight. Handles the years 0 to 99, which Date.UTC would treat as 1900 to 1999. */
function utcDay(year: number, month: number, day: number): number {
  return new Date(0).setUTCFullYear(year, month, day)
}

function badUnit(unit: string): Error {
  const message = `unit "${unit}" not recognized for type timestamp with time zone`
  return evaluationError(evaluationState.badArgument, message)
}

/** Monday is 1. */
function isoWeekday(date: Date): number {
  return date.getUTCDay() || 7
}

function part(unit: string, ms: number): Value {
  const date = new Date(ms)
  switch (unit.toLowerCase()) {
    case 'epoch':
      return secondsValue(ms)
    case 'second':
      return secondsValue(date.getUTCSeconds() * 1000 + date.getUTCMilliseconds())
    case 'milliseconds':
    case 'millisecond':
      return int32Value(date.getUTCSeconds() * 1000 + date.getUTCMilliseconds())
    case 'microseconds':
    case 'microsecond':
      return int32Value((date.getUTCSeconds() * 1000 + date.getUTCMilliseconds()) * 1000)
    case 'minute':
      return int32Value(date.getUTCMinutes())
    case 'hour':
      return int32Value(date.getUTCHours())
    case 'day':
      return int32Value(date.getUTCDate())
    case 'dow':
      return int32Value(date.getUTCDay())
    case 'isodow':
      return int32Value(isoWeekday(date))
    case 'doy':
      return int32Value((midnight(ms) - utcDay(date.getUTCFullYear(), 0, 1)) / dayMs + 1)
    case 'week':
      return int32Value(isoWeek(date).week)
    case 'isoyear':
      return int32Value(isoWeek(date).year)
    case 'month':
      return int32Value(date.getUTCMonth() + 1)
    case 'quarter':
      return int32Value(Math.floor(date.getUTCMonth() / 3) + 1)
    case 'year':
      return int32Value(date.getUTCFullYear())
    case 'decade':
      return int32Value(Math.floor(date.getUTCFullYear() / 10))
    case 'century':
      return int32Value(Math.ceil(date.getUTCFullYear() / 100))
    default:
      throw badUnit(unit)
  }
}

/** Whole seconds stay integers. */
function secondsValue(ms: number): Value {
  const seconds = doubleValue(ms / 1000)
  const whole = integerOf(seconds)
  return whole !== undefined && Math.abs(whole) <= 0x7fffffff ? int32Value(whole) : seconds
}

function midnight(ms: number): number {
  return Math.floor(ms / dayMs) * dayMs
}

/** The week of a date's Thursday, in that Thursday's year. (ISO 8601) */
function isoWeek(date: Date): { year: number; week: number } {
  const thursday = midnight(date.getTime()) + (4 - isoWeekday(date)) * dayMs
  const year = new Date(thursday).getUTCFullYear()
  return { year, week: Math.floor((thursday - utcDay(year, 0, 1)) / dayMs / 7) + 1 }
}

const fixedUnitMs = new Map<string, number>([
  ['microseconds', 1],
  ['milliseconds', 1],
  ['second', 1000],
  ['minute', 60_000],
  ['hour', 3_600_000],
  ['day', dayMs],
])

function truncated(unit: string, ms: number): number {
  const lower = unit.toLowerCase()
  const fixed = fixedUnitMs.get(lower)
  if (fixed !== undefined) return Math.floor(ms / fixed) * fixed
  const date = new Date(ms)
  const year = date.getUTCFullYear()
  const month = date.getUTCMonth()
  switch (lower) {
    case 'week':
      return midnight(ms) - (isoWeekday(date) - 1) * dayMs
    case 'month':
      return utcDay(year, month, 1)
    case 'quarter':
      return utcDay(year, month - (month % 3), 1)
    case 'year':
      return utcDay(year, 0, 1)
    case 'decade':
      return utcDay(Math.floor(year / 10) * 10, 0, 1)
    case 'century':
      return utcDay(Math.floor((year - 1) / 100) * 100 + 1, 0, 1)
    default:
      throw badUnit(unit)
  }
}
