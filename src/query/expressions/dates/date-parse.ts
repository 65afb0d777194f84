// Parses dates: by a format of % specifiers, or in the forms that clients use (ISO 8601,
// year/month/day, month names). The result is a local time and, if the text has one, a zone.

import { daysInMonth, daysOf, daysOfIsoWeek, msOf } from './calendar.js'
import { type TimeZone, zoneOf } from './time-zone.js'

interface ParsedDate {
  readonly localMs: number
  /** Offset from UTC, if the text ends with one; +0 for Z. */
  readonly offsetMs?: number
  readonly zone?: TimeZone
}

interface Fields {
  year?: number
  month?: number
  day?: number
  dayOfYear?: number
  isoYear?: number
  isoWeek?: number
  isoDay?: number
  hour?: number
  minute?: number
  second?: number
  millisecond?: number
  offsetMs?: number
}

interface Specifier {
  readonly digits: RegExp
  readonly set: (fields: Fields, text: string) => void
  readonly name: string
}

const months = ['jan', 'feb', 'mar', 'apr', 'may', 'jun', 'jul', 'aug', 'sep', 'oct', 'nov', 'dec']

function digits(
  name: string,
  pattern: RegExp,
  field: Exclude<keyof Fields, 'offsetMs'>,
): Specifier {
  return {
    name,
    digits: pattern,
    set: (fields, text) => {
      fields[field] = Number(text)
    },
  }
}

const specifiers: Readonly<Record<string, Specifier>> = {
  Y: digits('four digit year', /\d{4}/y, 'year'),
  m: digits('two digit month', /\d{1,2}/y, 'month'),
  d: digits('two digit day', /\d{1,2}/y, 'day'),
  j: digits('three digit day of the year', /\d{1,3}/y, 'dayOfYear'),
  G: digits('four digit ISO year', /\d{4}/y, 'isoYear'),
  V: digits('two digit ISO week', /\d{1,2}/y, 'isoWeek'),
  u: digits('ISO day of the week', /[1-7]/y, 'isoDay'),
  H: digits('two digit hour', /\d{1,2}/y, 'hour'),
  M: digits('two digit minute', /\d{1,2}/y, 'minute'),
  S: digits('two digit second', /\d{1,2}/y, 'second'),
  L: {
    name: 'millisecond',
    digits: /\d{1,3}/y,
    set: (fields, text) => {
      fields.millisecond = Number(text.padEnd(3, '0'))
    },
  },
  b: monthName('abbreviated month'),
  B: monthName('month'),
  z: {
    name: 'UTC offset',
    digits: /Z|[+-]\d{2}:?\d{2}|[+-]\d{2}/y,
    set: (fields, text) => {
      fields.offsetMs = offsetOf(text)
    },
  },
  Z: {
    name: 'UTC offset in minutes',
    digits: /[+-]\d{1,4}/y,
    set: (fields, text) => {
      fields.offsetMs = Number(text) * 60_000
    },
  },
}

function monthName(name: string): Specifier {
  return {
    name,
    digits: /[A-Za-z]{3,9}/y,
    set: (fields, text) => {
      fields.month = monthOf(text)
    },
  }
}

/** 1 to 12; 0 if the text is no month. */
function monthOf(text: string): number {
  return months.indexOf(text.slice(0, 3).toLowerCase()) + 1
}

function offsetOf(text: string): number {
  if (text === 'Z' || text === 'z') return 0
  const [, sign, hours, minutes] = /^([+-])(\d{2}):?(\d{2})?$/.exec(text) ?? []
  const total = Number(hours) * 60 + Number(minutes ?? 0)
  return (sign === '-' ? -total : total) * 60_000
}

/** The date, or the reason for an error: `<position>: <reason>`. */
export function parseByFormat(text: string, format: string): ParsedDate | string {
  const fields: Fields = {}
  let at = 0
  for (let i = 0; i < format.length; i++) {
    let char = format.charAt(i)
    if (char === '%') {
      char = format.charAt(++i)
      const specifier = specifiers[char]
      if (specifier !== undefined) {
        specifier.digits.lastIndex = at
        const found = specifier.digits.exec(text)
        if (found === null)
          return `${at}: Unexpected data found. A ${specifier.name} could not be found`
        specifier.set(fields, found[0])
        at += found[0].length
        continue
      }
      if (char !== '%') return `${at}: Invalid format character '%${char}' in format string`
    }
    if (text.charAt(at) !== char) return `${at}: The format separator does not match`
    at++
  }
  return at < text.length ? `${at}: Trailing data` : dateOf(fields)
}

function dateOf(fields: Fields): ParsedDate | string {
  const { hour = 0, minute = 0, second = 0, millisecond = 0, offsetMs } = fields
  if (hour > 24 || minute > 59 || second > 60) return '0: Unexpected time'
  const days = daysFrom(fields)
  if (typeof days === 'string') return days
  const time = { hour, minute, second, millisecond }
  const localMs = msOf({ year: 1970, month: 1, day: 1 + days, ...time })
  return offsetMs === undefined ? { localMs } : { localMs, offsetMs }
}

function daysFrom(fields: Fields): number | string {
  const { year, month = 1, day = 1, dayOfYear, isoYear } = fields
  if (isoYear !== undefined) return daysOfIsoWeek(isoYear, fields.isoWeek ?? 1, fields.isoDay ?? 1)
  if (year === undefined) {
    return '0: an incomplete date/time string has been found, with elements missing'
  }
  if (dayOfYear !== undefined) return daysOf(year, 1, dayOfYear)
  if (month < 1 || month > 12 || day < 1 || day > daysInMonth(year, month)) {
    return '0: The parsed date was invalid'
  }
  return daysOf(year, month, day)
}

const time = String.raw`(\d{1,2}):(\d{2})(?::(\d{2})(?:[.,](\d{1,9}))?)?`
const ending = String.raw`\s*(Z|z|[+-]\d{2}:?(?:\d{2})?|[A-Za-z][A-Za-z_]*(?:\/[A-Za-z_+-]+)*)?\s*$`
const clock = `(?:(?:[Tt]|\\s+)${time}${ending}|${ending})`

/** Each form with the positions of year, month and day. */
const spellings: readonly (readonly [RegExp, readonly [number, number, number]])[] = [
  [new RegExp(String.raw`^\s*(\d{4})[-/.](\d{1,2})(?:[-/.](\d{1,2}))?${clock}`), [1, 2, 3]],
  [new RegExp(String.raw`^\s*(\d{4})(\d{2})(\d{2})${clock}`), [1, 2, 3]],
  [new RegExp(String.raw`^\s*(\d{1,2})\/(\d{1,2})\/(\d{4})${clock}`), [3, 1, 2]],
  [new RegExp(String.raw`^\s*(\d{1,2})[-.](\d{1,2})[-.](\d{4})${clock}`), [3, 2, 1]],
  [
    new RegExp(
      String.raw`^\s*(?:[A-Za-z]{3,9},?\s+)?(\d{1,2})[-\s]([A-Za-z]{3,9})[-,\s]\s*(\d{4})${clock}`,
    ),
    [3, 2, 1],
  ],
  [
    new RegExp(
      String.raw`^\s*(?:[A-Za-z]{3,9},?\s+)?([A-Za-z]{3,9})\s+(\d{1,2})(?:st|nd|rd|th)?` +
        String.raw`,?\s+(\d{4})${clock}`,
    ),
    [3, 1, 2],
  ],
]

/** Longer texts are not dates; this bounds the cost of the patterns. */
const textMax = 100

/** The date in any known form, or the reason for an error. */
export function parseFreely(text: string): ParsedDate | string {
  if (text.length > textMax) return '0: Unexpected character'
  for (const [spelling, [year, month, day]] of spellings) {
    const match = spelling.exec(text)
    if (match === null) continue
    const monthText = match[month] ?? ''
    const fields: Fields = {
      year: Number(match[year]),
      month: /^\d/.test(monthText) ? Number(monthText) : monthOf(monthText),
      day: Number(match[day] ?? 1),
      hour: Number(match[4] ?? 0),
      minute: Number(match[5] ?? 0),
      second: Number(match[6] ?? 0),
      millisecond: Number((match[7] ?? '').slice(0, 3).padEnd(3, '0')),
    }
    return withZone(dateOf(fields), match[8] ?? match[9])
  }
  return `0: Unexpected character '${text.charAt(0)}'`
}

function withZone(parsed: ParsedDate | string, zone: string | undefined): ParsedDate | string {
  if (typeof parsed === 'string' || zone === undefined) return parsed
  if (/^(?:[Zz]$|[+-])/.test(zone)) return { ...parsed, offsetMs: offsetOf(zone) }
  try {
    return { ...parsed, zone: zoneOf(zone) }
  } catch {
    return '0: The timezone could not be found in the database'
  }
}
