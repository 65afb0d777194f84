// The tombstone of a deleted anchored memory: its hash and its anchor, so that the batch still
// gives its root. It is among the anchors, and no read of memories finds it.

import { findById, insertDocument } from '../../../engine/collection/collections.js'
import type { Namespace } from '../../../engine/types.js'
import type { Program, ReadTx, Tx } from '../../../store/store.js'
import { field } from '../../../value/elements.js'
import { bsonType, type Document, stringOf, stringValue } from '../../../value/value.js'
import { writeDocument } from '../../../value/writer.js'

interface Buried {
  readonly id: string
  readonly hash: string
  readonly anchorId: string
}

/** Before the id of the memory. */
export const tombstonePrefix = 'tomb_'

/** Undefined if the memory was not deleted, or never anchored. */
export function* findTombstone(
  tx: ReadTx,
  anchors: Namespace,
  id: string,
): Program<Buried | undefined> {
  const document = yield* findById(tx, anchors, stringValue(tombstonePrefix + id))
  return document === undefined ? undefined : readTombstone(document)
}

/** Undefined for other documents. */
export function readTombstone(document: Document): Buried | undefined {
  const text = (name: string): string => {
    const value = field(document, name)
    return value?.type === bsonType.string ? stringOf(value) : ''
  }
  const id = text('_id')
  if (!id.startsWith(tombstonePrefix)) return undefined
  const hash = text('hash')
  return { id: id.slice(tombstonePrefix.length), hash, anchorId: text('anchorId') }
}

/** Write it in the program that deletes the memory. */
export function* buryMemory(
  tx: Tx,
  anchors: Namespace,
  { id, hash, anchorId }: Buried,
  now: number,
): Program<void> {
  const tombstone = writeDocument((writer) => {
    writer
      .string('_id', tombstonePrefix + id)
      .string('id', id)
      .string('hash', hash)
    writer.string('anchorId', anchorId).int64('deletedAt', now)
  })
  yield* insertDocument(tx, anchors, tombstone)
}
