// OP_COMPRESSED: a message inside another. Compressors 0 (none) and 2 (zlib) are accepted; a reply
// is compressed only if its request was. Inflating is bounded by the announced size, so a
// compression bomb cannot grow. Large messages are processed off the main thread.

import { createDeflate, createInflate, deflateSync, inflateSync } from 'node:zlib'
import type { Bytes } from '../../base/bytes/bytes.js'
import { fail, type GatewayError } from '../../base/errors.js'
import { messageBytesMax } from '../../base/limits/documents.js'
import { KiB } from '../../base/units.js'
import { readInt32, writeInt32 } from '../../value/value.js'
import { headerBytes, opcode, readHeader, writeHeader } from './header.js'

/** Larger compressed messages are inflated and deflated off the main thread, bytes. */
export const inlineZlibBytesMax = 64 * KiB

type Awaitable<T> = T | Promise<T>

const compressor = { noop: 0, zlib: 2 } as const

/** Header, original operation int32, size int32, compressor u8. */
const prefixBytes = headerBytes + 9
/** Bytes of a large message that are taken from zlib's threads in one turn: 0.3 ms. */
const partBytes = 512 * 1024

/** Announced bytes of the message inside this OP_COMPRESSED, header included. */
export function inflatedLength(message: Bytes, lengthMax = messageBytesMax): number {
  if (message.length < prefixBytes) throw fail('ProtocolError', 'OP_COMPRESSED is too short')
  const size = readInt32(message, headerBytes + 4)
  if (size < 0 || size > lengthMax - headerBytes) {
    throw fail('ProtocolError', `uncompressed size ${size} is out of bounds`)
  }
  return headerBytes + size
}

/**
 * The message inside, with a header of its original operation. Throws (or rejects with)
 * ProtocolError if the announced size is wrong, the bytes are malformed, the compressor is unknown
 * or the message inside is compressed again.
 */
export function inflateMessage(message: Bytes): Awaitable<Bytes> {
  const length = inflatedLength(message)
  const header = readHeader(message)
  const original = readInt32(message, headerBytes)
  if (original === opcode.compressed) throw fail('ProtocolError', 'OP_COMPRESSED in itself')
  const id = message[headerBytes + 8]
  const packed = message.subarray(prefixBytes)
  const begin = (): Bytes => {
    // Not zeroed: the body fills it, or it is discarded.
    const whole = new Uint8Array(Buffer.allocUnsafeSlow(length).buffer)
    writeHeader(whole, { ...header, length, opcode: original })
    return whole
  }
  const finish = (body: Bytes): Bytes => {
    if (body.length !== length - headerBytes) throw wrongSize()
    const whole = begin()
    whole.set(body, headerBytes)
    return whole
  }
  if (id === compressor.noop) {
    if (length <= inlineZlibBytesMax) return finish(packed)
    if (packed.length !== length - headerBytes) throw wrongSize()
    // In place: a copy would take as long as a turn.
    const whole = message.subarray(prefixBytes - headerBytes)
    writeHeader(whole, { ...header, length, opcode: original })
    return whole
  }
  if (id !== compressor.zlib) throw fail('ProtocolError', `unknown compressor ${id}`)
  if (length > inlineZlibBytesMax) return inflateInParts(packed, begin())
  // zlib needs room for at least one byte.
  const options = { maxOutputLength: Math.max(1, length - headerBytes) }
  let body: Bytes
  try {
    body = inflateSync(packed, options)
  } catch (cause) {
    throw corrupt('cannot be inflated', cause)
  }
  return finish(body)
}

/** Fills a message after its header, one part a turn, so that other work runs in between. */
function inflateInParts(packed: Bytes, whole: Bytes): Promise<Bytes> {
  return new Promise((resolve, reject) => {
    const stream = createInflate({ chunkSize: partBytes })
    let at = headerBytes
    stream.on('data', (part: Bytes) => {
      if (at + part.length > whole.length) {
        stream.destroy()
        reject(wrongSize())
        return
      }
      whole.set(part, at)
      at += part.length
    })
    stream.on('end', () => (at === whole.length ? resolve(whole) : reject(wrongSize())))
    stream.on('error', (cause) => reject(corrupt('cannot be inflated', cause)))
    stream.end(packed)
  })
}

/**
 * A whole message as OP_COMPRESSED with zlib and the same ids: its pieces, in order. `rest` is the
 * part of the message that follows.
 */
export function deflateMessage(message: Bytes, rest?: Bytes): Awaitable<readonly Bytes[]> {
  const body = message.subarray(headerBytes)
  const length = body.length + (rest?.length ?? 0)
  if (length > inlineZlibBytesMax) return deflateInParts(message, rest)
  const packed = deflateSync(rest === undefined ? body : Buffer.concat([body, rest]))
  const head = headOf(message, length, packed.length)
  return [Buffer.concat([head, packed])]
}

function deflateInParts(message: Bytes, rest: Bytes | undefined): Promise<readonly Bytes[]> {
  return new Promise((resolve, reject) => {
    const stream = createDeflate({ chunkSize: partBytes })
    const parts: Bytes[] = []
    let packed = 0
    stream.on('data', (part: Bytes) => {
      parts.push(part)
      packed += part.length
    })
    stream.on('end', () => {
      const length = message.length - headerBytes + (rest?.length ?? 0)
      resolve([headOf(message, length, packed), ...parts])
    })
    stream.on('error', reject)
    stream.write(message.subarray(headerBytes))
    if (rest !== undefined) stream.write(rest)
    stream.end()
  })
}

/** The header before the compressed bytes. */
function headOf(message: Bytes, bodyBytes: number, packedBytes: number): Bytes {
  const header = readHeader(message)
  const head = Buffer.allocUnsafe(prefixBytes)
  const length = prefixBytes + packedBytes
  writeHeader(head, { ...header, length, opcode: opcode.compressed })
  writeInt32(head, headerBytes, header.opcode)
  writeInt32(head, headerBytes + 4, bodyBytes)
  head[headerBytes + 8] = compressor.zlib
  return head
}

function wrongSize(): GatewayError {
  return corrupt('is not of the announced size')
}

function corrupt(what: string, cause?: unknown): GatewayError {
  const error = fail('ProtocolError', `compressed message ${what}`)
  if (cause !== undefined) error.cause = cause
  return error
}
