// Decides whether reading an ordering from one end gives the requested sort order without a sort
// stage. Index and sort keys come from the same values (value/path.ts): of several values, an
// ascending sort uses the smallest and a descending one the largest.

import type { Sort } from '../../query/sort.js'
import type { Ordered } from './plan.js'
import type { Intervals } from './points.js'

/**
 * The direction to read: 1 or -1; undefined if a sort is needed. `intervals` are the bounds of the
 * leading fields. `endsById`: equal entries are in `_id` order, which is false in a capped
 * collection.
 */
export function orderOf(
  ordered: Ordered,
  intervals: readonly Intervals[],
  sort: Sort | undefined,
  endsById = true,
): 1 | -1 | undefined {
  if (sort === undefined || sort.parts.length === 0) return 1
  if (!keepsOrder(ordered, intervals)) return undefined
  const { fields } = ordered
  const isConstant = (at: number): boolean => {
    const list = intervals[at]
    return list?.length === 1 && list.at(0)?.isPoint === true
  }
  let at = 0
  let direction: 1 | -1 | undefined
  for (const part of sort.parts) {
    const path = part.path.text
    if (fields.some((field, i) => field.path === path && isConstant(i))) continue
    while (at < fields.length && fields[at]?.path !== path && isConstant(at)) at++
    const field = fields[at]
    // No two documents are equal in all fields of a unique index, so further sort fields are
    // irrelevant.
    if (field === undefined && ordered.unique) break
    if (field === undefined && !endsById) return undefined
    // Equal entries of an index are in record key order.
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
 * A document with an array is found at its first entry. That is its sort key only if no bounds hide
 * entries of the array, and there is only one such field.
 */
function keepsOrder(ordered: Ordered, intervals: readonly Intervals[]): boolean {
  if (ordered.index?.inexact === true) return false
  const arrays = ordered.multikey.flatMap((isArray, at) => (isArray ? [at] : []))
  if (arrays.length > 1) return false
  return arrays.every((at) => {
    const list = intervals[at]
    return list === undefined || (list.length === 1 && list.at(0)?.isFull === true)
  })
}
