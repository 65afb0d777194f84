// Waste: bytes that an owner has dropped but that are not deleted yet. A drop frees quota at once,
// while deletion runs later. So that repeated inserts and drops cannot fill the disk, each garbage
// record states its owner and bytes, and a counter has the sum.

import { type Bytes, concatBytes, textOf, utf8 } from '../../base/bytes/bytes.js'
import { idKey, keyClass, ownersId } from '../../store/layout.js'
import type { Program, ReadTx, Tx } from '../../store/store.js'
import { payerOf } from '../collection/catalog/descriptors.js'
import type { Access } from '../types.js'

export interface Waste {
  /** Undefined: of the operator, which has no quota. */
  readonly owner: string | undefined
  readonly bytes: number
}

export const noWaste: Waste = { owner: undefined, bytes: 0 }

/** Mark before the owner's name, as in holdings.ts. */
export const wasteMark = 2

/** Content of a record without waste: only its presence counts. */
const present = Uint8Array.of(1)
const owned = 2
const headBytes = 9

export function wasteOf(access: Access, bytes: number): Waste {
  return { owner: payerOf(access) ?? undefined, bytes }
}

export function wasteKey(owner: string): Bytes {
  return idKey(keyClass.count, ownersId, Uint8Array.of(wasteMark, ...utf8(owner)))
}

/** The waste of the owner whose sum is under `usageKey`. */
export function* wasteBeside(tx: ReadTx, usageKey: Bytes): Program<number> {
  return (yield* tx.count(wasteKey(textOf(usageKey, 5)))).bytes
}

/** Puts a garbage record and counts its waste. */
export function putGarbage(tx: Tx, key: Bytes, waste: Waste): void {
  tx.put(key, encode(waste))
  if (waste.owner !== undefined && waste.bytes > 0) tx.add(wasteKey(waste.owner), 0, waste.bytes)
}

/** Decodes the waste of a garbage record. */
export function readWaste(record: Bytes | undefined): Waste {
  if (record === undefined || record[0] !== owned || record.length <= headBytes) return noWaste
  const view = new DataView(record.buffer, record.byteOffset, record.length)
  return { owner: textOf(record, headBytes), bytes: view.getFloat64(1) }
}

/** Removes a garbage record whose data is deleted, and its waste. */
export function* removeGarbage(tx: Tx, key: Bytes): Program<void> {
  const { owner, bytes } = readWaste(yield* tx.get(key))
  tx.remove(key)
  if (owner !== undefined) tx.add(wasteKey(owner), 0, -bytes)
}

/** Moves `handed` bytes of a record to other records, which `putGarbage` counts. */
export function* handOver(tx: Tx, key: Bytes, handed: number): Program<void> {
  const { owner, bytes } = readWaste(yield* tx.get(key))
  if (owner === undefined || handed === 0) return
  const left = Math.max(0, bytes - handed)
  tx.put(key, encode({ owner, bytes: left }))
  tx.add(wasteKey(owner), 0, left - bytes)
}

function encode({ owner, bytes }: Waste): Bytes {
  if (owner === undefined || bytes <= 0) return present
  const head = new Uint8Array(headBytes)
  head[0] = owned
  new DataView(head.buffer).setFloat64(1, bytes)
  return concatBytes(head, utf8(owner))
}
