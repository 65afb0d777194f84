// Leaves as documents among a graph's anchors: `wait_<subject>_<n>` until a batch contains the
// leaf, then `leaf_<subject>_<n>` with that batch. A memory's first leaf needs no document: it
// follows from the memory, or from the tombstone of a deleted one. (docs/memory.md, "Proofs")

import type { Bytes } from '../../../base/bytes/bytes.js'
import {
  getDocument,
  insertDocument,
  recordKey,
  removeDocument,
} from '../../../engine/collection/collections.js'
import { documentOfRecord } from '../../../engine/collection/records.js'
import type { Namespace } from '../../../engine/types.js'
import type { Entry, KeyRange, Program, ReadTx, Step, Tx } from '../../../store/store.js'
import { field } from '../../../value/elements.js'
import { numberOf } from '../../../value/numbers.js'
import { bsonType, type Document, stringOf, stringValue } from '../../../value/value.js'
import { writeDocument } from '../../../value/writer.js'
import type { Place } from '../../graph/graph-settings.js'
import type { Leaf, LeafKind } from './leaf.js'

export type LeafState = 'wait' | 'leaf'

/** Further fields of leaves about the graph itself, which their hash covers. */
export type LeafDetails = Readonly<Record<string, string | number>>

export interface LeafRecord extends Leaf {
  /** Hash of the leaf. */
  readonly leaf: string
  /** Creation time, milliseconds since 1970. */
  readonly at: number
  /** Null while it waits. */
  readonly anchorId: string | null
  readonly details: LeafDetails
}

const nDigits = 8
/** The character after `_`: the end of a range of ids with a prefix. */
const afterPrefix = '`'

function recordId(state: LeafState, id: string, n: number): string {
  return `${state}_${id}_${String(n).padStart(nDigits, '0')}`
}

/** The leaves of one subject, or of all. */
export function leafRange(anchors: Namespace, state: LeafState, id?: string): KeyRange {
  const prefix = id === undefined ? state : `${state}_${id}`
  const key = (text: string): Bytes => recordKey(anchors, stringValue(text))
  return { start: key(`${prefix}_`), end: key(prefix + afterPrefix) }
}

/** The newest leaf of a subject with this program's writes; a memory's first has no document. */
export function newestOwnLeaf(
  tx: Tx,
  anchors: Namespace,
  id: string,
): Program<LeafRecord | undefined> {
  return newestIn(tx, anchors, id, (range) => tx.scanOwn(range, 1))
}

/** The newest leaf of a subject; a memory's first has no document. */
export function newestLeaf(
  tx: ReadTx,
  anchors: Namespace,
  id: string,
): Program<LeafRecord | undefined> {
  return newestIn(tx, anchors, id, (range) => tx.scan(range, 1))
}

function* newestIn(
  tx: ReadTx,
  anchors: Namespace,
  id: string,
  scan: (range: KeyRange) => Step<Entry[]>,
): Program<LeafRecord | undefined> {
  for (const state of ['wait', 'leaf'] as const) {
    const [entry] = yield* scan({ ...leafRange(anchors, state, id), reverse: true })
    if (entry !== undefined) return readLeaf(yield* documentOfRecord(tx, entry.value))
  }
  return undefined
}

export function* findLeaf(
  tx: ReadTx,
  anchors: Namespace,
  state: LeafState,
  { id, n }: Pick<Leaf, 'id' | 'n'>,
): Program<LeafRecord | undefined> {
  const key = recordKey(anchors, stringValue(recordId(state, id, n)))
  const document = yield* getDocument(tx, anchors, key)
  return document === undefined ? undefined : readLeaf(document)
}

/** Some leaves in the order of their ids. */
export function* scanLeaves(tx: ReadTx, range: KeyRange, limit: number): Program<LeafRecord[]> {
  const found: LeafRecord[] = []
  for (const { value } of yield* tx.scan(range, limit)) {
    found.push(readLeaf(yield* documentOfRecord(tx, value)))
  }
  return found
}

export function* addLeaf(tx: Tx, anchors: Namespace, leaf: LeafRecord): Program<void> {
  yield* insertDocument(tx, anchors, leafDocument(leaf))
}

/** Records that a batch contains it; does nothing if it was deleted. */
export function* anchorLeaf(
  tx: Tx,
  anchors: Namespace,
  { id, n }: Pick<Leaf, 'id' | 'n'>,
  anchorId: string,
): Program<void> {
  const key = recordKey(anchors, stringValue(recordId('wait', id, n)))
  const document = yield* getDocument(tx, anchors, key)
  if (document === undefined) return
  yield* removeDocument(tx, anchors, key, document)
  yield* addLeaf(tx, anchors, { ...readLeaf(document), anchorId })
}

/** Removes waiting leaves of a subject that no root will contain. */
export function* dropWaiting(tx: Tx, anchors: Namespace, id: string, limit: number): Program<void> {
  for (const { key, value } of yield* tx.scanOwn(leafRange(anchors, 'wait', id), limit)) {
    yield* removeDocument(tx, anchors, key, yield* documentOfRecord(tx, value))
  }
}

function leafDocument(record: LeafRecord): Document {
  const { kind, id, n, hash, previous, leaf, at, anchorId, details } = record
  return writeDocument((writer) => {
    writer.string('_id', recordId(anchorId === null ? 'wait' : 'leaf', id, n))
    writer.string('kind', kind).string('id', id).int32('n', n)
    if (hash === null) writer.null('hash')
    else writer.string('hash', hash)
    if (previous === null) writer.null('previous')
    else writer.string('previous', previous)
    writer.string('leaf', leaf).int64('at', at)
    if (anchorId === null) writer.null('anchorId')
    else writer.string('anchorId', anchorId)
    for (const [name, value] of Object.entries(details)) {
      if (typeof value === 'number') writer.int64(name, value)
      else writer.string(name, value)
    }
  })
}

const kinds: readonly string[] = ['state', 'edge', 'gone', 'moved', 'upgrade']
const detailTexts = [
  'fromDatabase',
  'fromName',
  'toDatabase',
  'toName',
  'graphKey',
  'root',
] as const
const noKind = 'memory'

/** Stored data of any writer: verify reports errors in it. */
export function readLeaf(document: Document): LeafRecord {
  const text = (name: string): string | null => {
    const value = field(document, name)
    return value?.type === bsonType.string ? stringOf(value) : null
  }
  const number = (name: string): number | undefined => {
    const value = field(document, name)
    return value?.isNumber === true ? numberOf(value) : undefined
  }
  const kind = text('kind')
  const details: Record<string, string | number> = {}
  for (const name of detailTexts) {
    const detail = text(name)
    if (detail !== null) details[name] = detail
  }
  const sequence = number('sequence')
  if (sequence !== undefined) details.sequence = sequence
  return {
    kind: kind !== null && kinds.includes(kind) ? (kind as LeafKind) : noKind,
    id: text('id') ?? '',
    n: finite(number('n')),
    hash: text('hash'),
    previous: text('previous'),
    leaf: text('leaf') ?? '',
    at: finite(number('at')),
    anchorId: text('anchorId'),
    details,
  }
}

function finite(number: number | undefined): number {
  return number !== undefined && Number.isFinite(number) ? number : 0
}

/** The details of a leaf about a move. */
export function moveDetails(from: Place, to: Place): LeafDetails {
  return {
    fromDatabase: from.database,
    fromName: from.name,
    toDatabase: to.database,
    toName: to.name,
  }
}
