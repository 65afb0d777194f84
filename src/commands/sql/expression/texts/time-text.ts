// Times as text: the ISO 8601 forms of literals and casts, with a space allowed for the T, and any
// zone. A time without a zone is in UTC.

const clock = '(\\d{2}):(\\d{2})(?::(\\d{2})(?:\\.(\\d{1,9}))?)?'
const zone = '(Z|UTC|[+-]\\d{2}(?::?\\d{2})?)'
const form = new RegExp(`^(\\d{4})-(\\d{2})-(\\d{2})(?:[T ]${clock}\\s?${zone}?)?$`, 'i')

const minuteMs = 60_000
/** The range of a JavaScript Date around 1970. */
export const timeMsMax = 8_640_000_000_000_000

/** Milliseconds since 1970, truncated; undefined if the text is no time. */
export function parseTime(text: string): number | undefined {
  if (text.length < 10) return undefined
  const match = form.exec(text)
  if (match === null) return undefined
  const [year, month, day, hour, minute, second] = match
    .slice(1, 7)
    .map((part) => Number(part ?? 0))
  const date = new Date(0)
  date.setUTCFullYear(year ?? 0, (month ?? 0) - 1, day ?? 0)
  const isDay = date.getUTCMonth() + 1 === month && date.getUTCDate() === day
  if (!isDay || (hour ?? 0) > 23 || (minute ?? 0) > 59 || (second ?? 0) > 59) return undefined
  const offset = offsetOf(match[8])
  if (offset === undefined) return undefined
  const fraction = Number((match[7] ?? '').padEnd(3, '0').slice(0, 3))
  const ofDay = ((hour ?? 0) * 60 + (minute ?? 0)) * minuteMs + (second ?? 0) * 1000 + fraction
  return date.getTime() + ofDay - offset
}

/** Whether the text has the form of a time, which may not exist. */
export function hasTimeForm(text: string): boolean {
  return form.test(text)
}

/** Milliseconds by which a zone is ahead of UTC. */
function offsetOf(given: string | undefined): number | undefined {
  if (given === undefined || /^[a-z]/i.test(given)) return 0
  const [hours, minutes] = [Number(given.slice(1, 3)), Number(given.slice(3).replace(':', '') || 0)]
  if (hours > 15 || minutes > 59) return undefined
  const size = (hours * 60 + minutes) * minuteMs
  return given.startsWith('-') ? -size : size
}
