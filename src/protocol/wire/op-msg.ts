// OP_MSG: flag bits, then sections. Kind 0 is the command, exactly one, at any place. Kind 1 is a
// named sequence of documents, read as an array field of the command. Documents stay slices of the
// message, each validated before it is read. Texts and numbers are those of MongoDB.

import { type Bytes, textOf, utf8 } from '../../base/bytes/bytes.js'
import { crc32c } from '../../base/bytes/crc32c.js'
import { fail } from '../../base/errors.js'
import { commandBytesMax, messageSequencesMax, writeBatchMax } from '../../base/limits/documents.js'
import { findElement } from '../../value/elements.js'
import { DocumentCheck, validateDocument } from '../../value/validate.js'
import { type Document, readInt32 } from '../../value/value.js'
import { headerBytes, opcode, writeHeader } from './header.js'

const flag = { checksumPresent: 1, moreToCome: 2, exhaustAllowed: 1 << 16 } as const
const requiredFlags = 0xffff
const knownFlags = flag.checksumPresent | flag.moreToCome
const sequenceNameBytesMax = 255

export interface OpMsg {
  /** The client expects no reply, not even an error. */
  readonly moreToCome: boolean
  readonly body: Document
  readonly sequences: ReadonlyMap<string, readonly Document[]>
}

const noSequences: ReadonlyMap<string, readonly Document[]> = new Map()

/** Whether the client expects no reply; the message may be malformed otherwise. */
export function asksNoReply(message: Bytes): boolean {
  return message.length >= headerBytes + 4 && (readInt32(message, headerBytes) & 2) !== 0
}

/** Whether the client accepts several replies to the message. */
export function allowsExhaust(message: Bytes): boolean {
  if (message.length < headerBytes + 4) return false
  return (readInt32(message, headerBytes) & flag.exhaustAllowed) !== 0
}

/**
 * Parses a whole message (header included: a checksum covers it). Throws IllegalOpMsgFlag,
 * ChecksumMismatch, InvalidBSON, BSONObjectTooLarge, InvalidLength or a Location code.
 */
export function parseOpMsg(message: Bytes): OpMsg {
  const parser = new OpMsgParser(message)
  parser.step(Number.POSITIVE_INFINITY)
  return parser.finish()
}

/**
 * Parses in steps, for messages so large that validating them at once would delay other clients.
 */
export class OpMsgParser {
  private readonly message: Bytes
  private readonly flags: number
  /** Where the sections end: before the CRC-32C of everything that precedes it. */
  private readonly end: number
  /** The checksum, if there is one, up to this position. */
  private summedTo: number
  private sum = 0
  private at = headerBytes + 4
  /** The unfinished check of the document at `at`. */
  private check: DocumentCheck | undefined
  private body: Document | undefined
  private sequences: Map<string, readonly Document[]> | undefined
  /** The current sequence and its end. */
  private documents: Document[] = []
  private sequenceEnd = 0

  constructor(message: Bytes) {
    if (message.length < headerBytes + 4) throw fail('InvalidBSON', 'OP_MSG without flag bits')
    this.message = message
    this.flags = readInt32(message, headerBytes)
    requireFlags(this.flags)
    const hasChecksum = (this.flags & flag.checksumPresent) !== 0
    this.end = hasChecksum ? message.length - 4 : message.length
    this.summedTo = hasChecksum ? 0 : this.end
    if (this.end < headerBytes + 4) throw badChecksum()
  }

  /** Parses about `bytes` more; true when everything is read. Throws as parseOpMsg. */
  step(bytes: number): boolean {
    if (this.summedTo < this.end) {
      this.addToSum(bytes)
      if (this.summedTo < this.end || bytes < this.end) return false
    }
    const stop = this.at + bytes
    while (this.at < this.end && this.at < stop) {
      if (this.at < this.sequenceEnd) {
        if (!this.readDocument(bytes)) return false
      } else if (!this.readSection(bytes)) return false
    }
    return this.at >= this.end
  }

  private addToSum(bytes: number): void {
    const { message, end, summedTo } = this
    this.summedTo = Math.min(end, summedTo + bytes)
    this.sum = crc32c(message, summedTo, this.summedTo, this.sum)
    if (this.summedTo === end && this.sum !== readInt32(message, end) >>> 0) throw badChecksum()
  }

  /** The parsed message; throws if sections are missing or contradict each other. */
  finish(): OpMsg {
    const { body, sequences } = this
    if (body === undefined) throw fail('Location40587', 'OP_MSG messages must have a body')
    if (sequences !== undefined) refuseRepeated(body, sequences)
    const moreToCome = (this.flags & flag.moreToCome) !== 0
    return { moreToCome, body, sequences: sequences ?? noSequences }
  }

  /** False if a document is not completely checked yet. */
  private readSection(bytes: number): boolean {
    const kind = this.message[this.at]
    if (kind === 0) return this.readBody(bytes)
    this.at++
    if (kind === 1) this.openSequence()
    else throw fail('Location40432', `Unknown section kind ${kind}`)
    return true
  }

  private readBody(bytes: number): boolean {
    if (this.body !== undefined) {
      throw fail('Location40430', 'Multiple body sections in message')
    }
    this.body = this.documentAt(this.at + 1, this.end, bytes)
    if (this.body === undefined) return false
    this.at += 1 + this.body.length
    return true
  }

  /** Undefined if the next step must continue its check. */
  private documentAt(at: number, end: number, bytes: number): Document | undefined {
    const { message } = this
    const length = documentLength(message, at, end)
    if (length <= bytes) validateDocument(message, at, at + length)
    else {
      this.check ??= new DocumentCheck(message, at, at + length)
      if (!this.check.step(bytes)) return undefined
      this.check = undefined
    }
    return message.subarray(at, at + length)
  }

  /** Reads size and name of a kind 1 section; its documents follow. */
  private openSequence(): void {
    const { message, at, end } = this
    const size = at + 4 <= end ? readInt32(message, at) : 0
    if (size < 5 || at + size > end) throw fail('InvalidBSON', 'invalid document sequence length')
    const nameEnd = message.indexOf(0, at + 4)
    if (nameEnd < 0 || nameEnd >= at + size || nameEnd - at - 4 > sequenceNameBytesMax) {
      throw fail('InvalidBSON', 'document sequence without a name')
    }
    const name = textOf(message, at + 4, nameEnd)
    this.sequences ??= new Map()
    if (this.sequences.size === messageSequencesMax) {
      throw fail('TooManyDocumentSequences', 'Too many document sequences in OP_MSG')
    }
    if (this.sequences.has(name))
      throw fail('Location40431', `Duplicate document sequence: ${name}`)
    this.documents = []
    this.sequences.set(name, this.documents)
    this.sequenceEnd = at + size
    this.at = nameEnd + 1
  }

  /** One document of the open sequence, which has at most a write batch of them. */
  private readDocument(bytes: number): boolean {
    if (this.documents.length === writeBatchMax) {
      const range = `between 1 and ${writeBatchMax}`
      throw fail('InvalidLength', `Write batch sizes must be ${range}. Got more operations.`)
    }
    const document = this.documentAt(this.at, this.sequenceEnd, bytes)
    if (document === undefined) return false
    this.documents.push(document)
    this.at += document.length
    return true
  }
}

/** The bytes before the document of a reply; `document` follows them on the socket. */
export const replyHeadBytes = headerBytes + 5

export interface ReplyOptions {
  /** The buffer ends before the document: a large document is sent without another copy. */
  readonly headOnly?: boolean
  /** Another reply follows, which answers this one. */
  readonly moreToCome?: boolean
}

/** A reply: header, flags, one section of kind 0. */
export function encodeOpMsg(
  requestId: number,
  responseTo: number,
  document: Document,
  { headOnly = false, moreToCome = false }: ReplyOptions = {},
): Bytes {
  const length = replyHeadBytes + document.length
  const message = Buffer.allocUnsafe(headOnly ? replyHeadBytes : length)
  writeHeader(message, { length, requestId, responseTo, opcode: opcode.message })
  message.fill(0, headerBytes, replyHeadBytes)
  if (moreToCome) message[headerBytes] = flag.moreToCome
  if (!headOnly) message.set(document, replyHeadBytes)
  return message
}

/** A view of the validated document at `at`, which must end by `end`. */
export function documentAt(bytes: Bytes, at: number, end: number): Document {
  const length = documentLength(bytes, at, end)
  validateDocument(bytes, at, at + length)
  return bytes.subarray(at, at + length)
}

function documentLength(bytes: Bytes, at: number, end: number): number {
  const length = at + 4 <= end ? readInt32(bytes, at) : 0
  if (length > commandBytesMax) {
    const bound = `Size must be between 0 and ${commandBytesMax}(16MB)`
    throw fail('BSONObjectTooLarge', `BSONObj size: ${length} is invalid. ${bound}`)
  }
  if (length < 5 || at + length > end) throw fail('InvalidBSON', 'invalid BSON length')
  return length
}

function requireFlags(flags: number): void {
  const unknown = flags & requiredFlags & ~knownFlags
  if (unknown === 0) return
  const bits = (flags >>> 0).toString(2)
  throw fail('IllegalOpMsgFlag', `Message contains illegal flags value: Ob${bits}`)
}

function badChecksum(): Error {
  return fail('ChecksumMismatch', 'OP_MSG checksum does not match contents')
}

function refuseRepeated(body: Document, sequences: ReadonlyMap<string, unknown>): void {
  for (const name of sequences.keys()) {
    if (findElement(body, 0, utf8(name)) !== undefined) {
      const text = `Duplicate field between body and document sequence ${name}`
      throw fail('Location40433', text)
    }
  }
}
