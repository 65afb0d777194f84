// The end of a getMore, whether it waited or not: a batch with the cursor released for the next
// getMore, or an error with the cursor closed.

import type { Call } from '../../../bus/document/call.js'
import { cursorReply } from '../../../bus/document/reply.js'
import type { Cursor } from '../../../engine/sources/cursors.js'
import type { Document } from '../../../value/value.js'

export type GetMoreCall = Call<
  { readonly collection: string; readonly batchSize: number | undefined },
  number
>

/** The reply; releases the cursor for the next getMore. */
export function nextBatch(
  { db, args, engine }: GetMoreCall,
  cursor: Cursor,
  documents: readonly Document[],
): Document {
  const id = cursor.source.drained ? 0 : cursor.id
  engine.cursors.release(cursor)
  return cursorReply({ name: 'nextBatch', documents, id, ns: `${db}.${args.collection}` })
}

/** Closes a cursor that failed. */
export function giveUp({ engine }: GetMoreCall, cursor: Cursor): void {
  engine.cursors.discard(cursor)
  cursor.source.close()
}
