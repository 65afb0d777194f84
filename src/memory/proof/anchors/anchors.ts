// The anchoring documents in `memory.<graph>.anchors`: records whose ids sort in creation order,
// and their batches.

import type { Bytes } from '../../../base/bytes/bytes.js'
import {
  getDocument,
  insertDocument,
  recordKey,
  replaceDocument,
} from '../../../engine/collection/collections.js'
import { documentOfRecord } from '../../../engine/collection/records.js'
import type { Namespace } from '../../../engine/types.js'
import type { KeyRange, Program, ReadTx, Tx } from '../../../store/store.js'
import { stringValue } from '../../../value/value.js'
import {
  type Anchor,
  anchorDocument,
  anchorPrefix,
  type Batch,
  batchDocument,
  batchId,
  readAnchor,
  readBatch,
} from './anchor.js'

/** The character after `_`: the end of a range of ids with a prefix. */
const afterPrefix = '`'

/** The newest anchors of a graph, newest first. */
export function* newestAnchors(tx: ReadTx, anchors: Namespace, limit: number): Program<Anchor[]> {
  return yield* scanAnchors(tx, { ...rangeOf(anchors), reverse: true }, limit)
}

/** Those made before `id`, newest first. */
export function* anchorsBefore(
  tx: ReadTx,
  anchors: Namespace,
  id: string,
  limit: number,
): Program<Anchor[]> {
  const end = keyOf(anchors, id)
  return yield* scanAnchors(tx, { ...rangeOf(anchors), end, reverse: true }, limit)
}

export function* findAnchor(
  tx: ReadTx,
  anchors: Namespace,
  id: string,
): Program<Anchor | undefined> {
  const document = yield* getDocument(tx, anchors, keyOf(anchors, id))
  return document === undefined ? undefined : readAnchor(document)
}

/** The batch of an anchor; undefined if it is missing. */
export function* findBatch(
  tx: ReadTx,
  anchors: Namespace,
  anchorId: string,
): Program<Batch | undefined> {
  const document = yield* getDocument(tx, anchors, keyOf(anchors, batchId(anchorId)))
  return document === undefined ? undefined : readBatch(document)
}

export function* addAnchor(
  tx: Tx,
  anchors: Namespace,
  anchor: Anchor,
  batch: Batch,
): Program<void> {
  yield* insertDocument(tx, anchors, anchorDocument(anchor))
  yield* insertDocument(tx, anchors, batchDocument(anchor.id, batch))
}

/** Replaces a record; does nothing if it was deleted meanwhile. */
export function* saveAnchor(tx: Tx, anchors: Namespace, anchor: Anchor): Program<void> {
  const key = keyOf(anchors, anchor.id)
  const before = yield* getDocument(tx, anchors, key)
  if (before === undefined) return
  yield* replaceDocument(tx, anchors, key, before, anchorDocument(anchor))
}

function* scanAnchors(tx: ReadTx, range: KeyRange, limit: number): Program<Anchor[]> {
  const found: Anchor[] = []
  for (const { value } of yield* tx.scan(range, limit)) {
    found.push(readAnchor(yield* documentOfRecord(tx, value)))
  }
  return found
}

function rangeOf(anchors: Namespace): KeyRange {
  const end = anchorPrefix.slice(0, -1) + afterPrefix
  return { start: keyOf(anchors, anchorPrefix), end: keyOf(anchors, end) }
}

function keyOf(anchors: Namespace, id: string): Bytes {
  return recordKey(anchors, stringValue(id))
}
