// Rebuilds collation indexes after a change of ICU. Collation keys depend on the weights of the
// runtime's ICU, and another version may order differently. Such indexes are rebuilt at start.

import type { Program, Tx } from '../../store/store.js'
import { discardIndex } from '../background/garbage.js'
import { findNamespace, saveNamespace } from '../collection/catalog/catalog.js'
import { allocateId } from '../collection/catalog/catalog-ids.js'
import { giveBackIndexes } from '../collection/counters.js'
import { isSequenced } from '../collection/kinds/capped-order.js'
import type { IndexDescriptor, IndexId, Namespace } from '../types.js'

/** Whether an index has keys of another version. */
export function hasOldKeys(ns: Namespace): boolean {
  return ns.indexes.some(isOld)
}

/** Whether the record keys themselves are of another version; those are never renewed. */
export function hasOldRecords(ns: Namespace): boolean {
  // Sequence numbers do not depend on a collation.
  return ns.keyedBy !== undefined && !isSequenced(ns)
}

/** Empties such indexes and marks them for a build. */
export function* renewIndexes(tx: Tx, { db, name }: Namespace): Program<void> {
  const ns = yield* findNamespace(tx, db, name)
  if (ns === undefined) return
  const indexes: IndexDescriptor[] = []
  for (const index of ns.indexes) {
    if (!isOld(index)) {
      indexes.push(index)
      continue
    }
    yield* giveBackIndexes(tx, ns.access, [index])
    discardIndex(tx, index.id)
    const { keyedBy: _, hasWrites: __, ...rest } = index
    const id = (yield* allocateId(tx)) as IndexId
    const multikey = index.multikey.map(() => false)
    indexes.push({ ...rest, id, multikey, inexact: false, state: 'building' })
  }
  saveNamespace(tx, { ...ns, indexes })
}

function isOld({ keyedBy }: IndexDescriptor): boolean {
  return keyedBy !== undefined
}
