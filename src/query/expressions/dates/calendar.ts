// The proleptic Gregorian calendar on plain milliseconds. JavaScript's Date is not used, because
// its range is smaller than that of stored dates. Local times are milliseconds of local clocks.

export const dayMs = 86_400_000

interface DateParts {
  readonly year: number
  /** 1 to 12. */
  readonly month: number
  /** 1 to 31. */
  readonly day: number
  readonly hour: number
  readonly minute: number
  readonly second: number
  readonly millisecond: number
}

/** Days from 1970-01-01 to a date; months and days beyond their range carry over. */
export function daysOf(year: number, month: number, day: number): number {
  const months = year * 12 + month - 1
  const y = Math.floor(months / 12)
  const m = months - y * 12
  // A year that begins in March has the leap day at its end.
  const shifted = m < 2 ? y - 1 : y
  const era = Math.floor(shifted / 400)
  const yearOfEra = shifted - era * 400
  const dayOfYear = Math.floor((153 * ((m + 10) % 12) + 2) / 5)
  const dayOfEra =
    yearOfEra * 365 + Math.floor(yearOfEra / 4) - Math.floor(yearOfEra / 100) + dayOfYear
  return era * 146_097 + dayOfEra - 719_468 + day - 1
}

/** Year, month and day from days since 1970-01-01. */
export function civilOf(days: number): { year: number; month: number; day: number } {
  const shifted = days + 719_468
  const era = Math.floor(shifted / 146_097)
  const dayOfEra = shifted - era * 146_097
  const yearOfEra = Math.floor(
    (dayOfEra -
      Math.floor(dayOfEra / 1_460) +
      Math.floor(dayOfEra / 36_524) -
      Math.floor(dayOfEra / 146_096)) /
      365,
  )
  const dayOfYear =
    dayOfEra - (365 * yearOfEra + Math.floor(yearOfEra / 4) - Math.floor(yearOfEra / 100))
  const shiftedMonth = Math.floor((5 * dayOfYear + 2) / 153)
  const day = dayOfYear - Math.floor((153 * shiftedMonth + 2) / 5) + 1
  const month = shiftedMonth < 10 ? shiftedMonth + 3 : shiftedMonth - 9
  return { year: era * 400 + yearOfEra + (month <= 2 ? 1 : 0), month, day }
}

export function partsOf(ms: number): DateParts {
  const days = Math.floor(ms / dayMs)
  const rest = ms - days * dayMs
  return {
    ...civilOf(days),
    hour: Math.floor(rest / 3_600_000),
    minute: Math.floor(rest / 60_000) % 60,
    second: Math.floor(rest / 1_000) % 60,
    millisecond: rest % 1_000,
  }
}

/** Milliseconds of a date and time; every part may be beyond its range. */
export function msOf(parts: DateParts): number {
  return (
    daysOf(parts.year, parts.month, parts.day) * dayMs +
    parts.hour * 3_600_000 +
    parts.minute * 60_000 +
    parts.second * 1_000 +
    parts.millisecond
  )
}

export function daysInMonth(year: number, month: number): number {
  return daysOf(year, month + 1, 1) - daysOf(year, month, 1)
}

/** The same day and time, `months` later; a day that a shorter month lacks becomes its last day. */
export function monthsLater(ms: number, months: number): number {
  const days = Math.floor(ms / dayMs)
  const { year, month, day } = civilOf(days)
  const target = month + months
  const targetDay = Math.min(day, daysInMonth(year, target))
  return daysOf(year, target, targetDay) * dayMs + (ms - days * dayMs)
}

/** 0 for Sunday to 6. */
export function weekdayOf(days: number): number {
  return (((days + 4) % 7) + 7) % 7
}

/** 1 for January 1st. */
export function dayOfYear(days: number): number {
  return days - daysOf(civilOf(days).year, 1, 1) + 1
}

/** Weeks begin on Sunday; the days before the year's first Sunday are in week 0. */
export function weekOf(days: number): number {
  return Math.floor((dayOfYear(days) + 6 - weekdayOf(days)) / 7)
}

/** ISO 8601: 1 for Monday to 7. */
export function isoWeekday(days: number): number {
  return weekdayOf(days) === 0 ? 7 : weekdayOf(days)
}

/** ISO 8601: the week belongs to the year that has its Thursday. */
export function isoWeekOf(days: number): { year: number; week: number } {
  const thursday = days - isoWeekday(days) + 4
  return { year: civilOf(thursday).year, week: Math.floor((dayOfYear(thursday) - 1) / 7) + 1 }
}

/** Days since 1970-01-01 of an ISO week date; weeks and days beyond their range carry over. */
export function daysOfIsoWeek(year: number, week: number, weekday: number): number {
  const fourth = daysOf(year, 1, 4)
  return fourth - isoWeekday(fourth) + (week - 1) * 7 + weekday
}

export function padded(n: number, width: number): string {
  const digits = String(Math.abs(n)).padStart(width, '0')
  return n < 0 ? `-${digits}` : digits
}

/** `2024-05-06T07:08:09.010Z`. */
export function isoText(ms: number): string {
  const { year, month, day, hour, minute, second, millisecond } = partsOf(ms)
  return (
    `${padded(year, 4)}-${padded(month, 2)}-${padded(day, 2)}T` +
    `${padded(hour, 2)}:${padded(minute, 2)}:${padded(second, 2)}.${padded(millisecond, 3)}Z`
  )
}
