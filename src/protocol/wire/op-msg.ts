// OP_MSG: flag bits, then sections. Kind 0 is the command, exactly one, anywhere; kind 1 is a named
// sequence of documents, read as if it were an array field of the command. Documents stay slices
// of the message, each validated before anybody reads it. Texts and numbers as the peer's.

import { type Bytes, textOf, utf8 } from '../../base/bytes.js'
import { crc32c } from '../../base/crc32c.js'
import { fail } from '../../base/errors.js'
import { commandBytesMax, messageSequencesMax, writeBatchMax } from '../../base/limits.js'
import { findElement } from '../../value/elements.js'
import { validateDocument } from '../../value/validate.js'
import { type Document, readInt32 } from '../../value/value.js'
import { headerBytes, opcode, writeHeader } from './header.js'

const flag = { checksumPresent: 1, moreToCome: 2 } as const
const requiredFlags = 0xffff
const knownFlags = flag.checksumPresent | flag.moreToCome
const sequenceNameBytesMax = 255

export interface OpMsg {
  /** Nothing may be answered, errors included. */
  readonly moreToCome: boolean
  readonly body: Document
  readonly sequences: ReadonlyMap<string, readonly Document[]>
}

const noSequences: ReadonlyMap<string, readonly Document[]> = new Map()

/** Whether the client wants no reply, of a message that may be malformed otherwise. */
export function asksNoReply(message: Bytes): boolean {
  return message.length >= headerBytes + 4 && (readInt32(message, headerBytes) & 2) !== 0
}

/**
 * Parses a whole message (header included: a checksum covers it). Throws IllegalOpMsgFlag,
 * ChecksumMismatch, InvalidBSON, BSONObjectTooLarge, InvalidLength or a Location code.
 */
export function parseOpMsg(message: Bytes): OpMsg {
  if (message.length < headerBytes + 4) throw fail('InvalidBSON', 'OP_MSG without flag bits')
  const flags = readInt32(message, headerBytes)
  requireFlags(flags)
  const end = (flags & flag.checksumPresent) === 0 ? message.length : verifyChecksum(message)
  let at = headerBytes + 4
  let body: Document | undefined
  let sequences: Map<string, readonly Document[]> | undefined
  while (at < end) {
    const kind = message[at]
    at++
    if (kind === 0) {
      if (body !== undefined) throw fail('Location40430', 'Multiple body sections in message')
      body = documentAt(message, at, end)
      at += body.length
    } else if (kind === 1) {
      sequences ??= new Map()
      if (sequences.size === messageSequencesMax) {
        throw fail('TooManyDocumentSequences', 'Too many document sequences in OP_MSG')
      }
      at = parseSequence(message, at, end, sequences)
    } else {
      throw fail('Location40432', `Unknown section kind ${kind}`)
    }
  }
  if (body === undefined) throw fail('Location40587', 'OP_MSG messages must have a body')
  if (sequences !== undefined) refuseRepeated(body, sequences)
  const moreToCome = (flags & flag.moreToCome) !== 0
  return { moreToCome, body, sequences: sequences ?? noSequences }
}

/** The bytes before the document of a reply; `document` follows them on the socket. */
export const replyHeadBytes = headerBytes + 5

/**
 * A reply: header, no flags, one section of kind 0. With `headOnly` the buffer ends before the
 * document, for replies that are too large to be worth one more copy.
 */
export function encodeOpMsg(
  requestId: number,
  responseTo: number,
  document: Document,
  headOnly = false,
): Bytes {
  const length = replyHeadBytes + document.length
  const message = Buffer.allocUnsafe(headOnly ? replyHeadBytes : length)
  writeHeader(message, { length, requestId, responseTo, opcode: opcode.message })
  message.fill(0, headerBytes, replyHeadBytes)
  if (!headOnly) message.set(document, replyHeadBytes)
  return message
}

/** A view of the validated document at `at`, which must end by `end`. */
export function documentAt(bytes: Bytes, at: number, end: number): Document {
  const length = at + 4 <= end ? readInt32(bytes, at) : 0
  if (length > commandBytesMax) {
    const bound = `Size must be between 0 and ${commandBytesMax}(16MB)`
    throw fail('BSONObjectTooLarge', `BSONObj size: ${length} is invalid. ${bound}`)
  }
  if (length < 5 || at + length > end) throw fail('InvalidBSON', 'invalid BSON length')
  validateDocument(bytes, at, at + length)
  return bytes.subarray(at, at + length)
}

function requireFlags(flags: number): void {
  const unknown = flags & requiredFlags & ~knownFlags
  if (unknown === 0) return
  const bits = (flags >>> 0).toString(2)
  throw fail('IllegalOpMsgFlag', `Message contains illegal flags value: Ob${bits}`)
}

/** Where the sections end: before the CRC-32C of everything that precedes it. */
function verifyChecksum(message: Bytes): number {
  const end = message.length - 4
  const expected = end < headerBytes + 4 ? -1 : readInt32(message, end) >>> 0
  if (expected !== crc32c(message.subarray(0, end)) >>> 0) {
    throw fail('ChecksumMismatch', 'OP_MSG checksum does not match contents')
  }
  return end
}

/** Reads one kind 1 section at `at` into `sequences` and returns where it ends. */
function parseSequence(
  message: Bytes,
  at: number,
  end: number,
  sequences: Map<string, readonly Document[]>,
): number {
  const size = at + 4 <= end ? readInt32(message, at) : 0
  const sectionEnd = at + size
  if (size < 5 || sectionEnd > end) throw fail('InvalidBSON', 'invalid document sequence length')
  const nameEnd = message.indexOf(0, at + 4)
  if (nameEnd < 0 || nameEnd >= sectionEnd || nameEnd - at - 4 > sequenceNameBytesMax) {
    throw fail('InvalidBSON', 'document sequence without a name')
  }
  const name = textOf(message, at + 4, nameEnd)
  if (sequences.has(name)) throw fail('Location40431', `Duplicate document sequence: ${name}`)
  sequences.set(name, parseDocuments(message, nameEnd + 1, sectionEnd))
  return sectionEnd
}

/** Documents back to back. No command takes more than a write batch, so no more are made. */
function parseDocuments(message: Bytes, start: number, end: number): Document[] {
  const documents: Document[] = []
  for (let at = start; at < end; ) {
    if (documents.length === writeBatchMax) {
      const range = `between 1 and ${writeBatchMax}`
      throw fail('InvalidLength', `Write batch sizes must be ${range}. Got more operations.`)
    }
    const document = documentAt(message, at, end)
    documents.push(document)
    at += document.length
  }
  return documents
}

function refuseRepeated(body: Document, sequences: ReadonlyMap<string, unknown>): void {
  for (const name of sequences.keys()) {
    if (findElement(body, 0, utf8(name)) !== undefined) {
      const text = `Duplicate field between body and document sequence ${name}`
      throw fail('Location40433', text)
    }
  }
}
