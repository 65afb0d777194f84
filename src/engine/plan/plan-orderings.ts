// The orders that a collection keeps its documents in: the records themselves by `_id`, and the
// indexes. What a filter says about each depends on how the strings in its keys compare.

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

/** Every order that a plan may use. */
export function* orderings(ns: Namespace): Generator<Ordered> {
  if (!isSequenced(ns)) yield clustered
  for (const index of ns.indexes) if (isUsable(index)) yield orderedOf(index)
}

/** As orderings, with what the conditions say about each; of a wildcard index, what it offers. */
export function* servingOrderings(ns: Namespace, conditions: Conditions): Generator<Ordered> {
  for (const ordered of orderings(ns)) {
    const { index } = ordered
    if (index?.wildcard === undefined) yield withConditions(ns, ordered, conditions)
    else yield* wildcardOrderings(index, conditions.under(index.collation))
  }
}

/** How the strings in an ordering's keys compare. */
export function keyCollation(ns: Namespace, { index }: Ordered): Collation | undefined {
  return index === undefined ? ns.collation : index.collation
}

/** The ordering with what a filter says about its keys, where others say something else. */
export function withConditions(ns: Namespace, ordered: Ordered, conditions: Conditions): Ordered {
  const collation = keyCollation(ns, ordered)
  if (sameCollation(collation, conditions.collation)) return ordered
  return { ...ordered, conditions: conditions.under(collation) }
}

/** An index that is being built misses documents; one that is hidden cannot be hinted either. */
export function isUsable(index: IndexDescriptor): boolean {
  return index.state === 'ready' && index.hidden !== true
}

export function orderedOf(index: IndexDescriptor): Ordered {
  return { index, fields: index.fields, multikey: index.multikey, unique: index.unique }
}
