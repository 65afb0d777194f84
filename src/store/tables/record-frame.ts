// The format of a versioned record in the tables: version u64, CRC-32C u32 of version and bytes,
// both little-endian, then the bytes. LMDB's pages have no checksums. (docs/design/transactions.md,
// rule 7)

import {
  type Bytes,
  bufferOf,
  readUint32,
  readUint64,
  writeUint32,
  writeUint64,
} from '../../base/bytes/bytes.js'
import { crc32c } from '../../base/bytes/crc32c.js'
import { fail } from '../../base/errors.js'
import { keyClass } from '../layout.js'

export const frameBytes = 12
/** Key bytes shown in the error of a damaged record. */
const shownKeyBytes = 64

/** Writes the frame of `value` to the start of `target`, which has room for it. */
export function writeFrame(target: Bytes, value: Bytes, version: number): void {
  writeUint64(target, 0, version)
  target.set(value, frameBytes)
  const end = frameBytes + value.length
  writeUint32(target, 8, crc32c(target, frameBytes, end, crc32c(target, 0, 8)))
}

/** A view of the bytes inside a frame. Throws InternalError if the checksum differs. */
export function openFrame(key: Bytes, framed: Bytes): Bytes {
  requireFrame(key, framed, framed.length)
  return framed.subarray(frameBytes)
}

/** Throws InternalError unless the first `length` bytes of `framed` are a complete, valid frame. */
export function requireFrame(key: Bytes, framed: Bytes, length: number): void {
  if (length < frameBytes) throw damaged(key)
  const checksum = crc32c(framed, frameBytes, length, crc32c(framed, 0, 8))
  if (readUint32(framed, 8) !== checksum) throw damaged(key)
}

export function frameVersion(framed: Bytes): number {
  return readUint64(framed, 0)
}

function damaged(key: Bytes): Error {
  const name = Object.entries(keyClass).find(([, first]) => first === key[0])?.[0] ?? 'unknown'
  const shown = bufferOf(key.subarray(0, shownKeyBytes)).toString('hex')
  const rest = key.length > shownKeyBytes ? '…' : ''
  return fail(
    'InternalError',
    `a stored ${name} is damaged: its checksum does not match (key ${shown}${rest})`,
  )
}
