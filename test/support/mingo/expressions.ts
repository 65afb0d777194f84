// biome-ignore-all lint/suspicious/noThenProperty: $cond and $switch call their arguments so
// Expressions drawn from a seed: each operator with operands that mostly have the type it wants,
// now and then with another; and their parts, for finding the innermost one that two engines
// differ in.

import { type Draw, dates, numberOf, type Plain, scalarOf, textOf } from './values.js'

type Kind = 'number' | 'text' | 'bool' | 'array' | 'date' | 'object'
type Make = (part: Parts) => unknown

/** What makes the operands of one expression: by kind, and less deep than itself. */
class Parts {
  constructor(
    readonly draw: Draw,
    private readonly depth: number,
  ) {}

  of(kind: Kind): unknown {
    return expressionOf(this.draw, kind, this.depth - 1)
  }

  list(kind: Kind, least: number, most: number): unknown[] {
    return this.draw.list(least, most, () => this.of(kind))
  }

  any(): unknown {
    return this.of(this.draw.pick(kinds))
  }

  pick<T>(...from: readonly T[]): T {
    return this.draw.pick(from)
  }

  get n(): unknown {
    return this.of('number')
  }

  get s(): unknown {
    return this.of('text')
  }

  get a(): unknown {
    return this.of('array')
  }

  get d(): unknown {
    return this.of('date')
  }
}

const kinds: readonly Kind[] = ['number', 'text', 'bool', 'array', 'date', 'object']

const fields: Readonly<Record<Kind, readonly string[]>> = {
  number: ['$n', '$m', '$g', '$o.x', '$_id'],
  text: ['$s', '$t', '$o.y'],
  bool: ['$f', '$absent'],
  array: ['$l', '$w', '$r', '$r.v', '$r.k'],
  date: ['$d'],
  object: ['$o', '$$ROOT'],
}

const units = ['year', 'quarter', 'month', 'week', 'day', 'hour', 'minute', 'second', 'millisecond']
const item = ['$$this', { $add: ['$$this', 1] }, { $multiply: ['$$this', 2] }]
const itemTest = [{ $gt: ['$$this', 1] }, { $ne: ['$$this', 'a'] }, { $eq: ['$$this', null] }]

const numberMakes: Readonly<Record<string, Make>> = {
  $add: (p) => p.list('number', 0, 3),
  $subtract: (p) => [p.n, p.n],
  $multiply: (p) => p.list('number', 0, 3),
  $divide: (p) => [p.n, p.n],
  $mod: (p) => [p.n, p.n],
  $abs: (p) => p.n,
  $ceil: (p) => p.n,
  $floor: (p) => p.n,
  $round: (p) => [p.n, p.pick(0, 1, -1)],
  $trunc: (p) => [p.n, p.pick(0, 1, -1)],
  $sqrt: (p) => p.n,
  $exp: (p) => p.n,
  $ln: (p) => p.n,
  $log10: (p) => p.n,
  $log: (p) => [p.n, p.pick(2, 10)],
  $pow: (p) => [p.n, p.pick(0, 1, 2, 3)],
  $sin: (p) => p.n,
  $cos: (p) => p.n,
  $atan2: (p) => [p.n, p.n],
  $tan: (p) => p.n,
  $asin: (p) => p.n,
  $acos: (p) => p.n,
  $atan: (p) => p.n,
  $sinh: (p) => p.n,
  $cosh: (p) => p.n,
  $tanh: (p) => p.n,
  $asinh: (p) => p.n,
  $acosh: (p) => p.n,
  $atanh: (p) => p.n,
  $radiansToDegrees: (p) => p.n,
  $median: (p) => ({ input: p.a, method: 'approximate' }),
  $degreesToRadians: (p) => p.n,
  $bitAnd: (p) => p.list('number', 1, 2),
  $bitOr: (p) => p.list('number', 1, 2),
  $bitXor: (p) => p.list('number', 1, 2),
  $bitNot: (p) => p.n,
  $size: (p) => p.a,
  $strLenCP: (p) => p.s,
  $strLenBytes: (p) => p.s,
  $strcasecmp: (p) => [p.s, p.s],
  $indexOfCP: (p) => [p.s, p.s],
  $indexOfBytes: (p) => [p.s, p.s],
  $indexOfArray: (p) => [p.a, p.any()],
  $cmp: (p) => [p.any(), p.any()],
  $sum: (p) => p.pick(p.a, p.list('number', 2, 3)),
  $avg: (p) => p.pick(p.a, p.list('number', 2, 3)),
  $min: (p) => p.pick(p.a, p.list('number', 2, 3)),
  $max: (p) => p.pick(p.a, p.list('number', 2, 3)),
  $stdDevPop: (p) => p.a,
  $stdDevSamp: (p) => p.a,
  $year: (p) => p.d,
  $month: (p) => p.d,
  $dayOfMonth: (p) => p.d,
  $dayOfWeek: (p) => p.d,
  $dayOfYear: (p) => p.d,
  $hour: (p) => p.d,
  $minute: (p) => p.d,
  $second: (p) => p.d,
  $millisecond: (p) => p.d,
  $week: (p) => p.d,
  $isoWeek: (p) => p.d,
  $isoWeekYear: (p) => p.d,
  $isoDayOfWeek: (p) => p.d,
  $dateDiff: (p) => ({ startDate: p.d, endDate: p.d, unit: p.pick(...units) }),
  $toInt: (p) => p.any(),
  $toLong: (p) => p.any(),
  $toDecimal: (p) => p.any(),
  $convert: (p) => ({ input: p.any(), to: p.pick('int', 'bool', 'string'), onError: -1 }),
  $toDouble: (p) => p.any(),
  $reduce: (p) => ({ input: p.a, initialValue: 0, in: { $add: ['$$value', '$$this'] } }),
  $let: (p) => ({ vars: { v: p.n }, in: { $add: ['$$v', 1] } }),
  $literal: (p) => numberOf(p.draw),
}

const textMakes: Readonly<Record<string, Make>> = {
  $concat: (p) => p.list('text', 0, 3),
  $toLower: (p) => p.s,
  $toUpper: (p) => p.s,
  $substrCP: (p) => [p.s, p.pick(0, 1), p.pick(1, 2, -1)],
  $substr: (p) => [p.s, p.pick(0, 1), p.pick(1, 2, -1)],
  $substrBytes: (p) => [p.s, p.pick(0, 1), p.pick(1, 2, -1)],
  $trim: (p) => ({ input: p.s, ...p.pick({}, { chars: 'ab' }) }),
  $ltrim: (p) => ({ input: p.s, ...p.pick({}, { chars: 'ab' }) }),
  $rtrim: (p) => ({ input: p.s, ...p.pick({}, { chars: 'ab' }) }),
  $replaceOne: (p) => ({ input: p.s, find: p.s, replacement: p.s }),
  $replaceAll: (p) => ({ input: p.s, find: p.s, replacement: p.s }),
  $type: (p) => p.any(),
  $toString: (p) => p.any(),
  $dateToString: (p) => ({ date: p.d, format: p.pick('%Y-%m-%d', '%H:%M:%S.%L', '%j %u %V') }),
  $arrayElemAt: (p) => [p.a, p.pick(0, 1, -1, 5)],
  $first: (p) => p.a,
  $last: (p) => p.a,
  $cond: (p) => p.pick([p.any(), p.s, p.s], { if: p.any(), then: p.s, else: p.s }),
  $ifNull: (p) => [p.any(), p.s],
  $switch: (p) => ({ branches: [{ case: p.of('bool'), then: p.s }], default: p.s }),
  $getField: (p) => ({ field: p.pick('x', 'y'), input: p.of('object') }),
}

const boolMakes: Readonly<Record<string, Make>> = {
  $eq: (p) => [p.any(), p.any()],
  $ne: (p) => [p.any(), p.any()],
  $gt: (p) => [p.any(), p.any()],
  $gte: (p) => [p.any(), p.any()],
  $lt: (p) => [p.any(), p.any()],
  $lte: (p) => [p.any(), p.any()],
  $and: (p) => p.draw.list(0, 2, () => p.any()),
  $or: (p) => p.draw.list(0, 2, () => p.any()),
  $not: (p) => [p.any()],
  $in: (p) => [p.any(), p.a],
  $isArray: (p) => [p.any()],
  $isNumber: (p) => p.any(),
  $toBool: (p) => p.any(),
  $allElementsTrue: (p) => [p.a],
  $anyElementTrue: (p) => [p.a],
  $setEquals: (p) => [p.a, p.a],
  $setIsSubset: (p) => [p.a, p.a],
  $regexMatch: (p) => ({ input: p.s, regex: p.pick('^a', 'b$', '[A-Z]') }),
}

const arrayMakes: Readonly<Record<string, Make>> = {
  $concatArrays: (p) => p.list('array', 1, 2),
  $slice: (p) => p.pick([p.a, p.pick(1, 2, -1)], [p.a, p.pick(0, 1, -1), p.pick(1, 2)]),
  $reverseArray: (p) => p.a,
  $sortArray: (p) => ({ input: p.a, sortBy: p.pick<unknown>(1, -1, { v: 1 }) }),
  $filter: (p) => ({ input: p.a, as: 'this', cond: p.pick<unknown>(...itemTest) }),
  $map: (p) => ({ input: p.a, as: 'this', in: p.pick<unknown>(...item) }),
  $range: (p) => [p.pick(0, 1, 5), p.pick(0, 3, -2), p.pick(1, 2, -1)],
  $zip: (p) => ({ inputs: [p.a, p.a], useLongestLength: p.pick(true, false) }),
  $split: (p) => [p.s, p.pick(' ', 'a', 'x')],
  $objectToArray: (p) => p.of('object'),
  $setUnion: (p) => [p.a, p.a],
  $setIntersection: (p) => [p.a, p.a],
  $setDifference: (p) => [p.a, p.a],
  $firstN: (p) => ({ input: p.a, n: p.pick(1, 2) }),
  $lastN: (p) => ({ input: p.a, n: p.pick(1, 2) }),
  $percentile: (p) => ({ input: p.a, p: [0.5], method: 'approximate' }),
  $maxN: (p) => ({ input: p.a, n: p.pick(1, 2) }),
  $minN: (p) => ({ input: p.a, n: p.pick(1, 2) }),
  $regexFindAll: (p) => ({ input: p.s, regex: p.pick('[ab]', 'b(.)?') }),
}

const dateMakes: Readonly<Record<string, Make>> = {
  $dateAdd: (p) => ({ startDate: p.d, unit: p.pick(...units), amount: p.pick(1, -1, 13) }),
  $dateSubtract: (p) => ({ startDate: p.d, unit: p.pick(...units), amount: p.pick(1, -1, 13) }),
  $dateTrunc: (p) => ({ date: p.d, unit: p.pick(...units), binSize: p.pick(1, 2) }),
  $toDate: (p) => p.any(),
  $dateFromString: () => ({ dateString: '2024-03-01T10:00:00Z' }),
  $dateFromParts: (p) => ({ year: 2024, month: p.pick(0, 1, 14), day: p.pick(1, 31) }),
}

const objectMakes: Readonly<Record<string, Make>> = {
  $mergeObjects: (p) => p.list('object', 1, 2),
  $arrayToObject: (p) => p.a,
  $setField: (p) => ({ field: 'x', input: p.of('object'), value: p.any() }),
  $unsetField: (p) => ({ field: 'x', input: p.of('object') }),
  $dateToParts: (p) => ({ date: p.d }),
  $regexFind: (p) => ({ input: p.s, regex: p.pick('[ab]', 'b(.)?') }),
}

const makes: Readonly<Record<Kind, Readonly<Record<string, Make>>>> = {
  number: numberMakes,
  text: textMakes,
  bool: boolMakes,
  array: arrayMakes,
  date: dateMakes,
  object: objectMakes,
}

export const expressionNames = Object.values(makes).flatMap((family) => Object.keys(family))

function leafOf(draw: Draw, kind: Kind): unknown {
  if (draw.chance(0.75)) return draw.pick(fields[kind])
  if (kind === 'number') return numberOf(draw)
  if (kind === 'text') return textOf(draw)
  if (kind === 'bool') return draw.chance(0.5)
  if (kind === 'date') return draw.pick(dates)
  return kind === 'array' ? [numberOf(draw), '$n'] : { x: '$n', y: textOf(draw) }
}

export function expressionOf(draw: Draw, kind: Kind, depth = 2): unknown {
  if (draw.chance(0.06)) return draw.chance(0.5) ? scalarOf(draw) : leafOf(draw, draw.pick(kinds))
  if (depth <= 0 || draw.chance(0.2)) return leafOf(draw, kind)
  const family = makes[kind]
  const name = draw.pick(Object.keys(family))
  return { [name]: family[name]?.(new Parts(draw, depth)) }
}

export function anyExpressionOf(draw: Draw): unknown {
  return expressionOf(draw, draw.pick(kinds))
}

/** The name of an operator call, else undefined. */
export function operatorOf(expression: unknown): string | undefined {
  if (typeof expression !== 'object' || expression === null) return undefined
  const [name, ...others] = Object.keys(expression)
  return others.length === 0 && name?.startsWith('$') === true ? name : undefined
}

/** Expressions that an operator is given, but for those that use its own variables. */
export function operandsOf(expression: unknown): unknown[] {
  const name = operatorOf(expression)
  if (name === undefined) {
    if (Array.isArray(expression)) return expression
    return isPlain(expression) ? Object.values(expression) : []
  }
  const operand = (expression as Plain)[name]
  if (name === '$literal') return [expression]
  if (Array.isArray(operand)) return operand
  return isNamed(operand) ? namedOperands(operand) : [operand]
}

/** Arguments by name but `in` and `cond`; those of the branches of $switch. */
function namedOperands(operand: Plain): unknown[] {
  const { branches, vars, inputs, in: _body, cond: _test, ...others } = operand
  const nested = [branches, vars, inputs].filter((each) => each !== undefined)
  return [
    ...Object.values(others),
    ...nested.flatMap((each) => Object.values(each as Plain)),
  ].flatMap((each) => (isPlain(each) && 'case' in each ? Object.values(each) : [each]))
}

function isNamed(operand: unknown): operand is Plain {
  return isPlain(operand) && operatorOf(operand) === undefined
}

function isPlain(value: unknown): value is Plain {
  return typeof value === 'object' && value !== null && value.constructor === Object
}
