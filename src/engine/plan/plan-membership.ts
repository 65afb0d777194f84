// Sparse and partial indexes omit documents. A plan may use one only if everything that the query
// matches has an entry. A hint overrides that and loses results, as on MongoDB.

import { compareBytes } from '../../base/bytes/bytes.js'
import type { FilterNode } from '../../query/filter.js'
import { encodeKey } from '../../value/key.js'
import { nullValue } from '../../value/value.js'
import type { IndexDescriptor } from '../types.js'
import { implies } from './implication.js'
import type { Interval } from './intervals.js'
import type { Access } from './plan.js'
import { type Intervals, isMade, Points } from './points.js'

/** Whether some documents may have no entry. */
export function leavesOut(index: IndexDescriptor | undefined): boolean {
  return index?.sparse === true || index?.partial !== undefined
}

/**
 * Whether an access with the bounds of `from` sees every document for which all `conjuncts` hold.
 */
export function isComplete(
  access: Access,
  conjuncts: readonly FilterNode[],
  from?: IndexDescriptor,
): boolean {
  // Contradictory bounds rely on what the index knows of arrays, which covers only its own
  // documents.
  if (access.kind === 'nothing' && from?.partial !== undefined) {
    return implies(conjuncts, from.partial.tree)
  }
  if (access.kind !== 'entries') return true
  const { index, bounds } = access
  if (index.partial !== undefined) return implies(conjuncts, index.partial.tree)
  if (index.sparse !== true) return true
  // A value other than null implies that the field exists, and so an entry.
  if (bounds.some(({ intervals }) => !mayHoldNull(intervals))) return true
  return index.fields.some(({ path }) => conjuncts.some((node) => requiresField(node, path)))
}

/** `{a: {$exists: true}}`: a sparse index answers it with all its entries. */
export function requiresField(node: FilterNode, path: string): boolean {
  return node.op === 'exists' && node.exists && node.path.text === path
}

const nullKey = encodeKey(nullValue)

function mayHoldNull(list: Intervals): boolean {
  if (isMade(list)) return !(list instanceof Points) || list.list.hasNull
  return list.some(holdsNull)
}

function holdsNull({ start, end }: Interval): boolean {
  return compareBytes(start, nullKey) <= 0 && compareBytes(nullKey, end) < 0
}
