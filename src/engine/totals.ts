// Figures over every collection, for the Health object. They are read from the counters: exact, and
// never a scan.

import type { Program, ReadTx } from '../store/store.js'
import { countOf, listNamespaces } from './catalog.js'

/** Documents in all collections. */
export function* totalDocuments(tx: ReadTx): Program<number> {
  let documents = 0
  for (const ns of yield* listNamespaces(tx)) documents += (yield* countOf(tx, ns)).documents
  return documents
}
