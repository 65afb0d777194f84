// Whether reading an ordering from one end gives the order that a sort asks for, so that nothing
// has to be held back. Index and sort keys are made of the same values (value/path.ts), a sort
// takes the smallest of several ascending and the largest descending.

import type { Sort } from '../../query/sort.js'
import type { Interval } from './intervals.js'
import type { Ordered } from './plan.js'

/**
 * The direction to read in: 1 or -1; undefined where a sort is needed. `intervals` are the bounds
 * of the leading fields, `endsById` says that equal entries stand in the order of `_id`: not so in
 * a capped collection.
 */
export function orderOf(
  ordered: Ordered,
  intervals: readonly (readonly Interval[])[],
  sort: Sort | undefined,
  endsById = true,
): 1 | -1 | undefined {
  if (sort === undefined || sort.parts.length === 0) return 1
  if (!keepsOrder(ordered, intervals)) return undefined
  const { fields } = ordered
  const isConstant = (at: number): boolean => {
    const list = intervals[at]
    return list?.length === 1 && list[0]?.isPoint === true
  }
  let at = 0
  let direction: 1 | -1 | undefined
  for (const part of sort.parts) {
    const path = part.path.text
    if (fields.some((field, i) => field.path === path && isConstant(i))) continue
    while (at < fields.length && fields[at]?.path !== path && isConstant(at)) at++
    const field = fields[at]
    // Nothing equals a document in all fields of a unique index: what follows decides nothing.
    if (field === undefined && ordered.unique) break
    if (field === undefined && !endsById) return undefined
    // Equal entries of an index stand in the order of their record keys.
    if ((field?.path ?? '_id') !== path) return undefined
    const wanted = part.direction === (field?.direction ?? 1) ? 1 : -1
    if (direction !== undefined && direction !== wanted) return undefined
    direction = wanted
    if (field === undefined) break
    at++
  }
  return direction ?? 1
}

/**
 * A document with an array is found at its first entry, which is its sort key only if no bounds
 * hide entries of the array, and if there is but one such field.
 */
function keepsOrder(ordered: Ordered, intervals: readonly (readonly Interval[])[]): boolean {
  if (ordered.index?.inexact === true) return false
  const arrays = ordered.multikey.flatMap((isArray, at) => (isArray ? [at] : []))
  if (arrays.length > 1) return false
  return arrays.every((at) => {
    const list = intervals[at]
    return list === undefined || (list.length === 1 && list[0]?.isFull === true)
  })
}
