// How memories come into a batch: gathered oldest first from the index of those that no anchor has,
// written down with the anchor's record, and then marked a few at a time, so that no program is
// long. A crash in between is found by the record, which says whether its memories are marked.

import { type Bytes, concatBytes } from '../../base/bytes.js'
import { fail } from '../../base/errors.js'
import { anchorBatchBytes, anchorBatchMemories, anchorDueMemories } from '../../base/limits.js'
import { entryUnits } from '../../base/work-figures.js'
import { getDocument, recordKey, replaceDocument } from '../../engine/collection/collections.js'
import { documentOfRecord } from '../../engine/collection/records.js'
import type { Namespace } from '../../engine/types.js'
import { idKey, idKeyEnd, keyClass } from '../../store/layout.js'
import type { KeyRange, Program, ReadTx, Tx } from '../../store/store.js'
import { Elements, field } from '../../value/elements.js'
import { numberOf } from '../../value/numbers.js'
import { ulid, ulidTimeMax } from '../../value/ulid.js'
import { bsonType, type Document, stringOf, stringValue } from '../../value/value.js'
import { writeDocument } from '../../value/writer.js'
import type { Graph } from '../graph/graph.js'
import { noteChange } from '../graph/graph-settings.js'
import { isMemory } from '../nodes/node.js'
import { type Anchor, anchorPrefix, type Batch, isUnsent } from './anchor.js'
import { addAnchor, newestAnchors, saveAnchor } from './anchors.js'
import { hashForm } from './memory-hash.js'

/** Records of one step of gathering, and memories that one program marks. */
const gatheredAtOnce = 50
const markedAtOnce = 100

export interface Waiting {
  /** Memories without an anchor, up to anchorDueMemories. */
  readonly count: number
  /** When the oldest of them was made, milliseconds; undefined where there is none. */
  readonly since: number | undefined
}

/** How many memories a batch of all that waits would have. */
export function* countWaiting(tx: ReadTx, nodes: Namespace): Program<number> {
  const range = unanchoredRange(nodes)
  return range === undefined ? 0 : (yield* tx.scan(range, anchorBatchMemories)).length
}

export function* waitingIn(tx: ReadTx, nodes: Namespace): Program<Waiting> {
  const range = unanchoredRange(nodes)
  const found = range === undefined ? [] : yield* tx.scan(range, anchorDueMemories)
  const [oldest] = found
  if (oldest === undefined) return { count: 0, since: undefined }
  const document = yield* getDocument(tx, nodes, oldest.value)
  const createdAt = document === undefined ? undefined : field(document, 'createdAt')
  return { count: found.length, since: createdAt === undefined ? 0 : numberOf(createdAt) }
}

/** A batch of what shall be anchored. */
export interface Gathered extends Batch {
  /** Nothing that can be anchored is left for the next batch. */
  readonly isAll: boolean
}

/** The next batch: the oldest memories without an anchor. */
export function* gather(tx: ReadTx, nodes: Namespace): Program<Gathered> {
  const hashes = new Map<string, string>()
  let bytes = 0
  let isAll = true
  let range = unanchoredRange(nodes)
  while (range !== undefined) {
    const page = yield* tx.scanFetch(range, gatheredAtOnce)
    for (const { record } of page) {
      if (record === undefined) continue
      const document = yield* documentOfRecord(tx, record)
      const hash = textIn(document, 'hash')
      // What somebody wrote there beside us shall not keep the others waiting.
      if (!hashForm.test(hash)) continue
      if (hashes.has(hash)) {
        isAll = false
        continue
      }
      hashes.set(hash, textIn(document, '_id'))
      bytes += document.length
      if (hashes.size >= anchorBatchMemories || bytes >= anchorBatchBytes) {
        return gathered(hashes, false)
      }
    }
    yield* tx.pause(page.length * entryUnits)
    const last = page.at(-1)
    if (last === undefined || page.length < gatheredAtOnce) break
    range = { start: concatBytes(last.key, Uint8Array.of(0)), end: range.end }
  }
  return gathered(hashes, isAll)
}

/** The batch of those memories that have no anchor yet. Throws NodeNotFound for what is none. */
export function* gatherThese(
  tx: ReadTx,
  nodes: Namespace,
  ids: ReadonlySet<string>,
): Program<Gathered> {
  const hashes = new Map<string, string>()
  for (const id of ids) {
    const document = yield* getDocument(tx, nodes, keyOf(nodes, id))
    if (document === undefined || !isMemory(document)) {
      throw fail('NodeNotFound', `there is no memory '${id}'`)
    }
    const hash = textIn(document, 'hash')
    if (isWaiting(document) && hashForm.test(hash)) hashes.set(hash, id)
  }
  return gathered(hashes, true)
}

/** Of ids by their hashes. */
function gathered(hashes: ReadonlyMap<string, string>, isAll: boolean): Gathered {
  return { ids: [...hashes.values()], hashes: [...hashes.keys()], isAll }
}

/** The parts of a graph that anchoring changes. */
export type AnchoredGraph = Pick<Graph, 'nodes' | 'anchors' | 'settings'>

/** Whether the newest anchor of a graph still waits for its transaction. */
export function* hasUnsent(tx: ReadTx, { anchors }: AnchoredGraph): Program<boolean> {
  const [newest] = yield* newestAnchors(tx, anchors, 1)
  return isUnsent(newest)
}

export interface Made {
  readonly root: string
  readonly random: Uint8Array
  readonly now: number
  /** It is made only where no other anchor of the graph is unsent. */
  readonly isAlone: boolean
}

/**
 * Writes a gathered batch down as the graph's next anchor. Undefined where another was quicker, or
 * a memory is gone: then it has to be gathered again.
 */
export function* beginAnchor(
  tx: Tx,
  { nodes, anchors }: AnchoredGraph,
  batch: Batch,
  made: Made,
): Program<Anchor | undefined> {
  const [newest] = yield* newestAnchors(tx, anchors, 1)
  if (newest?.isMarked === false || (made.isAlone && isUnsent(newest))) return undefined
  for (const [i, id] of batch.ids.entries()) {
    const document = yield* getDocument(tx, nodes, keyOf(nodes, id))
    if (document === undefined || !isWaiting(document)) return undefined
    if (textIn(document, 'hash') !== batch.hashes[i]) return undefined
  }
  const createdAt = after(newest?.createdAt, made.now)
  const id = anchorPrefix + ulid(createdAt, made.random)
  const anchor: Anchor = {
    id,
    root: made.root,
    count: batch.ids.length,
    createdAt,
    seq: (newest?.seq ?? 0) + 1,
    prev: newest?.root ?? null,
    status: 'pending',
    isMarked: false,
    attempts: 0,
    error: null,
    chainId: null,
    contract: null,
    tx: null,
    block: null,
    anchoredAt: null,
    anchoredBy: null,
  }
  yield* addAnchor(tx, anchors, anchor, batch)
  yield* noteChange(tx, anchors)
  return anchor
}

/** Now, or right after the last one: their ids sort as they were made, whatever the clock does. */
function after(last: number | undefined, now: number): number {
  return last !== undefined && last >= now && last < ulidTimeMax ? last + 1 : now
}

/** Marks memories of a batch from the `from`th on; answers where to go on, undefined at the end. */
export function* markSome(
  tx: Tx,
  { nodes, anchors }: AnchoredGraph,
  anchor: Anchor,
  batch: Batch,
  from: number,
): Program<number | undefined> {
  const end = from + markedAtOnce
  for (const id of batch.ids.slice(from, end)) {
    const key = keyOf(nodes, id)
    const document = yield* getDocument(tx, nodes, key)
    if (document === undefined || !isWaiting(document)) continue
    yield* replaceDocument(tx, nodes, key, document, withAnchor(document, anchor.id))
  }
  yield* noteChange(tx, anchors)
  if (end < batch.ids.length) return end
  yield* saveAnchor(tx, anchors, { ...anchor, isMarked: true })
  return undefined
}

/** The memory with its anchor's id in the place of what it had there. */
function withAnchor(memory: Document, anchorId: string): Document {
  return writeDocument((writer) => {
    const elements = new Elements(memory)
    while (elements.next()) {
      if (elements.name() === 'anchorId') writer.string('anchorId', anchorId)
      else writer.element(memory, elements.start, elements.valueEnd)
    }
  })
}

function isWaiting(memory: Document): boolean {
  return field(memory, 'anchorId')?.type === bsonType.null
}

/** The whole index `unanchored`, oldest first: what has no entry is no memory, or anchored. */
function unanchoredRange(nodes: Namespace): KeyRange | undefined {
  const index = nodes.indexes.find(({ name }) => name === 'unanchored')
  if (index === undefined) return undefined
  return { start: idKey(keyClass.entry, index.id), end: idKeyEnd(keyClass.entry, index.id) }
}

function textIn(document: Document, name: string): string {
  const value = field(document, name)
  return value?.type === bsonType.string ? stringOf(value) : ''
}

function keyOf(nodes: Namespace, id: string): Bytes {
  return recordKey(nodes, stringValue(id))
}
