// Writes BSON: elements go into one growing buffer, and existing values are copied as bytes. The
// finished document has its own memory of about its size.

import { type Bytes, shortCharsMax, writeAscii, writeDecimal } from '../base/bytes/bytes.js'
import { fail } from '../base/errors.js'
import { copyOf } from '../base/heap/slab.js'
import { writtenBytesMax } from '../base/limits/documents.js'
import { work } from '../base/work/work-budget.js'
import { bytesPerUnit, freshBytesPerUnit } from '../base/work/work-figures.js'
import { Elements } from './elements.js'
import { bsonType, type Document, Value, writeInt32 } from './value.js'

const startBytes = 512
/** A larger spare buffer is not kept. */
const spareBytesMax = 64 * 1024
/** An array beyond this that moves to a larger buffer costs its pages, which are new. */
const cheapBytesMax = 1024 * 1024
/** Bytes of the longest index with its type and NUL. */
const indexHeadBytes = 18
/** Work units of an appended array element: 0.05 µs. */
const elementWrittenUnits = 0.5
/** Up to this size, bytes are copied in a loop. */
const shortBytesMax = 48
/** A finished document keeps its buffer unless more than a quarter of it, and 1 KiB, is unused. */
const unusedBytesMax = 1024

/** The buffer of the last finished writer, since writers rarely overlap. */
let spare: Buffer | undefined
/** Given to a finished writer, so that it cannot overwrite the next one's buffer. */
const nothing = Buffer.alloc(0)

const words = new Int32Array(2)
const wordAsDouble = new Float64Array(words.buffer)
const twoTo32 = 4294967296

/** Space after a large value for a short element and the ends of documents. */
const endBytes = 64

export class DocumentWriter {
  private buffer: Buffer
  private at = 4
  private readonly open: { at: number; isArray: boolean; count: number }[] = []
  private isArray: boolean
  private count = 0
  private documentAt = 0

  /** `isArray` makes `push` count the names; `bytes` is its size, if that is known. */
  constructor(isArray = false, bytes = startBytes) {
    this.isArray = isArray
    if (bytes > spareBytesMax) {
      this.buffer = Buffer.allocUnsafeSlow(bytes)
      return
    }
    // Not from Buffer's pool: a small document would keep a whole slab alive.
    this.buffer = spare ?? Buffer.allocUnsafeSlow(startBytes)
    spare = undefined
  }

  /** Bytes written so far. */
  get length(): number {
    return this.at
  }

  /** Number of elements of the open document. */
  get size(): number {
    return this.count
  }

  /** Appends `name: value`. */
  value(name: string, value: Value): this {
    this.head(value.type, name)
    this.copy(value.bytes, value.start, value.end)
    return this
  }

  /** Appends to an array. */
  push(value: Value): this {
    this.spendOnElement(value.end - value.start)
    this.indexHead(value.type)
    this.copy(value.bytes, value.start, value.end)
    return this
  }

  /** Appends a text of valid UTF-8 to an array. */
  pushText(utf8: Bytes, start: number, end: number): this {
    this.spendOnElement(end - start)
    this.indexHead(bsonType.string)
    this.word(end - start + 1)
    this.copy(utf8, start, end)
    this.reserve(1)
    this.buffer[this.at++] = 0
    return this
  }

  pushNull(): this {
    work.spend(elementWrittenUnits)
    this.indexHead(bsonType.null)
    return this
  }

  /** Copies a whole element (type byte, name, payload) of another document. */
  element(bytes: Bytes, start: number, end: number): this {
    this.copy(bytes, start, end)
    this.count++
    return this
  }

  /** Copies so many whole elements of another document, which follow each other. */
  elements(bytes: Bytes, start: number, end: number, count: number): this {
    this.copy(bytes, start, end)
    this.count += count
    return this
  }

  /**
   * Copies the elements of a document except those called `name`. What is between them is copied in
   * one piece, for documents with hundreds of thousands of fields.
   */
  elementsBut(document: Document, name: Bytes): this {
    const elements = new Elements(document)
    let from = elements.valueEnd
    for (; elements.next(); this.count++) {
      if (!elements.nameIs(name)) continue
      this.copy(document, from, elements.start)
      from = elements.valueEnd
      this.count--
    }
    this.copy(document, from, elements.valueEnd)
    return this
  }

  document(name: string, document: Document): this {
    this.head(bsonType.object, name)
    this.copy(document, 0, document.length)
    return this
  }

  pushDocument(document: Document): this {
    work.spend(elementWrittenUnits)
    this.indexHead(bsonType.object)
    this.copy(document, 0, document.length)
    return this
  }

  array(name: string, elements: Document): this {
    this.head(bsonType.array, name)
    this.copy(elements, 0, elements.length)
    return this
  }

  string(name: string, text: string): this {
    this.head(bsonType.string, name)
    const start = this.at
    this.reserve(text.length * 3 + 5)
    this.at += 4
    this.text(text)
    this.buffer[this.at++] = 0
    writeInt32(this.buffer, start, this.at - start - 4)
    return this
  }

  binary(name: string, subtype: number, bytes: Bytes): this {
    this.head(bsonType.binary, name)
    this.word(bytes.length)
    this.reserve(1)
    this.buffer[this.at++] = subtype
    this.copy(bytes, 0, bytes.length)
    return this
  }

  int32(name: string, n: number): this {
    this.head(bsonType.int32, name)
    this.word(n)
    return this
  }

  int64(name: string, n: bigint | number): this {
    this.head(bsonType.int64, name)
    this.long(n)
    return this
  }

  double(name: string, n: number): this {
    this.head(bsonType.double, name)
    wordAsDouble[0] = n
    this.word(words[0] ?? 0)
    this.word(words[1] ?? 0)
    return this
  }

  bool(name: string, truth: boolean): this {
    this.head(bsonType.bool, name)
    this.reserve(1)
    this.buffer[this.at++] = truth ? 1 : 0
    return this
  }

  null(name: string): this {
    this.head(bsonType.null, name)
    return this
  }

  /** Milliseconds since 1970. */
  date(name: string, ms: number): this {
    this.head(bsonType.date, name)
    this.long(ms)
    return this
  }

  openDocument(name: string): this {
    this.head(bsonType.object, name)
    return this.begin(false)
  }

  openArray(name: string): this {
    this.head(bsonType.array, name)
    return this.begin(true)
  }

  pushOpenDocument(): this {
    work.spend(elementWrittenUnits)
    this.indexHead(bsonType.object)
    return this.begin(false)
  }

  pushOpenArray(): this {
    work.spend(elementWrittenUnits)
    this.indexHead(bsonType.array)
    return this.begin(true)
  }

  /** Ends the innermost open document or array. */
  close(): this {
    this.seal()
    const outer = this.open.pop()
    if (outer === undefined) throw new Error('close without open')
    this.documentAt = outer.at
    this.isArray = outer.isArray
    this.count = outer.count
    return this
  }

  /** The document in its own memory; the writer must not be used again. */
  finish(): Document {
    if (this.open.length > 0) throw new Error('finish with open documents')
    this.seal()
    const { buffer, at } = this
    if (at > bytesPerUnit) work.spend(at / bytesPerUnit)
    this.buffer = nothing
    const unused = buffer.length - at
    if (buffer.length > spareBytesMax && (unused <= unusedBytesMax || unused * 4 <= at)) {
      return new Uint8Array(buffer.buffer, 0, at)
    }
    const document = copyOf(buffer, 0, at)
    if (buffer.length <= spareBytesMax) spare = buffer
    return document
  }

  /** Like finish, as an object or array value. */
  finishValue(): Value {
    const { isArray } = this
    const bytes = this.finish()
    return new Value(isArray ? bsonType.array : bsonType.object, bytes, 0, bytes.length)
  }

  private begin(isArray: boolean): this {
    this.open.push({ at: this.documentAt, isArray: this.isArray, count: this.count })
    this.documentAt = this.at
    this.isArray = isArray
    this.count = 0
    this.reserve(4)
    this.at += 4
    return this
  }

  private seal(): void {
    this.reserve(1)
    this.buffer[this.at++] = 0
    writeInt32(this.buffer, this.documentAt, this.at - this.documentAt)
  }

  private head(type: number, name: string): void {
    this.reserve(name.length * 3 + 2)
    this.buffer[this.at++] = type
    this.text(name)
    this.buffer[this.at++] = 0
    this.count++
  }

  /** As head, with the next index of the array as its name. */
  private indexHead(type: number): void {
    this.reserve(indexHeadBytes)
    const { buffer } = this
    buffer[this.at++] = type
    this.at = writeDecimal(buffer, this.at, this.count++)
    buffer[this.at++] = 0
  }

  /** Writes a text as UTF-8; the space is already reserved. */
  private text(text: string): void {
    const { buffer, at } = this
    const isWritten = text.length <= shortCharsMax && writeAscii(buffer, at, text)
    this.at = at + (isWritten ? text.length : buffer.write(text, at))
  }

  private word(n: number): void {
    this.reserve(4)
    writeInt32(this.buffer, this.at, n)
    this.at += 4
  }

  private long(n: bigint | number): void {
    if (typeof n === 'number' && Number.isSafeInteger(n)) {
      const high = Math.floor(n / twoTo32)
      this.word(n - high * twoTo32)
      this.word(high)
    } else {
      this.reserve(8)
      this.at = this.buffer.writeBigInt64LE(BigInt(n), this.at)
    }
  }

  private spendOnElement(length: number): void {
    work.spend(elementWrittenUnits)
    if (this.at > cheapBytesMax && this.at + length > this.buffer.length) {
      work.spend(this.at / freshBytesPerUnit)
    }
  }

  private copy(bytes: Bytes, start: number, end: number): void {
    this.reserve(end - start)
    const { buffer } = this
    let { at } = this
    if (end - start <= shortBytesMax) {
      for (let i = start; i < end; i++) buffer[at++] = bytes[i] ?? 0
    } else {
      buffer.set(bytes.subarray(start, end), at)
      at += end - start
    }
    this.at = at
  }

  private reserve(more: number): void {
    if (this.at + more <= this.buffer.length) return
    // A large value gets exact space, and the end of the document must not double it.
    const needed = this.at + more + endBytes
    if (needed > writtenBytesMax) {
      throw fail('BSONObjectTooLarge', `a value of ${needed} bytes is too large`)
    }
    const size = Math.max(this.buffer.length * 2, needed)
    const bigger = Buffer.allocUnsafeSlow(size)
    this.buffer.copy(bigger, 0, 0, this.at)
    this.buffer = bigger
  }
}

/** `{…}` from a function that writes its fields. */
export function writeDocument(fill: (writer: DocumentWriter) => void): Document {
  const writer = new DocumentWriter()
  fill(writer)
  return writer.finish()
}

/** An array value of existing values. */
export function writeArray(values: Iterable<Value>): Value {
  const writer = new DocumentWriter(true)
  for (const value of values) writer.push(value)
  return writer.finishValue()
}
