// PostgreSQL's names of types, the families in which they convert, and the type of several values.
// Source: PostgreSQL 15, 10.5.

import type { WholeType } from '../../../protocol/sql/ast.js'
import { isRowType } from './row-type.js'

/** PostgreSQL's name without a length: `int4`, `text[]`; undefined if only the rows tell. */
export type Type = string | undefined

/** Of a text literal and NULL, which take the type of what stands beside them. */
export const unknown = 'unknown'

export function isWholeType(type: Type): type is WholeType {
  return type === 'int2' || type === 'int4' || type === 'int8'
}

/** In the order in which PostgreSQL converts one to the next. */
const ranks = ['int2 int4 int8 numeric float4 float8', 'date timestamp timestamptz'].map((names) =>
  names.split(' '),
)
const [numbers = [], times = []] = ranks

const families = new Map<string, string>([
  ...numbers.map((name) => [name, 'number'] as const),
  ...times.map((name) => [name, 'time'] as const),
  ...['text', 'varchar', 'bpchar', 'name'].map((name) => [name, 'text'] as const),
  ...['bool', 'json', 'jsonb'].map((name) => [name, name] as const),
])

/** Types of one family compare with each other, and a result may be of several of them. */
export function familyOf(type: Type): Type {
  if (type === undefined) return undefined
  if (isRowType(type)) return type
  if (!type.endsWith('[]')) return families.get(type)
  const element = families.get(type.slice(0, -2))
  return element === undefined ? undefined : `${element}[]`
}

/** The type of several results; undefined if they have none in common, or one is not known. */
export function commonType(types: readonly Type[]): Type {
  const given = new Set(types.filter((type) => type !== unknown))
  const [first] = given
  if (given.size === 0) return 'text'
  if (given.size === 1 || given.has(undefined)) return given.has(undefined) ? undefined : first
  const order = ranks.find((names) => [...given].every((type) => names.includes(type ?? '')))
  if (order !== undefined) return order.findLast((name) => given.has(name))
  return [...given].every((type) => familyOf(type) === 'text') ? 'text' : undefined
}

export function arrayOf(element: Type): Type {
  if (element === undefined) return undefined
  return element.endsWith('[]') ? element : `${element}[]`
}

export function numberOnly(type: Type): Type {
  return familyOf(type) === 'number' ? type : undefined
}
