// Dotted paths and the three ways of following one: as a filter does (arrays entered, both readings
// of a numeric part), as an index or sort key does, and as an expression does. They differ in how
// they treat arrays and what is missing, and each difference is visible to clients.

import { type Bytes, shortUtf8 } from '../base/bytes/bytes.js'
import { work } from '../base/work/work-budget.js'
import { valueUnits } from '../base/work/work-figures.js'
import { equalValues } from './compare.js'
import { Elements, findElement } from './elements.js'
import { hashKey } from './key.js'
import { bsonType, type Document, nullValue, undefinedValue, type Value } from './value.js'
import { writeArray } from './writer.js'

/** An element of an array that a path goes into: 0.03 µs beside what is found there. */
const enteredUnits = 0.3
/** Array positions above this are names only: no stored array is that long. */
const positionMax = 0x7fffffff
/** Parsed paths that are kept; clients choose paths, so the cache is emptied when it is full. */
const cachedPathsMax = 4_096
/** Up to so many key values are compared with each other; more of them go through a set. */
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

/** The path of a dotted text, which is split and not checked: empty parts stay. */
export function parsePath(text: string): FieldPath {
  let path = cache.get(text)
  if (path === undefined) {
    path = new FieldPath(text)
    if (cache.size >= cachedPathsMax) cache.clear()
    cache.set(text, path)
  }
  return path
}

/** The value at a path through objects alone; arrays are not entered. */
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
 * `isElement`: the leaf was taken by its position in an array. The reference server does not look
 * into such a leaf when it is an array itself: `{"a.1": 2}` does not match `{a: [5, [2, 4]]}`.
 */
type Visit = (leaf: Value | undefined, isElement: boolean) => boolean

/**
 * Hands every leaf of a path to `visit`, as a filter sees it, and ends with true as soon as `visit`
 * does. A leaf that is an array is handed whole. `undefined` is a missing leaf: an object that
 * lacks the field, or a scalar in the middle of the path; elements of an array that are no objects
 * have no leaf at all, so that `{a: []}` has none for `a.b`.
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

/** What one path of a document contributes to an index or to a sort. */
export interface KeyValues {
  /** At least one, no two of them equal. */
  values: Value[]
  /** An array was entered: the index is multikey on this path. */
  isArray: boolean
}

/**
 * The values that index and sort keys are made of: one for each element of the arrays on the path,
 * a leaf array's elements, undefined for an empty leaf array, null for what is missing. A numeric
 * part takes the element at that position, beside the objects of the array that have such a field.
 * What is missing is `nullValue` itself and a stored null is not, where both are there: a sparse
 * index tells them apart.
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

/** `found` lies at part `index` of the path. */
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
 * The value of `$a.b` in an expression, `root` being where part `from` is looked up: arrays on the
 * way yield an array of what their objects have; a number is a field name like any other.
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
