// Finds one document by its `_id`, the most common query. Nothing remains to continue with, so it
// needs no source, positions or batches.

import type { Program, ReadTx } from '../../store/store.js'
import type { Document, Value } from '../../value/value.js'
import { isHashedKey, recordKey } from '../collection/collections.js'
import { documentOfRecord, headOf } from '../collection/records.js'
import { isExpired } from '../keyspace/keys/guard.js'
import type { Guarded, Namespace } from '../types.js'
import type { FindQuery } from './source.js'

/** The stored document that a query for `id` (of idAsked) finds. */
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
  // An inline record is read without a generator.
  const isWhole = headOf(record) === undefined
  const document = isWhole ? record.subarray(1) : yield* documentOfRecord(tx, record)
  const { now } = tx
  if (ns.keyspace === true && now !== undefined && isExpired(document, now)) return undefined
  return !isHashedKey(key) || filter.matches(document) ? document : undefined
}
