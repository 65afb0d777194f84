// Values as PostgreSQL's protocol carries them: arrays in binary form as parameters, and the text
// form of bytea in results. node-postgres sends a Buffer as a binary parameter.

import type { Bytes } from '../../base/bytes/bytes.js'

const byteaType = 17
const int8Type = 20
/** Dimensions, null flag, element type, length and lower bound. */
const headBytes = 20

/** A `bytea[]`; undefined is NULL. */
export function packBytes(values: readonly (Bytes | undefined)[]): Buffer {
  const size = values.reduce((sum, value) => sum + 4 + (value?.length ?? 0), headBytes)
  const packed = begin(size, byteaType, values.length)
  let at = headBytes
  for (const value of values) {
    at = packed.writeInt32BE(value?.length ?? -1, at)
    if (value === undefined) continue
    packed.set(value, at)
    at += value.length
  }
  return packed
}

/** An `int8[]` of whole numbers. */
export function packNumbers(values: readonly number[]): Buffer {
  const packed = begin(headBytes + 12 * values.length, int8Type, values.length)
  let at = headBytes
  for (const value of values) {
    at = packed.writeInt32BE(8, at)
    at = packed.writeBigInt64BE(BigInt(value), at)
  }
  return packed
}

/** A single bytea, as a view of its bytes. */
export function packOne(value: Bytes): Buffer {
  return Buffer.from(value.buffer, value.byteOffset, value.length)
}

/** From `\x…`; the caller owns the bytes. */
function unpackBytes(text: string): Bytes {
  const bytes = new Uint8Array((text.length - 2) / 2)
  Buffer.from(bytes.buffer).write(text.slice(2), 'hex')
  return bytes
}

export function typeParser(type: number): (text: string) => unknown {
  return type === byteaType ? unpackBytes : asText
}

function asText(text: string): string {
  return text
}

function begin(size: number, type: number, length: number): Buffer {
  const packed = Buffer.allocUnsafe(size)
  packed.writeInt32BE(1, 0)
  packed.writeInt32BE(1, 4)
  packed.writeInt32BE(type, 8)
  packed.writeInt32BE(length, 12)
  packed.writeInt32BE(1, 16)
  return packed
}
