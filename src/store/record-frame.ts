// How a versioned record lies in the tables: version u64, CRC-32C u32 of version and bytes, both
// little-endian, then the bytes. The engine's pages have no checksums of their own. (storage 9, 7)

import type { Bytes } from '../base/bytes.js'
import { crc32c } from '../base/crc32c.js'
import { fail } from '../base/errors.js'
import { keyClass } from './layout.js'
import type { Versioned } from './store.js'

export const frameBytes = 12

/** Writes the frame of `value` to the start of `target`, which has room for it. */
export function writeFrame(target: Bytes, value: Bytes, version: number): void {
  writeUint32(target, 0, version % 2 ** 32)
  writeUint32(target, 4, Math.floor(version / 2 ** 32))
  target.set(value, frameBytes)
  const end = frameBytes + value.length
  writeUint32(target, 8, crc32c(target, frameBytes, end, crc32c(target, 0, 8)))
}

/**
 * The bytes inside a frame, on the same memory. Throws InternalError where the checksum differs.
 */
export function openFrame(key: Bytes, framed: Bytes): Bytes {
  const { length } = framed
  if (length < frameBytes) throw damaged(key)
  const checksum = crc32c(framed, frameBytes, length, crc32c(framed, 0, 8))
  if (readUint32(framed, 8) !== checksum) throw damaged(key)
  return framed.subarray(frameBytes)
}

export function openVersioned(key: Bytes, framed: Bytes): Versioned {
  const value = openFrame(key, framed)
  return { value, version: readUint32(framed, 0) + readUint32(framed, 4) * 2 ** 32 }
}

/** Little-endian; a DataView would have to be made for each record. */
function readUint32(bytes: Bytes, at: number): number {
  const low = (bytes[at] as number) | ((bytes[at + 1] as number) << 8)
  return (low | ((bytes[at + 2] as number) << 16) | ((bytes[at + 3] as number) << 24)) >>> 0
}

function writeUint32(bytes: Bytes, at: number, value: number): void {
  bytes[at] = value
  bytes[at + 1] = value >>> 8
  bytes[at + 2] = value >>> 16
  bytes[at + 3] = value >>> 24
}

function damaged(key: Bytes): Error {
  const name = Object.entries(keyClass).find(([, first]) => first === key[0])?.[0] ?? 'unknown'
  return fail('InternalError', `a stored ${name} is damaged: its checksum does not match`)
}
