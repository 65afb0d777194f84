// Intervals that are added to or subtracted from a time, `now() - interval '7 days'`. Months follow
// the calendar; days and smaller units have a fixed length in UTC.

import { dayMs, monthsLater } from '../../../query/expressions/dates/calendar.js'
import { evaluationError, evaluationState } from './evaluation-error.js'
import { timeMsMax } from './texts/time-text.js'

export interface Interval {
  readonly months: number
  readonly ms: number
}

const units = new Map<string, Interval>(
  Object.entries({
    century: { months: 1200, ms: 0 },
    decade: { months: 120, ms: 0 },
    year: { months: 12, ms: 0 },
    month: { months: 1, ms: 0 },
    mon: { months: 1, ms: 0 },
    week: { months: 0, ms: 7 * dayMs },
    day: { months: 0, ms: dayMs },
    hour: { months: 0, ms: 3_600_000 },
    minute: { months: 0, ms: 60_000 },
    min: { months: 0, ms: 60_000 },
    second: { months: 0, ms: 1000 },
    sec: { months: 0, ms: 1000 },
    millisecond: { months: 0, ms: 1 },
  }),
)

const textCharsMax = 200
/** `-03:04:05.6` */
const clock = '([+-]?)(\\d{1,6}):(\\d{2})(?::(\\d{2}(?:\\.\\d{1,6})?))?'
/** `2 days` */
const amount = '([+-]?\\d{1,9}(?:\\.\\d{1,9})?)\\s*([a-z]+)'

/** `1 year 2 days 03:04:05`, `-1 month`, `2 hours ago`. Throws 22007. */
export function parseInterval(text: string): Interval {
  const trimmed = text.trim().toLowerCase()
  const isAgo = /\sago$/.test(trimmed)
  const body = isAgo ? trimmed.replace(/\sago$/, '').trim() : trimmed
  if (body === '' || body.length > textCharsMax) throw malformed(text)
  const item = new RegExp(`\\s*(?:${clock}|${amount})(?=\\s|$)`, 'y')
  let months = 0
  let ms = 0
  while (item.lastIndex < body.length) {
    const match = item.exec(body)
    if (match === null) throw malformed(text)
    const [, sign, hours, minutes, seconds = '0', count, name] = match
    if (count === undefined) {
      const size = (Number(hours) * 60 + Number(minutes)) * 60_000 + Number(seconds) * 1000
      ms += sign === '-' ? -size : size
      continue
    }
    const unit = unitOf(name ?? '')
    if (unit === undefined) throw malformed(text)
    const whole = unit.months === 0 ? 0 : Math.trunc(Number(count) * unit.months)
    months += whole
    ms += Number(count) * unit.ms
  }
  const direction = isAgo ? -1 : 1
  return { months: months * direction, ms: Math.round(ms) * direction }
}

function unitOf(name: string): Interval | undefined {
  if (name === 'centuries') return units.get('century')
  return units.get(name) ?? (name.endsWith('s') ? units.get(name.slice(0, -1)) : undefined)
}

function malformed(text: string): Error {
  const message = `invalid input syntax for type interval: "${text.slice(0, 60)}"`
  return evaluationError(evaluationState.badDate, message)
}

/** `time + interval * sign`. A day that a shorter month lacks becomes its last day. */
export function shifted(ms: number, { months, ms: span }: Interval, sign: 1 | -1): number {
  const result = monthsLater(ms, months * sign) + span * sign
  if (Math.abs(result) <= timeMsMax) return result
  throw evaluationError(evaluationState.dateOutOfRange, 'timestamp out of range')
}
