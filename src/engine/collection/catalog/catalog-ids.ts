// Numbers that are given once and never again: ids of collections and indexes, of chunked values
// and of the members of containers. Each kind has a record of the catalog that says which is next.
// (docs/design/storage.md, "Key space")

import type { Bytes } from '../../../base/bytes/bytes.js'
import { assert } from '../../../base/errors.js'
import { keyClass } from '../../../store/layout.js'
import type { Program, ReadTx, Tx } from '../../../store/store.js'
import type { MembersId } from '../../types.js'

/** Second byte of a catalog key. */
const counterKind = 0x00

const nextIdKey = Uint8Array.of(keyClass.catalog, counterKind, 0x01)
const nextValueKey = Uint8Array.of(keyClass.catalog, counterKind, 0x02)
const nextMembersKey = Uint8Array.of(keyClass.catalog, counterKind, 0x03)
const u32Max = 0xffff_ffff

/** A fresh id for a collection or an index; the two share the numbers. */
export function* allocateId(tx: Tx): Program<number> {
  const id = yield* takeNumber(tx, nextIdKey)
  assert(id <= u32Max, 'ids fit 32 bits')
  return id
}

/** The id that allocateId gives next. */
export function* nextId(tx: ReadTx): Program<number> {
  return (yield* readNumber(tx, nextIdKey)) ?? 1
}

/** All ids up to this one, which were foreseen by nextId, are given. */
export function takeIds(tx: Tx, id: number): void {
  tx.put(nextIdKey, numberBytes(id + 1))
}

/** A fresh number for a chunked value. */
export function* allocateValueNumber(tx: Tx): Program<number> {
  return yield* takeNumber(tx, nextValueKey)
}

/** A fresh id for the members of a container. */
export function* allocateMembersId(tx: Tx): Program<MembersId> {
  return (yield* takeNumber(tx, nextMembersKey)) as MembersId
}

/** Several of them. */
export function* allocateMembersIds(tx: Tx, count: number): Program<MembersId[]> {
  const first = yield* takeNumber(tx, nextMembersKey, count)
  return Array.from({ length: count }, (_, i) => (first + i) as MembersId)
}

function* takeNumber(tx: Tx, key: Bytes, count = 1): Program<number> {
  const number = (yield* readNumber(tx, key)) ?? 1
  tx.put(key, numberBytes(number + count))
  return number
}

/** The record of a number. */
export function numberBytes(number: number): Bytes {
  const bytes = new Uint8Array(8)
  viewOf(bytes).setBigUint64(0, BigInt(number))
  return bytes
}

function viewOf(bytes: Bytes): DataView {
  return new DataView(bytes.buffer, bytes.byteOffset, bytes.length)
}

/** The number of a record; undefined where there is none. */
export function* readNumber(tx: ReadTx, key: Bytes): Program<number | undefined> {
  const stored = yield* tx.get(key)
  return stored === undefined ? undefined : Number(viewOf(stored).getBigUint64(0))
}
