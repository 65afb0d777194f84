// How one change of a key lies in a log record, and in the memtable, whose memory is the record
// while it is built: kind u8 (0 removal, 1 put), key length u16, value length u32, version u64,
// key, value; little-endian. Read in place: looking at a change allocates nothing.

import {
  type Bytes,
  readUint32,
  readUint64,
  writeUint32,
  writeUint64,
} from '../../base/bytes/bytes.js'

export const changeHeaderBytes = 15
const removalKind = 0
const putKind = 1

const keyLengthAt = 1
const valueLengthAt = 3
const versionAt = 7

/** Bytes that a change takes. */
export function changeBytes(keyLength: number, valueLength: number): number {
  return changeHeaderBytes + keyLength + valueLength
}

/**
 * Writes a put, or without a value a removal, to `target`, which has room for it; answers its end.
 */
export function writeChange(
  target: Bytes,
  at: number,
  key: Bytes,
  value: Bytes | undefined,
  version: number,
): number {
  const valueLength = value === undefined ? 0 : value.length
  writeHeader(
    target,
    at,
    value === undefined ? removalKind : putKind,
    key.length,
    valueLength,
    version,
  )
  const valueAt = at + changeHeaderBytes + key.length
  copy(target, at + changeHeaderBytes, key)
  if (value !== undefined) copy(target, valueAt, value)
  return valueAt + valueLength
}

/** What stands before the key of a put. */
export function writePutHeader(
  target: Bytes,
  at: number,
  keyLength: number,
  valueLength: number,
  version: number,
): void {
  writeHeader(target, at, putKind, keyLength, valueLength, version)
}

export function writeRemovalHeader(target: Bytes, at: number, keyLength: number): void {
  writeHeader(target, at, removalKind, keyLength, 0, 0)
}

function writeHeader(
  target: Bytes,
  at: number,
  kind: number,
  keyLength: number,
  valueLength: number,
  version: number,
): void {
  target[at] = kind
  target[at + keyLengthAt] = keyLength
  target[at + keyLengthAt + 1] = keyLength >>> 8
  writeUint32(target, at + valueLengthAt, valueLength)
  writeUint64(target, at + versionAt, version)
}

/** Copying more than this is quicker in native code. */
const loopBytesMax = 96

function copy(target: Bytes, to: number, bytes: Bytes): void {
  const { length } = bytes
  if (length > loopBytesMax) target.set(bytes, to)
  else for (let i = 0; i < length; i++) target[to + i] = bytes[i] as number
}

/** Copies a whole change, from the front on: where both overlap, `to` is the lower place. */
export function copyChange(
  source: Bytes,
  from: number,
  length: number,
  target: Bytes,
  to: number,
): void {
  if (source === target) source.copyWithin(to, from, from + length)
  else if (length > loopBytesMax) target.set(source.subarray(from, from + length), to)
  else for (let i = 0; i < length; i++) target[to + i] = source[from + i] as number
}

/** Where the change at `at` ends, and the next begins; also the end of its value. */
export function changeEnd(bytes: Bytes, at: number): number {
  return at + changeHeaderBytes + keyLengthOf(bytes, at) + valueLengthOf(bytes, at)
}

export function isRemoval(bytes: Bytes, at: number): boolean {
  return bytes[at] === removalKind
}

/** What readers of unknown bytes check first: kinds above are not of this format. */
export function isChangeKind(kind: number | undefined): boolean {
  return kind === removalKind || kind === putKind
}

/** The key lies at `at + changeHeaderBytes`, the value right behind it. */
export function keyLengthOf(bytes: Bytes, at: number): number {
  return (bytes[at + keyLengthAt] as number) | ((bytes[at + keyLengthAt + 1] as number) << 8)
}

export function valueLengthOf(bytes: Bytes, at: number): number {
  return readUint32(bytes, at + valueLengthAt)
}

/** Where the value of the change at `at` begins, and its key ends. */
export function valueStart(bytes: Bytes, at: number): number {
  return at + changeHeaderBytes + keyLengthOf(bytes, at)
}

export function versionOf(bytes: Bytes, at: number): number {
  return readUint64(bytes, at + versionAt)
}

/** On the same memory. */
export function keyBytesOf(bytes: Bytes, at: number): Bytes {
  return bytes.subarray(at + changeHeaderBytes, valueStart(bytes, at))
}

/** On the same memory; empty for a removal. */
export function valueBytesOf(bytes: Bytes, at: number): Bytes {
  return bytes.subarray(valueStart(bytes, at), changeEnd(bytes, at))
}
