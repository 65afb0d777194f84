// Decodes values from keys, for types whose key contains the whole value: text, binary, ids,
// booleans, dates and timestamps. Numbers have lost their type, and null and missing share a key,
// so those are skipped. Nested values cannot even be skipped. (docs/design/storage.md, "Keys of
// values")

import type { Bytes } from '../base/bytes/bytes.js'
import { bsonType, maxKeyValue, minKeyValue, Value, writeInt32 } from './value.js'

interface KeyPart {
  /** Undefined if the key does not identify the value. */
  readonly value: Value | undefined
  /** Start of the next value's key. */
  readonly end: number
}

const numberBytes = 8
const objectIdBytes = 12

/** The value whose key begins at `at`; undefined if its end is unknown. */
export function readKeyPart(key: Bytes, at: number, descending = false): KeyPart | undefined {
  const part = descending ? readPlain(invertedFrom(key, at), 0) : readPlain(key, at)
  return descending && part !== undefined ? { value: part.value, end: part.end + at } : part
}

function invertedFrom(key: Bytes, at: number): Bytes {
  return key.subarray(at).map((byte) => ~byte)
}

function readPlain(key: Bytes, at: number): KeyPart | undefined {
  const start = at + 1
  switch (key[at]) {
    case 0x05:
      return { value: minKeyValue, end: start }
    case 0xf0:
      return { value: maxKeyValue, end: start }
    case 0x0f:
    case 0x10:
      return { value: undefined, end: start }
    case 0x20:
      return passNumber(key, start)
    case 0x30:
      return readText(key, start)
    case 0x58:
      return readBinary(key, start)
    case 0x60:
      return readCopied(bsonType.objectId, key, start, objectIdBytes)
    case 0x68:
      return readCopied(bsonType.bool, key, start, 1)
    case 0x70:
      return readWord(bsonType.date, key, start, 0x80)
    case 0x78:
      return readWord(bsonType.timestamp, key, start, 0)
    default:
      return undefined
  }
}

/** Skips a double's bits and the mark that they are complete: 00, or ff below zero. */
function passNumber(key: Bytes, start: number): KeyPart | undefined {
  const mark = key[start + numberBytes]
  if (mark !== 0 && mark !== 0xff) return undefined
  return { value: undefined, end: start + numberBytes + 1 }
}

function readText(key: Bytes, start: number): KeyPart | undefined {
  const text = new Uint8Array(key.length - start + 5)
  let length = 4
  let at = start
  for (; at < key.length && key[at] !== 0; at++) {
    const byte = key[at] ?? 0
    text[length++] = byte === 1 ? (key[++at] ?? 1) - 1 : byte
  }
  if (at >= key.length) return undefined
  writeInt32(text, 0, length - 3)
  return { value: new Value(bsonType.string, text, 0, length + 1), end: at + 1 }
}

function readBinary(key: Bytes, start: number): KeyPart | undefined {
  const view = new DataView(key.buffer, key.byteOffset, key.byteLength)
  if (start + 4 > key.length) return undefined
  const length = view.getUint32(start)
  const end = start + 4 + 1 + length
  if (end > key.length) return undefined
  const binary = new Uint8Array(5 + length)
  writeInt32(binary, 0, length)
  binary.set(key.subarray(start + 4, end), 4)
  return { value: new Value(bsonType.binary, binary, 0, binary.length), end }
}

function readCopied(type: number, key: Bytes, start: number, length: number): KeyPart | undefined {
  const end = start + length
  if (end > key.length) return undefined
  return { value: new Value(type, key.slice(start, end), 0, length), end }
}

/** Eight bytes, big-endian in the key and little-endian in the value. */
function readWord(type: number, key: Bytes, start: number, sign: number): KeyPart | undefined {
  const end = start + numberBytes
  if (end > key.length) return undefined
  const word = key.slice(start, end).reverse()
  word[numberBytes - 1] = (word[numberBytes - 1] ?? 0) ^ sign
  return { value: new Value(type, word, 0, numberBytes), end }
}
