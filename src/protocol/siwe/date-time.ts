// Parses times of RFC 3339. `Date.parse` accepts far more, and turns the 31st of February into the
// 3rd of March, so this code parses the text itself. (RFC 3339, 5.6)

const form =
  /^(\d{4})-(\d{2})-(\d{2})T(\d{2}):(\d{2}):(\d{2})(?:\.(\d+))?(?:Z|([+-])(\d{2}):(\d{2}))$/

/**
 * Milliseconds since 1970, finer fractions cut; undefined for an invalid time. The offset is
 * required, `T` and `Z` are capitals, a leap second is the first of the next minute.
 */
export function parseDateTime(text: string): number | undefined {
  const match = form.exec(text)
  if (match === null) return undefined
  const part = (index: number) => Number(match[index] ?? 0)
  const [year, month, day] = [part(1), part(2), part(3)]
  const [hour, minute, second] = [part(4), part(5), part(6)]
  const [offsetHours, offsetMinutes] = [part(9), part(10)]
  if (month < 1 || month > 12 || day < 1 || day > daysOf(year, month)) return undefined
  if (hour > 23 || minute > 59 || second > 60) return undefined
  if (offsetHours > 23 || offsetMinutes > 59) return undefined
  const date = new Date(0)
  // Date.UTC would move years below 100 to the last century.
  date.setUTCFullYear(year, month - 1, day)
  date.setUTCHours(hour, minute, second, Number((match[7] ?? '').slice(0, 3).padEnd(3, '0')))
  const offset = (offsetHours * 60 + offsetMinutes) * 60_000
  return date.getTime() - (match[8] === '-' ? -offset : offset)
}

function daysOf(year: number, month: number): number {
  if (month === 2) return year % 4 === 0 && (year % 100 !== 0 || year % 400 === 0) ? 29 : 28
  return [4, 6, 9, 11].includes(month) ? 30 : 31
}
