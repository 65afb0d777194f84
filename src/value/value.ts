// A BSON value in place: a type byte and a slice of bytes. Query, index and update code uses these;
// JavaScript values are created only for computations. Types and payloads as bsonspec.org 1.1.

import {
  type Bytes,
  shortCharsMax,
  textOf,
  textUnits,
  writeAscii,
  writeUtf8,
} from '../base/bytes/bytes.js'
import { room } from '../base/heap/slab.js'
import { work } from '../base/work/work-budget.js'
import { bytesPerUnit } from '../base/work/work-figures.js'

export const bsonType = {
  double: 0x01,
  string: 0x02,
  object: 0x03,
  array: 0x04,
  binary: 0x05,
  undefined: 0x06,
  objectId: 0x07,
  bool: 0x08,
  date: 0x09,
  null: 0x0a,
  regex: 0x0b,
  dbPointer: 0x0c,
  code: 0x0d,
  symbol: 0x0e,
  codeWithScope: 0x0f,
  int32: 0x10,
  timestamp: 0x11,
  int64: 0x12,
  decimal128: 0x13,
  maxKey: 0x7f,
  minKey: 0xff,
} as const

/** A complete BSON document: length, elements, 00. Starts at the first byte of its array. */
export type Document = Bytes

export class Value {
  constructor(
    readonly type: number,
    /** Contains the payload from `start` to `end`; the other bytes belong to other values. */
    readonly bytes: Bytes,
    readonly start: number,
    readonly end: number,
  ) {}

  /** The payload as a view. */
  payload(): Bytes {
    return this.bytes.subarray(this.start, this.end)
  }

  /** The same value over a copy of its bytes. */
  detach(): Value {
    return new Value(this.type, this.bytes.slice(this.start, this.end), 0, this.end - this.start)
  }

  get isNumber(): boolean {
    return isNumberType(this.type)
  }

  /** null or undefined: an equality with null accepts these and a missing field. */
  get isNullish(): boolean {
    return this.type === bsonType.null || this.type === bsonType.undefined
  }
}

export function isNumberType(type: number): boolean {
  return (
    type === bsonType.int32 ||
    type === bsonType.double ||
    type === bsonType.int64 ||
    type === bsonType.decimal128
  )
}

const nothing = new Uint8Array(0)
export const nullValue = new Value(bsonType.null, nothing, 0, 0)
export const undefinedValue = new Value(bsonType.undefined, nothing, 0, 0)
export const minKeyValue = new Value(bsonType.minKey, nothing, 0, 0)
export const maxKeyValue = new Value(bsonType.maxKey, nothing, 0, 0)
export const trueValue = new Value(bsonType.bool, Uint8Array.of(1), 0, 1)
export const falseValue = new Value(bsonType.bool, Uint8Array.of(0), 0, 1)

export function boolValue(truth: boolean): Value {
  return truth ? trueValue : falseValue
}

export function int32Value(n: number): Value {
  const bytes = room(4)
  writeInt32(bytes, 0, n)
  return new Value(bsonType.int32, bytes, 0, 4)
}

export function int64Value(n: bigint): Value {
  const bytes = new Uint8Array(8)
  new DataView(bytes.buffer).setBigInt64(0, n, true)
  return new Value(bsonType.int64, bytes, 0, 8)
}

const asDouble = new Float64Array(1)
const doubleBytes = new Uint8Array(asDouble.buffer)

export function doubleValue(n: number): Value {
  const bytes = room(8)
  asDouble[0] = n
  for (let i = 0; i < 8; i++) bytes[i] = doubleBytes[i] as number
  return new Value(bsonType.double, bytes, 0, 8)
}

export function stringValue(text: string): Value {
  const isShort = text.length <= shortCharsMax
  const short = new Uint8Array(isShort ? text.length + 5 : 0)
  if (isShort && writeAscii(short, 4, text)) return stringIn(short)
  // Not by utf8 and a copy: a long text would be written to new memory twice.
  const bytes = new Uint8Array(Buffer.byteLength(text) + 5)
  writeUtf8(bytes, 4, text)
  if (bytes.length > bytesPerUnit) {
    work.spend(textUnits(bytes, 4, bytes.length - 1) + bytes.length / bytesPerUnit)
  }
  return stringIn(bytes)
}

/** A string from UTF-8 bytes, which are copied. */
export function stringValueOf(text: Bytes): Value {
  if (text.length > bytesPerUnit) work.spend(text.length / bytesPerUnit)
  const bytes = new Uint8Array(text.length + 5)
  bytes.set(text, 4)
  return stringIn(bytes)
}

/** A string in place: `bytes` contains the text between the unset length and the end. */
export function stringIn(bytes: Bytes): Value {
  writeInt32(bytes, 0, bytes.length - 4)
  return new Value(bsonType.string, bytes, 0, bytes.length)
}

/** `ms` since 1970, an integer or a bigint. */
export function dateValue(ms: number | bigint): Value {
  const bytes = new Uint8Array(8)
  new DataView(bytes.buffer).setBigInt64(0, BigInt(ms), true)
  return new Value(bsonType.date, bytes, 0, 8)
}

export function timestampValue(seconds: number, increment: number): Value {
  const bytes = new Uint8Array(8)
  writeInt32(bytes, 0, increment)
  writeInt32(bytes, 4, seconds)
  return new Value(bsonType.timestamp, bytes, 0, 8)
}

/** Seconds and increment of a timestamp. */
export function timestampOf(value: Value): { seconds: number; increment: number } {
  const { bytes, start } = value
  return { seconds: readInt32(bytes, start + 4) >>> 0, increment: readInt32(bytes, start) >>> 0 }
}

export function objectIdValue(id: Bytes): Value {
  return new Value(bsonType.objectId, id, 0, 12)
}

export function binaryValue(subtype: number, body: Bytes): Value {
  const bytes = new Uint8Array(body.length + 5)
  writeInt32(bytes, 0, body.length)
  bytes[4] = subtype
  bytes.set(body, 5)
  return new Value(bsonType.binary, bytes, 0, bytes.length)
}

export function documentValue(document: Document): Value {
  return new Value(bsonType.object, document, 0, document.length)
}

/** `elements` is a BSON document whose names are "0", "1", … */
export function arrayValue(elements: Document): Value {
  return new Value(bsonType.array, elements, 0, elements.length)
}

/** A JavaScript number in the narrowest type that represents it: int32, int64, otherwise double. */
export function numberValue(n: number): Value {
  if (Number.isInteger(n) && !Object.is(n, -0)) {
    if (n >= -0x80000000 && n <= 0x7fffffff) return int32Value(n)
    if (Number.isSafeInteger(n)) return int64Value(BigInt(n))
  }
  return doubleValue(n)
}

// Readers: the caller has checked the type.

export function readInt32(bytes: Bytes, at: number): number {
  return (
    (bytes[at] ?? 0) |
    ((bytes[at + 1] ?? 0) << 8) |
    ((bytes[at + 2] ?? 0) << 16) |
    ((bytes[at + 3] ?? 0) << 24)
  )
}

export function writeInt32(bytes: Bytes, at: number, n: number): void {
  bytes[at] = n
  bytes[at + 1] = n >> 8
  bytes[at + 2] = n >> 16
  bytes[at + 3] = n >> 24
}

// One shared word for all readers; its two views are little-endian on every platform of Node.
const words = new Int32Array(2)
const wordAsDouble = new Float64Array(words.buffer)
const wordAsBigint = new BigInt64Array(words.buffer)

/** int64, date or timestamp payload as a signed 64-bit number. */
export function bigintOf(value: Value): bigint {
  words[0] = readInt32(value.bytes, value.start)
  words[1] = readInt32(value.bytes, value.start + 4)
  return wordAsBigint[0] ?? 0n
}

export function readDouble(bytes: Bytes, at: number): number {
  words[0] = readInt32(bytes, at)
  words[1] = readInt32(bytes, at + 4)
  return wordAsDouble[0] ?? 0
}

export function doubleOf(value: Value): number {
  return readDouble(value.bytes, value.start)
}

/** Text of a string, symbol or code value. */
export function stringOf(value: Value): string {
  return textOf(value.bytes, value.start + 4, value.end - 1)
}

export function boolOf(value: Value): boolean {
  return value.bytes[value.start] === 1
}

/** The document (or array, as a document with numbered names) as a view. */
export function documentOf(value: Value): Document {
  // Bytes that are not a document could be walked without an end.
  if (value.type !== bsonType.object && value.type !== bsonType.array) {
    throw new Error(`a value of type ${value.type} is no document`)
  }
  return value.payload()
}

/** Pattern and options of a regex value. */
export function regexOf(value: Value): { pattern: string; options: string } {
  const middle = value.bytes.indexOf(0, value.start)
  return {
    pattern: textOf(value.bytes, value.start, middle),
    options: textOf(value.bytes, middle + 1, value.end - 1),
  }
}
