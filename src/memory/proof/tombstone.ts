// What stays of an anchored memory that was deleted: its hash and where it was anchored, so that
// the batch still adds up. It lies beside the anchors and no read of memories finds it.

import { insertDocument } from '../../engine/collection/collections.js'
import type { Namespace } from '../../engine/types.js'
import type { Program, Tx } from '../../store/store.js'
import { writeDocument } from '../../value/writer.js'

export interface Buried {
  readonly id: string
  readonly hash: string
  readonly anchorId: string
}

const tombstonePrefix = 'tomb_'

/** To be written in the program that deletes the memory. */
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
