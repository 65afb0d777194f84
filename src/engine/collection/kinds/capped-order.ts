// The order of a capped collection: records are stored under sequence numbers, in insertion order,
// and `_id_` is an ordinary index. A head record in the catalog class holds the next number and a
// lower bound of the oldest one. Time-series collections work the same, with an index on the time
// in place of `_id_`.

import type { Bytes } from '../../../base/bytes/bytes.js'
import { assert, fail } from '../../../base/errors.js'
import { idKey, keyClass } from '../../../store/layout.js'
import type { KeyRange, Program, ReadTx, Tx } from '../../../store/store.js'
import type { IndexDescriptor, IndexId, Namespace, NamespaceId } from '../../types.js'
import type { Capped } from './capped-options.js'

/** Second byte of the catalog key (catalog.ts has the others). */
const headKind = 0x04
const headBytes = 16
const sequenceBytes = 8
const twoTo32 = 0x1_0000_0000

/** The first document of a collection. */
const firstSequence = 1

export interface CappedHead {
  /** No document has a smaller number. */
  readonly first: number
  /** The number of the next document; never reused, so a cursor at the end misses nothing. */
  readonly next: number
}

export const emptyHead: CappedHead = { first: firstSequence, next: firstSequence }

export type CappedNamespace = Namespace & { readonly capped: Capped }

export function isCapped(ns: Namespace): ns is CappedNamespace {
  return ns.capped !== undefined
}

/** Whether records are stored under numbers, not under their `_id`. */
export function isSequenced(ns: Namespace): boolean {
  return ns.capped !== undefined || ns.timeSeries !== undefined
}

/** Key of the head. It changes with every insert, so tailing cursors wait for it. */
export function headKey(id: NamespaceId): Bytes {
  const key = new Uint8Array(6)
  key.set([keyClass.catalog, headKind])
  new DataView(key.buffer).setUint32(2, id)
  return key
}

export const headRange: KeyRange = {
  start: Uint8Array.of(keyClass.catalog, headKind),
  end: Uint8Array.of(keyClass.catalog, headKind + 1),
}

/** The collection of a key in headRange. */
export function ownerOfHead(key: Bytes): NamespaceId {
  return new DataView(key.buffer, key.byteOffset, key.length).getUint32(2) as NamespaceId
}

export function putHead(tx: Tx, id: NamespaceId, { first, next }: CappedHead): void {
  const bytes = new Uint8Array(headBytes)
  const view = new DataView(bytes.buffer)
  view.setBigUint64(0, BigInt(first))
  view.setBigUint64(8, BigInt(next))
  tx.put(headKey(id), bytes)
}

/** Undefined if the collection was dropped or is damaged. */
export function* findHead(tx: ReadTx, id: NamespaceId): Program<CappedHead | undefined> {
  const bytes = yield* tx.get(headKey(id))
  return bytes === undefined ? undefined : headOfBytes(bytes)
}

/** Throws ChecksumMismatch if the head is missing: numbers must not start again. */
export function* readHead(tx: ReadTx, { id, db, name }: Namespace): Program<CappedHead> {
  const head = yield* findHead(tx, id)
  if (head !== undefined) return head
  throw fail('ChecksumMismatch', `the order of the capped collection ${db}.${name} is damaged`)
}

/** Undefined if the bytes are not a head. */
function headOfBytes(bytes: Bytes): CappedHead | undefined {
  if (bytes.length !== headBytes) return undefined
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.length)
  const first = Number(view.getBigUint64(0))
  const next = Number(view.getBigUint64(8))
  return first >= firstSequence && first <= next ? { first, next } : undefined
}

/** Record key of a document number. */
export function sequenceKey(id: NamespaceId, sequence: number): Bytes {
  const tail = new Uint8Array(sequenceBytes)
  const view = new DataView(tail.buffer)
  view.setUint32(0, Math.floor(sequence / twoTo32))
  view.setUint32(4, sequence % twoTo32)
  return idKey(keyClass.record, id, tail)
}

/** The number in a record key; undefined if it has none. */
export function sequenceOf(key: Bytes): number | undefined {
  const headLength = idKey(keyClass.record, 0).length
  if (key.length !== headLength + sequenceBytes) return undefined
  const view = new DataView(key.buffer, key.byteOffset, key.length)
  return view.getUint32(headLength) * twoTo32 + view.getUint32(headLength + 4)
}

/** `_id_` as a stored index. */
export function idIndexOf(id: IndexId, spec: Bytes): IndexDescriptor {
  return {
    id,
    name: idIndexName,
    fields: [{ path: '_id', direction: 1 }],
    unique: true,
    state: 'ready',
    multikey: [false],
    inexact: false,
    spec,
  }
}

const idIndexName = '_id_'

/** The stored index on `_id`, which only capped collections have. */
export function keptIdIndex(ns: Namespace): IndexDescriptor | undefined {
  return ns.indexes.find(isIdIndex)
}

/**
 * Name of a time-series collection's index on the time. It is not listed, since MongoDB has none.
 */
export const timeIndexName = '$time'

/** All indexes except `_id_` and the index on the time: those that can be hidden and dropped. */
export function secondaryIndexes(ns: Namespace): readonly IndexDescriptor[] {
  if (ns.timeSeries !== undefined) return ns.indexes.filter(({ name }) => name !== timeIndexName)
  return isCapped(ns) ? ns.indexes.filter((index) => !isIdIndex(index)) : ns.indexes
}

/** Number of listed indexes, including `_id_` if there is one. */
export function indexCountOf(ns: Namespace): number {
  return secondaryIndexes(ns).length + (ns.timeSeries === undefined ? 1 : 0)
}

function isIdIndex({ name }: IndexDescriptor): boolean {
  return name === idIndexName
}

/** Whether this exceeds the limits of the collection. */
export function isOver(
  { bytesMax, documentsMax }: Capped,
  documents: number,
  bytes: number,
): boolean {
  return bytes > bytesMax || (documentsMax !== undefined && documents > documentsMax)
}

/** Throws BadValue for a document that alone exceeds the limit. */
export function requireFits({ bytesMax }: Capped, bytes: number): void {
  if (bytes > bytesMax) throw fail('BadValue', 'object to insert exceeds cappedMaxSize')
}

/** The next sequence number, which must be exact in a double. */
export function nextSequence({ next }: CappedHead): number {
  assert(next < Number.MAX_SAFE_INTEGER, 'sequence numbers fit a double')
  return next + 1
}

/** The error of a capped collection's reader that writers have overtaken. */
export function lostPlace(key: Bytes): Error {
  return fail(
    'CappedPositionLost',
    'CollectionScan died due to position in capped collection being deleted. ' +
      `Last seen record id: RecordId(${sequenceOf(key) ?? 0})`,
  )
}
