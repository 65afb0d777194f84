// Byte strings: keys, documents and frames. Every layer shares these small helpers over
// Uint8Array.

import { isAscii, isUtf8, transcode } from 'node:buffer'

import { bytesPerUnit, wideBytesPerUnit } from '../work/work-figures.js'
import { digestKey } from './digest-key.js'

export type Bytes = Uint8Array

const encoder = new TextEncoder()

// Called on plain arrays: a Buffer over a small array first moves it out of the heap, which costs
// five times as much as reading the text.
const { latin1Slice, ucs2Slice, utf8Slice } = Buffer.prototype as Buffer & {
  latin1Slice(this: Bytes, start?: number, end?: number): string
  ucs2Slice(this: Bytes): string
  utf8Slice(this: Bytes, start?: number, end?: number): string
}

/** UTF-8 bytes of a string. */
export function utf8(text: string): Bytes {
  return encoder.encode(text)
}

/** Writes UTF-8 to bytes that have the room. */
export function writeUtf8(bytes: Bytes, at: number, text: string): void {
  encoder.encodeInto(text, bytes.subarray(at))
}

/** Texts up to this length are written one by one: cheaper than a native call. */
export const shortCharsMax = 48

/** Writes an ASCII text and returns true; for any other text the written bytes are garbage. */
export function writeAscii(bytes: Bytes, at: number, text: string): boolean {
  for (let i = 0; i < text.length; i++) {
    const code = text.charCodeAt(i)
    if (code > 0x7f) return false
    bytes[at + i] = code
  }
  return true
}

/** Writes a whole number in decimal, as names of array elements are; returns its end. */
export function writeDecimal(bytes: Bytes, at: number, n: number): number {
  let end = at + 1
  for (let least = 10; n >= least; least *= 10) end++
  let left = n
  for (let i = end - 1; i >= at; i--) {
    const tens = Math.floor(left / 10)
    bytes[i] = 0x30 + left - tens * 10
    left = tens
  }
  return end
}

/** As utf8, for mostly short texts that only Sigil reads: without a native call. */
export function shortUtf8(text: string): Bytes {
  if (text.length <= shortCharsMax) {
    const short = new Uint8Array(text.length)
    if (writeAscii(short, 0, text)) return short
  }
  return encoder.encode(text)
}

/** Longer non-ASCII texts are decoded in two steps: 30 ms instead of 120 for 15 MB. */
const longTextBytes = 4_096

/** Text of UTF-8 bytes; malformed sequences are replaced. */
export function textOf(bytes: Bytes, start = 0, end = bytes.length): string {
  if (end - start > longTextBytes) {
    const part = bytes.subarray(start, end)
    if (!isAscii(part) && isUtf8(part)) {
      return ucs2Slice.call(transcode(part, 'utf8', 'utf16le'))
    }
  }
  return utf8Slice.call(bytes, start, end)
}

/** Work units to make a text of these UTF-8 bytes, or bytes of a text of them. */
export function textUnits(bytes: Bytes, start: number, end: number): number {
  const length = end - start
  if (length <= bytesPerUnit) return 0
  return length / (isAscii(bytes.subarray(start, end)) ? bytesPerUnit : wideBytesPerUnit)
}

/** Order of two byte strings, the key order of a store. */
export function compareBytes(a: Bytes, b: Bytes): number {
  return Buffer.compare(a, b)
}

export function equalBytes(a: Bytes, b: Bytes): boolean {
  return a.length === b.length && Buffer.compare(a, b) === 0
}

export function concatBytes(...parts: readonly Bytes[]): Bytes {
  let length = 0
  for (const part of parts) length += part.length
  const whole = new Uint8Array(length)
  let at = 0
  for (const part of parts) {
    whole.set(part, at)
    at += part.length
  }
  return whole
}

/** The next key after `key`. */
export function keyAfter(key: Bytes): Bytes {
  const after = new Uint8Array(key.length + 1)
  after.set(key)
  return after
}

/** The smallest byte string above every string that starts with `prefix`. */
export function prefixEnd(prefix: Bytes): Bytes {
  let length = prefix.length
  while (length > 0 && prefix[length - 1] === 0xff) length--
  const end = prefix.slice(0, length)
  if (length > 0) end[length - 1] = (end[length - 1] ?? 0) + 1
  return end
}

/** Whether the bytes start with one of these. */
export function beginsWith(bytes: Bytes, beginnings: readonly Bytes[]): boolean {
  for (const beginning of beginnings) {
    let at = 0
    while (at < beginning.length && bytes[at] === beginning[at]) at++
    if (at === beginning.length) return true
  }
  return false
}

/** A Buffer over the same memory, for its methods that read and write numbers. */
export function bufferOf(bytes: Bytes): Buffer {
  return Buffer.isBuffer(bytes) ? bytes : Buffer.from(bytes.buffer, bytes.byteOffset, bytes.length)
}

/** One character a byte. */
export function latin1Of(bytes: Bytes, start: number, end: number): string {
  return latin1Slice.call(bytes, start, end)
}

/** Longer keys for a Map are digests. Keys of stores are shorter. */
const mapKeyBytesMax = 2_048

/** A key for a Map: one character a byte, or a digest. */
export function mapKey(bytes: Bytes, start = 0, end = bytes.length): string {
  if (end - start > mapKeyBytesMax) return digestKey(bytes.subarray(start, end))
  return latin1Slice.call(bytes, start, end)
}

/** Little-endian, without a DataView for each array. */
export function readUint32(bytes: Bytes, at: number): number {
  const low = (bytes[at] as number) | ((bytes[at + 1] as number) << 8)
  return (low | ((bytes[at + 2] as number) << 16) | ((bytes[at + 3] as number) << 24)) >>> 0
}

export function writeUint32(bytes: Bytes, at: number, value: number): void {
  bytes[at] = value
  bytes[at + 1] = value >>> 8
  bytes[at + 2] = value >>> 16
  bytes[at + 3] = value >>> 24
}

/** Exact up to 2^53. */
export function readUint64(bytes: Bytes, at: number): number {
  return readUint32(bytes, at) + readUint32(bytes, at + 4) * 2 ** 32
}

export function writeUint64(bytes: Bytes, at: number, value: number): void {
  writeUint32(bytes, at, value)
  writeUint32(bytes, at + 4, Math.floor(value / 2 ** 32))
}
