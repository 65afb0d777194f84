// Finding one document by its `_id`: the commonest query of all. Nothing of it is left to go on
// with, so it needs no source, no positions and no batches.

import type { Program, ReadTx } from '../../store/store.js'
import type { Document, Value } from '../../value/value.js'
import { isHashedKey, recordKey } from '../collection/collections.js'
import { documentOfRecord, headOf } from '../collection/records.js'
import { isExpired } from '../keyspace/keys/guard.js'
import type { Guarded, Namespace } from '../types.js'
import type { FindQuery } from './source.js'

/** The document that a query for `id` (of idAsked) finds, as it is stored. */
export function* findPoint(
  tx: ReadTx & Guarded,
  ns: Namespace,
  { filter, use }: FindQuery,
  id: Value,
): Program<Document | undefined> {
  use?.noteId(ns)
  const key = recordKey(ns, id)
  const record = yield* tx.get(key)
  if (record === undefined) return undefined
  // A whole record is read without a generator of its own.
  const isWhole = headOf(record) === undefined
  const document = isWhole ? record.subarray(1) : yield* documentOfRecord(tx, record)
  const { now } = tx
  if (ns.keyspace === true && now !== undefined && isExpired(document, now)) return undefined
  return !isHashedKey(key) || filter.matches(document) ? document : undefined
}
