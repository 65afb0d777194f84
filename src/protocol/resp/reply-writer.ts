// Encodes replies, RESP2 or RESP3, and gathers them until the listener takes them, so the replies
// of a pipeline leave in one write. The listener takes only when its socket is ready. Until then
// replies wait here tightly packed, and `length` counts them for the output limits.

import { type Bytes, utf8 } from '../../base/bytes/bytes.js'
import { doubleText } from '../../base/bytes/double-text.js'
import { assert, type GatewayError } from '../../base/errors.js'
import { KiB } from '../../base/units.js'

/** Replies are gathered in blocks of this size, bytes (Redis: PROTO_REPLY_CHUNK_BYTES). */
export const respBlockBytes = 16 * KiB
/** Longer bulk strings are sent without a copy: it saves half a block, bytes. */
export const respReferenceBytesMin = 8 * KiB
assert(respReferenceBytesMin <= respBlockBytes, 'what is copied fits a block')

export type RespVersion = 2 | 3

const carriageReturn = 0x0d
const lineFeed = 0x0a
const space = 0x20

// First bytes, in the order of the RESP3 specification.
const blobString = 0x24
const simpleString = 0x2b
const simpleError = 0x2d
const number = 0x3a
const null3 = 0x5f
const double3 = 0x2c
const boolean3 = 0x23
const bigNumber3 = 0x28
const verbatim3 = 0x3d
const array = 0x2a
const map3 = 0x25
const set3 = 0x7e
const push3 = 0x3e
const attribute3 = 0x7c

/** A first byte, a number of up to 20 characters and a line end. */
const headerBytesMax = 24
/** Up to this length a loop copies faster than a call. */
const loopBytesMax = 24
/** A smaller rest of a block is not reused. */
const restBytesMin = 512

const nothing = new Uint8Array(0)
const ok = utf8('+OK\r\n')

const { utf8Write } = Buffer.prototype as Buffer & {
  utf8Write(this: Bytes, text: string, offset: number, length: number): number
}

/** The rest of a block of another writer: idle connections hold no block. */
let spare: Bytes = nothing
let spareAt = 0

export class ReplyWriter {
  /** Set by HELLO; read for each reply, so it may change within a pipeline. */
  protocol: RespVersion = 2
  /** The current block: bytes from `from` to `at` are not yet in a piece. */
  private block: Bytes = nothing
  private from = 0
  private at = 0
  private pieces: Bytes[] = []
  private pieceBytes = 0

  /** Bytes waiting to be taken. */
  get length(): number {
    return this.pieceBytes + this.at - this.from
  }

  /**
   * The bytes written since the last call, in order: one piece, and one more for each large bulk
   * string and each block. Write them corked. They must not be changed.
   */
  take(): readonly Bytes[] {
    this.seal()
    const { pieces } = this
    this.pieces = []
    this.pieceBytes = 0
    const rest = this.block.length - this.at
    if (rest >= restBytesMin && rest > spare.length - spareAt) {
      spare = this.block
      spareAt = this.at
    }
    this.block = nothing
    this.from = 0
    this.at = 0
    return pieces
  }

  ok(): void {
    this.raw(ok)
  }

  /** A status; line ends in it become spaces. */
  simple(text: string): void {
    this.line(simpleString, text)
  }

  /**
   * `text` starts with the error's code: `ERR syntax error`. Line ends in it become spaces;
   * trailing ones are dropped, as in Redis. Pass bytes if the text echoes client input.
   */
  error(text: string | Bytes): void {
    this.line(simpleError, trimmed(typeof text === 'string' ? utf8(text) : text))
  }

  /** The last reply before the connection closes: the error of `RequestParser.next`. */
  protocolError(error: GatewayError): void {
    // One character a byte: the text may echo a byte that is not valid UTF-8.
    this.line(simpleError, Buffer.from(`ERR ${error.message}`, 'latin1'))
  }

  /** A safe integer, or a bigint of 64 bits. */
  integer(value: number | bigint): void {
    this.header(number, value)
  }

  /**
   * A bulk string: `bytes`, or a part. A large one is not copied: it must not change until the
   * socket has sent it.
   */
  bulk(bytes: Bytes, start = 0, end = bytes.length): void {
    const length = end - start
    this.header(blobString, length)
    this.payload(bytes, start, end)
    this.endLine()
  }

  /** A bulk string of UTF-8. */
  bulkText(text: string): void {
    const { length } = text
    if (length > loopBytesMax || !isAscii(text)) {
      this.bulk(utf8(text))
      return
    }
    this.header(blobString, length)
    this.room(length + 2)
    this.ascii(text)
    this.endLine()
  }

  /** Nil in place of a bulk string. */
  null(): void {
    if (this.protocol === 3) this.empty(null3)
    else this.header(blobString, -1)
  }

  /** Nil in place of an array. */
  nullArray(): void {
    if (this.protocol === 3) this.empty(null3)
    else this.header(array, -1)
  }

  /** RESP2: a bulk string. */
  double(value: number): void {
    const text = doubleText(value)
    if (this.protocol === 3) this.line(double3, text)
    else this.bulkText(text)
  }

  /** RESP2: 1 or 0. */
  boolean(value: boolean): void {
    if (this.protocol === 3) this.line(boolean3, value ? 't' : 'f')
    else this.header(number, value ? 1 : 0)
  }

  /** RESP2: a bulk string. */
  bigNumber(value: bigint): void {
    if (this.protocol === 3) this.line(bigNumber3, String(value))
    else this.bulkText(String(value))
  }

  /** Text for people; `format` is `txt` or `mkd`. RESP2: a bulk string. */
  verbatim(format: string, text: string | Bytes): void {
    const bytes = typeof text === 'string' ? utf8(text) : text
    if (this.protocol === 2) {
      this.bulk(bytes)
      return
    }
    assert(/^[a-z]{3}$/.test(format), 'the format of a verbatim string has three letters')
    this.header(verbatim3, bytes.length + 4)
    this.room(4)
    this.ascii(`${format}:`)
    this.payload(bytes, 0, bytes.length)
    this.endLine()
  }

  /** `count` replies follow. */
  array(count: number): void {
    this.header(array, count)
  }

  /** `count` keys follow, each with its value. RESP2: an array of twice as many. */
  map(count: number): void {
    assert(Number.isInteger(count), 'a map has as many values as keys')
    if (this.protocol === 3) this.header(map3, count)
    else this.header(array, 2 * count)
  }

  /** RESP2: an array. */
  set(count: number): void {
    this.header(this.protocol === 3 ? set3 : array, count)
  }

  /** Out-of-band data: messages. RESP2: an array. */
  push(count: number): void {
    this.header(this.protocol === 3 ? push3 : array, count)
  }

  /** `count` keys and values follow, then the reply they describe. RESP2 has none. */
  attribute(count: number): void {
    assert(this.protocol === 3, 'RESP2 has no attributes')
    assert(Number.isInteger(count), 'an attribute has as many values as keys')
    this.header(attribute3, count)
  }

  /** Already encoded bytes: a message is encoded once for all its subscribers. */
  raw(bytes: Bytes): void {
    this.payload(bytes, 0, bytes.length)
  }

  private header(first: number, value: number | bigint): void {
    this.room(headerBytesMax)
    const { block } = this
    block[this.at++] = first
    // True for whole numbers of 31 bits: all lengths, and most integers.
    if (typeof value === 'number' && value >= 0 && (value | 0) === value) {
      if (value < 10) block[this.at++] = 0x30 + value
      else this.digits(value)
    } else {
      assert(isInteger(value), 'an integer of 64 bits')
      this.ascii(String(value))
    }
    this.endLine()
  }

  /** A positive number of 31 bits, without making a string. */
  private digits(value: number): void {
    const { block } = this
    let end = this.at + 1
    for (let power = 10; power <= value; power *= 10) end++
    this.at = end
    let rest = value | 0
    do {
      const tenth = (rest / 10) | 0
      block[--end] = 0x30 + rest - 10 * tenth
      rest = tenth
    } while (rest > 0)
  }

  private empty(first: number): void {
    this.room(3)
    this.block[this.at++] = first
    this.endLine()
  }

  /** One line: a line end inside it would start an unrequested reply. */
  private line(first: number, text: string | Bytes): void {
    const { length } = text
    const bytesMax = typeof text === 'string' ? 3 * length : length
    this.room(bytesMax + 3)
    const { block } = this
    block[this.at++] = first
    const start = this.at
    if (typeof text === 'string') {
      if (length > loopBytesMax || !isAscii(text)) {
        this.at += utf8Write.call(block, text, start, bytesMax)
      } else this.ascii(text)
    } else {
      block.set(text, start)
      this.at += length
    }
    for (let at = start; at < this.at; at++) {
      const byte = block[at]
      if (byte === carriageReturn || byte === lineFeed) block[at] = space
    }
    this.endLine()
  }

  /** Bytes from `start` to `end`, with room for a line end after them. */
  private payload(bytes: Bytes, start: number, end: number): void {
    const length = end - start
    if (length >= respReferenceBytesMin) {
      this.seal()
      this.pieces.push(length === bytes.length ? bytes : bytes.subarray(start, end))
      this.pieceBytes += length
      this.room(2)
      return
    }
    this.room(length + 2)
    const { block, at } = this
    if (length <= loopBytesMax) {
      for (let index = 0; index < length; index++) block[at + index] = bytes[start + index] ?? 0
    } else {
      block.set(length === bytes.length ? bytes : bytes.subarray(start, end), at)
    }
    this.at = at + length
  }

  private endLine(): void {
    const { block, at } = this
    block[at] = carriageReturn
    block[at + 1] = lineFeed
    this.at = at + 2
  }

  private ascii(text: string): void {
    const { block, at } = this
    for (let index = 0; index < text.length; index++) block[at + index] = text.charCodeAt(index)
    this.at = at + text.length
  }

  /** Ensures that `length` bytes can be written at `at`. */
  private room(length: number): void {
    if (this.at + length > this.block.length) this.nextBlock(length)
  }

  private nextBlock(length: number): void {
    this.seal()
    if (length <= spare.length - spareAt) {
      this.block = spare
      this.at = spareAt
      spare = nothing
      spareAt = 0
    } else {
      this.block = allocate(Math.max(length, respBlockBytes))
      this.at = 0
    }
    this.from = this.at
  }

  /** Ends the current piece. */
  private seal(): void {
    const { from, at } = this
    if (at === from) return
    this.pieces.push(this.block.subarray(from, at))
    this.pieceBytes += at - from
    this.from = at
  }
}

/** Not zeroed: only written bytes are taken. */
function allocate(length: number): Bytes {
  return new Uint8Array(Buffer.allocUnsafeSlow(length).buffer, 0, length)
}

/** Without trailing line ends. */
function trimmed(bytes: Bytes): Bytes {
  let end = bytes.length
  while (bytes[end - 1] === carriageReturn || bytes[end - 1] === lineFeed) end--
  return bytes.subarray(0, end)
}

function isAscii(text: string): boolean {
  for (let index = 0; index < text.length; index++) {
    if (text.charCodeAt(index) >= 0x80) return false
  }
  return true
}

function isInteger(value: number | bigint): boolean {
  return typeof value === 'number'
    ? Number.isSafeInteger(value)
    : BigInt.asIntN(64, value) === value
}
