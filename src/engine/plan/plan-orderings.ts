// The orderings of a collection: the records by `_id`, and the indexes. How a filter bounds each
// depends on the collation of its keys.

import { type Collation, sameCollation } from '../../value/collation/collation.js'
import { isSequenced } from '../collection/kinds/capped-order.js'
import type { IndexDescriptor, Namespace } from '../types.js'
import type { Conditions } from './bounds.js'
import type { Ordered } from './plan.js'
import { idFields } from './plan-access.js'
import { wildcardOrderings } from './wildcard-plan.js'

export const clustered: Ordered = {
  index: undefined,
  fields: idFields,
  multikey: [false],
  unique: true,
}

/** All orderings that a plan may use. */
export function* orderings(ns: Namespace): Generator<Ordered> {
  if (!isSequenced(ns)) yield clustered
  for (const index of ns.indexes) if (isUsable(index)) yield orderedOf(index)
}

/**
 * Like orderings, but only those that serve the conditions; a wildcard index offers one for each
 * path.
 */
export function* servingOrderings(ns: Namespace, conditions: Conditions): Generator<Ordered> {
  for (const ordered of orderings(ns)) {
    const { index } = ordered
    if (index?.wildcard === undefined) yield withConditions(ns, ordered, conditions)
    else yield* wildcardOrderings(index, conditions.under(index.collation))
  }
}

/** Whether the keys of an ordering may have values of a path. */
export function hasKeysOf(ns: Namespace, path: string): boolean {
  for (const { index, fields } of orderings(ns)) {
    if (index?.wildcard !== undefined) return true
    if (fields.some((field) => field.path === path)) return true
  }
  return false
}

/** The collation of an ordering's keys. */
export function keyCollation(ns: Namespace, { index }: Ordered): Collation | undefined {
  return index === undefined ? ns.collation : index.collation
}

/** The ordering with the conditions for its collation, if that differs from the collection's. */
export function withConditions(ns: Namespace, ordered: Ordered, conditions: Conditions): Ordered {
  const collation = keyCollation(ns, ordered)
  if (sameCollation(collation, conditions.collation)) return ordered
  return { ...ordered, conditions: conditions.under(collation) }
}

/** An index being built lacks documents; a hidden one cannot be hinted either. */
export function isUsable(index: IndexDescriptor): boolean {
  return index.state === 'ready' && index.hidden !== true
}

export function orderedOf(index: IndexDescriptor): Ordered {
  return { index, fields: index.fields, multikey: index.multikey, unique: index.unique }
}
