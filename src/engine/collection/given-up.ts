// Discards indexes, with their collection or alone: their entries become garbage, which counts as
// waste of the collection's owner until it is deleted.

import type { Program, Tx } from '../../store/store.js'
import { discardIndex } from '../background/garbage.js'
import { wasteOf } from '../background/waste.js'
import type { Access, IndexId } from '../types.js'
import { payerOf } from './catalog/descriptors.js'
import { countKey } from './counters.js'

export function* giveUpIndex(tx: Tx, access: Access, id: IndexId): Program<void> {
  const bytes = payerOf(access) === null ? 0 : (yield* tx.count(countKey(id))).bytes
  discardIndex(tx, id, wasteOf(access, bytes))
}
