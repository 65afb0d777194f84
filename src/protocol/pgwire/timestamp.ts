// Points in time in PostgreSQL's format. A stored date has milliseconds in 64 bits, more than Date
// supports, so years are computed here. Source: PostgreSQL 17, 8.5.

import { pgError, pgState } from './pg-error.js'

const dayMs = 86_400_000
const secondMs = 1_000
/** Days from 0000-03-01 to 1970-01-01, and in 400 years. */
const epochDays = 719_468
const eraDays = 146_097
/** Last year of a timestamp, and the first: 4714 BC. */
const yearMax = 294_276
const yearMin = -4_713
/** Longer texts are not points in time. */
const charsMax = 100

const dayForm = /(\d{4,7})-(\d{1,2})-(\d{1,2})/.source
const timeForm = /(?:(?:[Tt]|\s+)(\d{1,2}):(\d{2})(?::(\d{2})(?:\.(\d+))?)?)?/.source
const zoneForm = /(?:([Zz]|UTC|GMT)|([+-])(\d{1,2})(?::?(\d{2})(?::?(\d{2}))?)?)?/.source
const form = new RegExp(`^${dayForm}${timeForm}\\s*${zoneForm}(\\s*BC)?$`)

interface Day {
  readonly year: number
  readonly month: number
  readonly day: number
}

/** `2024-01-02 03:04:05.678+00`; years before 1 count back from `0001 BC`. */
export function timestampText(ms: bigint): string {
  const days = floorDiv(ms, BigInt(dayMs))
  const rest = Number(ms - days * BigInt(dayMs))
  const date = dayOf(Number(days))
  const seconds = Math.floor(rest / secondMs)
  const fraction = String(rest % secondMs)
    .padStart(3, '0')
    .replace(/0+$/, '')
  const time = [Math.floor(seconds / 3600), Math.floor(seconds / 60) % 60, seconds % 60]
    .map((part) => String(part).padStart(2, '0'))
    .join(':')
  return `${dayText(date)} ${time}${fraction && `.${fraction}`}+00${eraText(date)}`
}

/** `2024-01-02`. */
export function dateText(ms: bigint): string {
  const date = dayOf(Number(floorDiv(ms, BigInt(dayMs))))
  return dayText(date) + eraText(date)
}

/** Days since 2000-01-01, as the binary form of a date counts them. */
export function daysSince2000(ms: bigint): number {
  return Number(floorDiv(ms, BigInt(dayMs))) - daysTo2000
}

/** Milliseconds since 1970 of a day counted from 2000-01-01. */
export function msOfDays(days: number): bigint {
  return BigInt(days + daysTo2000) * BigInt(dayMs)
}

const daysTo2000 = 10_957
export const msTo2000 = BigInt(daysTo2000) * BigInt(dayMs)

/**
 * Milliseconds since 1970 of `2024-01-02 03:04:05.678+01` or `2024-01-02`, UTC without a zone.
 * Finer fractions are cut. Throws 22007 for another form (also `infinity` and `now`), 22008 for an
 * impossible day, time or year.
 */
export function parseTimestamp(text: string, title: string): bigint {
  const { days, ms } = read(text, title)
  return BigInt(days) * BigInt(dayMs) + BigInt(ms)
}

/** As parseTimestamp, for the day alone; time and zone are dropped, as in PostgreSQL. */
export function parseDate(text: string, title: string): bigint {
  return BigInt(read(text, title).days) * BigInt(dayMs)
}

/** Days since 1970, and the milliseconds of time and zone. */
function read(text: string, title: string): { days: number; ms: number } {
  const match = text.length > charsMax ? null : form.exec(text.trim())
  if (match === null) {
    throw pgError(pgState.badDate, `invalid input syntax for type ${title}: "${shown(text)}"`)
  }
  const [, counted = '', months, days, hours, minutes, seconds, fraction = ''] = match
  const [zoneSign, zoneHours, zoneMinutes, zoneSeconds, bc] = match.slice(9)
  const year = bc === undefined ? Number(counted) : 1 - Number(counted)
  const date = { year, month: Number(months), day: Number(days) }
  const number = daysTo(date)
  const [h, m, s] = [Number(hours ?? 0), Number(minutes ?? 0), Number(seconds ?? 0)]
  const [zh, zm, zs] = [Number(zoneHours ?? 0), Number(zoneMinutes ?? 0), Number(zoneSeconds ?? 0)]
  const isDay = Number(counted) > 0 && isSameDay(dayOf(number), date)
  const isTime = h < 24 && m < 60 && s < 60 && zh < 16 && zm < 60 && zs < 60
  if (!isDay || !isTime || year > yearMax || year < yearMin) {
    const what = `date/time field value out of range: "${shown(text)}"`
    throw pgError(pgState.dateOutOfRange, what)
  }
  const offset = (zh * 3600 + zm * 60 + zs) * (zoneSign === '-' ? -1 : 1)
  const ms = (h * 3600 + m * 60 + s - offset) * secondMs + Number(`${fraction}000`.slice(0, 3))
  return { days: number, ms }
}

function shown(text: string): string {
  return text.length > charsMax ? `${text.slice(0, charsMax)}…` : text
}

function isSameDay(a: Day, b: Day): boolean {
  return a.year === b.year && a.month === b.month && a.day === b.day
}

function dayText({ year, month, day }: Day): string {
  const counted = year > 0 ? year : 1 - year
  const [y, m, d] = [counted, month, day].map(String)
  return `${y?.padStart(4, '0')}-${m?.padStart(2, '0')}-${d?.padStart(2, '0')}`
}

function eraText({ year }: Day): string {
  return year > 0 ? '' : ' BC'
}

/** The day of the proleptic Gregorian calendar, from days since 1970. */
function dayOf(days: number): Day {
  const shifted = days + epochDays
  const era = Math.floor(shifted / eraDays)
  const ofEra = shifted - era * eraDays
  const leaps = Math.floor(ofEra / 1460) - Math.floor(ofEra / 36_524) + Math.floor(ofEra / 146_096)
  const yearOfEra = Math.floor((ofEra - leaps) / 365)
  const ofYear = ofEra - (365 * yearOfEra + Math.floor(yearOfEra / 4) - Math.floor(yearOfEra / 100))
  // Years start in March here, so that a leap day is the last day.
  const march = Math.floor((5 * ofYear + 2) / 153)
  const month = march < 10 ? march + 3 : march - 9
  return {
    year: yearOfEra + era * 400 + (month <= 2 ? 1 : 0),
    month,
    day: ofYear - Math.floor((153 * march + 2) / 5) + 1,
  }
}

function daysTo({ year, month, day }: Day): number {
  const shifted = month <= 2 ? year - 1 : year
  const era = Math.floor(shifted / 400)
  const yearOfEra = shifted - era * 400
  const march = month > 2 ? month - 3 : month + 9
  const ofYear = Math.floor((153 * march + 2) / 5) + day - 1
  const leaps = Math.floor(yearOfEra / 4) - Math.floor(yearOfEra / 100)
  return era * eraDays + yearOfEra * 365 + leaps + ofYear - epochDays
}

function floorDiv(a: bigint, b: bigint): bigint {
  const quotient = a / b
  return a % b < 0n ? quotient - 1n : quotient
}
