// Search for a text in a text, or for bytes in bytes, in linear time for any input. Native searches
// are quadratic for a needle such as `a…ab` in `a…a`. This one skips as Horspool does while that
// pays, then continues with the Two-Way algorithm.
// Source: Crochemore and Perrin, "Two-way string-matching", Journal of the ACM 38(3), 1991.

import { work } from '../work/work-budget.js'
import { bytesPerUnit, charsPerUnit, freshBytesPerUnit } from '../work/work-figures.js'

/** Bytes, or the UTF-16 code units of a text. */
export type CodeUnits = Uint8Array | Uint16Array

/** Up to this length the search is native: 10 ns a unit at worst. */
const nativeUnitsMax = 64
/** A skip reads the unit below the needle's end, at the cost of two compared units. */
const skipCost = 2
/** Horspool may spend this many times the distance covered, plus this much in advance. */
const wasteFactor = 2
const wasteAhead = 256

/** Larger arrays cost their pages, which are new. */
const cheapBytesMax = 1024 * 1024
/** What a search compares before it counts it: it is refused in time. */
const countedCost = 65_536

/** A needle with its search tables; it serves many searches. */
export class Needle {
  private skips: Int32Array | undefined
  private split: CriticalSplit | undefined

  constructor(readonly units: CodeUnits) {}

  /** The first position from `from` at which the needle ends by `to`, or -1. Spends its work. */
  indexIn(haystack: CodeUnits, from: number, to: number): number {
    const { length } = this.units
    if (length === 0) return from <= to ? from : -1
    if (to - from < length) return -1
    if (length === 1) return this.indexOfOne(haystack, from, to)
    return this.skipTo(haystack, from, to)
  }

  private indexOfOne(haystack: CodeUnits, from: number, to: number): number {
    const found = haystack.indexOf(this.units[0] as number, from)
    const isInside = found >= 0 && found < to
    work.spend(1 + (((isInside ? found : haystack.length) - from) / bytesPerUnit) * 2)
    return isInside ? found : -1
  }

  /** Horspool's search, with its comparisons counted. */
  private skipTo(haystack: CodeUnits, from: number, to: number): number {
    const { units } = this
    this.skips ??= skipsOf(units)
    const { skips } = this
    const last = units.length - 1
    const end = to - units.length
    let cost = 0
    let counted = 0
    let at = from
    while (at <= end) {
      if (cost - counted > countedCost) {
        work.spend((cost - counted) / charsPerUnit)
        counted = cost
      }
      const unit = haystack[at + last] as number
      cost += skipCost
      if (unit === units[last]) {
        let i = 0
        while (i < last && haystack[at + i] === units[i]) i++
        if (i === last) {
          work.spend(1 + (cost - counted) / charsPerUnit)
          return at
        }
        cost += i
      }
      at += skips[unit & 0xff] as number
      if (cost > (at - from) * wasteFactor + wasteAhead) {
        work.spend((cost - counted) / charsPerUnit)
        return this.twoWay(haystack, at, to)
      }
    }
    work.spend(1 + (cost - counted) / charsPerUnit)
    return -1
  }

  private twoWay(haystack: CodeUnits, from: number, to: number): number {
    const { units } = this
    if (this.split === undefined) {
      work.spend((units.length * 4) / charsPerUnit)
      this.split = criticalSplit(units)
    }
    const { split } = this
    // In parts that overlap by a needle, each counted before the next.
    const part = units.length * 4 + countedCost
    for (let at = from; ; at += part - units.length + 1) {
      const end = Math.min(at + part, to)
      const found = split.isPeriodic
        ? searchPeriodic(haystack, at, end, units, split)
        : searchAperiodic(haystack, at, end, units, split)
      work.spend((((found < 0 ? end : found) - at) * 2) / charsPerUnit)
      if (found >= 0 || end === to) return found
    }
  }
}

/** The needle's shift for the unit under its last position; units share 256 entries. */
function skipsOf(units: CodeUnits): Int32Array {
  const { length } = units
  work.spend(1 + length / charsPerUnit)
  const skips = new Int32Array(256).fill(length)
  for (let i = 0; i < length - 1; i++) skips[(units[i] as number) & 0xff] = length - 1 - i
  return skips
}

/** Where the needle is split, and its shift. */
interface CriticalSplit {
  /** The last unit of the left part. */
  readonly at: number
  readonly period: number
  readonly isPeriodic: boolean
}

function criticalSplit(units: CodeUnits): CriticalSplit {
  const up = maximalSuffix(units, false)
  const down = maximalSuffix(units, true)
  const { at, period } = up.at > down.at ? up : down
  let isPeriodic = true
  for (let i = 0; i <= at && isPeriodic; i++) isPeriodic = units[i] === units[i + period]
  if (isPeriodic) return { at, period, isPeriodic }
  return { at, period: Math.max(at + 1, units.length - at - 1) + 1, isPeriodic }
}

function maximalSuffix(units: CodeUnits, isReversed: boolean): { at: number; period: number } {
  let at = -1
  let candidate = 0
  let offset = 1
  let period = 1
  while (candidate + offset < units.length) {
    const a = units[candidate + offset] as number
    const b = units[at + offset] as number
    if (a === b) {
      if (offset !== period) offset++
      else {
        candidate += period
        offset = 1
      }
    } else if (isReversed ? a > b : a < b) {
      candidate += offset
      offset = 1
      period = candidate - at
    } else {
      at = candidate++
      offset = 1
      period = 1
    }
  }
  return { at, period }
}

/** The needle's left part repeats: what matched before a shift is not compared again. */
function searchPeriodic(
  haystack: CodeUnits,
  from: number,
  to: number,
  units: CodeUnits,
  { at, period }: CriticalSplit,
): number {
  const { length } = units
  let known = -1
  for (let place = from; place <= to - length; ) {
    let i = Math.max(at, known) + 1
    while (i < length && units[i] === haystack[place + i]) i++
    if (i < length) {
      place += i - at
      known = -1
      continue
    }
    i = at
    while (i > known && units[i] === haystack[place + i]) i--
    if (i <= known) return place
    place += period
    known = length - period - 1
  }
  return -1
}

function searchAperiodic(
  haystack: CodeUnits,
  from: number,
  to: number,
  units: CodeUnits,
  { at, period }: CriticalSplit,
): number {
  const { length } = units
  for (let place = from; place <= to - length; ) {
    let i = at + 1
    while (i < length && units[i] === haystack[place + i]) i++
    if (i < length) {
      place += i - at
      continue
    }
    i = at
    while (i >= 0 && units[i] === haystack[place + i]) i--
    if (i < 0) return place
    place += period
  }
  return -1
}

/** The same needle usually comes again. */
let lastText = ''
let lastNeedle = new Needle(new Uint16Array(0))

function needleOf(text: string): Needle {
  if (text === lastText) return lastNeedle
  lastNeedle = new Needle(unitsOf(text))
  lastText = text
  return lastNeedle
}

function unitsOf(text: string): Uint16Array {
  const size = text.length * 2
  work.spend(1 + size / (size > cheapBytesMax ? freshBytesPerUnit : bytesPerUnit))
  const bytes = Buffer.allocUnsafeSlow(size)
  bytes.write(text, 'utf16le')
  return new Uint16Array(bytes.buffer, 0, text.length)
}

/** The positions of one text in another, one after the other. */
export class TextSearch {
  private readonly text: string
  private readonly find: string
  private units: Uint16Array | undefined

  constructor(text: string, find: string) {
    this.text = text
    this.find = find
  }

  /** The first position at or after `from`, as `indexOf` returns it. */
  next(from: number): number {
    const { text, find } = this
    if (text.length <= nativeUnitsMax || find.length === 0) return text.indexOf(find, from)
    if (find.length > text.length - from) return -1
    if (find.length === 1) {
      const found = text.indexOf(find, from)
      work.spend(1 + ((found < 0 ? text.length : found) - from) / bytesPerUnit)
      return found
    }
    this.units ??= unitsOf(text)
    return needleOf(find).indexIn(this.units, from, text.length)
  }
}

/** As `text.indexOf(find, from)`; `from` is not negative. */
export function indexOfText(text: string, find: string, from = 0): number {
  return new TextSearch(text, find).next(from)
}

/** As `text.split(by)`; `by` is not empty. */
export function splitText(text: string, by: string): string[] {
  const search = new TextSearch(text, by)
  const parts: string[] = []
  let from = 0
  for (let at = search.next(0); at >= 0; at = search.next(from)) {
    parts.push(text.slice(from, at))
    from = at + by.length
    work.spend(1)
  }
  parts.push(text.slice(from))
  return parts
}
