// How a plan uses a wildcard index: as an ordering by one path and its value. It serves only
// conditions that null, objects and arrays cannot meet. Other conditions (a missing field, a whole
// object or array, an array position) have no matching entries.

import { compareBytes } from '../../base/bytes/bytes.js'
import { fail, type GatewayError } from '../../base/errors.js'
import type { FilterNode } from '../../query/filter.js'
import { encodeKey } from '../../value/key.js'
import { parsePath } from '../../value/path.js'
import { bsonType, nullValue, stringValue, undefinedValue, Value } from '../../value/value.js'
import { writeArray, writeDocument } from '../../value/writer.js'
import { arraysOn, holdsScalars, pathField, shareOf } from '../index/wildcard-paths.js'
import type { IndexDescriptor, IndexField, Wildcard, WildcardScan } from '../types.js'
import type { Conditions, Predicate } from './bounds.js'
import { type Interval, point, stringInterval } from './intervals.js'
import type { Ordered } from './plan.js'
import { type Intervals, isMade, Points } from './points.js'

/** The orderings of a wildcard index that serve the conditions. */
export function* wildcardOrderings(
  index: IndexDescriptor,
  conditions: Conditions,
): Generator<Ordered> {
  const { wildcard } = index
  if (wildcard === undefined) return
  if (wildcard.at > 0) yield frontOrdering(index, wildcard)
  const { byPath, conjuncts } = conditions
  for (const [path, predicates] of byPath) {
    const usable = predicates.filter(({ intervals }) => areOfScalars(intervals))
    if (usable.length === 0 || !holdsScalars(wildcard.holds, path)) continue
    if (isAmbiguous(index, path)) continue
    const paths = [asPredicate(undefined, [point(stringValue(path))])]
    yield pathOrdering(index, wildcard, path, conditions, paths, usable)
  }
  for (const node of conjuncts) {
    if (node.op !== 'exists' || !node.exists) continue
    const path = node.path.text
    if (shareOf(wildcard.holds, path) !== 'all' || isAmbiguous(index, path)) continue
    const paths = [asPredicate(node, [point(stringValue(path)), pathsBelow(path)])]
    yield pathOrdering(index, wildcard, path, conditions, paths, [])
  }
}

/** The error for a hinted wildcard index that cannot serve, as on MongoDB. */
export function uselessHint(): GatewayError {
  const reason = "$hint: refusing to build whole-index solution, because it's a wildcard index"
  return fail(
    'NoQueryExecutionPlans',
    `error processing query: planner returned error :: caused by :: ${reason}`,
  )
}

/** An ordering by the fields before `$**`, with every document. */
function frontOrdering(index: IndexDescriptor, wildcard: Wildcard): Ordered {
  const fields = wildcard.fields.slice(0, wildcard.at + 1)
  const multikey = [...index.multikey.slice(0, wildcard.at), false]
  return ordered(index, wildcard, fields, multikey, { path: undefined, repeats: true, arrays: [] })
}

/** An ordering by one path; `values` bound its values; without them, everything at or below it. */
function pathOrdering(
  index: IndexDescriptor,
  wildcard: Wildcard,
  path: string,
  conditions: Conditions,
  paths: readonly Predicate[],
  values: readonly Predicate[],
): Ordered {
  const { at } = wildcard
  const arrays = arraysOn(index, path)
  const fields = wildcard.fields.map((one, i) => (i === at + 1 ? { ...one, path } : one))
  const { multikey } = index
  const flags = [...multikey.slice(0, at), false, arrays.length > 0, ...multikey.slice(at + 1)]
  const byPath = new Map(conditions.byPath).set(pathField, paths)
  if (values.length === 0) byPath.delete(path)
  else byPath.set(path, values)
  const scan = { path, repeats: values.length === 0, arrays }
  return { ...ordered(index, wildcard, fields, flags, scan), conditions: { ...conditions, byPath } }
}

function ordered(
  index: IndexDescriptor,
  wildcard: Wildcard,
  fields: readonly IndexField[],
  multikey: readonly boolean[],
  scan: WildcardScan,
): Ordered {
  const view: IndexDescriptor = { ...index, fields, multikey, wildcard: { ...wildcard, scan } }
  return { index: view, fields, multikey, unique: false }
}

function asPredicate(node: FilterNode | undefined, intervals: readonly Interval[]): Predicate {
  return { node: node ?? { op: 'always' }, intervals, isExact: true, scope: undefined }
}

/** All paths with the prefix `a.`. */
function pathsBelow(path: string): Interval {
  const text = stringValue(`${path}.`)
  const key = encodeKey(text)
  return stringInterval(text, key.subarray(0, key.length - 1))
}

/** Whether a number in a path may be a position; entries contain only names. */
function isAmbiguous(index: IndexDescriptor, text: string): boolean {
  const { parts, positions } = parsePath(text)
  return positions.some(
    (position, i) => position >= 0 && i > 0 && arraysOn(index, aboveOf(parts, i)).length > 0,
  )
}

const aboveOf = (parts: readonly string[], end: number): string => parts.slice(0, end).join('.')

const nothing = writeDocument(() => {})
const undefinedStart = encodeKey(undefinedValue)
const nullStart = encodeKey(nullValue)
const objectStart = encodeKey(new Value(bsonType.object, nothing, 0, nothing.length))
/** Start of any array's key: the first byte is its type. */
const arrayStart = encodeKey(writeArray([])).subarray(0, 1)

function areOfScalars(list: Intervals): boolean {
  if (!isMade(list)) return list.every(isOfScalars)
  if (!(list instanceof Points)) return false
  const { hasNull, hasArray, hasObject } = list.list
  return !hasNull && !hasArray && !hasObject
}

/** Whether an interval contains no null, undefined, object or array. */
function isOfScalars({ start, end }: Interval): boolean {
  const isBelowNull = compareBytes(end, undefinedStart) <= 0
  const isBetween = compareBytes(start, nullStart) > 0 && compareBytes(end, objectStart) <= 0
  const isBehindArrays = (start[0] ?? 0) > (arrayStart[0] ?? 0)
  return isBelowNull || isBetween || isBehindArrays
}
