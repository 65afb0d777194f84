// Adding, subtracting and truncating dates by calendar units: $dateAdd, $dateSubtract, $dateDiff,
// $dateTrunc. Units from a day up follow the local clock of the time zone; smaller units have a
// fixed length.

import { fail } from '../../../base/errors.js'
import { integerOf } from '../../../value/numbers.js'
import {
  bsonType,
  dateValue,
  int64Value,
  nullValue,
  stringOf,
  type Value,
} from '../../../value/value.js'
import {
  call,
  compileNamed,
  type Expression,
  isNullish,
  location,
  missing,
  type NamedArguments,
  type OperatorRow,
  type Result,
  type Scope,
  typeName,
  valueText,
} from '../operator.js'
import { dayMs, daysOf, monthsLater, partsOf, weekdayOf } from './calendar.js'
import { momentOf, type TimeZone, toLocal, toUtc, utcZone, zoneArgument } from './time-zone.js'

export type Unit =
  | { readonly kind: 'month'; readonly months: number }
  | { readonly kind: 'day'; readonly days: number; readonly isWeek: boolean }
  | { readonly kind: 'time'; readonly ms: number }

/** Units by the names of `unit` arguments. */
export const timeUnits: ReadonlyMap<string, Unit> = new Map<string, Unit>([
  ['year', { kind: 'month', months: 12 }],
  ['quarter', { kind: 'month', months: 3 }],
  ['month', { kind: 'month', months: 1 }],
  ['week', { kind: 'day', days: 7, isWeek: true }],
  ['day', { kind: 'day', days: 1, isWeek: false }],
  ['hour', { kind: 'time', ms: 3_600_000 }],
  ['minute', { kind: 'time', ms: 60_000 }],
  ['second', { kind: 'time', ms: 1_000 }],
  ['millisecond', { kind: 'time', ms: 1 }],
])

const weekdays = ['sunday', 'monday', 'tuesday', 'wednesday', 'thursday', 'friday', 'saturday']

/** Requires a date within int64 milliseconds that a double represents exactly. */
function requireDate(ms: number, name: string): Value {
  if (!Number.isSafeInteger(ms)) throw location(5166406, `${name} overflowed`)
  return dateValue(ms)
}

function isoDate(value: Value | undefined): value is Value {
  const { date, timestamp, objectId } = bsonType
  return value !== undefined && [date, timestamp, objectId].some((type) => type === value.type)
}

/** Moves `ms` by `amount` units. If the new month lacks the day, it takes the month's last day. */
function shiftDate(ms: number, unit: Unit, amount: number, zone: TimeZone): number {
  if (unit.kind === 'time') return ms + amount * unit.ms
  const local = toLocal(ms, zone)
  if (unit.kind === 'day') return toUtc(local + amount * unit.days * dayMs, zone)
  return toUtc(monthsLater(local, amount * unit.months), zone)
}

/** Moves a date in UTC. Throws 5166406 if the result is not a date. */
export function movedDate(date: Value, unit: Unit, amount: number): Value {
  return requireDate(shiftDate(momentOf(date), unit, amount, utcZone), '$dateAdd')
}

/** $dateAdd and $dateSubtract. */
function addition(name: string, sign: 1 | -1): OperatorRow {
  const rules = (operand: Value): NamedArguments => ({
    notObject: [
      5166400,
      `${name} expects an object as its argument.found type:${typeName(operand)}`,
    ],
    unknown: (argument) => [
      5166401,
      `Unrecognized argument to ${name}: ${argument}. Expected arguments are startDate, unit, ` +
        'amount, and optionally timezone.',
    ],
    required: Object.fromEntries(
      ['startDate', 'unit', 'amount'].map((argument) => [
        argument,
        [5166402, `${name} requires startDate, unit, and amount to be present`] as const,
      ]),
    ),
    optional: ['timezone'],
  })
  const apply = ([date, unitName, amount, zone]: readonly Result[], hasZone: boolean): Value => {
    if (isNullish(date) || isNullish(unitName) || isNullish(amount)) return nullValue
    if (hasZone && isNullish(zone)) return nullValue
    if (!isoDate(date)) {
      throw location(5166403, `${name} requires startDate to be convertible to a date`)
    }
    if (unitName.type !== bsonType.string) {
      throw location(5166404, `${name} requires string defining the time unit`)
    }
    const unit = timeUnits.get(stringOf(unitName))
    if (unit === undefined) {
      throw fail('FailedToParse', `unknown time unit value: ${stringOf(unitName)}`)
    }
    const count = amount.isNumber ? integerOf(amount) : undefined
    if (count === undefined) {
      throw location(5166405, `${name} expects integer amount of time units`)
    }
    const timeZone = hasZone ? zoneArgument(name, zone) : utcZone
    const moved = shiftDate(momentOf(date), unit, sign * count, timeZone)
    return requireDate(moved, name)
  }
  return {
    name,
    readsRoot: false,
    compile: (operand, scope) => {
      const names = ['startDate', 'unit', 'amount', 'timezone']
      const operands = compileNamed(operand, scope, rules(operand), names)
      const hasZone = operands[3] !== missing
      return call((values) => apply(values, hasZone), operands)
    },
  }
}

interface DateArguments {
  readonly dates: readonly number[]
  readonly unit: Unit
  readonly zone: TimeZone
  /** 0 for Sunday. */
  readonly startOfWeek: number
  readonly binSize: number
}

/** The arguments of $dateDiff and $dateTrunc; undefined if one of them is null. */
function readArguments(
  name: string,
  dateNames: readonly string[],
  dateCode: number,
  values: ReadonlyMap<string, Result>,
): DateArguments | undefined {
  for (const [argument, value] of values) {
    const isUsed = argument !== 'startOfWeek' || isWeek(values.get('unit'))
    if (isUsed && isNullish(value)) return undefined
  }
  const unit = unitArgument(name, values.get('unit') as Value)
  const dates = dateNames.map((argument) => {
    const value = values.get(argument)
    if (isoDate(value)) return momentOf(value)
    throw location(
      dateCode,
      `${name} requires '${argument}' to be a date, but got ${typeName(value)}`,
    )
  })
  const zone = values.has('timezone') ? zoneArgument(name, values.get('timezone')) : utcZone
  return {
    dates,
    unit,
    zone,
    startOfWeek: isWeek(values.get('unit')) ? weekdayArgument(name, values.get('startOfWeek')) : 0,
    binSize: binArgument(name, values.get('binSize')),
  }
}

function isWeek(unit: Result): boolean {
  return unit?.type === bsonType.string && stringOf(unit) === 'week'
}

function unitArgument(name: string, value: Value): Unit {
  if (value.type !== bsonType.string) {
    throw location(5439013, `${name} requires 'unit' to be a string, but got ${typeName(value)}`)
  }
  const unit = timeUnits.get(stringOf(value))
  if (unit === undefined) {
    throw location(
      5439014,
      `${name} parameter 'unit' value cannot be recognized as a time unit: ${stringOf(value)}`,
    )
  }
  return unit
}

function weekdayArgument(name: string, value: Result): number {
  if (value === undefined) return 0
  if (value.type !== bsonType.string) {
    throw location(
      5439015,
      `${name} requires 'startOfWeek' to be a string, but got ${typeName(value)}`,
    )
  }
  const text = stringOf(value).toLowerCase()
  const day = weekdays.findIndex((weekday) => weekday === text || weekday.slice(0, 3) === text)
  if (day >= 0) return day
  throw location(
    5439016,
    `${name} parameter 'startOfWeek' value cannot be recognized as a day of a week: ` +
      stringOf(value),
  )
}

function binArgument(name: string, value: Result): number {
  if (value === undefined) return 1
  const size = value.isNumber ? integerOf(value) : undefined
  if (size === undefined) {
    throw location(
      5439017,
      `${name} requires 'binSize' to be a 64-bit integer, but got value '${valueText(value)}' ` +
        `of type ${typeName(value)}`,
    )
  }
  if (size <= 0) {
    throw location(
      5439018,
      `${name} requires 'binSize' to be greater than 0, but got value ${size}`,
    )
  }
  return size
}

/** Number of unit boundaries between two dates. */
function difference({ dates, unit, zone, startOfWeek }: DateArguments): number {
  const [start, end] = dates as [number, number]
  const [localStart, localEnd] = [toLocal(start, zone), toLocal(end, zone)]
  switch (unit.kind) {
    case 'month': {
      const count = (local: number): number => {
        const { year, month } = partsOf(local)
        return Math.floor((year * 12 + month - 1) / unit.months)
      }
      return count(localEnd) - count(localStart)
    }
    case 'day': {
      // Day 0 was a Thursday; weeks are counted from the first day of a week.
      const lead = unit.isWeek ? 4 - startOfWeek : 0
      const count = (local: number): number =>
        Math.floor((Math.floor(local / dayMs) + lead) / unit.days)
      return count(localEnd) - count(localStart)
    }
    case 'time': {
      const boundaries = Math.floor(localEnd / unit.ms) - Math.floor(localStart / unit.ms)
      return boundaries + Math.trunc((localStart - start - (localEnd - end)) / unit.ms)
    }
  }
}

/** 2000-01-01: bins are counted from this day. */
const epochDays = daysOf(2000, 1, 1)

function truncate({ dates, unit, zone, startOfWeek, binSize }: DateArguments): number {
  const [ms] = dates as [number]
  const local = toLocal(ms, zone)
  switch (unit.kind) {
    case 'month': {
      const { year, month } = partsOf(local)
      const months = (year - 2000) * 12 + month - 1
      const bin = binSize * unit.months
      const start = Math.floor(months / bin) * bin
      return toUtc(daysOf(2000, start + 1, 1) * dayMs, zone)
    }
    case 'day': {
      const lead = unit.isWeek ? (startOfWeek - weekdayOf(epochDays) + 7) % 7 : 0
      const first = epochDays + lead
      const bin = binSize * unit.days
      const start = first + Math.floor((Math.floor(local / dayMs) - first) / bin) * bin
      return toUtc(start * dayMs, zone)
    }
    case 'time': {
      const first = toUtc(epochDays * dayMs, zone)
      const bin = binSize * unit.ms
      return first + Math.floor((ms - first) / bin) * bin
    }
  }
}

function calendarRow(
  name: string,
  codes: { notObject: number; unknown: number; required: Readonly<Record<string, number>> },
  optional: readonly string[],
  dateCode: number,
  apply: (given: DateArguments) => Value,
): OperatorRow {
  const dateNames = Object.keys(codes.required).filter((argument) => argument !== 'unit')
  const names = [...Object.keys(codes.required), ...optional]
  const rules: NamedArguments = {
    notObject: [codes.notObject, `${name} only supports an object as its argument`],
    unknown: (argument) => [codes.unknown, `Unrecognized argument to ${name}: ${argument}`],
    required: Object.fromEntries(
      Object.entries(codes.required).map(([argument, code]) => [
        argument,
        [code, `Missing '${argument}' parameter to ${name}`] as const,
      ]),
    ),
    optional,
  }
  const compile = (operand: Value, scope: Scope): Expression => {
    const operands = compileNamed(operand, scope, rules, names)
    const present = operands.map((expression) => expression !== missing)
    return call((values) => {
      const given = new Map<string, Result>()
      for (const [i, argument] of names.entries()) {
        if (present[i] === true) given.set(argument, values[i])
      }
      const read = readArguments(name, dateNames, dateCode, given)
      return read === undefined ? nullValue : apply(read)
    }, operands)
  }
  return { name, readsRoot: false, compile }
}

export const dateMathOperators: readonly OperatorRow[] = [
  addition('$dateAdd', 1),
  addition('$dateSubtract', -1),
  calendarRow(
    '$dateDiff',
    {
      notObject: 5166301,
      unknown: 5166302,
      required: { startDate: 5166303, endDate: 5166304, unit: 5166305 },
    },
    ['timezone', 'startOfWeek'],
    5166307,
    (given) => int64Value(BigInt(difference(given))),
  ),
  calendarRow(
    '$dateTrunc',
    { notObject: 5439007, unknown: 5439008, required: { date: 5439009, unit: 5439010 } },
    ['binSize', 'timezone', 'startOfWeek'],
    5439012,
    (given) => requireDate(truncate(given), '$dateTrunc'),
  ),
]
