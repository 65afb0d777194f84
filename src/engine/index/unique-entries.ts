// Checks that an index can become unique, before collMod converts it. The index is prepared first,
// which refuses new duplicates, so the result stays valid. Source: MongoDB manual, collMod.

import { type Bytes, concatBytes, equalBytes } from '../../base/bytes/bytes.js'
import { fail } from '../../base/errors.js'
import { violationsBytesMax } from '../../base/limits/documents.js'
import { scanEntriesMax } from '../../base/limits/engine.js'
import { keyClass } from '../../store/layout.js'
import type { Program, ReadTx } from '../../store/store.js'
import { readPhase, type Sweep } from '../../store/sweep.js'
import { field } from '../../value/elements.js'
import { type Document, nullValue, type Value } from '../../value/value.js'
import { writeDocument } from '../../value/writer.js'
import { idRange } from '../background/garbage.js'
import { findNamespace } from '../collection/catalog/catalog.js'
import { documentOfRecord } from '../collection/records.js'
import type { Guarded, IndexDescriptor } from '../types.js'
import { type IndexChange, requirePrepared } from './index-changes.js'
import { entryHeadBytes } from './index-keys.js'

/**
 * Throws CannotConvertIndexToUnique with the conflicting documents. Returns the collection version
 * for which the result holds, also later.
 */
export function* requireUniqueEntries(
  db: string,
  name: string,
  change: IndexChange,
): Sweep<number | undefined> {
  const { violations, version } = yield* readPhase((tx) => look(tx, db, name, change))
  if (violations.length === 0) return version
  throw fail(
    'CannotConvertIndexToUnique',
    'Cannot convert the index to unique. Please resolve conflicting documents before running ' +
      'collMod again.',
    { violations },
  )
}

function* look(
  tx: ReadTx & Guarded,
  db: string,
  name: string,
  change: IndexChange,
): Program<{ readonly violations: Document[]; readonly version: number | undefined }> {
  const ns = yield* findNamespace(tx, db, name)
  const index = ns === undefined ? undefined : requirePrepared(ns, change)
  const isAsked = index !== undefined && !index.unique
  return { violations: isAsked ? yield* collect(tx, index) : [], version: ns?.version }
}

/** Entries with the same key are adjacent. */
function* collect(tx: ReadTx, index: IndexDescriptor): Program<Document[]> {
  const { end } = idRange(keyClass.entry, index.id)
  let { start } = idRange(keyClass.entry, index.id)
  const violations: Document[] = []
  let bytes = 0
  let fields: Bytes | undefined
  let records: Bytes[] = []
  for (let isLast = false; !isLast; ) {
    const entries = yield* tx.scan({ start, end }, scanEntriesMax)
    isLast = entries.length < scanEntriesMax
    for (const { key, value } of entries) {
      const own = fieldsOfEntry(key, value)
      if (fields === undefined || !equalBytes(fields, own)) {
        if (records.length > 1) {
          const violation = yield* violationOf(tx, records)
          violations.push(violation)
          bytes += violation.length
          if (bytes > violationsBytesMax) return violations
        }
        fields = own
        records = []
      }
      if (records.length < scanEntriesMax) records.push(value)
      start = concatBytes(key, Uint8Array.of(0))
    }
  }
  if (records.length > 1) violations.push(yield* violationOf(tx, records))
  return violations
}

/** The part before the record key in an entry of a non-unique index. */
function fieldsOfEntry(key: Bytes, record: Bytes): Bytes {
  return key.subarray(0, key.length - (record.length - entryHeadBytes))
}

function* violationOf(tx: ReadTx, records: readonly Bytes[]): Program<Document> {
  const ids: Value[] = []
  for (const record of records) {
    const stored = yield* tx.get(record)
    if (stored === undefined) continue
    ids.push(field(yield* documentOfRecord(tx, stored), '_id') ?? nullValue)
  }
  return writeDocument((out) => {
    out.openArray('ids')
    for (const id of ids) out.push(id)
    out.close()
  })
}
