// Gathers leaves into a batch: the oldest memories without an anchor, and the waiting leaves. They
// are stored with the anchor's record and then marked a few at a time, so that no program is long.
// After a crash the record says whether its leaves are marked.

import { type Bytes, keyAfter } from '../../../base/bytes/bytes.js'
import { fail } from '../../../base/errors.js'
import { anchorBatchMemories, anchorDueMemories } from '../../../base/limits/memory.js'
import { MiB } from '../../../base/units.js'
import { entryUnits, hashUnits } from '../../../base/work/work-figures.js'
import { getDocument, recordKey, replaceDocument } from '../../../engine/collection/collections.js'
import { documentOfRecord } from '../../../engine/collection/records.js'
import type { Namespace } from '../../../engine/types.js'
import { idKey, idKeyEnd, keyClass } from '../../../store/layout.js'
import type { KeyRange, Program, ReadTx, Tx } from '../../../store/store.js'
import { Elements, field } from '../../../value/elements.js'
import { numberOf } from '../../../value/numbers.js'
import { ulid, ulidTimeMax } from '../../../value/ulid.js'
import { bsonType, type Document, stringOf, stringValue } from '../../../value/value.js'
import { writeDocument } from '../../../value/writer.js'
import type { Graph } from '../../graph/graph.js'
import { graphKey, type KeyedGraph } from '../../graph/graph-key.js'
import { noteChange } from '../../graph/graph-settings.js'
import { isMemory } from '../../nodes/node.js'
import { graphSubject, leafVersion, memoryLeaf } from '../leaves/leaf.js'
import {
  anchorLeaf,
  findLeaf,
  type LeafRecord,
  leafRange,
  readLeaf,
  scanLeaves,
} from '../leaves/leaf-records.js'
import { hashForm } from '../leaves/memory-hash.js'
import { type Anchor, anchorPrefix, type Batch, isUnsent } from './anchor.js'
import { addAnchor, findBatch, newestAnchors, saveAnchor } from './anchors.js'

/** Bytes of the documents of a batch. */
const anchorBatchBytes = 4 * MiB

/** Records of one gathering step, and memories that one program marks. */
const gatheredAtOnce = 50
const markedAtOnce = 100

export interface Waiting {
  /** Leaves without an anchor: up to anchorDueMemories memories and as many others. */
  readonly count: number
  /** Creation time of the oldest one, milliseconds; undefined if there is none. */
  readonly since: number | undefined
}

/** Number of leaves in a batch of everything waiting. */
export function* countWaiting(tx: ReadTx, { nodes, anchors }: AnchoredGraph): Program<number> {
  const range = unanchoredRange(nodes)
  const most = anchorBatchMemories
  const memories = range === undefined ? 0 : (yield* tx.scan(range, most)).length
  return Math.min(memories + (yield* tx.scan(leafRange(anchors, 'wait'), most)).length, most)
}

export function* waitingIn(tx: ReadTx, { nodes, anchors }: AnchoredGraph): Program<Waiting> {
  const range = unanchoredRange(nodes)
  const found = range === undefined ? [] : yield* tx.scan(range, anchorDueMemories)
  const leaves = yield* scanLeaves(tx, leafRange(anchors, 'wait'), anchorDueMemories)
  const times = leaves.map(({ at }) => at)
  const [oldest] = found
  if (oldest !== undefined) times.push(yield* createdAt(tx, nodes, oldest.value))
  const since = times.length === 0 ? undefined : Math.min(...times)
  return { count: found.length + leaves.length, since }
}

function* createdAt(tx: ReadTx, nodes: Namespace, record: Bytes): Program<number> {
  const document = yield* getDocument(tx, nodes, record)
  const time = document === undefined ? undefined : field(document, 'createdAt')
  return time === undefined ? 0 : numberOf(time)
}

/** A batch to be anchored. */
interface Gathered extends Batch {
  readonly ns: readonly number[]
  /** The value read for each leaf: the stored hash of a memory, the hash of another leaf. */
  readonly found: readonly string[]
  /** Nothing that can be anchored is left for the next batch. */
  readonly isAll: boolean
}

/** The leaves of a batch being made, without duplicates. */
class Gathering {
  private readonly ids: string[] = []
  private readonly ns: number[] = []
  private readonly hashes: string[] = []
  private readonly found: string[] = []
  private readonly known = new Set<string>()
  private readonly key: string
  bytes = 0

  constructor(graph: KeyedGraph) {
    this.key = graphKey(graph)
  }

  get isFull(): boolean {
    return this.ids.length >= anchorBatchMemories || this.bytes >= anchorBatchBytes
  }

  addMemory(document: Document): void {
    const hash = textIn(document, 'hash')
    // An invalid document, not from the memory commands, must not block the others.
    if (!hashForm.test(hash)) return
    const id = textIn(document, '_id')
    this.add({ id, n: 0 }, memoryLeaf(this.key, id, hash), hash)
    this.bytes += document.length
  }

  addLeaf(leaf: LeafRecord): void {
    if (hashForm.test(leaf.leaf)) this.add(leaf, leaf.leaf, leaf.leaf)
  }

  private add({ id, n }: Pick<LeafRecord, 'id' | 'n'>, hash: string, found: string): void {
    if (this.known.has(hash)) return
    this.known.add(hash)
    this.ids.push(id)
    this.ns.push(n)
    this.hashes.push(hash)
    this.found.push(found)
  }

  end(isAll: boolean): Gathered {
    const { ids, ns, hashes, found } = this
    return { ids, ns, hashes, found, isAll }
  }
}

/** The next batch: leaves about the graph itself, the oldest memories, and other leaves. */
export function* gather(tx: ReadTx, graph: AnchoredGraph): Program<Gathered> {
  const { nodes, anchors } = graph
  const gathering = new Gathering(graph)
  yield* gatherLeaves(tx, leafRange(anchors, 'wait', graphSubject), gathering)
  let range = unanchoredRange(nodes)
  while (range !== undefined) {
    const page = yield* tx.scanFetch(range, gatheredAtOnce)
    for (const { record } of page) {
      if (record === undefined) continue
      if (gathering.isFull) return gathering.end(false)
      gathering.addMemory(yield* documentOfRecord(tx, record))
    }
    yield* tx.pause(page.length * hashUnits)
    const last = page.at(-1)
    if (last === undefined || page.length < gatheredAtOnce) break
    range = { start: keyAfter(last.key), end: range.end }
  }
  yield* gatherLeaves(tx, leafRange(anchors, 'wait'), gathering)
  return gathering.end(!gathering.isFull)
}

function* gatherLeaves(tx: ReadTx, all: KeyRange, gathering: Gathering): Program<void> {
  for (let range = all; ; ) {
    const page = yield* tx.scan(range, gatheredAtOnce)
    for (const { value } of page) {
      if (gathering.isFull) return
      gathering.addLeaf(readLeaf(yield* documentOfRecord(tx, value)))
    }
    yield* tx.pause(page.length * entryUnits)
    const last = page.at(-1)
    if (last === undefined || page.length < gatheredAtOnce) return
    range = { start: keyAfter(last.key), end: all.end }
  }
}

/**
 * A batch of these memories with their waiting leaves. Throws NodeNotFound if an id is not a
 * memory.
 */
export function* gatherThese(
  tx: ReadTx,
  graph: AnchoredGraph,
  ids: ReadonlySet<string>,
): Program<Gathered> {
  const { nodes, anchors } = graph
  const gathering = new Gathering(graph)
  yield* gatherLeaves(tx, leafRange(anchors, 'wait', graphSubject), gathering)
  const own = gathering.end(true).ids.length
  for (const id of ids) {
    const document = yield* getDocument(tx, nodes, keyOf(nodes, id))
    if (document === undefined || !isMemory(document)) {
      throw fail('NodeNotFound', `there is no memory '${id}'`)
    }
    if (isWaiting(document)) gathering.addMemory(document)
    if (!gathering.isFull) yield* gatherLeaves(tx, leafRange(anchors, 'wait', id), gathering)
    yield* tx.pause(hashUnits)
  }
  const gathered = gathering.end(true)
  return gathered.ids.length > own ? gathered : new Gathering(graph).end(true)
}

/** The parts of a graph that anchoring writes. */
export type AnchoredGraph = Pick<Graph, 'name' | 'nodes' | 'edges' | 'anchors' | 'settings'>

/** Whether the newest anchor of a graph still waits for its transaction. */
export function* hasUnsent(tx: ReadTx, { anchors }: AnchoredGraph): Program<boolean> {
  const [newest] = yield* newestAnchors(tx, anchors, 1)
  return isUnsent(newest)
}

interface Made {
  readonly root: string
  readonly random: Uint8Array
  readonly now: number
  /** It is made only if no other anchor of the graph is unsent. */
  readonly isAlone: boolean
}

/**
 * Stores a gathered batch as the graph's next anchor. Undefined if another anchor came first or a
 * memory was deleted: then it must be gathered again.
 */
export function* beginAnchor(
  tx: Tx,
  { nodes, anchors }: AnchoredGraph,
  batch: Gathered,
  made: Made,
): Program<Anchor | undefined> {
  const [newest] = yield* newestAnchors(tx, anchors, 1)
  if (newest?.isMarked === false || (made.isAlone && isUnsent(newest))) return undefined
  // The upgrade leaf names the last root of version 1, which must be confirmed first.
  if (newest?.version === 1 && newest.status !== 'confirmed') return undefined
  for (const [i, id] of batch.ids.entries()) {
    if ((yield* waitsAs(tx, { nodes, anchors }, id, batch.ns[i] ?? 0)) !== batch.found[i]) {
      return undefined
    }
  }
  const before = newest?.version === leafVersion ? newest : undefined
  const createdAt = after(newest?.createdAt, made.now)
  const id = anchorPrefix + ulid(createdAt, made.random)
  const anchor: Anchor = {
    id,
    version: leafVersion,
    root: made.root,
    count: batch.ids.length,
    createdAt,
    seq: (before?.seq ?? 0) + 1,
    prev: before?.root ?? null,
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

/** The current value of a waiting leaf; undefined if it does not wait. */
function* waitsAs(
  tx: Tx,
  { nodes, anchors }: Pick<AnchoredGraph, 'nodes' | 'anchors'>,
  id: string,
  n: number,
): Program<string | undefined> {
  if (n > 0) return (yield* findLeaf(tx, anchors, 'wait', { id, n }))?.leaf
  const document = yield* getDocument(tx, nodes, keyOf(nodes, id))
  return document === undefined || !isWaiting(document) ? undefined : textIn(document, 'hash')
}

/** Now, or just after the last one: ids must sort in creation order, whatever the clock does. */
function after(last: number | undefined, now: number): number {
  return last !== undefined && last >= now && last < ulidTimeMax ? last + 1 : now
}

/** Marks leaves of a batch from index `from` on; returns the next index, undefined at the end. */
export function* markSome(
  tx: Tx,
  { nodes, anchors }: AnchoredGraph,
  anchor: Anchor,
  batch: Batch,
  from: number,
): Program<number | undefined> {
  const end = Math.min(from + markedAtOnce, batch.ids.length)
  for (let i = from; i < end; i++) {
    const id = batch.ids[i] ?? ''
    const n = batch.ns?.[i] ?? 0
    if (n === 0) yield* markMemory(tx, nodes, id, anchor.id)
    else yield* anchorLeaf(tx, anchors, { id, n }, anchor.id)
  }
  yield* noteChange(tx, anchors)
  if (end < batch.ids.length) return end
  yield* saveAnchor(tx, anchors, { ...anchor, isMarked: true })
  return undefined
}

function* markMemory(tx: Tx, nodes: Namespace, id: string, anchorId: string): Program<void> {
  const key = keyOf(nodes, id)
  const document = yield* getDocument(tx, nodes, key)
  if (document === undefined || !isWaiting(document)) return
  yield* replaceDocument(tx, nodes, key, document, withAnchor(document, anchorId))
}

/**
 * The newest anchor, if it lists the memory and has not marked it yet: deleting the memory then
 * deletes anchored data.
 */
export function* anchorInMaking(
  tx: ReadTx,
  anchors: Namespace,
  id: string,
): Program<string | undefined> {
  const [newest] = yield* newestAnchors(tx, anchors, 1)
  if (newest === undefined || newest.isMarked) return undefined
  const batch = yield* findBatch(tx, anchors, newest.id)
  return batch?.ids.some((one, i) => one === id && (batch.ns?.[i] ?? 0) === 0)
    ? newest.id
    : undefined
}

/** The memory with this anchor's id in place of its former value. */
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

/** The whole index `unanchored`, oldest first: it contains only memories without an anchor. */
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
