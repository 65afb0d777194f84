// Messages of the document wire made by hand, for tests of the codecs and of the listener: every
// part can be given wrong on purpose.

import { crc32c } from '../../src/base/bytes/crc32c.js'
import { opcode } from '../../src/protocol/wire/header.js'
import { documentFrom } from '../../src/value/literal.js'

type Fields = Readonly<Record<string, unknown>>

export interface MessageOptions {
  readonly requestId?: number
  readonly flags?: number
  /** Appends a right CRC-32C and sets its flag. */
  readonly checksum?: boolean
}

/** Header and body; `length` is the real one unless given. */
export function frame(code: number, body: Uint8Array, requestId = 1, length?: number): Uint8Array {
  const bytes = Buffer.alloc(16 + body.length)
  bytes.writeInt32LE(length ?? bytes.length, 0)
  bytes.writeInt32LE(requestId, 4)
  bytes.writeInt32LE(code, 12)
  bytes.set(body, 16)
  return new Uint8Array(bytes)
}

/** A section of kind 0. */
export function bodySection(fields: Fields): Uint8Array {
  return Buffer.concat([Uint8Array.of(0), documentFrom(fields)])
}

/** A section of kind 1. */
export function sequenceSection(name: string, documents: readonly Uint8Array[]): Uint8Array {
  const content = Buffer.concat([Buffer.from(`${name}\0`), ...documents])
  const head = Buffer.alloc(5)
  head[0] = 1
  head.writeInt32LE(content.length + 4, 1)
  return Buffer.concat([head, content])
}

export function opMsg(sections: readonly Uint8Array[], options: MessageOptions = {}): Uint8Array {
  const { requestId = 1, flags = 0, checksum = false } = options
  const head = Buffer.alloc(4)
  head.writeUInt32LE((checksum ? flags | 1 : flags) >>> 0)
  if (!checksum) return frame(opcode.message, Buffer.concat([head, ...sections]), requestId)
  const message = frame(
    opcode.message,
    Buffer.concat([head, ...sections, Buffer.alloc(4)]),
    requestId,
  )
  const end = message.length - 4
  new DataView(message.buffer).setUint32(end, crc32c(message, 0, end), true)
  return message
}

/** A command as drivers send it. */
export function command(fields: Fields, options: MessageOptions = {}): Uint8Array {
  return opMsg([bodySection({ ...fields, $db: fields.$db ?? 'test' })], options)
}

export function opQuery(collection: string, fields: Fields, requestId = 1): Uint8Array {
  const head = Buffer.alloc(4)
  const numbers = Buffer.alloc(8)
  numbers.writeInt32LE(-1, 4)
  const name = Buffer.from(`${collection}\0`)
  const body = Buffer.concat([head, name, numbers, documentFrom(fields)])
  return frame(opcode.query, body, requestId)
}

/** OP_COMPRESSED around the body of `message`; size and compressor may lie. */
export function opCompressed(
  message: Uint8Array,
  packed: Uint8Array,
  { size = message.length - 16, compressor = 2, original = opcode.message as number } = {},
): Uint8Array {
  const head = Buffer.alloc(9)
  head.writeInt32LE(original, 0)
  head.writeInt32LE(size, 4)
  head[8] = compressor
  const requestId = Buffer.from(message).readInt32LE(4)
  return frame(opcode.compressed, Buffer.concat([head, packed]), requestId)
}
