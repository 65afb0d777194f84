// Reading a BSON document in place: one element after the other, nothing decoded but what is asked
// for. The document has passed `validate.ts`, so no bound is checked twice.

import { type Bytes, textOf, utf8 } from '../base/bytes.js'
import { bsonType, type Document, readInt32, Value } from './value.js'

/**
 * A cursor over the elements of the document (or array) that starts at `start`:
 * `while (elements.next()) { elements.type … elements.value() }`.
 */
export class Elements {
  type = 0
  nameStart = 0
  nameEnd = 0
  valueStart = 0
  valueEnd: number
  private readonly bytes: Bytes

  constructor(bytes: Bytes, start = 0) {
    this.bytes = bytes
    this.valueEnd = start + 4
  }

  next(): boolean {
    const { bytes } = this
    const type = bytes[this.valueEnd] ?? 0
    if (type === 0) return false
    this.type = type
    let at = this.valueEnd + 1
    this.nameStart = at
    while (bytes[at] !== 0) at++
    this.nameEnd = at
    this.valueStart = at + 1
    this.valueEnd = at + 1 + payloadLength(type, bytes, at + 1)
    return true
  }

  name(): string {
    return textOf(this.bytes, this.nameStart, this.nameEnd)
  }

  nameIs(name: Bytes): boolean {
    const length = this.nameEnd - this.nameStart
    if (length !== name.length) return false
    for (let i = 0; i < length; i++) {
      if (this.bytes[this.nameStart + i] !== name[i]) return false
    }
    return true
  }

  value(): Value {
    return new Value(this.type, this.bytes, this.valueStart, this.valueEnd)
  }

  /** Where the element begins: at its type byte. */
  get start(): number {
    return this.nameStart - 1
  }
}

/** Bytes of the payload of `type` that starts at `at`. */
export function payloadLength(type: number, bytes: Bytes, at: number): number {
  switch (type) {
    case bsonType.double:
    case bsonType.date:
    case bsonType.timestamp:
    case bsonType.int64:
      return 8
    case bsonType.string:
    case bsonType.code:
    case bsonType.symbol:
      return 4 + readInt32(bytes, at)
    case bsonType.object:
    case bsonType.array:
    case bsonType.codeWithScope:
      return readInt32(bytes, at)
    case bsonType.binary:
      return 5 + readInt32(bytes, at)
    case bsonType.objectId:
      return 12
    case bsonType.bool:
      return 1
    case bsonType.regex: {
      const middle = bytes.indexOf(0, at)
      return bytes.indexOf(0, middle + 1) + 1 - at
    }
    case bsonType.dbPointer:
      return 4 + readInt32(bytes, at) + 12
    case bsonType.int32:
      return 4
    case bsonType.decimal128:
      return 16
    default:
      return 0
  }
}

/** The element called `name` (UTF-8) of the document at `start`. */
export function findElement(bytes: Bytes, start: number, name: Bytes): Value | undefined {
  const elements = new Elements(bytes, start)
  while (elements.next()) if (elements.nameIs(name)) return elements.value()
  return undefined
}

const names = new Map<string, Bytes>()

/** The field `name` of a document; names are a fixed set of ours (command fields and the like). */
export function field(document: Document, name: string): Value | undefined {
  return findElement(document, 0, nameBytes(name))
}

/** The same of an embedded document, read where it lies. */
export function fieldIn(object: Value, name: string): Value | undefined {
  return findElement(object.bytes, object.start, nameBytes(name))
}

function nameBytes(name: string): Bytes {
  let bytes = names.get(name)
  if (bytes === undefined) {
    bytes = utf8(name)
    names.set(name, bytes)
  }
  return bytes
}

/** Elements of an array or fields of an object, in order. */
export function* fieldsOf(value: Value): Generator<[name: string, value: Value]> {
  const elements = new Elements(value.bytes, value.start)
  while (elements.next()) yield [elements.name(), elements.value()]
}

/** The elements of an array value. */
export function elementsOf(array: Value): Value[] {
  const values: Value[] = []
  const elements = new Elements(array.bytes, array.start)
  while (elements.next()) values.push(elements.value())
  return values
}
