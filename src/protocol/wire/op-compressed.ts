// OP_COMPRESSED: a message in the clothes of another. Taken with compressor 0 (none) and 2 (zlib);
// a reply is compressed only if its request was. Inflating is bounded by the announced size, so a
// small bomb cannot grow, and what is large is done off the main thread.

import { promisify } from 'node:util'
import { deflate, deflateSync, inflate, inflateSync } from 'node:zlib'
import type { Bytes } from '../../base/bytes.js'
import { fail, type GatewayError } from '../../base/errors.js'
import { inlineZlibBytesMax, messageBytesMax } from '../../base/limits.js'
import { readInt32, writeInt32 } from '../../value/value.js'
import { headerBytes, opcode, readHeader, writeHeader } from './header.js'

type Awaitable<T> = T | Promise<T>

export const compressor = { noop: 0, zlib: 2 } as const
/** What hello may agree to, in the order of preference that the client gives. */
export const compressorNames: readonly string[] = ['zlib']

/** Header, original operation int32, size int32, compressor u8. */
const prefixBytes = headerBytes + 9
const inflateLater = promisify(inflate)
const deflateLater = promisify(deflate)

/** Bytes of the message that comes out of this OP_COMPRESSED, header included, as announced. */
export function inflatedLength(message: Bytes): number {
  if (message.length < prefixBytes) throw fail('ProtocolError', 'OP_COMPRESSED is too short')
  const size = readInt32(message, headerBytes + 4)
  if (size < 0 || size > messageBytesMax - headerBytes) {
    throw fail('ProtocolError', `uncompressed size ${size} is out of bounds`)
  }
  return headerBytes + size
}

/**
 * The message inside, with a header as if it had been sent so. Throws (or rejects with)
 * ProtocolError when the size is not the announced one, the bytes are not of the compressor, the
 * compressor is unknown or the message inside is compressed again.
 */
export function inflateMessage(message: Bytes): Awaitable<Bytes> {
  const length = inflatedLength(message)
  const header = readHeader(message)
  const original = readInt32(message, headerBytes)
  if (original === opcode.compressed) throw fail('ProtocolError', 'OP_COMPRESSED in itself')
  const id = message[headerBytes + 8]
  const packed = message.subarray(prefixBytes)
  const finish = (body: Bytes): Bytes => {
    if (body.length !== length - headerBytes) throw corrupt('is not of the announced size')
    const whole = new Uint8Array(length)
    writeHeader(whole, { ...header, length, opcode: original })
    whole.set(body, headerBytes)
    return whole
  }
  if (id === compressor.noop) return finish(packed)
  if (id !== compressor.zlib) throw fail('ProtocolError', `unknown compressor ${id}`)
  // zlib wants room for one byte at least.
  const options = { maxOutputLength: Math.max(1, length - headerBytes) }
  if (length > inlineZlibBytesMax) {
    return inflateLater(packed, options).then(finish, (cause) => {
      throw corrupt('cannot be inflated', cause)
    })
  }
  let body: Bytes
  try {
    body = inflateSync(packed, options)
  } catch (cause) {
    throw corrupt('cannot be inflated', cause)
  }
  return finish(body)
}

/** A whole message (header included) as OP_COMPRESSED with zlib, same ids. */
export function deflateMessage(message: Bytes): Awaitable<Bytes> {
  const body = message.subarray(headerBytes)
  if (body.length > inlineZlibBytesMax) {
    return deflateLater(body).then((packed) => wrap(message, packed))
  }
  return wrap(message, deflateSync(body))
}

function wrap(message: Bytes, packed: Bytes): Bytes {
  const header = readHeader(message)
  const length = prefixBytes + packed.length
  const whole = Buffer.allocUnsafe(length)
  writeHeader(whole, { ...header, length, opcode: opcode.compressed })
  writeInt32(whole, headerBytes, header.opcode)
  writeInt32(whole, headerBytes + 4, message.length - headerBytes)
  whole[headerBytes + 8] = compressor.zlib
  whole.set(packed, prefixBytes)
  return whole
}

function corrupt(what: string, cause?: unknown): GatewayError {
  const error = fail('ProtocolError', `compressed message ${what}`)
  if (cause !== undefined) error.cause = cause
  return error
}
