// Parts of dates: $year to $isoWeekYear, $dateToParts and $dateFromParts. Operands are dates,
// timestamps or ObjectIds. A time zone shifts them first.

import { elementsOf } from '../../../value/elements.js'
import { integerOf } from '../../../value/numbers.js'
import {
  boolOf,
  bsonType,
  dateValue,
  int32Value,
  int64Value,
  nullValue,
  readInt32,
  type Value,
} from '../../../value/value.js'
import { DocumentWriter } from '../../../value/writer.js'
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
  unary,
  valueText,
} from '../operator.js'
import {
  dayMs,
  dayOfYear,
  daysOfIsoWeek,
  isoWeekday,
  isoWeekOf,
  msOf,
  partsOf,
  weekdayOf,
  weekOf,
} from './calendar.js'
import { dateMathOperators } from './date-math.js'
import { dateTextOperators } from './date-text.js'
import { momentOf, type TimeZone, toLocal, toUtc, utcZone, zoneArgument } from './time-zone.js'

function part(name: string, take: (localMs: number) => number): OperatorRow {
  return partRow(name, (localMs) => int32Value(take(localMs)))
}

function partRow(name: string, take: (localMs: number) => Value): OperatorRow {
  return {
    name,
    readsRoot: false,
    compile: (operand, scope) => {
      const operands = dateAndZone(name, operand, scope)
      const hasZone = operands[1] !== missing
      return call(([date, zone]) => {
        if (isNullish(date) || (hasZone && isNullish(zone))) return nullValue
        const timeZone = hasZone ? zoneArgument(name, zone) : utcZone
        return take(toLocal(momentOf(date), timeZone))
      }, operands)
    },
  }
}

/** A date, an array of one, or `{date, timezone}`. */
function dateAndZone(name: string, operand: Value, scope: Scope): [Expression, Expression] {
  if (operand.type === bsonType.array) {
    const given = elementsOf(operand)
    const [only] = given
    if (given.length !== 1 || only === undefined) {
      throw location(
        40536,
        `${name} accepts exactly one argument if given an array, but was given ${given.length}`,
      )
    }
    return [scope.compile(only), missing]
  }
  const isNamed = operand.type === bsonType.object && operand.bytes[operand.start + 5] !== 0x24
  if (!isNamed) return [scope.compile(operand), missing]
  const rules: NamedArguments = {
    notObject: [40536, `${name} expects a date`],
    unknown: (argument) => [40535, `unrecognized option to ${name}: "${argument}"`],
    required: {
      date: [40539, `missing 'date' argument to ${name}, provided: ${valueText(operand)}`],
    },
    optional: ['timezone'],
  }
  return compileNamed(operand, scope, rules, ['date', 'timezone']) as [Expression, Expression]
}

function daysIn(localMs: number): number {
  return Math.floor(localMs / dayMs)
}

function compileToParts(operand: Value, scope: Scope): Expression {
  const rules: NamedArguments = {
    notObject: [40524, '$dateToParts only supports an object as its argument'],
    unknown: (name) => [40520, `Unrecognized argument to $dateToParts: ${name}`],
    required: { date: [40522, "Missing 'date' parameter to $dateToParts"] },
    optional: ['timezone', 'iso8601'],
  }
  const operands = compileNamed(operand, scope, rules, ['date', 'timezone', 'iso8601'])
  const hasZone = operands[1] !== missing
  const hasIso = operands[2] !== missing
  return call(([date, zone, iso]) => {
    if (isNullish(date) || (hasZone && isNullish(zone)) || (hasIso && isNullish(iso))) {
      return nullValue
    }
    if (hasIso && iso?.type !== bsonType.bool) {
      throw location(40521, `iso8601 must evaluate to a bool, found ${typeName(iso)}`)
    }
    const timeZone = hasZone ? zoneArgument('$dateToParts', zone) : utcZone
    return partsValue(toLocal(momentOf(date), timeZone), iso !== undefined && boolOf(iso))
  }, operands)
}

function partsValue(localMs: number, isIso: boolean): Value {
  const parts = partsOf(localMs)
  const writer = new DocumentWriter()
  if (isIso) {
    const { year, week } = isoWeekOf(daysIn(localMs))
    writer.int32('isoWeekYear', year).int32('isoWeek', week)
    writer.int32('isoDayOfWeek', isoWeekday(daysIn(localMs)))
  } else {
    writer.int32('year', parts.year).int32('month', parts.month).int32('day', parts.day)
  }
  writer.int32('hour', parts.hour).int32('minute', parts.minute)
  return writer.int32('second', parts.second).int32('millisecond', parts.millisecond).finishValue()
}

const civilNames = ['year', 'month', 'day']
const isoNames = ['isoWeekYear', 'isoWeek', 'isoDayOfWeek']
const timeNames = ['hour', 'minute', 'second', 'millisecond']

function compileFromParts(operand: Value, scope: Scope): Expression {
  const rules: NamedArguments = {
    notObject: [40519, '$dateFromParts only supports an object as its argument'],
    unknown: (name) => [40518, `Unrecognized argument to $dateFromParts: ${name}`],
    required: {},
    optional: [...civilNames, ...isoNames, ...timeNames, 'timezone'],
  }
  const both = compileNamed(operand, scope, rules, [...civilNames, ...isoNames])
  const given = both.map((expression) => expression !== missing)
  const isIso = given[3] === true
  if (given[0] !== true && !isIso) {
    throw location(40516, "$dateFromParts requires either 'year' or 'isoWeekYear' to be present")
  }
  if (isIso ? given.slice(0, 3).includes(true) : given.slice(3).includes(true)) {
    throw location(
      isIso ? 40489 : 40525,
      isIso
        ? '$dateFromParts does not allow mixing natural dates with ISO dates'
        : '$dateFromParts does not allow mixing ISO dates with natural dates',
    )
  }
  const names = [...(isIso ? isoNames : civilNames), ...timeNames, 'timezone']
  const operands = compileNamed(operand, scope, rules, names)
  const present = operands.map((expression) => expression !== missing)
  return call((values) => fromParts(names, values, present, isIso), operands)
}

function fromParts(
  names: readonly string[],
  values: readonly Result[],
  present: readonly boolean[],
  isIso: boolean,
): Value {
  for (const [i, value] of values.entries()) {
    if (present[i] === true && isNullish(value)) return nullValue
  }
  const zone: TimeZone = present[7] === true ? zoneArgument('$dateFromParts', values[7]) : utcZone
  const numbers = names.slice(0, 7).map((name, i) => {
    if (present[i] !== true) return i === 1 || i === 2 ? 1 : 0
    return datePart(name, values[i] as Value)
  })
  const [year, second, third, hour, minute, seconds, millisecond] = numbers as [
    number,
    number,
    number,
    number,
    number,
    number,
    number,
  ]
  const days = isIso ? daysOfIsoWeek(year, second, third) : undefined
  const time = { hour, minute, second: seconds, millisecond }
  const local =
    days === undefined
      ? msOf({ year, month: second, day: third, ...time })
      : msOf({ year: 1970, month: 1, day: 1 + days, ...time })
  return dateValue(toUtc(local, zone))
}

function datePart(name: string, value: Value): number {
  const n = value.isNumber ? integerOf(value) : undefined
  if (n === undefined) {
    throw location(
      40515,
      `'${name}' must evaluate to an integer, found ${typeName(value)} with value ` +
        valueText(value),
    )
  }
  const isYear = name === 'year' || name === 'isoWeekYear'
  if (isYear && (n < 1 || n > 9999)) {
    throw location(
      40523,
      `'${name}' must evaluate to an integer in the range 1 to 9999, found ${n}`,
    )
  }
  const isShort = !isYear && name !== 'second' && name !== 'millisecond'
  if (isShort && (n < -32768 || n > 32767)) {
    throw location(
      31034,
      `'${name}' must evaluate to a value in the range [-32768, 32767]; value ${n} is not in range`,
    )
  }
  return n
}

function timestampPart(name: string, code: number, offset: number): OperatorRow {
  return unary(name, (value) => {
    if (isNullish(value)) return nullValue
    if (value.type !== bsonType.timestamp) {
      throw location(code, `Argument to ${name} must be a timestamp, but is ${typeName(value)}`)
    }
    return int64Value(BigInt(readInt32(value.bytes, value.start + offset) >>> 0))
  })
}

export const dateOperators: readonly OperatorRow[] = [
  part('$year', (ms) => partsOf(ms).year),
  part('$month', (ms) => partsOf(ms).month),
  part('$dayOfMonth', (ms) => partsOf(ms).day),
  part('$hour', (ms) => partsOf(ms).hour),
  part('$minute', (ms) => partsOf(ms).minute),
  part('$second', (ms) => partsOf(ms).second),
  part('$millisecond', (ms) => partsOf(ms).millisecond),
  part('$dayOfYear', (ms) => dayOfYear(daysIn(ms))),
  part('$dayOfWeek', (ms) => weekdayOf(daysIn(ms)) + 1),
  part('$week', (ms) => weekOf(daysIn(ms))),
  part('$isoWeek', (ms) => isoWeekOf(daysIn(ms)).week),
  part('$isoDayOfWeek', (ms) => isoWeekday(daysIn(ms))),
  partRow('$isoWeekYear', (ms) => int64Value(BigInt(isoWeekOf(daysIn(ms)).year))),
  { name: '$dateToParts', readsRoot: false, compile: compileToParts },
  { name: '$dateFromParts', readsRoot: false, compile: compileFromParts },
  timestampPart('$tsSecond', 5687301, 4),
  timestampPart('$tsIncrement', 5687302, 0),
  ...dateTextOperators,
  ...dateMathOperators,
]
