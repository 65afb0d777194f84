// Splits a byte stream into messages. A message may come in many TCP chunks, and many messages in
// one. The length is checked before memory is allocated for it.

import type { Bytes } from '../../base/bytes/bytes.js'
import { fail } from '../../base/errors.js'
import { readInt32 } from '../../value/value.js'
import { headerBytes } from './header.js'

const nothing = new Uint8Array(0)

export class FrameSplitter {
  /** Longest message, bytes; may change between messages (login raises it). */
  lengthMax: number
  /** Bytes of a chunk that are not yet part of a message; a view. */
  private rest: Bytes = nothing
  /** The length word of the next message while it is incomplete. */
  private readonly head = new Uint8Array(4)
  private headLength = 0
  /** The message being gathered, with room for all of it. */
  private frame: Bytes | undefined
  private filled = 0

  constructor(lengthMax: number) {
    this.lengthMax = lengthMax
  }

  /** Announced length of the message being gathered; 0 if there is none. */
  get gathering(): number {
    return this.frame?.length ?? 0
  }

  /** Whether bytes wait that `next` has not read. */
  get hasRest(): boolean {
    return this.rest.length > 0
  }

  /** Adds received bytes; `chunk` must not be changed afterwards. */
  push(chunk: Bytes): void {
    if (this.rest.length === 0) {
      this.rest = chunk
      return
    }
    const joined = new Uint8Array(this.rest.length + chunk.length)
    joined.set(this.rest)
    joined.set(chunk, this.rest.length)
    this.rest = joined
  }

  /**
   * The next complete message in separate memory, so that keeping one document does not keep its
   * neighbours; undefined if more bytes are needed. Throws ProtocolError on a length outside 16 …
   * lengthMax: message bounds are lost, so the stream must be closed.
   */
  next(): Bytes | undefined {
    if (this.frame === undefined) {
      if (this.isWhole()) return this.take()
      if (!this.begin()) return undefined
    }
    const { frame } = this
    if (frame === undefined || !this.fill(frame)) return undefined
    this.frame = undefined
    this.filled = 0
    return frame
  }

  /** The usual case: the chunk is one message and shares its memory with nothing. */
  private isWhole(): boolean {
    const { rest } = this
    return (
      this.headLength === 0 &&
      rest.length >= headerBytes &&
      rest.length === rest.buffer.byteLength &&
      rest.length <= this.lengthMax &&
      readInt32(rest, 0) === rest.length
    )
  }

  private take(): Bytes {
    const { rest } = this
    this.rest = nothing
    return new Uint8Array(rest.buffer)
  }

  /** Reads the length word and allocates the message; false if bytes are missing. */
  private begin(): boolean {
    while (this.headLength < 4) {
      const byte = this.rest[0]
      if (byte === undefined) return false
      this.head[this.headLength++] = byte
      this.rest = this.rest.subarray(1)
    }
    const length = readInt32(this.head, 0)
    if (length < headerBytes || length > this.lengthMax) {
      throw fail('ProtocolError', `message length ${length} is outside 16 to ${this.lengthMax}`)
    }
    this.headLength = 0
    // Not zeroed: pages of a message that never arrives are never touched.
    const room = Buffer.allocUnsafeSlow(length)
    this.frame = new Uint8Array(room.buffer, 0, length)
    this.frame.set(this.head)
    this.filled = 4
    return true
  }

  /** Copies bytes into the message; true when it is complete. */
  private fill(frame: Bytes): boolean {
    const count = Math.min(frame.length - this.filled, this.rest.length)
    if (count > 0) {
      frame.set(this.rest.subarray(0, count), this.filled)
      this.filled += count
      this.rest = this.rest.length === count ? nothing : this.rest.subarray(count)
    }
    return this.filled === frame.length
  }
}
