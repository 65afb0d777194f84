// Writing BSON: elements go into one growing buffer, values that exist are copied as bytes.

import { type Bytes, bufferOf } from '../base/bytes.js'
import { bsonType, type Document, Value, writeInt32 } from './value.js'

const startBytes = 256

export class DocumentWriter {
  private buffer = Buffer.allocUnsafe(startBytes)
  private at = 4
  private readonly open: { at: number; isArray: boolean; count: number }[] = []
  private isArray: boolean
  private count = 0
  private documentAt = 0

  /** `isArray` makes `push` count the names. */
  constructor(isArray = false) {
    this.isArray = isArray
  }

  /** Bytes written so far. */
  get length(): number {
    return this.at
  }

  /** Elements of the document that is open. */
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
    return this.value(String(this.count), value)
  }

  /** Copies a whole element (type byte, name, payload) of another document. */
  element(bytes: Bytes, start: number, end: number): this {
    this.copy(bytes, start, end)
    this.count++
    return this
  }

  document(name: string, document: Document): this {
    this.head(bsonType.object, name)
    this.copy(document, 0, document.length)
    return this
  }

  pushDocument(document: Document): this {
    return this.document(String(this.count), document)
  }

  array(name: string, elements: Document): this {
    this.head(bsonType.array, name)
    this.copy(elements, 0, elements.length)
    return this
  }

  string(name: string, text: string): this {
    this.head(bsonType.string, name)
    const bytes = Buffer.byteLength(text)
    this.reserve(bytes + 5)
    this.buffer.writeInt32LE(bytes + 1, this.at)
    this.buffer.write(text, this.at + 4)
    this.at += bytes + 5
    this.buffer[this.at - 1] = 0
    return this
  }

  int32(name: string, n: number): this {
    this.head(bsonType.int32, name)
    this.reserve(4)
    this.at = this.buffer.writeInt32LE(n, this.at)
    return this
  }

  int64(name: string, n: bigint | number): this {
    this.head(bsonType.int64, name)
    this.reserve(8)
    this.at = this.buffer.writeBigInt64LE(BigInt(n), this.at)
    return this
  }

  double(name: string, n: number): this {
    this.head(bsonType.double, name)
    this.reserve(8)
    this.at = this.buffer.writeDoubleLE(n, this.at)
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
    this.reserve(8)
    this.at = this.buffer.writeBigInt64LE(BigInt(ms), this.at)
    return this
  }

  openDocument(name: string): this {
    return this.begin(bsonType.object, name, false)
  }

  openArray(name: string): this {
    return this.begin(bsonType.array, name, true)
  }

  pushOpenDocument(): this {
    return this.openDocument(String(this.count))
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

  /** The document; the writer must not be used again. */
  finish(): Document {
    if (this.open.length > 0) throw new Error('finish with open documents')
    this.seal()
    return new Uint8Array(this.buffer.buffer, this.buffer.byteOffset, this.at)
  }

  /** As finish, as a value of its kind. */
  finishValue(): Value {
    const { isArray } = this
    const bytes = this.finish()
    return new Value(isArray ? bsonType.array : bsonType.object, bytes, 0, bytes.length)
  }

  private begin(type: number, name: string, isArray: boolean): this {
    this.head(type, name)
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
    const room = name.length * 3 + 2
    this.reserve(room)
    this.buffer[this.at++] = type
    this.at += this.buffer.write(name, this.at)
    this.buffer[this.at++] = 0
    this.count++
  }

  private copy(bytes: Bytes, start: number, end: number): void {
    this.reserve(end - start)
    bufferOf(bytes).copy(this.buffer, this.at, start, end)
    this.at += end - start
  }

  private reserve(more: number): void {
    if (this.at + more <= this.buffer.length) return
    const bigger = Buffer.allocUnsafe(Math.max(this.buffer.length * 2, this.at + more))
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
