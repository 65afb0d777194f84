// Reads ahead what a loop of inserts looks at: the record keys of the documents, and their keys in
// unique indexes. Only for a store whose gets are round trips.

import type { Bytes } from '../../base/bytes/bytes.js'
import { GatewayError } from '../../base/errors.js'
import { work } from '../../base/work/work-budget.js'
import { ReadAhead } from '../../store/read-ahead.js'
import type { Program, Tx } from '../../store/store.js'
import type { Document } from '../../value/value.js'
import { idOf } from '../index/entries.js'
import { entriesOf } from '../index/index-keys.js'
import type { Namespace } from '../types.js'
import { recordKey } from './collections.js'
import { isSequenced, readHead, sequenceKey } from './kinds/capped-order.js'

/** For a loop that inserts these documents in order; undefined if it needs nothing. */
export function* insertsAhead(
  tx: Tx,
  ns: Namespace,
  documents: readonly Document[],
): Program<ReadAhead | undefined> {
  if (tx.readAhead === undefined || documents.length < 2) return undefined
  const next = isSequenced(ns) ? (yield* readHead(tx, ns)).next : undefined
  return ReadAhead.of(tx, {
    count: documents.length,
    keysOf(index, keys) {
      const document = documents[index] as Document
      const key =
        next === undefined ? recordKey(ns, idOf(document)) : sequenceKey(ns.id, next + index)
      keys.push(key)
      addUniqueKeys(ns, document, key, keys)
    },
  })
}

function addUniqueKeys(
  { indexes }: Namespace,
  document: Document,
  key: Bytes,
  keys: Bytes[],
): void {
  for (const index of indexes) {
    if (!index.unique || index.suffixed === true) continue
    try {
      keys.push(...work.unrefused(() => entriesOf(index, document, key)).keys)
    } catch (error) {
      // Its insert fails in the same way, in its turn.
      if (!(error instanceof GatewayError)) throw error
    }
  }
}
