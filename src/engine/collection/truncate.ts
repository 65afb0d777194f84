// Empties a collection at once, like a drop: its contents become garbage under the old id. The
// collection continues under a fresh id with its indexes, options and owner.
// (docs/design/transactions.md, rule 14)

import type { Program, Tx } from '../../store/store.js'
import { discardNamespace } from '../background/garbage.js'
import { wasteOf } from '../background/waste.js'
import { keepChunks, recordEmptying } from '../changes/record-changes.js'
import type { IndexDescriptor, Namespace, NamespaceId } from '../types.js'
import { emptyKeyspace, saveNamespace } from './catalog/catalog.js'
import { allocateId } from './catalog/catalog-ids.js'
import { giveBackSpace } from './counters.js'
import { giveUpIndex } from './given-up.js'
import { emptyHead, headKey, isSequenced, putHead } from './kinds/capped-order.js'

export function* truncateNamespace(tx: Tx, ns: Namespace): Program<Namespace> {
  if (ns.keyspace === true) return yield* emptyKeyspace(tx, ns)
  if (ns.recorded === true) recordEmptying(tx, ns)
  const keepsChunks = yield* keepChunks(tx, ns)
  const waste = wasteOf(ns.access, yield* giveBackSpace(tx, ns))
  const indexes: IndexDescriptor[] = []
  for (const { arrayPaths: _seen, ...index } of ns.indexes) {
    yield* giveUpIndex(tx, ns.access, index.id)
    const id = (yield* allocateId(tx)) as typeof index.id
    const multikey = index.multikey.map(() => false)
    indexes.push({ ...index, id, multikey, inexact: false, state: 'ready' })
  }
  discardNamespace(tx, ns.id, waste, keepsChunks)
  const id = (yield* allocateId(tx)) as NamespaceId
  if (isSequenced(ns)) {
    tx.remove(headKey(ns.id))
    putHead(tx, id, emptyHead)
  }
  return saveNamespace(tx, { ...ns, id, indexes })
}
