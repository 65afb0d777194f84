// The 16-byte header of every MongoDB message: total length, request id, the id it answers,
// operation; four little-endian int32.

import type { Bytes } from '../../base/bytes/bytes.js'
import { readInt32, writeInt32 } from '../../value/value.js'

export const headerBytes = 16

export const opcode = {
  reply: 1,
  query: 2004,
  compressed: 2012,
  message: 2013,
} as const

interface Header {
  /** Bytes of the whole message, including these 16. */
  readonly length: number
  readonly requestId: number
  readonly responseTo: number
  readonly opcode: number
}

/** Reads the header at the start of `message`, which has at least 16 bytes. */
export function readHeader(message: Bytes): Header {
  return {
    length: readInt32(message, 0),
    requestId: readInt32(message, 4),
    responseTo: readInt32(message, 8),
    opcode: readInt32(message, 12),
  }
}

export function writeHeader(message: Bytes, header: Header): void {
  writeInt32(message, 0, header.length)
  writeInt32(message, 4, header.requestId)
  writeInt32(message, 8, header.responseTo)
  writeInt32(message, 12, header.opcode)
}
