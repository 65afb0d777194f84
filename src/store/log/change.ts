// Layout of one change of a key, in the log record and in the memtable, whose memory becomes the
// record: kind u8 (0 removal, 1 put), key length u16, value length u32, version u64, key, value;
// little-endian. Changes are read in place, without allocation.

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

/** Size of a change, bytes. */
export function changeBytes(keyLength: number, valueLength: number): number {
  return changeHeaderBytes + keyLength + valueLength
}

/**
 * Writes a put (or, without a value, a removal) to `target`, which must have room; returns its end.
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

/** Writes the header before the key of a put. */
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

/** Above this size, copying is faster in native code. */
const loopBytesMax = 96

function copy(target: Bytes, to: number, bytes: Bytes): void {
  const { length } = bytes
  if (length > loopBytesMax) target.set(bytes, to)
  else for (let i = 0; i < length; i++) target[to + i] = bytes[i] as number
}

/** Copies a whole change from front to back: if source and target overlap, `to` must be lower. */
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

/** End of the change at `at`: also the end of its value and the start of the next change. */
export function changeEnd(bytes: Bytes, at: number): number {
  return at + changeHeaderBytes + keyLengthOf(bytes, at) + valueLengthOf(bytes, at)
}

export function isRemoval(bytes: Bytes, at: number): boolean {
  return bytes[at] === removalKind
}

/** Readers of untrusted bytes check this first: other kinds are not of this format. */
export function isChangeKind(kind: number | undefined): boolean {
  return kind === removalKind || kind === putKind
}

/** The key starts at `at + changeHeaderBytes`; the value follows it. */
export function keyLengthOf(bytes: Bytes, at: number): number {
  return (bytes[at + keyLengthAt] as number) | ((bytes[at + keyLengthAt + 1] as number) << 8)
}

export function valueLengthOf(bytes: Bytes, at: number): number {
  return readUint32(bytes, at + valueLengthAt)
}

/** Start of the value of the change at `at`, and end of its key. */
export function valueStart(bytes: Bytes, at: number): number {
  return at + changeHeaderBytes + keyLengthOf(bytes, at)
}

export function versionOf(bytes: Bytes, at: number): number {
  return readUint64(bytes, at + versionAt)
}

/** A view on the same memory. */
export function keyBytesOf(bytes: Bytes, at: number): Bytes {
  return bytes.subarray(at + changeHeaderBytes, valueStart(bytes, at))
}

/** A view on the same memory; empty for a removal. */
export function valueBytesOf(bytes: Bytes, at: number): Bytes {
  return bytes.subarray(valueStart(bytes, at), changeEnd(bytes, at))
}
