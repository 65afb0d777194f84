// The reference server's rules for one condition on one path, as plainly as they can be written
// over JavaScript values: the judge between Sigil and mingo where these two differ. What lies on a
// path is from the reference server's public source (src/mongo/db/matcher/path.cpp,
// ElementIterator).

import { ObjectId } from 'bson'
import type { FilterPart } from './filters.js'
import type { Plain } from './values.js'

export function isObject(value: unknown): value is Plain {
  return typeof value === 'object' && value !== null && value.constructor === Object
}

/** Every value that a condition on `path` is tried on; undefined is a missing one. */
export function reached(document: Plain, path: string): unknown[] {
  return fromObject(document, path.split('.'))
}

function fromObject(object: Plain, parts: readonly string[]): unknown[] {
  const [name = '', ...rest] = parts
  const value = object[name]
  if (rest.length === 0) return Array.isArray(value) ? [...value, value] : [value]
  if (Array.isArray(value)) return fromArray(value, rest)
  return isObject(value) ? fromObject(value, rest) : [undefined]
}

/** Elements that are objects by their fields, and the element at the position that a part names. */
function fromArray(array: readonly unknown[], parts: readonly string[]): unknown[] {
  const [name, ...rest] = parts
  return array.flatMap((element, i) => {
    const found = isObject(element) ? fromObject(element, parts) : []
    if (name !== String(i)) return found
    // What is taken by its position is not looked into when it is an array itself.
    if (rest.length === 0) return [...found, element]
    if (isObject(element)) return [...found, ...fromObject(element, rest)]
    return Array.isArray(element) ? [...found, ...fromArray(element, rest)] : found
  })
}

const order = ['null', 'number', 'string', 'object', 'array', 'objectId', 'bool', 'date']

export function kindOf(value: unknown): string {
  if (value === null || value === undefined) return 'null'
  if (Array.isArray(value)) return 'array'
  if (value instanceof ObjectId) return 'objectId'
  if (value instanceof Date) return 'date'
  return typeof value === 'boolean' ? 'bool' : typeof value
}

/** The total order: type, then value; objects field by field, arrays element by element. */
export function compare(a: unknown, b: unknown): number {
  const kind = kindOf(a)
  if (kind !== kindOf(b)) return order.indexOf(kind) - order.indexOf(kindOf(b))
  if (kind === 'null') return 0
  if (kind === 'array') return compareLists(a as unknown[], b as unknown[], compare)
  if (kind === 'object') {
    return compareLists(Object.entries(a as Plain), Object.entries(b as Plain), compareFields)
  }
  if (kind === 'string') return Buffer.compare(Buffer.from(String(a)), Buffer.from(String(b)))
  if (kind === 'objectId') return String(a) < String(b) ? -1 : Number(String(a) > String(b))
  return Number(a) - Number(b)
}

function compareLists<T>(a: readonly T[], b: readonly T[], each: (a: T, b: T) => number): number {
  for (let i = 0; i < Math.min(a.length, b.length); i++) {
    const found = each(a[i] as T, b[i] as T)
    if (found !== 0) return found
  }
  return a.length - b.length
}

function compareFields([a, left]: [string, unknown], [b, right]: [string, unknown]): number {
  const kinds = order.indexOf(kindOf(left)) - order.indexOf(kindOf(right))
  if (kinds !== 0) return kinds
  return a === b ? compare(left, right) : a < b ? -1 : 1
}

type Rule = (value: unknown, operand: never) => boolean

const within =
  (decide: (order: number) => boolean, takesNull: boolean): Rule =>
  (value, operand: unknown) =>
    operand === null
      ? takesNull && kindOf(value) === 'null'
      : value !== undefined && kindOf(value) === kindOf(operand) && decide(compare(value, operand))

const equal = within((order) => order === 0, true)
const oneOf: Rule = (value, operands: unknown[]) =>
  operands.some((operand) => equal(value, operand as never))

function bitsOf(mask: number | number[]): number {
  return Array.isArray(mask) ? mask.reduce((sum, bit) => sum | (1 << bit), 0) : mask
}

const bits =
  (decide: (value: number, mask: number) => boolean): Rule =>
  (value, mask: number | number[]) =>
    typeof value === 'number' && Number.isInteger(value) && decide(value, bitsOf(mask))

function hasType(value: unknown, type: string): boolean {
  if (value === undefined) return false
  if (type === 'int' || type === 'double') {
    return typeof value === 'number' && Number.isInteger(value) === (type === 'int')
  }
  return kindOf(value) === type
}

/** Of one value that a path reaches. */
const rules: Readonly<Record<string, Rule>> = {
  $eq: equal,
  $gt: within((order) => order > 0, false),
  $gte: within((order) => order >= 0, true),
  $lt: within((order) => order < 0, false),
  $lte: within((order) => order <= 0, true),
  $in: oneOf,
  $exists: (value) => value !== undefined,
  $type: (value, types: string | string[]) => [types].flat().some((type) => hasType(value, type)),
  $mod: (value, [divisor, rest]: [number, number]) =>
    typeof value === 'number' && Math.trunc(value) % divisor === rest,
  $regex: (value, pattern: string) => typeof value === 'string' && new RegExp(pattern).test(value),
  $bitsAllSet: bits((value, mask) => (value & mask) === mask),
  $bitsAnySet: bits((value, mask) => (value & mask) !== 0),
  $bitsAllClear: bits((value, mask) => (value & mask) === 0),
  $bitsAnyClear: bits((value, mask) => (value & mask) !== mask),
}

/**
 * Whether a document matches by the reference server's rules; undefined where no rule is written
 * down here.
 */
export function matchesByRules(document: Plain, part: FilterPart): boolean | undefined {
  const { path, name, operand } = part
  const values = reached(document, path)
  const some = (rule: string, given: unknown) =>
    values.some((value) => rules[rule]?.(value, given as never))
  if (name === '$ne') return !some('$eq', operand)
  if (name === '$nin') return !some('$in', operand)
  if (name === '$exists') return some(name, operand) === operand
  if (name === '$all') {
    const all = operand as unknown[]
    return all.length > 0 && all.every((each) => some('$eq', each))
  }
  if (name === '$size') return wholes(document, path).some((each) => lengthOf(each) === operand)
  if (name === '$elemMatch') {
    const arrays = wholes(document, path).filter((each) => Array.isArray(each))
    return arrays.flat().some((element) => elementMatches(element, operand as Plain))
  }
  return name in rules ? some(name, operand) : undefined
}

/** Operators are tried on the element itself; else it must be an object, or an array as one. */
function elementMatches(element: unknown, condition: Plain): boolean {
  const isValueForm = Object.keys(condition)[0]?.startsWith('$') === true
  if (isValueForm) {
    return Object.entries(condition).every(([name, operand]) =>
      rules[name]?.(element, operand as never),
    )
  }
  if (!isObject(element) && !Array.isArray(element)) return false
  return meets({ ...element } as Plain, condition)
}

/** A filter of plain conditions, $not among them. */
function meets(document: Plain, filter: Plain): boolean {
  return Object.entries(filter).every(([path, given]) => {
    const isOperators = isObject(given) && Object.keys(given)[0]?.startsWith('$') === true
    if (!isOperators)
      return matchesByRules(document, { path, name: '$eq', operand: given }) === true
    return Object.entries(given).every(([name, operand]) =>
      name === '$not'
        ? !meets(document, { [path]: operand })
        : matchesByRules(document, { path, name, operand }) === true,
    )
  })
}

/** What lies at the end of a path, arrays whole and not their elements. */
function wholes(document: Plain, path: string): unknown[] {
  const leaves: unknown[] = []
  const visit = (value: unknown, parts: readonly string[]): void => {
    const [name, ...rest] = parts
    if (name === undefined) leaves.push(value)
    else if (isObject(value)) visit(value[name], rest)
    else if (Array.isArray(value)) {
      for (const each of value) if (isObject(each)) visit(each, parts)
      const at = value[Number(name)]
      if (rest.length === 0 || isObject(at) || Array.isArray(at)) visit(at, rest)
    }
  }
  visit(document, path.split('.'))
  return leaves
}

function lengthOf(value: unknown): number | undefined {
  return Array.isArray(value) ? value.length : undefined
}
