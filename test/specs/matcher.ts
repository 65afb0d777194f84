// Says whether what a driver returned, sent or received is what a test file expects: a root may
// hold more, a nested document not, numbers agree across types, and $$ operators stand for values.

import { BSON } from 'mongodb'
import type { Fields } from './format.js'

/** What operators ask about: entities by their id. */
export interface MatchContext {
  entity(id: string): unknown
  sessionLsid(id: string): unknown
}

export class Mismatch extends Error {}

interface Place {
  readonly at: string
  readonly isRoot: boolean
  readonly context: MatchContext
}

/** Throws Mismatch, with the path to the first difference. */
export function requireMatch(
  expected: unknown,
  actual: unknown,
  context: MatchContext,
  at: string,
): void {
  match(expected, plain(actual), { at, isRoot: true, context })
}

function match(expected: unknown, actual: unknown, place: Place): void {
  if (Array.isArray(expected)) matchArray(expected, actual, place)
  else if (isFields(expected)) {
    const name = operatorOf(expected)
    if (name === undefined) matchFields(expected, actual, place)
    else operatorNamed(name)(expected[name], actual, place)
  } else if (!isSame(expected, actual)) throw mismatch(expected, actual, place)
}

function matchArray(expected: readonly unknown[], actual: unknown, place: Place): void {
  if (!Array.isArray(actual) || actual.length !== expected.length) {
    throw mismatch(expected, actual, place)
  }
  for (const [i, one] of expected.entries()) {
    match(one, plain(actual[i]), { ...place, at: `${place.at}[${i}]` })
  }
}

function matchFields(expected: Fields, actual: unknown, place: Place): void {
  if (!isFields(actual)) throw mismatch(expected, actual, place)
  for (const [name, value] of Object.entries(expected)) {
    match(value, plain(actual[name]), { ...place, at: `${place.at}.${name}`, isRoot: false })
  }
  if (place.isRoot) return
  for (const [name, value] of Object.entries(actual)) {
    if (value === undefined || Object.hasOwn(expected, name)) continue
    throw mismatch(undefined, value, { ...place, at: `${place.at}.${name}` })
  }
}

type Operator = (argument: unknown, actual: unknown, place: Place) => void

const operators: Readonly<Record<string, Operator>> = {
  $$exists: (argument, actual, place) => {
    if ((actual !== undefined) !== argument) throw mismatch({ $$exists: argument }, actual, place)
  },
  $$type: (argument, actual, place) => {
    const names = Array.isArray(argument) ? argument : [argument]
    if (names.some((name) => isOfType(String(name), actual))) return
    throw mismatch({ $$type: argument }, actual, place)
  },
  $$unsetOrMatches: (argument, actual, place) => {
    if (actual !== undefined && actual !== null) match(argument, actual, place)
  },
  $$matchesEntity: (argument, actual, place) => {
    match(place.context.entity(String(argument)), actual, place)
  },
  $$matchesHexBytes: (argument, actual, place) => {
    const hex = actual instanceof Uint8Array ? Buffer.from(actual).toString('hex') : undefined
    if (hex !== argument) throw mismatch({ $$matchesHexBytes: argument }, hex, place)
  },
  $$sessionLsid: (argument, actual, place) => {
    match(place.context.sessionLsid(String(argument)), actual, place)
  },
  $$lte: (argument, actual, place) => {
    const number = numberOf(actual)
    if (number === undefined || number > Number(argument)) {
      throw mismatch({ $$lte: argument }, actual, place)
    }
  },
}

function operatorNamed(name: string): Operator {
  const operator = operators[name]
  if (operator === undefined) throw new Error(`the matcher knows no ${name}`)
  return operator
}

const types: Readonly<Record<string, (value: unknown) => boolean>> = {
  double: (value) => typeof value === 'number' || value instanceof BSON.Double,
  string: (value) => typeof value === 'string',
  object: (value) => isFields(value),
  array: (value) => Array.isArray(value),
  binData: (value) => value instanceof BSON.Binary,
  undefined: (value) => value === undefined,
  objectId: (value) => value instanceof BSON.ObjectId,
  bool: (value) => typeof value === 'boolean',
  date: (value) => value instanceof Date,
  null: (value) => value === null,
  regex: (value) => value instanceof RegExp || value instanceof BSON.BSONRegExp,
  int: (value) =>
    value instanceof BSON.Int32 || (isInteger(value) && Number(value) === (Number(value) | 0)),
  timestamp: (value) => value instanceof BSON.Timestamp,
  long: (value) => value instanceof BSON.Long || typeof value === 'bigint' || isInteger(value),
  decimal: (value) => value instanceof BSON.Decimal128,
  number: (value) => numberOf(value) !== undefined || value instanceof BSON.Decimal128,
}

function isOfType(name: string, value: unknown): boolean {
  const type = types[name]
  if (type === undefined) throw new Error(`the matcher knows no type ${name}`)
  return type(value)
}

/** The one operator of a document that stands for a value; a stage's `$$ROOT` is a value itself. */
function operatorOf(expected: Fields): string | undefined {
  const names = Object.keys(expected)
  const name = names[0]
  return names.length === 1 && name?.startsWith('$$') === true ? name : undefined
}

function isSame(expected: unknown, actual: unknown): boolean {
  const number = numberOf(expected)
  if (number !== undefined) return number === numberOf(actual)
  if (typeof expected !== 'object' || expected === null) return expected === actual
  return text(expected) === text(actual)
}

function numberOf(value: unknown): number | undefined {
  if (typeof value === 'number') return value
  if (typeof value === 'bigint' || value instanceof BSON.Long) return Number(value)
  if (value instanceof BSON.Int32 || value instanceof BSON.Double) return value.valueOf()
  return undefined
}

const isInteger = (value: unknown) => typeof value === 'number' && Number.isInteger(value)

/** A driver sends ordered documents (sort, index keys) as a Map. */
function plain(value: unknown): unknown {
  return value instanceof Map ? Object.fromEntries(value) : value
}

/** A document: neither a BSON value of its own kind nor an array. */
function isFields(value: unknown): value is Fields {
  if (typeof value !== 'object' || value === null || Array.isArray(value)) return false
  return !('_bsontype' in value) && !(value instanceof Date) && !(value instanceof RegExp)
}

/** Canonical text: every type and the order of names show. */
export function text(value: unknown): string {
  if (value === undefined) return 'undefined'
  return BSON.EJSON.stringify({ value }, { relaxed: false }).slice('{"value":'.length, -1)
}

function mismatch(expected: unknown, actual: unknown, place: Place): Mismatch {
  return new Mismatch(`${place.at}: expected ${text(expected)}, not ${text(actual)}`)
}
