// Splits client input into commands: arrays of bulk strings and inline lines, mixed, in chunks of
// any size. A command inside one chunk is not copied; a command across chunks is gathered. No byte
// is parsed twice. A length that a client only announces causes no allocation.

import type { Bytes } from '../../base/bytes/bytes.js'
import { assert, fail, type GatewayError } from '../../base/errors.js'
import {
  anonymousRespArgumentsMax,
  anonymousRespBulkBytesMax,
  respArgumentsMax,
  respBulkBytesMax,
  respLineBytesMax,
  respPassedBytesMax,
  respRequestBytesMax,
} from '../../base/limits/key-value.js'
import { splitInline } from './inline.js'
import { lengthOf } from './length.js'
import { type OffsetTable, RespRequest } from './request.js'

const lineFeed = 0x0a
const carriageReturn = 0x0d
const dollar = 0x24
const asterisk = 0x2a

const nothing = new Uint8Array(0)
const noOffsets = new Int32Array(0)
/** Initial size of a gathered command, bytes: most end soon after the chunk border. */
const gatherBytesMin = 256

/** A request without arguments: a blank line or `*0`. It is skipped without a reply. */
const blank = new RespRequest(nothing, noOffsets, 0, 0)

/** Offsets of many commands share one array, as small byte strings share a slab. */
const sharedOffsets = 4_096
/** The usual command: at most this many words, and lengths of at most four digits. */
const usualArgumentsMax = 64
const usualBulkBytesMax = 9_999
/** Before login, counts have one digit. */
assert(anonymousRespArgumentsMax > 9, 'a count of one digit is within all bounds')
assert(usualBulkBytesMax <= anonymousRespBulkBytesMax, 'the usual argument is within all bounds')
let shared: OffsetTable = new Int32Array(sharedOffsets)
let sharedUsed = 0

/** Initial offsets of a longer command; the array grows as arguments come. */
const ownOffsets = 64

export class RequestParser {
  /** Before login a client needs no large commands. May change between commands. */
  authenticated = false
  /** Bytes of one argument: proto-max-bulk-len, which Redis keeps at 1 MiB or more. */
  bulkBytesMax = respBulkBytesMax
  /** The bytes being parsed: a chunk, or the gathered command. */
  private window: Bytes = nothing
  /** Start of the command, next byte to parse, and end of the data in the window. */
  private start = 0
  private at = 0
  private end = 0
  /** The line at `at` has no end before this position. */
  private scanned = 0
  /** Missing arguments of the command; 0 at its start. */
  private missing = 0
  /** Length of the argument at `at`; -1 while its length line is missing. */
  private bulk = -1
  /** Offsets of a gathered or long command; as many as were found. */
  private own = noOffsets
  private found = 0
  /** While a command is gathered: the chunk that its bytes are copied from. */
  private source: Bytes | undefined
  private sourceAt = 0
  /** Bytes to copy from it while the needed number is unknown. */
  private step = gatherBytesMin
  /** Chunks after the window and the source. */
  private readonly queue: Bytes[] = []
  private queuedBytes = 0
  /** The name of a skipped command, and the bytes of its argument left to skip. */
  private cut: Bytes | undefined
  private passing = 0
  private failure: GatewayError | undefined

  /** Bytes held here: unparsed ones, and those of an incomplete command. */
  get heldBytes(): number {
    const { source } = this
    const window = source === undefined ? this.end - this.start : this.window.length
    const rest = source === undefined ? 0 : source.length - this.sourceAt
    return window + rest + this.queuedBytes + this.own.byteLength
  }

  /** Bytes that an incomplete command has once its current argument is here; 0 if not known. */
  get awaitedBytes(): number {
    return this.bulk < 0 || this.cut !== undefined ? 0 : this.at - this.start + this.bulk
  }

  /** Adds received bytes; `chunk` must not be changed afterwards. */
  push(chunk: Bytes): void {
    if (chunk.length === 0 || this.failure !== undefined) return
    // Buffers become plain arrays: the loops below are compiled for one kind of array.
    const bytes = new Uint8Array(chunk.buffer, chunk.byteOffset, chunk.length)
    const isIdle = this.source === undefined && this.start === this.end
    if (isIdle && this.queue.length === 0) this.open(bytes)
    else {
      this.queue.push(bytes)
      this.queuedBytes += chunk.length
    }
  }

  /**
   * The next complete command; undefined if more bytes are needed. Throws ProtocolError, on each
   * call, when the bounds of commands are lost. `ReplyWriter.protocolError` sends it after the
   * pending replies, and the connection is closed.
   */
  next(): RespRequest | undefined {
    if (this.failure !== undefined) throw this.failure
    for (;;) {
      const request = this.parse()
      if (request !== undefined) {
        this.begin()
        if (request.count > 0) return request
      } else if (!this.more()) {
        this.checkLine()
        return undefined
      }
    }
  }

  /** Parses one command from the window, as far as it is complete. */
  private parse(): RespRequest | undefined {
    if (this.cut !== undefined) return this.passArguments()
    if (this.missing === 0) {
      if (this.at === this.end) return undefined
      if (this.window[this.at] !== asterisk) return this.parseInline()
      const usual = this.parseUsual()
      if (usual !== undefined) return usual
      const count = this.readLength()
      if (count === undefined) return undefined
      this.checkCount(count)
      if (count <= 0) return blank
      this.missing = count
      this.own = new Int32Array(Math.min(2 * count, ownOffsets))
      this.found = 0
    }
    return this.parseArguments()
  }

  /**
   * Parses a short complete command, the usual case, at a third of the cost. For anything else,
   * errors included, it changes nothing, and `parse` reads the command again.
   */
  private parseUsual(): RespRequest | undefined {
    const { window, end } = this
    let { at } = this
    // Completeness is checked below: a missing byte gives no complete argument.
    let count = (window[at + 1] ?? 0) - 0x30
    if (count < 1 || count > 9) return undefined
    if (window[at + 2] !== carriageReturn) {
      const digit = (window[at + 2] ?? 0) - 0x30
      if (digit < 0 || digit > 9 || window[at + 3] !== carriageReturn) return undefined
      count = 10 * count + digit
      if (count > usualArgumentsMax || !this.authenticated) return undefined
      at++
    }
    if (sharedUsed + 2 * usualArgumentsMax > sharedOffsets) {
      shared = new Int32Array(sharedOffsets)
      sharedUsed = 0
    }
    const table = shared
    const base = sharedUsed
    const stop = base + 2 * count
    at += 4
    for (let slot = base; slot < stop; slot += 2) {
      // The shortest argument has six bytes, as has the longest usual length line.
      if (end - at < 6 || window[at] !== dollar) return undefined
      let length = (window[at + 1] ?? 0) - 0x30
      if (length < 0 || length > 9) return undefined
      at += 2
      let byte = window[at] ?? 0
      while (byte !== carriageReturn) {
        const digit = byte - 0x30
        if (digit < 0 || digit > 9 || length === 0) return undefined
        length = 10 * length + digit
        if (length > usualBulkBytesMax) return undefined
        byte = window[++at] ?? 0
      }
      at += 2
      table[slot] = at
      at += length
      table[slot + 1] = at
      // The two bytes after an argument are skipped unchecked, as in Redis.
      at += 2
    }
    if (at > end) return undefined
    this.at = at
    sharedUsed = stop
    return new RespRequest(window, table, base, count)
  }

  private parseArguments(): RespRequest | undefined {
    let table = this.own
    while (this.missing > 0) {
      const length = this.readBulkLength()
      if (this.cut !== undefined) return this.passArguments()
      const { at } = this
      if (length < 0 || this.end - at < length + 2) return undefined
      if (2 * this.found === table.length) {
        const larger = new Int32Array(2 * Math.min(this.found + this.missing, 2 * this.found))
        larger.set(table)
        table = larger
        this.own = larger
      }
      table[2 * this.found] = at
      table[2 * this.found + 1] = at + length
      this.found++
      this.missing--
      this.at = at + length + 2
      this.bulk = -1
    }
    this.own = noOffsets
    return new RespRequest(this.window, table, 0, this.found)
  }

  /** Length of the argument that then starts at `at`; -1 if its line is incomplete. */
  private readBulkLength(): number {
    if (this.bulk >= 0) return this.bulk
    const { at } = this
    const length = this.readLength()
    if (length === undefined) return -1
    // Checked after the line end, as in Redis: an endless line first fails as too long.
    if (this.window[at] !== dollar) throw this.refuse(expectedDollar(this.window[at] ?? 0))
    if (!(length >= 0 && length <= respPassedBytesMax)) throw this.refuse('invalid bulk length')
    if (!this.authenticated && length > anonymousRespBulkBytesMax) {
      throw this.refuse('unauthenticated bulk length')
    }
    const isWithin = this.at - this.start + length <= respRequestBytesMax
    if (length > this.bulkBytesMax || !isWithin) {
      // Deviation: Redis accepts it, or closes without an error at client-query-buffer-limit.
      this.beginCut(length)
      return -1
    }
    this.bulk = length
    return length
  }

  /** Skips the argument at `at`, and with it the whole command. */
  private beginCut(length: number): void {
    const { window, own } = this
    this.cut = this.found === 0 ? nothing : window.slice(own[0], own[1])
    this.own = noOffsets
    this.missing--
    this.passing = length + 2
  }

  /** Skips the received arguments of a refused command. */
  private passArguments(): RespRequest | undefined {
    for (;;) {
      const some = Math.min(this.passing, this.end - this.at)
      this.passing -= some
      this.at += some
      // Nothing of it is kept.
      this.start = this.at
      this.scanned = Math.max(this.scanned, this.at)
      if (this.passing === 0 && this.missing === 0) return this.endCut()
      if (this.at === this.end) {
        if (this.source === undefined) return undefined
        this.leaveGathered(this.source)
        continue
      }
      const { at } = this
      const length = this.readLength()
      if (length === undefined) return undefined
      if (this.window[at] !== dollar) throw this.refuse(expectedDollar(this.window[at] ?? 0))
      if (!(length >= 0 && length <= respPassedBytesMax)) throw this.refuse('invalid bulk length')
      this.missing--
      this.passing = length + 2
    }
  }

  private endCut(): RespRequest {
    const name = this.cut ?? nothing
    this.cut = undefined
    return new RespRequest(name, Int32Array.of(0, name.length), 0, 1, true)
  }

  /** The window is used up: the rest of a gathered command is parsed in its chunk. */
  private leaveGathered(source: Bytes): void {
    this.window = source
    this.start = this.sourceAt
    this.at = this.sourceAt
    this.scanned = this.sourceAt
    this.end = source.length
    this.source = undefined
  }

  private checkCount(count: number): void {
    // Deviation: Redis' bound is 2^31 - 1; limits/key-value.ts says why this one is lower.
    if (!(count <= respArgumentsMax)) throw this.refuse('invalid multibulk length')
    if (!this.authenticated && count > anonymousRespArgumentsMax) {
      throw this.refuse('unauthenticated multibulk length')
    }
  }

  /**
   * The number in the line at `at`, after its first byte; moves `at` past the line. NaN if it is
   * invalid; undefined if the line is incomplete.
   */
  private readLength(): number | undefined {
    const { window, end } = this
    let value = 0
    let at = this.at + 1
    // At most nine digits, the first not zero: all lengths that clients send except 0.
    for (const stop = Math.min(end, at + 9); at < stop; at++) {
      const digit = (window[at] ?? 0) - 0x30
      if (digit < 0 || digit > 9 || (digit === 0 && value === 0)) break
      value = value * 10 + digit
    }
    const isWhole = at + 1 < end && window[at] === carriageReturn
    if (value > 0 && isWhole && window[this.at] !== 0) {
      this.at = at + 2
      this.scanned = this.at
      return value
    }
    return this.readOddLength()
  }

  private readOddLength(): number | undefined {
    const stop = this.findInLine(carriageReturn)
    // The byte after the carriage return must be present but is not checked.
    if (stop === undefined || stop + 1 >= this.end) return undefined
    const length = lengthOf(this.window, this.at + 1, stop)
    this.at = stop + 2
    this.scanned = this.at
    return length
  }

  private parseInline(): RespRequest | undefined {
    const { window, at } = this
    const stop = this.findInLine(lineFeed)
    if (stop === undefined) return undefined
    const lineEnd = stop > at && window[stop - 1] === carriageReturn ? stop - 1 : stop
    const request = splitInline(window, at, lineEnd)
    if (request === undefined) throw this.refuse('unbalanced quotes in request')
    this.at = stop + 1
    this.scanned = this.at
    return request
  }

  /**
   * Position of the byte that ends the line at `at`. A zero byte ends the search, as in Redis: the
   * result is the error of an overlong line.
   */
  private findInLine(wanted: number): number | undefined {
    const { window, end } = this
    for (let at = Math.max(this.scanned, this.at); at < end; at++) {
      const byte = window[at]
      if (byte === wanted || byte === 0) {
        this.scanned = at
        return byte === wanted ? at : undefined
      }
    }
    this.scanned = end
    return undefined
  }

  /** A line may exceed the bound if it comes complete in one chunk, as in Redis. */
  private checkLine(): void {
    if (this.bulk >= 0 || this.end - this.at <= respLineBytesMax) return
    if (this.missing > 0) {
      if (this.findInLine(carriageReturn) === undefined)
        throw this.refuse('too big bulk count string')
    } else if (this.window[this.at] !== asterisk) {
      throw this.refuse('too big inline request')
    } else if (this.findInLine(carriageReturn) === undefined) {
      throw this.refuse('too big mbulk count string')
    }
  }

  /** Starts the next command at `at`. Bytes that a gathered command did not need go back. */
  private begin(): void {
    const { source } = this
    if (source !== undefined) {
      // Bytes after a command came with the last piece, without which it was incomplete.
      this.at = this.sourceAt - (this.end - this.at)
      this.window = source
      this.end = source.length
      this.scanned = this.at
      this.source = undefined
    }
    this.start = this.at
  }

  /** Brings more bytes into the window; false if there are none. */
  private more(): boolean {
    if (this.source === undefined && this.start === this.end) {
      // An idle connection keeps no chunk.
      const chunk = this.queue.shift() ?? nothing
      this.queuedBytes -= chunk.length
      this.open(chunk)
      return chunk.length > 0
    }
    if (this.source === undefined || this.sourceAt === this.source.length) {
      const chunk = this.queue.shift()
      if (chunk === undefined) return false
      this.queuedBytes -= chunk.length
      if (this.source === undefined) this.gather()
      this.source = chunk
      this.sourceAt = 0
    }
    this.take(this.source)
    return true
  }

  /** Commands are parsed in the chunk itself if they end in it. */
  private open(chunk: Bytes): void {
    this.window = chunk
    this.start = 0
    this.at = 0
    this.scanned = 0
    this.end = chunk.length
  }

  /** The command continues in the next chunk: its bytes so far move to separate memory. */
  private gather(): void {
    const { window, start, own } = this
    const length = this.end - start
    this.window = allocate(this.capacity(length + gatherBytesMin, start))
    this.window.set(window.subarray(start, this.end))
    const slots = this.missing > 0 ? 2 * this.found : 0
    for (let slot = 0; slot < slots; slot++) own[slot] = (own[slot] ?? 0) - start
    this.at -= start
    this.scanned -= start
    this.step = gatherBytesMin
    this.start = 0
    this.end = length
  }

  /**
   * Copies what the argument still needs. If that is unknown, it copies twice as much each time:
   * few steps for a long command, few bytes to return for a short one.
   */
  private take(source: Bytes): void {
    let wanted = this.step
    if (this.bulk >= 0) wanted = this.at + this.bulk + 2 - this.end
    else this.step *= 2
    const count = Math.min(wanted, source.length - this.sourceAt)
    const length = this.end + count
    if (length > this.window.length) {
      const larger = allocate(this.capacity(length, 0))
      larger.set(this.window.subarray(0, this.end))
      this.window = larger
    }
    this.window.set(source.subarray(this.sourceAt, this.sourceAt + count), this.end)
    this.sourceAt += count
    this.end = length
  }

  /**
   * Room for `wanted` bytes: doubles, so that growth is cheap, but never above what the current
   * argument and a few words after it need.
   */
  private capacity(wanted: number, start: number): number {
    const behind = this.missing > 1 ? gatherBytesMin : 0
    const exact = this.bulk < 0 ? 0 : this.at - start + this.bulk + 2 + behind
    return exact >= wanted ? Math.min(exact, 2 * wanted) : 2 * wanted
  }

  private refuse(text: string): GatewayError {
    this.failure = fail('ProtocolError', `Protocol error: ${text}`)
    this.window = nothing
    this.start = 0
    this.at = 0
    this.end = 0
    this.source = undefined
    this.own = noOffsets
    this.queue.length = 0
    this.queuedBytes = 0
    return this.failure
  }
}

/** Not zeroed: every byte is written before it is read. */
function allocate(length: number): Bytes {
  return new Uint8Array(Buffer.allocUnsafeSlow(length).buffer, 0, length)
}

/** Redis echoes the byte unchanged, except line ends. */
function expectedDollar(byte: number): string {
  const isEnd = byte === carriageReturn || byte === lineFeed
  return `expected '$', got '${isEnd ? ' ' : String.fromCharCode(byte)}'`
}
