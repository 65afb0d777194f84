// Figures over every collection, for the Health object and the metrics. They are read from the
// counters: exact, and never a scan.

import type { Count, Program, ReadTx } from '../../store/store.js'
import { listNamespaces } from './catalog.js'
import { countOf } from './counters.js'

/** Documents in all collections, and their BSON bytes. */
export function* totals(tx: ReadTx): Program<Count> {
  let documents = 0
  let bytes = 0
  for (const ns of yield* listNamespaces(tx)) {
    const count = yield* countOf(tx, ns)
    documents += count.documents
    bytes += count.bytes
  }
  return { documents, bytes }
}
