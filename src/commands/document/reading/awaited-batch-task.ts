// getMore on a tailable cursor that awaits data. If there is no data yet, it waits outside of any
// transaction until data comes, its time is over, or it is killed. Each attempt is a read program
// behind the call's guard, so that revoked rights take effect.

import { awaitDataMs, batchBytesMax } from '../../../base/limits/documents.js'
import { resumableError } from '../../../bus/document/transactions/labels.js'
import type { Watch } from '../../../engine/awaiting.js'
import {
  type Batch,
  type Cursor,
  fillBatch,
  requireAlive,
} from '../../../engine/sources/cursors.js'
import type { Document } from '../../../value/value.js'
import { type GetMoreCall, giveUp, nextBatch } from './next-batch.js'

/** The reply of a getMore that may wait; undefined if the cursor does not await data. */
export function awaitedBatch(call: GetMoreCall): Promise<Document> | undefined {
  const found = call.engine.cursors.find(call.target, call.owner)
  return found?.meta.tail?.awaitsData === true ? awaitBatch(call) : undefined
}

async function awaitBatch(call: GetMoreCall): Promise<Document> {
  const { cursors, awaiting } = call.engine
  const { db, owner, lsid, args, target } = call
  const cursor = cursors.take(target, { db, collection: args.collection, owner, lsid })
  let watch: Watch | undefined
  try {
    call.services.failPoint?.inGetMore.check()
    const begun = awaiting.watch(cursor.meta.tail?.keys ?? [])
    watch = begun
    const forget = call.whenDisturbed(() => begun.wake())
    cursor.whenKilled = () => begun.wake()
    const { documents } = await lookUntil(call, cursor, begun).finally(forget)
    return nextBatch(call, cursor, documents)
  } catch (thrown) {
    giveUp(call, cursor)
    throw cursor.source.resumeToken === undefined ? thrown : resumableError(thrown)
  } finally {
    cursor.whenKilled = undefined
    watch?.end()
  }
}

/** Reads until there is data or no time left. */
async function lookUntil(call: GetMoreCall, cursor: Cursor, watch: Watch): Promise<Batch> {
  const { clock } = call.services
  const limits = {
    documentsMax: call.args.batchSize || Number.POSITIVE_INFINITY,
    bytesMax: batchBytesMax,
  }
  const waitMs = call.waitMs(awaitDataMs)
  const endMs = call.startedMs + waitMs
  for (;;) {
    watch.look()
    const batch = await call.read((tx) => fillBatch(tx, cursor.source, limits))
    requireAlive(cursor)
    const now = clock.elapsed()
    if (batch.documents.length > 0 || batch.drained || call.isHurried || now >= endMs) return batch
    await watch.changed(endMs - now)
    call.waitedMs += clock.elapsed() - now
    requireAlive(cursor)
    call.check()
  }
}
