// The paths that a wildcard index covers, from its specification, and those known to contain
// arrays. Keys, plans and maintenance share it. Source: MongoDB manual, Wildcard Indexes.

import { wildcardArrayPathsBytesMax, wildcardArrayPathsMax } from '../../base/limits/documents.js'
import { field, fieldsOf } from '../../value/elements.js'
import { numberOf } from '../../value/numbers.js'
import { boolOf, bsonType, type Document, type Value } from '../../value/value.js'
import type { IndexDescriptor, IndexField, PathChoice, Wildcard } from '../types.js'

/** Name of the path field in a wildcard index's keys, as on MongoDB. */
export const pathField = '$_path'
const everyPath = '$**'
/** In `arrayPaths`, stands for any path when there are too many to list. */
const anyPath = everyPath

/** `$**`, or `a.b.$**` for paths below `a.b`. */
export function isWildcardName(name: string): boolean {
  return name === everyPath || name.endsWith(`.${everyPath}`)
}

/** Undefined for other indexes; `spec` has been checked. */
export function wildcardOf(spec: Document): Wildcard | undefined {
  const key = field(spec, 'key')
  if (key?.type !== bsonType.object) return undefined
  const pattern = [...fieldsOf(key)].map(([path, value]): IndexField => {
    // A value that is not a number belongs to another kind of index.
    return { path, direction: value.isNumber && numberOf(value) < 0 ? -1 : 1 }
  })
  const at = pattern.findIndex(({ path }) => isWildcardName(path))
  const own = pattern[at]
  if (own === undefined) return undefined
  const before = pattern.slice(0, at)
  const behind = pattern.slice(at + 1)
  const value: IndexField = { path: own.path, direction: own.direction }
  return {
    fields: [...before, { path: pathField, direction: 1 }, value, ...behind],
    at,
    regular: [...before, ...behind],
    holds: choiceOf(own.path, field(spec, 'wildcardProjection')),
  }
}

function choiceOf(name: string, projection: Value | undefined): PathChoice {
  if (name !== everyPath) {
    return { isInclusion: true, paths: [name.slice(0, -everyPath.length - 1)] }
  }
  const flags = projection === undefined ? [] : flagsOf(projection, '')
  const others = flags.filter(({ path }) => path !== '_id')
  const id = flags.find(({ path }) => path === '_id')?.isKept
  const isInclusion = others.length === 0 ? id === true : others[0]?.isKept === true
  const paths = others.map(({ path }) => path)
  // MongoDB excludes `_id` unless it is requested.
  if (isInclusion ? id === true : id !== true) paths.push('_id')
  return { isInclusion, paths }
}

interface Flag {
  readonly path: string
  readonly isKept: boolean
}

/** `{a: 1, b: {c: 1}}` as `a` and `b.c`. */
export function flagsOf(projection: Value, prefix: string): Flag[] {
  return [...fieldsOf(projection)].flatMap(([name, value]): Flag[] => {
    const path = prefix + name
    if (value.type === bsonType.object) return flagsOf(value, `${path}.`)
    const isKept = value.type === bsonType.bool ? boolOf(value) : numberOf(value) !== 0
    return [{ path, isKept }]
  })
}

/** Whether `path` equals or contains `other`. */
export function isAbove(path: string, other: string): boolean {
  return other.startsWith(path) && (other.length === path.length || other[path.length] === '.')
}

/** How much of a path and its subpaths has entries; `some`: it depends on the subpath. */
export function shareOf({ isInclusion, paths }: PathChoice, path: string): 'all' | 'some' | 'none' {
  if (paths.some((one) => isAbove(one, path))) return isInclusion ? 'all' : 'none'
  if (path === '' || paths.some((one) => isAbove(path, one))) return 'some'
  return isInclusion ? 'none' : 'all'
}

/** Whether values other than objects have an entry at a path. */
export function holdsScalars(choice: PathChoice, path: string): boolean {
  const share = shareOf(choice, path)
  return share === 'all' || (share === 'some' && !choice.isInclusion)
}

/** The array paths of an index plus those of a document; the same list if all are known. */
export function joinedArrayPaths(
  known: readonly string[],
  seen: readonly string[],
): readonly string[] {
  const fresh = seen.filter((path) => !isKnown(known, path))
  if (fresh.length === 0) return known
  const joined = [...known, ...fresh]
  const length = joined.reduce((sum, path) => sum + Buffer.byteLength(path), 0)
  const isTooMuch = joined.length > wildcardArrayPathsMax || length > wildcardArrayPathsBytesMax
  return isTooMuch ? [anyPath] : joined
}

/** Whether arrays at all of these paths are known. */
export function knowsArrayPaths(known: readonly string[], seen: readonly string[]): boolean {
  return seen.every((path) => isKnown(known, path))
}

function isKnown(known: readonly string[], path: string): boolean {
  return known.includes(path) || known[0] === anyPath
}

/** The paths of possible arrays on a path of the index, from the root on. */
export function arraysOn({ arrayPaths = [] }: IndexDescriptor, path: string): readonly string[] {
  if (arrayPaths[0] === anyPath) return [path]
  return arrayPaths.filter((one) => isAbove(one, path)).sort((a, b) => a.length - b.length)
}

/** Whether the arrays of an index are unchanged since a plan was made. */
export function hasSameArrays(before: IndexDescriptor, now: IndexDescriptor): boolean {
  const [a, b] = [before.arrayPaths ?? [], now.arrayPaths ?? []]
  return a.length === b.length && a.at(-1) === b.at(-1)
}
