// Functions of times, all in UTC. `now` is the begin of the transaction, as in PostgreSQL: all its
// statements see one moment, and a program that runs again gives the same result.

import {
  dayMs,
  dayOfYear,
  daysOf,
  isoWeekday,
  isoWeekOf,
  partsOf,
  weekdayOf,
} from '../../../../query/expressions/dates/calendar.js'
import { integerOf, numberOf } from '../../../../value/numbers.js'
import { dateValue, doubleValue, int32Value, type Value } from '../../../../value/value.js'
import { evaluationError, evaluationState } from '../evaluation-error.js'
import { timeMsMax } from '../texts/time-text.js'
import { countAt, type FunctionRow, numberAt, row, textOf, timeAt } from './function-row.js'

export const timeFunctions: readonly FunctionRow[] = [
  row('current_timestamp localtimestamp', [0, 1], (_, { now }) => dateValue(now)),
  row('now transaction_timestamp', [0, 0], (_, { now }) => dateValue(now)),
  row('statement_timestamp', [0, 0], (_, { statement }) => dateValue(statement)),
  {
    ...row('clock_timestamp', [0, 0], (_, { clock }) => dateValue(clock())),
    isVolatile: true,
  },
  row('current_date', [0, 0], (_, { now }) => dateValue(Math.floor(now / dayMs) * dayMs)),
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
  const ms = midnight(year, month, day)
  const made = partsOf(ms)
  const isDay = made.month === month && made.day === day
  if (isDay && Math.abs(ms) <= timeMsMax) return dateValue(ms)
  throw evaluationError(evaluationState.dateOutOfRange, 'date field value out of range')
}

function requireUtc(zone: string): void {
  if (/^(?:utc|gmt|z|etc\/utc)$/i.test(zone)) return
  throw evaluationError(evaluationState.featureNotSupported, 'time zones but UTC are not supported')
}

function midnight(year: number, month: number, day: number): number {
  return daysOf(year, month, day) * dayMs
}

function badUnit(unit: string): Error {
  const message = `unit "${unit}" not recognized for type timestamp with time zone`
  return evaluationError(evaluationState.badArgument, message)
}

function part(unit: string, ms: number): Value {
  const { year, month, day, hour, minute, second, millisecond } = partsOf(ms)
  const days = Math.floor(ms / dayMs)
  switch (unit.toLowerCase()) {
    case 'epoch':
      return secondsValue(ms)
    case 'second':
      return secondsValue(second * 1000 + millisecond)
    case 'milliseconds':
    case 'millisecond':
      return int32Value(second * 1000 + millisecond)
    case 'microseconds':
    case 'microsecond':
      return int32Value((second * 1000 + millisecond) * 1000)
    case 'minute':
      return int32Value(minute)
    case 'hour':
      return int32Value(hour)
    case 'day':
      return int32Value(day)
    case 'dow':
      return int32Value(weekdayOf(days))
    case 'isodow':
      return int32Value(isoWeekday(days))
    case 'doy':
      return int32Value(dayOfYear(days))
    case 'week':
      return int32Value(isoWeekOf(days).week)
    case 'isoyear':
      return int32Value(isoWeekOf(days).year)
    case 'month':
      return int32Value(month)
    case 'quarter':
      return int32Value(Math.ceil(month / 3))
    case 'year':
      return int32Value(year)
    case 'decade':
      return int32Value(Math.floor(year / 10))
    case 'century':
      return int32Value(Math.ceil(year / 100))
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
  const { year, month, day } = partsOf(ms)
  switch (lower) {
    case 'week':
      return midnight(year, month, day + 1 - isoWeekday(Math.floor(ms / dayMs)))
    case 'month':
      return midnight(year, month, 1)
    case 'quarter':
      return midnight(year, month - ((month - 1) % 3), 1)
    case 'year':
      return midnight(year, 1, 1)
    case 'decade':
      return midnight(Math.floor(year / 10) * 10, 1, 1)
    case 'century':
      return midnight(Math.floor((year - 1) / 100) * 100 + 1, 1, 1)
    default:
      throw badUnit(unit)
  }
}
