// Texts that are written as UTF-8, without a string between: a text may be as long as a document,
// and decoding and encoding it costs more than the work itself.

import { isAscii } from 'node:buffer'
import type { Bytes } from '../../../../base/bytes/bytes.js'
import { spendOn } from './text-cost.js'

/** Fills the bytes with a text, as often as it fits, and with its begin. */
export function repeatInto(bytes: Bytes, text: Bytes): void {
  const { length } = bytes
  bytes.set(text.length > length ? text.subarray(0, length) : text)
  for (let at = text.length; at > 0 && at < length; at *= 2) bytes.copyWithin(at, 0, length - at)
}

/** Bytes in a word whose upper bits are marks. */
const marks = 0x80808080

/** Turns the case of the 26 letters of ASCII from `first` on, four of them at once. */
export function changeCase(bytes: Bytes, first: number): void {
  let at = 0
  for (; at < bytes.length && ((bytes.byteOffset + at) & 3) !== 0; at++) turn(bytes, at, first)
  const count = (bytes.length - at) >> 2
  const words = new Int32Array(bytes.buffer, count === 0 ? 0 : bytes.byteOffset + at, count)
  const fromFirst = (0x80 - first) * 0x01010101
  const behindLast = (0x80 - first - 26) * 0x01010101
  for (let i = 0; i < count; i++) {
    const word = words[i] as number
    // The upper bit of each letter, as the bit that makes its case.
    const letters = (word + fromFirst) & ~(word + behindLast) & marks
    words[i] = word ^ (letters >>> 2)
  }
  for (at += count * 4; at < bytes.length; at++) turn(bytes, at, first)
}

function turn(bytes: Bytes, at: number, first: number): void {
  const byte = bytes[at] as number
  if (byte >= first && byte < first + 26) bytes[at] = byte ^ 0x20
}

/** A byte of characters beyond ASCII, relative to reading a text natively: 3 ns. */
const movedWeight = 16

/** Writes the characters in reverse order. Throws 54000 as spendOn. */
export function writeReversed(bytes: Bytes, text: Bytes): void {
  const isWide = !isAscii(text)
  if (isWide) spendOn(text.length, movedWeight)
  bytes.set(text)
  bytes.reverse()
  if (isWide) turnCharacters(bytes)
}

/** The first byte of a character stands behind those that continue it: they change places. */
function turnCharacters(bytes: Bytes): void {
  for (let at = 0; at < bytes.length; at++) {
    const from = at
    while (at < bytes.length - 1 && ((bytes[at] as number) & 0xc0) === 0x80) at++
    for (let low = from, high = at; low < high; low++, high--) {
      const byte = bytes[low] as number
      bytes[low] = bytes[high] as number
      bytes[high] = byte
    }
  }
}
