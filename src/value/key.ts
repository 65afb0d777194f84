// Order-preserving keys: encoded values compare like the values. Equal numbers of different types
// have equal bytes. No encoding is a prefix of another, so compound keys are concatenations and
// prefix ranges are exact. Text escapes 00 as 01 01 and 01 as 01 02, so that no string's key is a
// prefix of another's, ascending or inverted. (docs/design/storage.md, "Keys of values")

import { type Bytes, latin1Of, mapKey, textOf } from '../base/bytes/bytes.js'
import { digestKey } from '../base/bytes/digest-key.js'
import { work } from '../base/work/work-budget.js'
import { bytesPerUnit, charsPerUnit, valueUnits } from '../base/work/work-figures.js'
import type { Collation } from './collation/collation.js'
import { compareExact, decodeDecimal, type Exact, exactToString } from './decimal.js'
import { payloadLength } from './elements.js'
import { exactOf, exactOfBigint, exactOfNumber, numberOf, readInt64AsNumber } from './numbers.js'
import { bsonType, isNumberType, readDouble, readInt32, stringValue, type Value } from './value.js'

const startBytes = 256
/** Work units of a text byte under a collation: 0.1 µs for ASCII, 0.4 µs for other letters. */
const collatedByteUnits = 2
/** Work units to hash a number or a text (or any other value) for a Map. */
const numberHashUnits = 1
const textHashUnits = 1.2
const hashUnits = 4
/** Longer texts are hashed by their digest, natively. */
const textBytesMax = 512
const digestUnits = 3
const digestBytesPerUnit = 256
/** Up to this size, keys are copied in a loop, which is faster than a native call. */
const shortBytesMax = 48

/** First byte of each type's key. 00 ends objects and arrays, so every type is above it. */
const keyType = new Uint8Array(256)
keyType[bsonType.minKey] = 0x05
keyType[bsonType.undefined] = 0x0f
keyType[bsonType.null] = 0x10
keyType[bsonType.double] = 0x20
keyType[bsonType.int32] = 0x20
keyType[bsonType.int64] = 0x20
keyType[bsonType.decimal128] = 0x20
const stringKeyType = 0x30
const textMark = String.fromCharCode(stringKeyType)
keyType[bsonType.string] = stringKeyType
keyType[bsonType.symbol] = 0x30
keyType[bsonType.object] = 0x40
keyType[bsonType.array] = 0x50
keyType[bsonType.binary] = 0x58
keyType[bsonType.objectId] = 0x60
keyType[bsonType.bool] = 0x68
keyType[bsonType.date] = 0x70
keyType[bsonType.timestamp] = 0x78
keyType[bsonType.regex] = 0x80
keyType[bsonType.dbPointer] = 0x84
keyType[bsonType.code] = 0x88
keyType[bsonType.codeWithScope] = 0x8c
keyType[bsonType.maxKey] = 0xf0

/** Centre of the base-100 exponents; Decimal128 and doubles stay within 3,200 of it. */
const exponentBias = 0x8000

const words = new Int32Array(2)
const wordAsDouble = new Float64Array(words.buffer)
const wordAsBigint = new BigInt64Array(words.buffer)

/** Builds keys one after the other in one buffer; `reset` starts the next. */
export class KeyWriter {
  private buffer = Buffer.allocUnsafeSlow(startBytes)
  private at = 0

  get length(): number {
    return this.at
  }

  reset(): this {
    this.at = 0
    return this
  }

  u8(n: number): this {
    this.reserve(1)
    this.buffer[this.at++] = n
    return this
  }

  u32(n: number): this {
    this.reserve(4)
    this.putWord(n)
    return this
  }

  bytes(b: Bytes): this {
    this.reserve(b.length)
    this.buffer.set(b, this.at)
    this.at += b.length
    return this
  }

  /** Appends a value's key; `descending` inverts all its bytes, the type byte included. */
  value(v: Value, descending = false, collation?: Collation): this {
    const start = this.at
    this.reserve(1)
    this.buffer[this.at++] = keyType[v.type] ?? 0
    this.payload(v.type, v.bytes, v.start, v.end, collation)
    if (descending) this.invert(start)
    return this
  }

  /** Like value, for a JavaScript string, without a collation. */
  string(text: string): this {
    const start = this.at
    this.reserve(text.length * 2 + 2)
    const { buffer } = this
    let at = start
    buffer[at++] = stringKeyType
    for (let i = 0; i < text.length; i++) {
      const code = text.charCodeAt(i)
      if (code > 0x7f) return this.value(stringValue(text))
      if (code <= 1) buffer[at++] = 1
      buffer[at++] = code <= 1 ? code + 1 : code
    }
    buffer[at++] = 0
    this.at = at
    return this
  }

  /** A copy of what was written since `reset`. */
  finish(): Bytes {
    const { buffer, at } = this
    const key = new Uint8Array(at)
    if (at > shortBytesMax) key.set(buffer.subarray(0, at))
    else for (let i = 0; i < at; i++) key[i] = buffer[i] ?? 0
    return key
  }

  /** A view of what was written since `reset`, valid until the next `reset`. */
  view(): Bytes {
    // Not a Buffer, whose `slice` does not copy.
    return new Uint8Array(this.buffer.buffer, 0, this.at)
  }

  /** What was written since `reset`, as a key for a Map. */
  mapKey(): string {
    return mapKey(this.buffer, 0, this.at)
  }

  private payload(
    type: number,
    bytes: Bytes,
    start: number,
    end: number,
    collation: Collation | undefined,
  ): void {
    switch (type) {
      case bsonType.int32:
        this.exactNumber(readInt32(bytes, start))
        break
      case bsonType.double:
        this.exactNumber(readDouble(bytes, start))
        break
      case bsonType.int64:
        this.int64(bytes, start)
        break
      case bsonType.decimal128:
        this.decimal(bytes, start)
        break
      case bsonType.string:
      case bsonType.symbol:
        if (collation === undefined) this.text8(bytes, start + 4, end - 1)
        else {
          work.spend(1 + (end - start) * collatedByteUnits)
          this.collated(collation.key(textOf(bytes, start + 4, end - 1)))
        }
        break
      case bsonType.code:
        this.text8(bytes, start + 4, end - 1)
        break
      case bsonType.object:
        this.elements(bytes, start, true, collation)
        break
      case bsonType.array:
        this.elements(bytes, start, false, collation)
        break
      case bsonType.binary:
        this.binary(bytes, start, end)
        break
      case bsonType.objectId:
      case bsonType.bool:
      case bsonType.regex:
        this.copy(bytes, start, end)
        break
      case bsonType.date:
        this.word64(readInt32(bytes, start + 4) ^ 0x80000000, readInt32(bytes, start))
        break
      case bsonType.timestamp:
        this.word64(readInt32(bytes, start + 4), readInt32(bytes, start))
        break
      case bsonType.dbPointer:
        this.u32(readInt32(bytes, start))
        this.copy(bytes, start + 4, end)
        break
      case bsonType.codeWithScope: {
        const scope = start + 8 + readInt32(bytes, start + 4)
        this.text8(bytes, start + 8, scope - 1)
        this.elements(bytes, scope, true, collation)
        break
      }
    }
  }

  private elements(
    bytes: Bytes,
    start: number,
    isObject: boolean,
    collation: Collation | undefined,
  ): void {
    let at = start + 4
    for (;;) {
      const type = bytes[at++] ?? 0
      if (type === 0) break
      const nameStart = at
      while (bytes[at] !== 0) at++
      at++
      const end = at + payloadLength(type, bytes, at)
      work.spend(valueUnits)
      this.reserve(1)
      this.buffer[this.at++] = keyType[type] ?? 0
      if (isObject) this.copy(bytes, nameStart, at)
      this.payload(type, bytes, at, end, collation)
      at = end
    }
    this.u8(0)
  }

  private collated(key: Bytes): void {
    this.text8(key, 0, key.length)
  }

  /** UTF-8 with 00 and 01 escaped, ended by 00. */
  private text8(bytes: Bytes, start: number, end: number): void {
    if (end - start > charsPerUnit) work.spend((end - start) / charsPerUnit)
    this.reserve((end - start) * 2 + 1)
    const { buffer } = this
    let at = this.at
    for (let i = start; i < end; i++) {
      const byte = bytes[i] ?? 0
      if (byte > 1) buffer[at++] = byte
      else {
        buffer[at++] = 1
        buffer[at++] = byte + 1
      }
    }
    buffer[at++] = 0
    this.at = at
  }

  private binary(bytes: Bytes, start: number, end: number): void {
    this.u32(end - start - 5)
    this.copy(bytes, start + 4, end)
  }

  /** A number that is a double: eight bytes and the mark that nothing follows. */
  private exactNumber(n: number): void {
    this.reserve(9)
    this.head(n === 0 ? 0 : n)
    this.buffer[this.at++] = n < 0 ? 0xff : 0
  }

  /** A double's bits in numeric order; NaN sorts first. */
  private head(n: number): void {
    wordAsDouble[0] = n
    const high = words[1] ?? 0
    const low = words[0] ?? 0
    if (Number.isNaN(n)) this.word64(0, 0)
    else if (high < 0) this.word64(~high, ~low)
    else this.word64(high ^ 0x80000000, low)
  }

  private int64(bytes: Bytes, start: number): void {
    const n = readInt64AsNumber(bytes, start)
    if (Number.isSafeInteger(n)) this.exactNumber(n)
    else {
      words[0] = readInt32(bytes, start)
      words[1] = readInt32(bytes, start + 4)
      this.exactOrTail(n, exactOfBigint(wordAsBigint[0] ?? 0n))
    }
  }

  private decimal(bytes: Bytes, start: number): void {
    const exact = decodeDecimal(bytes, start)
    const nearest = Number(exactToString(exact))
    if (exact.kind !== 'finite' || exact.coefficient === 0n) this.exactNumber(nearest)
    else this.exactOrTail(nearest, exact)
  }

  /** `nearest` is the double nearest to the exact value, which is nonzero. */
  private exactOrTail(nearest: number, exact: Exact): void {
    const order = compareExact(exactOfNumber(nearest), exact)
    if (order === 0) this.exactNumber(nearest)
    else {
      const isBeyond = exact.negative ? order < 0 : order > 0
      this.head(isBeyond ? towardZero(nearest) : nearest)
      const start = this.at
      this.tail(exact)
      if (exact.negative) this.invert(start)
    }
  }

  /** The part that the double lacks: base-100 exponent, digits plus 1, 00. */
  private tail(exact: Exact): void {
    const digits = exact.coefficient.toString()
    const place = digits.length + exact.exponent
    const odd = place & 1
    const pairs = odd === 1 ? `0${digits}` : digits
    const exponent = (place + odd) / 2 + exponentBias
    let last = pairs.length
    while (pairs.charCodeAt(last - 1) === 0x30) last--
    this.reserve(4 + last)
    this.buffer[this.at++] = 1
    this.buffer[this.at++] = exponent >> 8
    this.buffer[this.at++] = exponent
    for (let i = 0; i < last; i += 2) {
      const low = i + 1 < last ? pairs.charCodeAt(i + 1) - 0x30 : 0
      this.buffer[this.at++] = (pairs.charCodeAt(i) - 0x30) * 10 + low + 1
    }
    this.buffer[this.at++] = 0
  }

  private word64(high: number, low: number): void {
    this.reserve(8)
    this.putWord(high)
    this.putWord(low)
  }

  /** Writes four bytes, big-endian; the space is already reserved. */
  private putWord(n: number): void {
    const { buffer, at } = this
    buffer[at] = n >>> 24
    buffer[at + 1] = n >>> 16
    buffer[at + 2] = n >>> 8
    buffer[at + 3] = n
    this.at = at + 4
  }

  private copy(bytes: Bytes, start: number, end: number): void {
    if (end - start > charsPerUnit) work.spend((end - start) / charsPerUnit)
    this.reserve(end - start)
    const { buffer } = this
    let at = this.at
    for (let i = start; i < end; i++) buffer[at++] = bytes[i] ?? 0
    this.at = at
  }

  private invert(start: number): void {
    const { buffer } = this
    for (let i = start; i < this.at; i++) buffer[i] = ~(buffer[i] ?? 0)
  }

  private reserve(more: number): void {
    if (this.at + more <= this.buffer.length) return
    const bigger = Buffer.allocUnsafeSlow(Math.max(this.buffer.length * 2, this.at + more))
    bigger.set(this.buffer.subarray(0, this.at))
    this.buffer = bigger
  }
}

/** The next double towards zero; an infinity becomes the largest double. */
function towardZero(n: number): number {
  wordAsDouble[0] = n
  wordAsBigint[0] = (wordAsBigint[0] ?? 0n) - 1n
  return wordAsDouble[0] ?? 0
}

const scratch = new KeyWriter()

/** The key of one value. */
export function encodeKey(v: Value, descending = false, collation?: Collation): Bytes {
  return scratch.reset().value(v, descending, collation).finish()
}

/** A key for Map and Set: two keys are equal exactly if the values are. */
export function equalityKey(v: Value, collation?: Collation): string {
  if (isNumberType(v.type)) {
    const n = numberOf(v)
    // A number that is exact as a double uses its text, which is short and fast.
    if (isExactly(n, v)) return `n${n}`
  }
  return scratch.reset().value(v, false, collation).mapKey()
}

/**
 * Like equalityKey, with numbers as themselves, which is fastest in a Map or Set. Charges the work
 * budget.
 */
export function hashKey(v: Value, collation?: Collation): string | number {
  if (v.type === bsonType.int32) {
    work.spend(numberHashUnits)
    return readInt32(v.bytes, v.start)
  }
  const isText = v.type === bsonType.string || v.type === bsonType.symbol
  if (isText && collation === undefined) {
    const length = v.end - v.start
    if (length > textBytesMax) {
      work.spend(digestUnits + length / digestBytesPerUnit)
      return textMark + digestKey(v.bytes.subarray(v.start + 4, v.end - 1))
    }
    work.spend(textHashUnits + length / bytesPerUnit)
    // No other key begins with a string's type.
    return textMark + latin1Of(v.bytes, v.start + 4, v.end - 1)
  }
  work.spend(hashUnits)
  if (v.type === bsonType.double) return readDouble(v.bytes, v.start)
  if (isNumberType(v.type)) {
    const n = numberOf(v)
    if (isExactly(n, v)) return n
  }
  return scratch.reset().value(v, false, collation).mapKey()
}

function isExactly(n: number, v: Value): boolean {
  if (v.type === bsonType.int32 || v.type === bsonType.double) return true
  if (v.type === bsonType.int64 && Number.isSafeInteger(n)) return true
  return compareExact(exactOfNumber(n), exactOf(v)) === 0
}
