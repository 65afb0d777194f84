// How a getMore ends, whether it has waited or not: with a batch and the cursor put back, or with
// an error and the cursor gone.

import type { Call } from '../../../bus/document/call.js'
import { cursorReply } from '../../../bus/document/reply.js'
import type { Cursor } from '../../../engine/sources/cursors.js'
import type { Document } from '../../../value/value.js'

export type GetMoreCall = Call<
  { readonly collection: string; readonly batchSize: number | undefined },
  number
>

/** The reply; the cursor waits for the next one. */
export function nextBatch(
  { db, args, engine }: GetMoreCall,
  cursor: Cursor,
  documents: readonly Document[],
): Document {
  const id = cursor.source.drained ? 0 : cursor.id
  engine.cursors.release(cursor)
  return cursorReply({ name: 'nextBatch', documents, id, ns: `${db}.${args.collection}` })
}

/** The cursor is of no use any more. */
export function giveUp({ engine }: GetMoreCall, cursor: Cursor): void {
  engine.cursors.discard(cursor)
  cursor.source.close()
}
