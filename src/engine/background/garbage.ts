// Garbage records (class 0x09): data to delete after a drop, staged data that a crash must not
// leak, and data without an owner that the change log still shows. A program that discards a range
// puts one in the same transaction, and the garbage job empties the range in small steps.
// (docs/design/transactions.md, rules 13 and 14)

import { type Bytes, prefixEnd, utf8 } from '../../base/bytes/bytes.js'
import { assert } from '../../base/errors.js'
import { idKey, idKeyEnd, keyClass } from '../../store/layout.js'
import type { KeyRange, Tx } from '../../store/store.js'
import type { IndexId, MembersId, NamespaceId } from '../types.js'
import { noWaste, putGarbage, type Waste } from './waste.js'

/** Second byte of a garbage key: data to delete, a staged value, or what the change log holds. */
const kind = { garbage: 0x01, staged: 0x02, held: 0x03 } as const

/** Third byte of data to delete. */
const what = {
  namespace: 0x01,
  index: 0x02,
  value: 0x03,
  keyspace: 0x04,
  members: 0x05,
  trimmed: 0x06,
  /** As namespace and keyspace, but their chunks are held. */
  records: 0x07,
  keys: 0x08,
} as const

const twoTo32 = 0x1_0000_0000

/** The presence of the record is its only content. */
const present = Uint8Array.of(1)

/** The chunks of a large value: of a collection, under a fresh id (below 2^53). */
export interface ValueId {
  readonly namespace: NamespaceId
  readonly number: number
}

/**
 * Id under which the chunks of all members are stored; no collection has it. So a key that moves to
 * another database keeps its chunks, and a flush of the old database does not delete them.
 */
export const membersChunks = 0 as NamespaceId

export type Garbage =
  | {
      readonly what: 'namespace'
      readonly key: Bytes
      readonly namespace: NamespaceId
      readonly keepsChunks: boolean
    }
  | { readonly what: 'index'; readonly key: Bytes; readonly index: IndexId }
  | { readonly what: 'value'; readonly key: Bytes; readonly value: ValueId }
  /** Like a namespace, but its documents may have members and expiry times. */
  | {
      readonly what: 'keyspace'
      readonly key: Bytes
      readonly namespace: NamespaceId
      readonly keepsChunks: boolean
    }
  | { readonly what: 'members'; readonly key: Bytes; readonly members: MembersId }
  /** Members that a list has dropped at one end; the record states which. */
  | { readonly what: 'trimmed'; readonly key: Bytes; readonly members: MembersId }

/**
 * Everything of a dropped collection except its indexes, which are discarded one by one, and except
 * the chunks that `keepsChunks` leaves to the change log.
 */
export function discardNamespace(
  tx: Tx,
  id: NamespaceId,
  waste: Waste = noWaste,
  keepsChunks = false,
): void {
  putGarbage(tx, garbageKey(keepsChunks ? what.records : what.namespace, id), waste)
}

/** Like discardNamespace, for a key-value database. */
export function discardKeyspace(
  tx: Tx,
  id: NamespaceId,
  waste: Waste = noWaste,
  keepsChunks = false,
): void {
  putGarbage(tx, garbageKey(keepsChunks ? what.keys : what.keyspace, id), waste)
}

/** The change log keeps a value that nothing else refers to. */
export function holdValue(tx: Tx, value: ValueId): void {
  tx.put(valueKey([keyClass.garbage, kind.held, what.value], value), present)
}

/** The last record of the change log that shows the value is gone. */
export function releaseValue(tx: Tx, value: ValueId): void {
  tx.remove(valueKey([keyClass.garbage, kind.held, what.value], value))
  discardValue(tx, value)
}

/** As holdValue, for all chunks of a dropped collection. */
export function holdChunks(tx: Tx, id: NamespaceId): void {
  tx.put(garbageKey(what.namespace, id, kind.held), present)
}

export function releaseChunks(tx: Tx, id: NamespaceId): void {
  tx.remove(garbageKey(what.namespace, id, kind.held))
  discardNamespace(tx, id)
}

/** Discards the members of one container. */
export function discardMembers(tx: Tx, id: MembersId, waste: Waste = noWaste): void {
  putGarbage(tx, discardedMembersKey(id), waste)
}

/** The key of the garbage record of a container's members. */
export function discardedMembersKey(id: MembersId): Bytes {
  return membersKeyOf(kind.garbage, id)
}

/** The staging key of members that no head refers to yet. */
export function stagedMembersKey(id: MembersId): Bytes {
  return membersKeyOf(kind.staged, id)
}

export function markMembersStaged(tx: Tx, id: MembersId): void {
  tx.put(stagedMembersKey(id), ownMark(tx))
}

function membersKeyOf(list: number, id: MembersId): Bytes {
  const key = new Uint8Array(11)
  key.set([keyClass.garbage, list, what.members])
  key.set(membersPrefix(id).subarray(1), 3)
  return key
}

/** The key for what a list has dropped at an end (keyspace/lists/list-leftovers.ts). */
export function trimmedKey(id: MembersId, end: number): Bytes {
  const key = new Uint8Array(12)
  key.set([keyClass.garbage, kind.garbage, what.trimmed])
  key.set(membersPrefix(id).subarray(1), 3)
  key[11] = end
  return key
}

export function discardIndex(tx: Tx, id: IndexId, waste: Waste = noWaste): void {
  putGarbage(tx, garbageKey(what.index, id), waste)
}

export function discardValue(tx: Tx, value: ValueId, waste: Waste = noWaste): void {
  putGarbage(tx, valueKey([keyClass.garbage, kind.garbage, what.value], value), waste)
}

export const garbageRange: KeyRange = kindRange(kind.garbage)
export const stagingRange: KeyRange = kindRange(kind.staged)
/** What the change log holds. */
export const heldRange: KeyRange = kindRange(kind.held)

/** The staging key of a value that no record refers to yet. */
export function stagingKey(value: ValueId): Bytes {
  return valueKey([keyClass.garbage, kind.staged, what.value], value)
}

export function markStaged(tx: Tx, value: ValueId): void {
  tx.put(stagingKey(value), ownMark(tx))
}

/** States the gateway, if there are others. */
function ownMark({ gateway }: Tx): Bytes {
  return gateway === undefined ? present : utf8(gateway)
}

/** Decodes a key of `garbageRange`, `stagingRange` or `heldRange`. */
export function garbageOf(key: Bytes): Garbage {
  const view = new DataView(key.buffer, key.byteOffset, key.length)
  const id = view.getUint32(3)
  switch (key[2]) {
    case what.namespace:
    case what.records: {
      const keepsChunks = key[2] === what.records
      return { what: 'namespace', key, namespace: id as NamespaceId, keepsChunks }
    }
    case what.index:
      return { what: 'index', key, index: id as IndexId }
    case what.keyspace:
    case what.keys: {
      const keepsChunks = key[2] === what.keys
      return { what: 'keyspace', key, namespace: id as NamespaceId, keepsChunks }
    }
    case what.members:
    case what.trimmed: {
      const members = (id * twoTo32 + view.getUint32(7)) as MembersId
      return { what: key[2] === what.members ? 'members' : 'trimmed', key, members }
    }
    default: {
      assert(key[2] === what.value, 'a garbage record is of a known kind')
      const number = view.getUint32(7) * twoTo32 + view.getUint32(11)
      return { what: 'value', key, value: { namespace: id as NamespaceId, number } }
    }
  }
}

/** The ranges that must be empty before the garbage record is removed; not for `trimmed`. */
export function rangesOf(garbage: Garbage): KeyRange[] {
  switch (garbage.what) {
    case 'namespace':
    case 'keyspace':
      return garbage.keepsChunks
        ? [idRange(keyClass.record, garbage.namespace)]
        : [idRange(keyClass.record, garbage.namespace), idRange(keyClass.chunk, garbage.namespace)]
    case 'index':
      return [idRange(keyClass.entry, garbage.index)]
    case 'value':
      return [chunkRange(garbage.value)]
    case 'members':
      return [membersRange(garbage.members)]
    case 'trimmed':
      return []
  }
}

/** All keys of a class that belong to one id. */
export function idRange(keyClass: number, id: number): KeyRange {
  return { start: idKey(keyClass, id), end: idKeyEnd(keyClass, id) }
}

/** All records of one container. */
export function membersRange(id: MembersId): KeyRange {
  const start = membersPrefix(id)
  return { start, end: prefixEnd(start) }
}

/** The prefix of all keys of a container's members: class, id u64. */
export function membersPrefix(id: MembersId): Bytes {
  const prefix = new Uint8Array(9)
  prefix[0] = keyClass.member
  // Every command on a large container calls this: a DataView would cost ten times as much.
  const high = Math.floor(id / twoTo32)
  const low = id % twoTo32
  for (let i = 0; i < 4; i++) {
    prefix[1 + i] = high >>> (24 - 8 * i)
    prefix[5 + i] = low >>> (24 - 8 * i)
  }
  return prefix
}

/** The container that the key of a member's record belongs to. */
export function membersOf(key: Bytes): MembersId {
  let high = 0
  let low = 0
  for (let i = 1; i <= 4; i++) {
    high = high * 256 + (key[i] as number)
    low = low * 256 + (key[i + 4] as number)
  }
  return (high * twoTo32 + low) as MembersId
}

/** Key of one chunk of a large value. */
export function chunkKey(value: ValueId, part: number): Bytes {
  const prefix = chunkPrefix(value)
  const key = new Uint8Array(prefix.length + 2)
  key.set(prefix)
  key[prefix.length] = part >>> 8
  key[prefix.length + 1] = part
  return key
}

export function chunkRange(value: ValueId): KeyRange {
  const start = chunkPrefix(value)
  return { start, end: prefixEnd(start) }
}

function chunkPrefix(value: ValueId): Bytes {
  return valueKey([keyClass.chunk], value)
}

function garbageKey(tag: number, id: number, list: number = kind.garbage): Bytes {
  const key = Uint8Array.of(keyClass.garbage, list, tag, 0, 0, 0, 0)
  new DataView(key.buffer).setUint32(3, id)
  return key
}

function valueKey(head: readonly number[], value: ValueId): Bytes {
  const key = new Uint8Array(head.length + 12)
  key.set(head)
  const view = new DataView(key.buffer)
  view.setUint32(head.length, value.namespace)
  view.setUint32(head.length + 4, Math.floor(value.number / 0x1_0000_0000))
  view.setUint32(head.length + 8, value.number >>> 0)
  return key
}

function kindRange(tag: number): KeyRange {
  return {
    start: Uint8Array.of(keyClass.garbage, tag),
    end: Uint8Array.of(keyClass.garbage, tag + 1),
  }
}
