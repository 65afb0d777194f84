// Sparse and partial indexes leave documents out. A plan may read one only where everything that
// the query matches has an entry in it; a hint overrides that, and loses results as on the
// reference server.

import { compareBytes } from '../../base/bytes/bytes.js'
import type { FilterNode } from '../../query/filter.js'
import { encodeKey } from '../../value/key.js'
import { nullValue } from '../../value/value.js'
import type { IndexDescriptor } from '../types.js'
import { implies } from './implication.js'
import type { Interval } from './intervals.js'
import type { Access } from './plan.js'

/** Whether some documents of the collection may have no entry. */
export function leavesOut(index: IndexDescriptor | undefined): boolean {
  return index?.sparse === true || index?.partial !== undefined
}

/**
 * Whether an access, made of the bounds of `from`, sees every document for which all `conjuncts`
 * hold.
 */
export function isComplete(
  access: Access,
  conjuncts: readonly FilterNode[],
  from?: IndexDescriptor,
): boolean {
  // That bounds contradict each other rests on what an index knows of arrays: of its own documents.
  if (access.kind === 'nothing' && from?.partial !== undefined) {
    return implies(conjuncts, from.partial.tree)
  }
  if (access.kind !== 'entries') return true
  const { index, bounds } = access
  if (index.partial !== undefined) return implies(conjuncts, index.partial.tree)
  if (index.sparse !== true) return true
  // A value other than null can only come from a field that is there: then there is an entry.
  if (bounds.some(({ intervals }) => !intervals.some(holdsNull))) return true
  return index.fields.some(({ path }) => conjuncts.some((node) => requiresField(node, path)))
}

/** `{a: {$exists: true}}`, which a sparse index answers with all that it has. */
export function requiresField(node: FilterNode, path: string): boolean {
  return node.op === 'exists' && node.exists && node.path.text === path
}

const nullKey = encodeKey(nullValue)

function holdsNull({ start, end }: Interval): boolean {
  return compareBytes(start, nullKey) <= 0 && compareBytes(nullKey, end) < 0
}
