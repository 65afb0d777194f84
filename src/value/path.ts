// Dotted paths, and three ways to resolve them: as a filter (enters arrays, tries both readings of
// a numeric part), as an index or sort key, and as an expression. They differ for arrays and
// missing values, and clients can see each difference.

import { type Bytes, shortUtf8 } from '../base/bytes/bytes.js'
import { work } from '../base/work/work-budget.js'
import { valueUnits } from '../base/work/work-figures.js'
import { equalValues } from './compare.js'
import { Elements, findElement, longNames } from './elements.js'
import { hashKey } from './key.js'
import { bsonType, type Document, nullValue, undefinedValue, type Value } from './value.js'
import { writeArray } from './writer.js'

/** Work units of an array element that a path enters: 0.03 µs, besides what is found there. */
const enteredUnits = 0.3
/** Work units of a path that is split: it is not among the cached ones, 0.6 µs. */
const pathUnits = 6
/** Numbers above this are only names: no stored array is that long. */
const positionMax = 0x7fffffff
/** Cached parsed paths; clients choose paths, so a full cache is emptied. */
const cachedPathsMax = 4_096
/** Up to this many key values are compared in pairs; more use a set. */
const pairwiseMax = 8

export class FieldPath {
  readonly text: string
  readonly parts: readonly string[]
  /** The parts as UTF-8. */
  readonly names: readonly Bytes[]
  /** The array position that a part denotes ("0", "12", but not "01" or "+1"), else -1. */
  readonly positions: readonly number[]

  constructor(text: string) {
    this.text = text
    this.parts = text.split('.')
    this.names = this.parts.map(shortUtf8)
    this.positions = this.parts.map(positionOf)
  }
}

const cache = new Map<string, FieldPath>()

/** Splits a dotted text without validation: empty parts stay. */
export function parsePath(text: string): FieldPath {
  const units = longNames(text.length)
  if (units > 0) {
    work.spend(units)
    return new FieldPath(text)
  }
  let path = cache.get(text)
  if (path === undefined) {
    work.note(pathUnits)
    path = new FieldPath(text)
    if (cache.size >= cachedPathsMax) cache.clear()
    cache.set(text, path)
  }
  return path
}

/** The value at a path through objects only; does not enter arrays. */
export function valueAt(document: Document, path: FieldPath): Value | undefined {
  const { names } = path
  let bytes = document
  let start = 0
  let value: Value | undefined
  for (let i = 0; i < names.length; i++) {
    if (i > 0) {
      if (value?.type !== bsonType.object) return undefined
      bytes = value.bytes
      start = value.start
    }
    value = findElement(bytes, start, names[i] as Bytes)
  }
  return value
}

/**
 * `isElement`: the leaf was found by its array position. MongoDB does not enter such a leaf if it
 * is an array: `{"a.1": 2}` does not match `{a: [5, [2, 4]]}`.
 */
type Visit = (leaf: Value | undefined, isElement: boolean) => boolean

/**
 * Passes every leaf of a path to `visit`, as a filter sees it, and returns true as soon as `visit`
 * does. An array leaf is passed whole. `undefined` is a missing leaf: an object without the field,
 * or a scalar in the middle of the path. Array elements that are not objects have no leaf, so `{a:
 * []}` has none for `a.b`.
 */
export function walkPath(document: Document, path: FieldPath, visit: Visit): boolean {
  return walkObject(document, 0, path, 0, visit)
}

function walkObject(
  bytes: Bytes,
  start: number,
  path: FieldPath,
  index: number,
  visit: Visit,
): boolean {
  const { names } = path
  const found = findElement(bytes, start, names[index] as Bytes)
  if (found === undefined || index === names.length - 1) return visit(found, false)
  if (found.type === bsonType.object) {
    return walkObject(found.bytes, found.start, path, index + 1, visit)
  }
  if (found.type === bsonType.array) return walkArray(found, path, index + 1, visit)
  return visit(undefined, false)
}

function walkArray(array: Value, path: FieldPath, index: number, visit: Visit): boolean {
  const { bytes } = array
  const position = path.positions[index] ?? -1
  const isLast = index === path.names.length - 1
  const elements = new Elements(bytes, array.start)
  for (let i = 0; elements.next(); i++) {
    work.spend(enteredUnits)
    const { type, valueStart } = elements
    if (type === bsonType.object && walkObject(bytes, valueStart, path, index, visit)) return true
    if (i !== position) continue
    if (isLast) {
      if (visit(elements.value(), true)) return true
    } else if (type === bsonType.object) {
      if (walkObject(bytes, valueStart, path, index + 1, visit)) return true
    } else if (type === bsonType.array) {
      if (walkArray(elements.value(), path, index + 1, visit)) return true
    }
  }
  return false
}

/** The values of one path of a document for an index or sort. */
export interface KeyValues {
  /** At least one; distinct. */
  values: Value[]
  /** Whether an array was entered: then the index is multikey on this path. */
  isArray: boolean
}

/**
 * The values of index and sort keys: one for each element of arrays on the path, the elements of a
 * leaf array, undefined for an empty leaf array, null for missing. A numeric part takes the element
 * at that position, and also enters objects with such a field. A missing value is `nullValue`
 * itself, in contrast to a stored null, so a sparse index can distinguish them.
 */
export function keyValues(document: Document, path: FieldPath): KeyValues {
  const keys: KeyValues = { values: [], isArray: false }
  collectObject(document, 0, path, 0, keys)
  if (keys.values.length > 1) keys.values = distinct(keys.values)
  return keys
}

function collectObject(
  bytes: Bytes,
  start: number,
  path: FieldPath,
  index: number,
  keys: KeyValues,
): void {
  collectFound(findElement(bytes, start, path.names[index] as Bytes), path, index, keys)
}

/** `found` is the value at part `index` of the path. */
function collectFound(
  found: Value | undefined,
  path: FieldPath,
  index: number,
  keys: KeyValues,
): void {
  const isLast = index === path.names.length - 1
  if (found === undefined) keys.values.push(nullValue)
  else if (found.type === bsonType.array) {
    if (isLast) collectLeaf(found, keys)
    else collectArray(found, path, index + 1, keys)
  } else if (isLast) keys.values.push(found)
  else if (found.type === bsonType.object) {
    collectObject(found.bytes, found.start, path, index + 1, keys)
  } else keys.values.push(nullValue)
}

function collectLeaf(array: Value, keys: KeyValues): void {
  keys.isArray = true
  const elements = new Elements(array.bytes, array.start)
  const before = keys.values.length
  while (elements.next()) {
    work.spend(valueUnits)
    keys.values.push(elements.value())
  }
  if (keys.values.length === before) keys.values.push(undefinedValue)
}

function collectArray(array: Value, path: FieldPath, index: number, keys: KeyValues): void {
  const { bytes } = array
  const position = path.positions[index] ?? -1
  const before = keys.values.length
  const elements = new Elements(bytes, array.start)
  for (let i = 0; elements.next(); i++) {
    work.spend(valueUnits)
    if (i === position) collectFound(elements.value(), path, index, keys)
    const found =
      elements.type === bsonType.object
        ? findElement(bytes, elements.valueStart, path.names[index] as Bytes)
        : undefined
    if (found === undefined && position >= 0) continue
    keys.isArray = true
    collectFound(found, path, index, keys)
  }
  if (position < 0) keys.isArray = true
  if (keys.values.length === before) keys.values.push(nullValue)
}

function distinct(values: Value[]): Value[] {
  if (values.length > pairwiseMax) {
    const firsts = new Map<string | number, Value>()
    for (const value of values) {
      const key = hashKey(value)
      const first = firsts.get(key)
      if (first === undefined || first === nullValue) firsts.set(key, value)
    }
    return [...firsts.values()]
  }
  const kept: Value[] = []
  for (const value of values) {
    const at = kept.findIndex((other) => equalValues(other, value))
    if (at < 0) kept.push(value)
    else if (kept[at] === nullValue) kept[at] = value
  }
  return kept
}

/**
 * The value of `$a.b` in an expression, looked up in `root` from part `from` on. Arrays on the path
 * yield an array of their objects' values; a number is an ordinary field name.
 */
export function expressionValue(root: Value, path: FieldPath, from = 0): Value | undefined {
  if (from >= path.names.length) return root
  if (root.type === bsonType.array) {
    const found: Value[] = []
    const elements = new Elements(root.bytes, root.start)
    while (elements.next()) {
      work.spend(enteredUnits)
      if (elements.type !== bsonType.object) continue
      const value = expressionValue(elements.value(), path, from)
      if (value !== undefined) found.push(value)
    }
    return writeArray(found)
  }
  if (root.type !== bsonType.object) return undefined
  const value = findElement(root.bytes, root.start, path.names[from] as Bytes)
  return value === undefined ? undefined : expressionValue(value, path, from + 1)
}

function positionOf(part: string): number {
  if (!/^(?:0|[1-9]\d{0,9})$/.test(part)) return -1
  const position = Number(part)
  return position <= positionMax ? position : -1
}
