// Numbers that are assigned once and never reused: ids of collections and indexes, of chunked
// values, and of the members of containers. A catalog record of each kind holds the next number.
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

/** Allocates an id for a collection or an index; both share the numbers. */
export function* allocateId(tx: Tx): Program<number> {
  return fitting(yield* takeNumber(tx, nextIdKey))
}

/**
 * An id that allocateId has not returned, behind `others` that were foreseen in this program.
 * `takeId` must follow if it is used.
 */
export function* foreseeId(tx: Tx, others: number): Program<number> {
  const { numbers } = tx
  if (numbers !== undefined) return fitting(yield* numbers.foresee(nextIdKey, allocateIds))
  return ((yield* readNumber(tx, nextIdKey)) ?? 1) + others
}

/** Marks an id that foreseeId predicted as used, in a plain program with all ids up to `last`. */
export function takeId(tx: Tx, id: number, last: number): void {
  const { numbers } = tx
  if (numbers === undefined) tx.put(nextIdKey, numberBytes(last + 1))
  else numbers.use(nextIdKey, id)
}

function* allocateIds(tx: Tx, count: number): Program<number> {
  return yield* takeNumber(tx, nextIdKey, count)
}

function fitting(id: number): number {
  assert(id <= u32Max, 'ids fit 32 bits')
  return id
}

/** Allocates a number for a chunked value. */
export function* allocateValueNumber(tx: Tx): Program<number> {
  return yield* takeNumber(tx, nextValueKey)
}

/** Allocates an id for the members of a container. */
export function* allocateMembersId(tx: Tx): Program<MembersId> {
  return (yield* takeNumber(tx, nextMembersKey)) as MembersId
}

/** Allocates several ids for members. */
export function* allocateMembersIds(tx: Tx, count: number): Program<MembersId[]> {
  const first = yield* takeNumber(tx, nextMembersKey, count)
  return Array.from({ length: count }, (_, i) => (first + i) as MembersId)
}

function* takeNumber(tx: Tx, key: Bytes, count = 1): Program<number> {
  const { numbers } = tx
  if (numbers === undefined) return yield* countOn(tx, key, count)
  return yield* numbers.take(key, count, (plain, more) => takeNumber(plain, key, more))
}

function* countOn(tx: Tx, key: Bytes, count: number): Program<number> {
  const number = (yield* readNumber(tx, key)) ?? 1
  tx.put(key, numberBytes(number + count))
  return number
}

/** Encodes the record of a number. */
export function numberBytes(number: number): Bytes {
  const bytes = new Uint8Array(8)
  viewOf(bytes).setBigUint64(0, BigInt(number))
  return bytes
}

function viewOf(bytes: Bytes): DataView {
  return new DataView(bytes.buffer, bytes.byteOffset, bytes.length)
}

/** Reads the number of a record; undefined if there is none. */
export function* readNumber(tx: ReadTx, key: Bytes): Program<number | undefined> {
  const stored = yield* tx.get(key)
  return stored === undefined ? undefined : Number(viewOf(stored).getBigUint64(0))
}
