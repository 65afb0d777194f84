// Times and time zones: fixed offsets as written, Olson names from the platform's Intl data. Stored
// dates are UTC; a zone only determines the local clock.

import { bigintOf, bsonType, readInt32, stringOf, type Value } from '../../../value/value.js'
import { location, type Result, typeName, valueText } from '../operator.js'

/** Milliseconds since 1970 of a date, timestamp or ObjectId. Throws 16006. */
export function momentOf(value: Value): number {
  switch (value.type) {
    case bsonType.date:
      return Number(bigintOf(value))
    case bsonType.timestamp:
      return (readInt32(value.bytes, value.start + 4) >>> 0) * 1_000
    case bsonType.objectId: {
      const { bytes, start } = value
      const seconds = new DataView(bytes.buffer, bytes.byteOffset + start, 4).getUint32(0)
      return seconds * 1_000
    }
    default:
      throw location(16006, `can't convert from BSON type ${typeName(value)} to Date`)
  }
}

export interface TimeZone {
  /** Milliseconds to add to UTC, at a time in UTC. */
  offsetAt(utcMs: number): number
  readonly isUtc: boolean
}

class FixedZone implements TimeZone {
  readonly isUtc: boolean

  constructor(private readonly offsetMs: number) {
    this.isUtc = offsetMs === 0
  }

  offsetAt(): number {
    return this.offsetMs
  }
}

export const utcZone: TimeZone = new FixedZone(0)

const quarterMs = 15 * 60_000
/** Since 1973 all offset changes are at quarters of an hour, so each quarter has one offset. */
const quartersSinceMs = 94_694_400_000
const rememberedMax = 10_000
/** The range that Intl formats. */
const intlMsMax = 8.64e15
const offsetText = /GMT(?:([+-])(\d{1,2}):?(\d{2})?(?::(\d{2}))?)?$/

class NamedZone implements TimeZone {
  readonly isUtc = false
  private readonly format: Intl.DateTimeFormat
  private readonly remembered = new Map<number, number>()

  constructor(name: string) {
    this.format = new Intl.DateTimeFormat('en-US', { timeZone: name, timeZoneName: 'longOffset' })
  }

  offsetAt(utcMs: number): number {
    if (utcMs < quartersSinceMs) return this.read(utcMs)
    const quarter = Math.floor(utcMs / quarterMs)
    let offset = this.remembered.get(quarter)
    if (offset === undefined) {
      offset = this.read(utcMs)
      if (this.remembered.size >= rememberedMax) this.remembered.clear()
      this.remembered.set(quarter, offset)
    }
    return offset
  }

  private read(utcMs: number): number {
    const text = this.format.format(Math.max(-intlMsMax, Math.min(intlMsMax, utcMs)))
    const match = offsetText.exec(text)
    if (match === null || match[1] === undefined) return 0
    const seconds = Number(match[2]) * 3_600 + Number(match[3] ?? 0) * 60 + Number(match[4] ?? 0)
    return (match[1] === '-' ? -1 : 1) * seconds * 1_000
  }
}

const zones = new Map<string, TimeZone>([
  ['UTC', utcZone],
  ['GMT', utcZone],
])
/** Clients choose the spellings of names, so the table is cleared when it is full. */
const zonesMax = 2_000
/** Above the length of any name in the time zone database. */
const zoneCharsMax = 100
const fixedOffset = /^([+-])(\d{2}):?(\d{2})?$/

/** The zone of a name such as `Europe/Berlin`, `UTC`, `+05:30`. Throws 40485. */
export function zoneOf(name: string): TimeZone {
  if (name.length > zoneCharsMax) throw unknownZone(`${name.slice(0, zoneCharsMax)}...`)
  const known = zones.get(name)
  if (known !== undefined) return known
  const fixed = fixedOffset.exec(name)
  if (fixed !== null) {
    const minutes = Number(fixed[2]) * 60 + Number(fixed[3] ?? 0)
    return new FixedZone((fixed[1] === '-' ? -1 : 1) * minutes * 60_000)
  }
  const zone = namedZone(name)
  if (zones.size >= zonesMax) zones.clear()
  zones.set(name, zone)
  return zone
}

function unknownZone(name: string): Error {
  return location(40485, `unrecognized time zone identifier: "${name}"`)
}

function namedZone(name: string): TimeZone {
  try {
    return new NamedZone(name)
  } catch {
    throw unknownZone(name)
  }
}

/** The zone of an operator's argument. Throws 40533 if it is not a string. */
export function zoneArgument(name: string, value: Result): TimeZone {
  if (value?.type !== bsonType.string) {
    throw location(
      40533,
      `${name} requires a string for the timezone argument, but was given a ` +
        `${typeName(value)} (${valueText(value)})`,
    )
  }
  return zoneOf(stringOf(value))
}

export function toLocal(utcMs: number, zone: TimeZone): number {
  return utcMs + zone.offsetAt(utcMs)
}

/** Subtracted from a local time, to find the offset before a change near it. */
const dayBeforeMs = 86_400_000

/**
 * The UTC time of a local time. A local time that occurs twice means the first one. A skipped one
 * means the time after the change by its distance from the start of the gap.
 */
export function toUtc(localMs: number, zone: TimeZone): number {
  if (zone.isUtc) return localMs
  const before = zone.offsetAt(localMs - dayBeforeMs)
  const early = localMs - before
  if (zone.offsetAt(early) === before) return early
  const late = localMs - zone.offsetAt(early)
  return zone.offsetAt(late) === zone.offsetAt(early) ? late : early
}
