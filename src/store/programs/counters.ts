// Counters are records of two signed 64-bit numbers, documents and bytes, little-endian. Programs
// only add to them; the sums of a group are written once. (docs/design/storage.md, "Counts")

import { type Bytes, bufferOf } from '../../base/bytes/bytes.js'
import type { Count } from '../store.js'

export const zeroCount: Count = { documents: 0, bytes: 0 }

/** Zeros for a counter that was never added to. */
export function decodeCount(record: Bytes | undefined): Count {
  if (record === undefined) return zeroCount
  const buffer = bufferOf(record)
  return {
    documents: Number(buffer.readBigInt64LE(0)),
    bytes: Number(buffer.readBigInt64LE(8)),
  }
}

export function encodeCount(count: Count): Bytes {
  const buffer = Buffer.alloc(16)
  buffer.writeBigInt64LE(BigInt(count.documents), 0)
  buffer.writeBigInt64LE(BigInt(count.bytes), 8)
  return buffer
}

export function addCounts(a: Count, b: Count | undefined): Count {
  if (b === undefined) return a
  return { documents: a.documents + b.documents, bytes: a.bytes + b.bytes }
}
