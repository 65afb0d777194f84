// Finds the document that holds a unique key, for an insert that updates on conflict. It reads
// single keys and sees the writes of its own program.

import type { Program, Tx } from '../../store/store.js'
import type { Document } from '../../value/value.js'
import { findById, getDocument, recordKey } from '../collection/collections.js'
import { keptIdIndex } from '../collection/kinds/capped-order.js'
import { isExpired } from '../keyspace/keys/guard.js'
import type { Place } from '../modify/modify-spec.js'
import type { Guarded, IndexDescriptor, Namespace } from '../types.js'
import { idOf } from './entries.js'
import { entriesOf, entryHeadBytes } from './index-keys.js'

/** `_id` if documents are stored under it, or a unique index. */
export type ConflictIndex = 'id' | IndexDescriptor

/** The unique index on exactly these paths, in any order, that contains every document. */
export function conflictIndex(ns: Namespace, paths: readonly string[]): ConflictIndex | undefined {
  // A time series has no unique key; even its _id is not unique.
  if (ns.timeSeries !== undefined) return undefined
  const wanted = new Set(paths)
  if (wanted.size === 1 && wanted.has('_id')) return keptIdIndex(ns) ?? 'id'
  return ns.indexes.find(
    ({ unique, state, partial, fields }) =>
      unique &&
      state === 'ready' &&
      partial === undefined &&
      fields.length === wanted.size &&
      fields.every(({ path }) => wanted.has(path)),
  )
}

/** The stored document with the key that `document` would have. */
export function* findHolder(
  tx: Tx & Guarded,
  ns: Namespace,
  index: ConflictIndex,
  document: Document,
): Program<Place | undefined> {
  const found =
    index === 'id'
      ? yield* holderOfId(tx, ns, document)
      : yield* holderOfEntry(tx, ns, index, document)
  const isGone =
    ns.keyspace === true &&
    tx.now !== undefined &&
    found !== undefined &&
    isExpired(found.document, tx.now)
  return isGone ? undefined : found
}

function* holderOfId(tx: Tx, ns: Namespace, document: Document): Program<Place | undefined> {
  const id = idOf(document)
  const found = yield* findById(tx, ns, id)
  return found === undefined ? undefined : { key: recordKey(ns, id), document: found }
}

function* holderOfEntry(
  tx: Tx,
  ns: Namespace,
  index: IndexDescriptor,
  document: Document,
): Program<Place | undefined> {
  const own = recordKey(ns, idOf(document))
  const { keys } = entriesOf(index, document, own)
  for (const entry of keys) {
    const key = index.suffixed === true ? yield* holderAmong(tx, entry, own) : yield* tx.get(entry)
    const found = key === undefined ? undefined : yield* getDocument(tx, ns, key)
    if (key !== undefined && found !== undefined) return { key, document: found }
  }
  return undefined
}

/** The first entry with the same fields, in an index converted to unique. */
function* holderAmong(
  tx: Tx,
  entry: Uint8Array,
  record: Uint8Array,
): Program<Uint8Array | undefined> {
  const start = entry.subarray(0, entry.length - (record.length - entryHeadBytes))
  const end = start.slice()
  end[end.length - 1] = (end.at(-1) ?? 0) + 1
  const [held] = yield* tx.scanOwn({ start, end }, 1)
  return held?.value
}
