// Reads a BSON document in place, element by element, and decodes only what is requested. The
// document has passed `validate.ts`, so bounds are not checked again.

import { type Bytes, textOf, utf8 } from '../base/bytes/bytes.js'
import { work } from '../base/work/work-budget.js'
import { elementUnits } from '../base/work/work-figures.js'
import { bsonType, type Document, readInt32, Value } from './value.js'

/** Work units of an element read as a value into a list: 0.1 µs. */
const takenUnits = 1
/** Work units of an element read with its name: 0.2 µs. */
const fieldUnits = 2
/** Of a longer text, V8 hashes only the length: a Map compares such names with each other. */
const hashedCharsMax = 16_383
/** Work units of such a name, so that few are in one stretch and comparing them takes some ms. */
const longNameUnits = 1_500
/** The caller's cost includes a search through this many elements. */
const fewElements = 16
/** Payload size of each type; -1 if the payload contains its length. */
const fixedSizes = new Int8Array(256)
for (const type of Object.values(bsonType)) fixedSizes[type] = fixedSizeOf(type)

function fixedSizeOf(type: number): number {
  switch (type) {
    case bsonType.double:
    case bsonType.date:
    case bsonType.timestamp:
    case bsonType.int64:
      return 8
    case bsonType.objectId:
      return 12
    case bsonType.bool:
      return 1
    case bsonType.int32:
      return 4
    case bsonType.decimal128:
      return 16
    case bsonType.minKey:
    case bsonType.maxKey:
    case bsonType.null:
    case bsonType.undefined:
      return 0
    default:
      return -1
  }
}

/**
 * A cursor over the elements of the document (or array) that starts at `start`:
 * `while (elements.next()) { elements.type … elements.value() }`.
 */
export class Elements {
  /** Bytes of a document before its first element. */
  static readonly headBytes = 4
  type = 0
  nameStart = 0
  nameEnd = 0
  valueStart = 0
  valueEnd: number
  private readonly bytes: Bytes

  constructor(bytes: Bytes, start = 0) {
    this.bytes = bytes
    this.valueEnd = start + Elements.headBytes
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
    const size = fixedSizes[type] as number
    this.valueEnd = at + 1 + (size >= 0 ? size : payloadLength(type, bytes, at + 1))
    return true
  }

  name(): string {
    const { nameStart, nameEnd } = this
    if (nameEnd - nameStart > hashedCharsMax) work.spend(longNameUnits)
    return textOf(this.bytes, nameStart, nameEnd)
  }

  /** The name for a copy of the element, which nobody looks up: it may be long. */
  copiedName(): string {
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

  /** Start of the element: its type byte. */
  get start(): number {
    return this.nameStart - 1
  }
}

/** Length of the payload of `type` at `at`. */
export function payloadLength(type: number, bytes: Bytes, at: number): number {
  const size = fixedSizes[type] as number
  if (size >= 0) return size
  switch (type) {
    case bsonType.binary:
      return 5 + readInt32(bytes, at)
    case bsonType.string:
    case bsonType.code:
    case bsonType.symbol:
      return 4 + readInt32(bytes, at)
    case bsonType.object:
    case bsonType.array:
    case bsonType.codeWithScope:
      return readInt32(bytes, at)
    case bsonType.regex: {
      const middle = bytes.indexOf(0, at)
      return bytes.indexOf(0, middle + 1) + 1 - at
    }
    default:
      // A reference to a document: its name and an ObjectId.
      return 4 + readInt32(bytes, at) + 12
  }
}

/** The element called `name` (UTF-8) of the document at `start`. */
export function findElement(bytes: Bytes, start: number, name: Bytes): Value | undefined {
  const elements = new Elements(bytes, start)
  let passed = 0
  for (; elements.next(); passed++) {
    if (elements.nameIs(name)) {
      if (passed > fewElements) work.spend(passed * elementUnits)
      return elements.value()
    }
  }
  if (passed > fewElements) work.spend(passed * elementUnits)
  return undefined
}

/** Further work units to find a name of so many bytes or characters in a Map. */
export function longNames(length: number): number {
  return length > hashedCharsMax ? longNameUnits : 0
}

/** The name of a document's id. */
export const idName = utf8('_id')

const names = new Map<string, Bytes>()

/** The field `name` of a document; only for fixed names of Sigil, such as command fields. */
export function field(document: Document, name: string): Value | undefined {
  return findElement(document, 0, nameBytes(name))
}

/** Like field, for an embedded document, in place. */
export function fieldIn(object: Value, name: string): Value | undefined {
  return findElement(object.bytes, object.start, nameBytes(name))
}

/** The last field `name` of an object, which counts where a name is repeated. */
export function lastFieldIn({ bytes, start }: Value, name: string): Value | undefined {
  const wanted = nameBytes(name)
  const elements = new Elements(bytes, start)
  let found: Value | undefined
  let passed = 0
  for (; elements.next(); passed++) if (elements.nameIs(wanted)) found = elements.value()
  if (passed > fewElements) work.spend(passed * elementUnits)
  return found
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
  while (elements.next()) {
    work.spend(fieldUnits)
    yield [elements.name(), elements.value()]
  }
}

/** The elements of an array value. */
export function elementsOf(array: Value): Value[] {
  const values: Value[] = []
  const elements = new Elements(array.bytes, array.start)
  while (elements.next()) {
    work.spend(takenUnits)
    values.push(elements.value())
  }
  return values
}

/** Number of elements of an array, or fields of an object. */
export function countElements({ bytes, start }: Value): number {
  const elements = new Elements(bytes, start)
  let count = 0
  while (elements.next()) {
    work.spend(elementUnits)
    count++
  }
  return count
}
