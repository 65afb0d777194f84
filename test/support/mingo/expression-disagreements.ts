// What the table of decided expressions asks of a disagreement, and the errors of the reference
// server's that mingo has not.

import { type Disagreement, isError, textOf } from './decisions.js'
import { compare } from './filter-model.js'

/** The reference server's errors for operands that mingo makes something of. */
export const refusals: Readonly<Record<string, readonly number[]>> = {
  $acos: [50989],
  $acosh: [50989],
  $asin: [50989],
  $atanh: [50989],
  $arrayToObject: [40386, 40391, 40392, 40394, 40395, 40396, 40397, 40398],
  $atan2: [51044, 51045],
  $bitAnd: [14],
  $bitOr: [14],
  $bitXor: [14],
  $bitNot: [14],
  $concat: [16702],
  $mod: [16610],
  $multiply: [14],
  $size: [17124],
  $dateAdd: [5166403],
  $dateSubtract: [5166403],
  $dateDiff: [5166307],
  $dateToParts: [16006],
  $dateToString: [16006],
  $dateTrunc: [5439012],
  $log: [28758],
  $log10: [28761],
  $ln: [28766],
  $mergeObjects: [40400],
  $regexFind: [51104],
  $regexFindAll: [51104],
  $regexMatch: [51104],
  $replaceAll: [51744, 51745, 51746],
  $replaceOne: [51744, 51745, 51746],
  $substrCP: [34454],
  $setDifference: [17048, 17049],
  $setIntersection: [17047],
  $setUnion: [17043],
  $toBool: [241],
  $toDecimal: [241],
  $toDate: [241],
  $toDouble: [241],
  $toInt: [241],
  $toLong: [241],
  $toString: [241],
  $zip: [34468],
}

/**
 * Operators of several operands of which mingo fails on a missing or null one, or makes
 * another.
 */
export const nullMakers = [
  '$dateAdd',
  '$dateSubtract',
  '$dateToParts',
  '$setUnion',
  '$atan2',
  '$avg',
  '$sum',
]

export const dateParts = [
  '$year',
  '$month',
  '$dayOfMonth',
  '$dayOfWeek',
  '$dayOfYear',
  '$hour',
  '$minute',
].concat(['$second', '$millisecond', '$week', '$isoWeek', '$isoWeekYear', '$isoDayOfWeek'])

export function codeOf({ sigil }: Disagreement): number | undefined {
  return isError(sigil) ? sigil.code : undefined
}

export function sigilValue({ sigil }: Disagreement): unknown {
  return isError(sigil) ? sigil : sigil.value
}

export function mingoOf({ mingo }: Disagreement): unknown {
  return isError(mingo) ? mingo : mingo.value
}

export function hasNullish({ operands }: Disagreement): boolean {
  return operands.some((operand) => operand === null || operand === undefined)
}

/** The total order, in which a missing value is before null. */
export function order([a, b]: readonly unknown[]): number {
  if (a === undefined || b === undefined) return Number(a !== undefined) - Number(b !== undefined)
  return compare(a, b)
}

export const outcomes: Readonly<Record<string, (order: number) => unknown>> = {
  $cmp: (n) => Math.sign(n),
  $eq: (n) => n === 0,
  $ne: (n) => n !== 0,
  $gt: (n) => n > 0,
  $gte: (n) => n >= 0,
  $lt: (n) => n < 0,
  $lte: (n) => n <= 0,
}

export function sorted(value: unknown): string {
  return Array.isArray(value)
    ? value
        .map((each) => textOf(each ?? null))
        .sort()
        .join()
    : textOf(value)
}

export function areNumbers(list: unknown): boolean {
  return Array.isArray(list) && list.every((each) => typeof each === 'number')
}

/** Whether Sigil's date is in the month that counting gives, on the same or on its last day. */
export function isSameDayOfMonth(found: Disagreement): boolean {
  const [start, unit, amount] = found.operands.toSorted((a, b) => rank(a) - rank(b))
  const months = { month: 1, quarter: 3, year: 12 }[String(unit)]
  const result = sigilValue(found)
  if (!(start instanceof Date && result instanceof Date) || months === undefined) return false
  const sign = found.name === '$dateAdd' ? 1 : -1
  const target = start.getUTCMonth() + sign * months * Number(amount)
  const last = new Date(Date.UTC(start.getUTCFullYear(), target + 1, 0))
  const day = Math.min(last.getUTCDate(), start.getUTCDate())
  return result.getUTCMonth() === last.getUTCMonth() && result.getUTCDate() === day
}

/** Whether `rounded` is `n` to the asked place: no further away than half of it. */
export function isNearest(n: number, rounded: number, place: unknown): boolean {
  return Math.abs(rounded - n) <= 10 ** -Number(place) / 2 + 1e-12
}

/** Dates, then texts, then numbers. */
function rank(operand: unknown): number {
  return operand instanceof Date ? 0 : typeof operand === 'string' ? 1 : 2
}
