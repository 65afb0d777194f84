// The end of a getMore, whether it waited or not: a batch with the cursor released for the next
// getMore, or an error with the cursor closed.

import type { Call } from '../../../bus/document/call.js'
import { changeReply, cursorReply } from '../../../bus/document/reply.js'
import type { Cursor } from '../../../engine/sources/cursors.js'
import type { Document } from '../../../value/value.js'

export type GetMoreCall = Call<
  { readonly collection: string; readonly batchSize: number | undefined },
  number | bigint
>

/** The reply; releases the cursor for the next getMore. */
export function nextBatch(
  call: GetMoreCall,
  cursor: Cursor,
  documents: readonly Document[],
): Document {
  const { db, args, engine } = call
  const id = cursor.source.drained ? 0 : cursor.id
  if (id !== 0) continueStream(call, id)
  engine.cursors.release(cursor)
  const token = cursor.source.resumeToken?.(documents)
  const batch = { name: 'nextBatch', documents, id, ns: `${db}.${args.collection}` } as const
  return token === undefined ? cursorReply(batch) : changeReply(batch, token)
}

/**
 * An exhaust cursor sends its batches unasked, and is closed if its client disconnects. Statements
 * of a transaction are asked for one by one.
 */
function continueStream({ request, statement, engine, db, args, owner }: GetMoreCall, id: number) {
  const { stream } = request
  if (stream === undefined || statement !== undefined) return
  stream.continues = true
  stream.abandon = () => engine.cursors.kill(id, { db, collection: args.collection, owner })
}

/** Closes a cursor that failed. */
export function giveUp({ engine }: GetMoreCall, cursor: Cursor): void {
  engine.cursors.discard(cursor)
  cursor.source.close()
}
