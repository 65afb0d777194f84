// Converts BSON to JSON text, byte by byte into one buffer. Names and texts are UTF-8 on both
// sides, so they are copied, and only the end makes a JavaScript string.

import { isAscii } from 'node:buffer'
import type { Bytes } from '../../base/bytes/bytes.js'
import { work } from '../../base/work/work-budget.js'
import { jsonBytesPerUnit, jsonPieceUnits } from '../../base/work/work-figures.js'
import { decodeDecimal, exactToString } from '../decimal.js'
import { payloadLength } from '../elements.js'
import { readInt64AsNumber } from '../numbers.js'
import {
  bigintOf,
  bsonType,
  type Document,
  readDouble,
  readInt32,
  regexOf,
  Value,
} from '../value.js'

/** plain: friendly JSON; relaxed and canonical: Extended JSON 2. */
export type JsonMode = 'plain' | 'relaxed' | 'canonical'

/** A larger buffer is released between texts. */
const keptBytesMax = 64 * 1024

/** A longer text is written in parts, each copied natively if it needs no escape. */
const longTextBytes = 256
const partBytes = 4_096

/** Elements between two calls of `work.spend`. */
const piecesAtOnce = 256

/** 1: copied unchanged; 0: needs an escape. */
const isPlainByte = new Uint8Array(256).fill(1)
isPlainByte.fill(0, 0, 0x20)
isPlainByte[0x22] = 0
isPlainByte[0x5c] = 0

const shortEscapes: Readonly<Record<number, string>> = {
  8: '\\b',
  9: '\\t',
  10: '\\n',
  12: '\\f',
  13: '\\r',
  34: '\\"',
  92: '\\\\',
}

/** Relaxed dates are ISO texts from 1970 to the end of 9999. */
const isoEndMs = 253402300800000
/** Maximum time that Date can print, milliseconds. */
const dateMsMax = 8.64e15

export class JsonWriter {
  private mode: JsonMode = 'plain'
  private out = Buffer.allocUnsafeSlow(keptBytesMax)
  private at = 0
  /** All bytes or-ed: shows whether the text is ASCII. */
  private seen = 0
  /** Elements not yet charged to the work budget, and the end of the text at the last charge. */
  private pieces = 0
  private spentTo = 0

  /** Begins a text. */
  begin(mode: JsonMode): this {
    this.mode = mode
    this.at = 0
    this.seen = 0
    this.pieces = 0
    this.spentTo = 0
    return this
  }

  /** What was written since `begin`, as UTF-8. A text above the kept buffer is given away. */
  finishBytes(): Buffer {
    this.spend()
    const { out, at } = this
    if (at <= keptBytesMax) return Buffer.from(out.subarray(0, at))
    this.out = Buffer.allocUnsafeSlow(keptBytesMax)
    return out.subarray(0, at)
  }

  /** What was written since `begin`. */
  finish(): string {
    this.spend()
    const text = this.out.toString(this.seen > 0x7f ? 'utf8' : 'latin1', 0, this.at)
    if (this.out.length > keptBytesMax) this.out = Buffer.allocUnsafeSlow(keptBytesMax)
    return text
  }

  value(v: Value): this {
    if (v.type === bsonType.undefined && this.mode === 'plain') this.ascii('null')
    else this.payload(v.type, v.bytes, v.start, v.end)
    return this
  }

  document(bytes: Document, start: number): this {
    let at = start + 4
    let isFirst = true
    this.byte(0x7b)
    for (;;) {
      const type = bytes[at++] ?? 0
      if (type === 0) break
      const nameStart = at
      while (bytes[at] !== 0) at++
      const nameEnd = at++
      const end = at + payloadLength(type, bytes, at)
      if (type !== bsonType.undefined || this.mode !== 'plain') {
        if (!isFirst) this.byte(0x2c)
        isFirst = false
        this.quoted(bytes, nameStart, nameEnd)
        this.byte(0x3a)
        this.payload(type, bytes, at, end)
      }
      at = end
      if (++this.pieces >= piecesAtOnce) this.spend()
    }
    this.byte(0x7d)
    return this
  }

  /** Throws MaxTimeMSExpired if the value is too long for code that cannot pause. */
  private spend(): void {
    work.spend(this.pieces * jsonPieceUnits + (this.at - this.spentTo) / jsonBytesPerUnit)
    this.pieces = 0
    this.spentTo = this.at
  }

  private array(bytes: Bytes, start: number): void {
    let at = start + 4
    let isFirst = true
    this.byte(0x5b)
    for (;;) {
      const type = bytes[at++] ?? 0
      if (type === 0) break
      while (bytes[at] !== 0) at++
      at++
      const end = at + payloadLength(type, bytes, at)
      if (!isFirst) this.byte(0x2c)
      isFirst = false
      if (type === bsonType.undefined && this.mode === 'plain') this.ascii('null')
      else this.payload(type, bytes, at, end)
      at = end
      if (++this.pieces >= piecesAtOnce) this.spend()
    }
    this.byte(0x5d)
  }

  private payload(type: number, bytes: Bytes, start: number, end: number): void {
    switch (type) {
      case bsonType.double:
        this.double(readDouble(bytes, start))
        break
      case bsonType.string:
        this.quoted(bytes, start + 4, end - 1)
        break
      case bsonType.object:
        this.document(bytes, start)
        break
      case bsonType.array:
        this.array(bytes, start)
        break
      case bsonType.objectId:
        this.objectId(bytes, start)
        break
      case bsonType.bool:
        this.ascii(bytes[start] === 1 ? 'true' : 'false')
        break
      case bsonType.date:
        this.date(bytes, start)
        break
      case bsonType.null:
        this.ascii('null')
        break
      case bsonType.int32:
        this.int32(readInt32(bytes, start))
        break
      case bsonType.int64:
        this.int64(bytes, start)
        break
      case bsonType.decimal128:
        this.wrapped('$numberDecimal', exactToString(decodeDecimal(bytes, start)))
        break
      default:
        this.rare(type, bytes, start, end)
    }
  }

  /** Writes the rare types. */
  private rare(type: number, bytes: Bytes, start: number, end: number): void {
    switch (type) {
      case bsonType.binary:
        this.binary(bytes, start, end)
        break
      case bsonType.undefined:
        this.ascii('{"$undefined":true}')
        break
      case bsonType.regex:
        this.regex(new Value(type, bytes, start, end))
        break
      case bsonType.dbPointer:
        this.ascii('{"$dbPointer":{"$ref":')
        this.quoted(bytes, start + 4, end - 13)
        this.ascii(',"$id":{"$oid":')
        this.hex(bytes, end - 12)
        this.ascii('}}}')
        break
      case bsonType.code:
        this.ascii('{"$code":')
        this.quoted(bytes, start + 4, end - 1)
        this.byte(0x7d)
        break
      case bsonType.symbol:
        if (this.mode !== 'plain') this.ascii('{"$symbol":')
        this.quoted(bytes, start + 4, end - 1)
        if (this.mode !== 'plain') this.byte(0x7d)
        break
      case bsonType.codeWithScope: {
        const scope = start + 8 + readInt32(bytes, start + 4)
        this.ascii('{"$code":')
        this.quoted(bytes, start + 8, scope - 1)
        this.ascii(',"$scope":')
        this.document(bytes, scope)
        this.byte(0x7d)
        break
      }
      case bsonType.timestamp: {
        const [i, t] = [readInt32(bytes, start) >>> 0, readInt32(bytes, start + 4) >>> 0]
        this.ascii(`{"$timestamp":{"t":${t},"i":${i}}}`)
        break
      }
      default:
        this.ascii(type === bsonType.maxKey ? '{"$maxKey":1}' : '{"$minKey":1}')
    }
  }

  private double(n: number): void {
    const { mode } = this
    if (mode === 'canonical' || (mode === 'relaxed' && !Number.isFinite(n))) {
      this.ascii(`{"$numberDouble":"${doubleText(n)}"}`)
    } else if (mode === 'relaxed') this.ascii(doubleText(n))
    else if (!Number.isFinite(n)) this.ascii(`"${n}"`)
    else if (n === (n | 0) && n !== 0) this.digits(n)
    else this.ascii(Object.is(n, -0) ? '-0' : String(n))
  }

  private int32(n: number): void {
    if (this.mode === 'canonical') this.ascii(`{"$numberInt":"${n}"}`)
    else this.digits(n)
  }

  /**
   * Deviation: relaxed mode wraps integers that a double cannot represent, so that no reader loses
   * digits.
   */
  private int64(bytes: Bytes, start: number): void {
    const n = readInt64AsNumber(bytes, start)
    if (Number.isSafeInteger(n) && this.mode !== 'canonical') {
      if (n === (n | 0)) this.digits(n)
      else this.ascii(String(n))
    } else this.wrapped('$numberLong', int64Text(bytes, start))
  }

  /** Writes only the text in plain mode, otherwise a wrapper. Its characters need no escape. */
  private wrapped(wrapper: string, text: string): void {
    this.ascii(this.mode === 'plain' ? `"${text}"` : `{"${wrapper}":"${text}"}`)
  }

  private objectId(bytes: Bytes, start: number): void {
    if (this.mode !== 'plain') this.ascii('{"$oid":')
    this.hex(bytes, start)
    if (this.mode !== 'plain') this.byte(0x7d)
  }

  private date(bytes: Bytes, start: number): void {
    const ms = readInt64AsNumber(bytes, start)
    if (this.mode === 'plain' && Math.abs(ms) <= dateMsMax) {
      this.ascii(`"${new Date(ms).toISOString()}"`)
    } else if (this.mode === 'relaxed' && ms >= 0 && ms < isoEndMs) {
      this.ascii(`{"$date":"${new Date(ms).toISOString().replace('.000Z', 'Z')}"}`)
    } else this.ascii(`{"$date":{"$numberLong":"${int64Text(bytes, start)}"}}`)
  }

  /** Subtype 2 repeats its length inside, which is not part of the data. */
  private binary(bytes: Bytes, start: number, end: number): void {
    const subtype = bytes[start + 4] ?? 0
    const body = bytes.subarray(start + (subtype === 2 ? 9 : 5), end)
    const base64 = Buffer.from(body.buffer, body.byteOffset, body.length).toString('base64')
    const hex = subtype.toString(16).padStart(2, '0')
    if (this.mode === 'plain') this.ascii(`"${base64}"`)
    else this.ascii(`{"$binary":{"base64":"${base64}","subType":"${hex}"}}`)
  }

  private regex(v: Value): void {
    const patternEnd = v.bytes.indexOf(0, v.start)
    this.ascii('{"$regularExpression":{"pattern":')
    this.quoted(v.bytes, v.start, patternEnd)
    const options = [...regexOf(v).options].sort().join('')
    this.ascii(`,"options":${JSON.stringify(options)}}}`)
  }

  /** The twelve bytes of an ObjectId. */
  private hex(bytes: Bytes, start: number): void {
    this.reserve(26)
    const { out } = this
    let at = this.at
    out[at++] = 0x22
    for (let i = start; i < start + 12; i++) {
      const byte = bytes[i] ?? 0
      out[at++] = hexDigit(byte >> 4)
      out[at++] = hexDigit(byte & 15)
    }
    out[at++] = 0x22
    this.at = at
  }

  /** UTF-8 in quotes, escaped as JSON requires. */
  private quoted(bytes: Bytes, start: number, end: number): void {
    if (end - start > longTextBytes) {
      this.quotedInParts(bytes, start, end)
      return
    }
    this.byte(0x22)
    this.escaped(bytes, start, end)
    this.byte(0x22)
  }

  /** The room for escapes is that of a part. */
  private quotedInParts(bytes: Bytes, start: number, end: number): void {
    this.byte(0x22)
    for (let from = start; from < end; from += partBytes) {
      const to = Math.min(from + partBytes, end)
      const part = bytes.subarray(from, to)
      if (!needsNoEscape(part)) this.escaped(bytes, from, to)
      else {
        this.reserve(to - from)
        this.out.set(part, this.at)
        this.at += to - from
        if (this.seen <= 0x7f && !isAscii(part)) this.seen = 0xff
      }
    }
    this.byte(0x22)
  }

  private escaped(bytes: Bytes, start: number, end: number): void {
    this.reserve((end - start) * 6)
    const { out } = this
    let at = this.at
    let seen = this.seen
    for (let i = start; i < end; i++) {
      const byte = bytes[i] ?? 0
      seen |= byte
      if (isPlainByte[byte] === 1) out[at++] = byte
      else {
        const escaped = shortEscapes[byte] ?? `\\u${byte.toString(16).padStart(4, '0')}`
        at += out.write(escaped, at, 'latin1')
        if (++this.pieces >= piecesAtOnce) {
          this.at = at
          this.spend()
        }
      }
    }
    this.at = at
    this.seen = seen
  }

  /** A whole number within int32. */
  private digits(n: number): void {
    this.reserve(11)
    const { out } = this
    let rest = n
    if (n < 0) {
      out[this.at++] = 0x2d
      rest = -n
    }
    let end = this.at + 1
    for (let size = 10; size <= rest; size *= 10) end++
    this.at = end
    do {
      const tens = Math.floor(rest / 10)
      out[--end] = 0x30 + rest - tens * 10
      rest = tens
    } while (rest > 0)
  }

  /** Writes ASCII text without escaping. */
  ascii(text: string): this {
    this.reserve(text.length)
    const { out } = this
    if (text.length > 32) {
      this.at += out.write(text, this.at, 'latin1')
      return this
    }
    let at = this.at
    for (let i = 0; i < text.length; i++) out[at++] = text.charCodeAt(i)
    this.at = at
    return this
  }

  private byte(byte: number): void {
    this.reserve(1)
    this.out[this.at++] = byte
  }

  private reserve(more: number): void {
    if (this.at + more <= this.out.length) return
    const bigger = Buffer.allocUnsafeSlow(Math.max(this.out.length * 2, this.at + more))
    this.out.copy(bigger, 0, 0, this.at)
    this.out = bigger
  }
}

/** By words: whether no byte is below a space, a quote or a backslash. */
function needsNoEscape(bytes: Bytes): boolean {
  let at = 0
  for (; at < bytes.length && ((bytes.byteOffset + at) & 3) !== 0; at++) {
    if (isPlainByte[bytes[at] as number] === 0) return false
  }
  const count = (bytes.length - at) >> 2
  const words = new Int32Array(bytes.buffer, count === 0 ? 0 : bytes.byteOffset + at, count)
  let found = 0
  for (let i = 0; i < count; i++) {
    const word = words[i] as number
    const quote = word ^ 0x22222222
    const backslash = word ^ 0x5c5c5c5c
    // The upper bit of a byte that is below 0x20, or zero after the exclusive or.
    found |=
      ((word - 0x20202020) & ~word) |
      ((quote - 0x01010101) & ~quote) |
      ((backslash - 0x01010101) & ~backslash)
  }
  if ((found & 0x80808080) !== 0) return false
  for (at += count * 4; at < bytes.length; at++) {
    if (isPlainByte[bytes[at] as number] === 0) return false
  }
  return true
}

function hexDigit(n: number): number {
  return n < 10 ? 0x30 + n : 0x57 + n
}

function int64Text(bytes: Bytes, start: number): string {
  return String(bigintOf(new Value(bsonType.int64, bytes, start, start + 8)))
}

/** Text that parses to the same double, and never to an integer. */
function doubleText(n: number): string {
  const text = Object.is(n, -0) ? '-0' : String(n)
  return Number.isInteger(n) && !text.includes('e') ? `${text}.0` : text
}
