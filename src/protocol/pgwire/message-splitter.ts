// Splits a byte stream into messages of the PostgreSQL protocol. Start-up packets have no type
// byte. Until login only small answers to the server's requests are accepted. Lengths and types are
// checked before memory is allocated. Source: PostgreSQL 17, 53.2 and 53.7.

import type { Bytes } from '../../base/bytes/bytes.js'
import { pgMessageBytesMax, pgSmallMessageBytesMax } from '../../base/limits/sql.js'
import { readInt32BE } from './body-reader.js'
import { fatalError } from './pg-error.js'

/** Start-up packets, then answers to authentication requests, then everything else. */
export type Phase = 'start' | 'login' | 'session'

export interface Frame {
  /** The type byte; 0 for a start-up packet, which has none. */
  readonly type: number
  /** The bytes after the length. It may be a view of its chunk: code that keeps it must copy it. */
  readonly body: Bytes
}

/** Longest bodies of the messages after login. */
const lengthsMax: ReadonlyMap<number, number> = new Map([
  ...[...'QPBFd'].map((type) => [type.charCodeAt(0), pgMessageBytesMax] as const),
  ...[...'CDEHSXcf'].map((type) => [type.charCodeAt(0), pgSmallMessageBytesMax] as const),
])
const passwordType = 0x70
const nothing = new Uint8Array(0)

export class MessageSplitter {
  /** The kind of message expected next; the listener changes it between messages. */
  phase: Phase = 'start'
  /** The last chunk; bytes from `at` on are not yet part of a message. */
  private rest: Bytes = nothing
  private at = 0
  /** The message being gathered, with room for all of it. */
  private body: Bytes | undefined
  private type = 0
  private filled = 0

  /** Bytes of the message being gathered; 0 if there is none. */
  get gathering(): number {
    return this.body?.length ?? 0
  }

  /**
   * Whether bytes wait after the last message. There must be none when encryption starts, because
   * they came unencrypted (CVE-2021-23214).
   */
  get hasRest(): boolean {
    return this.left > 0 || this.body !== undefined
  }

  /** Type byte of the next message; undefined if it has not arrived. */
  get nextType(): number | undefined {
    return this.left > 0 && this.phase !== 'start' ? this.rest[this.at] : undefined
  }

  /** Adds received bytes; `chunk` must not be changed afterwards. */
  push(chunk: Bytes): void {
    const { left } = this
    if (left === 0) {
      this.rest = chunk
      this.at = 0
      return
    }
    const joined = new Uint8Array(left + chunk.length)
    joined.set(this.rest.subarray(this.at))
    joined.set(chunk, left)
    this.rest = joined
    this.at = 0
  }

  /**
   * The next complete message; undefined if more bytes are needed. Throws ProtocolError (08P01,
   * FATAL) on an impossible length or type: message bounds are lost, so the stream must be closed.
   */
  next(): Frame | undefined {
    if (this.body === undefined) {
      const whole = this.begin()
      if (whole !== undefined || this.body === undefined) return whole
    }
    return this.gather(this.body)
  }

  /** Reads the head of a message: returns the message if it is complete, else allocates it. */
  private begin(): Frame | undefined {
    const { rest, at, left } = this
    const head = this.phase === 'start' ? 4 : 5
    if (head === 5 && left > 0) this.lengthMax(rest[at] ?? 0)
    if (left < head) {
      // Copies a few bytes, so that they do not keep their chunk alive.
      if (left < rest.buffer.byteLength) this.rest = new Uint8Array(rest.subarray(at))
      this.at = 0
      return undefined
    }
    const type = head === 5 ? (rest[at] ?? 0) : 0
    const start = at + head
    const length = this.requireLength(type, readInt32BE(rest, start - 4)) - 4
    if (rest.length >= start + length) {
      this.advance(start + length)
      return { type, body: length === 0 ? nothing : rest.subarray(start, start + length) }
    }
    // Not zeroed: pages of a message that never arrives are never touched.
    this.body = new Uint8Array(Buffer.allocUnsafeSlow(length).buffer, 0, length)
    this.type = type
    this.filled = 0
    this.advance(start)
    return undefined
  }

  private gather(body: Bytes): Frame | undefined {
    const { at } = this
    const count = Math.min(body.length - this.filled, this.left)
    body.set(this.rest.subarray(at, at + count), this.filled)
    this.filled += count
    this.advance(at + count)
    if (this.filled < body.length) return undefined
    this.body = undefined
    return { type: this.type, body }
  }

  private get left(): number {
    return this.rest.length - this.at
  }

  /** All bytes before `at` belong to a message. */
  private advance(at: number): void {
    const isAll = at === this.rest.length
    if (isAll) this.rest = nothing
    this.at = isAll ? 0 : at
  }

  private requireLength(type: number, length: number): number {
    if (this.phase === 'start') {
      if (length < 8 || length > pgSmallMessageBytesMax) {
        throw fatalError('invalid length of startup packet')
      }
    } else if (length < 4 || length > this.lengthMax(type)) {
      throw fatalError('invalid message length')
    }
    return length
  }

  /** Longest body of this type; refuses a type that is not allowed now. */
  private lengthMax(type: number): number {
    if (this.phase === 'login') {
      if (type === passwordType) return pgSmallMessageBytesMax
      throw fatalError(`expected SASL response, got message type ${type}`)
    }
    const known = lengthsMax.get(type)
    if (known === undefined) throw fatalError(`invalid frontend message type ${type}`)
    return known
  }
}
