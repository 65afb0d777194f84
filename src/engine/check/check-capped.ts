// Checks capped collections: every record has a number within the range of its head, and every head
// has a collection. Entries of `_id_` are checked like those of any index.

import type { Bytes } from '../../base/bytes/bytes.js'
import { scanEntriesMax } from '../../base/limits/engine.js'
import type { Program, ReadTx } from '../../store/store.js'
import { readPhase, type Sweep } from '../../store/sweep.js'
import { findNamespace } from '../collection/catalog/catalog.js'
import { eachNamespace } from '../collection/catalog/catalog-walk.js'
import {
  type CappedHead,
  findHead,
  headRange,
  isCapped,
  isSequenced,
  keptIdIndex,
  ownerOfHead,
  sequenceOf,
} from '../collection/kinds/capped-order.js'
import type { Namespace } from '../types.js'
import { oneState, pagesOf } from './check-steps.js'

/** Throws if the number of a record is outside the range of the head. */
export function requireInOrder(key: Bytes, head: CappedHead): void {
  const sequence = sequenceOf(key)
  if (sequence === undefined) throw new Error('it has no number in the order of insertion')
  if (sequence < head.first || sequence >= head.next) {
    throw new Error('it lies outside of the numbers that the order of insertion has given')
  }
}

/** Describes what is wrong with the order of a collection; undefined if it is valid. */
export function* checkOrder({ id, db, name }: Namespace): Sweep<string | undefined> {
  return yield* readPhase(function* (tx) {
    const ns = yield* findNamespace(tx, db, name)
    if (ns === undefined || ns.id !== id || !isSequenced(ns)) return undefined
    if (isCapped(ns) && keptIdIndex(ns) === undefined) return 'it has no index on _id'
    return (yield* findHead(tx, id)) === undefined ? 'its order of insertion is lost' : undefined
  }, oneState)
}

/** Describes heads that belong to no sequenced collection. */
export function* checkHeads(): Sweep<string[]> {
  return yield* readPhase(strayHeads, oneState)
}

function* strayHeads(tx: ReadTx): Program<string[]> {
  const owners = new Set<number>()
  yield* eachNamespace(tx, (ns) => {
    if (isSequenced(ns)) owners.add(ns.id)
    return undefined
  })
  const texts: string[] = []
  yield* pagesOf(tx, headRange, scanEntriesMax, function* (entries) {
    for (const { key } of entries) {
      const id = ownerOfHead(key)
      if (!owners.has(id)) texts.push(`an order of insertion of id ${id}, which belongs to nothing`)
    }
    return true
  })
  return texts
}
