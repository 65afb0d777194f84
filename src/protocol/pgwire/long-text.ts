// Texts of parameters that are scanned byte by byte: bytea and arrays. One may have 15 MB, so it is
// read in parts, between which other work runs.
// Source: PostgreSQL 17, 8.4 and 8.15.6.

import type { Bytes } from '../../base/bytes/bytes.js'
import { work } from '../../base/work/work-budget.js'
import { charsPerUnit } from '../../base/work/work-figures.js'

/** Reads a part, 0.3 ms of work, in each step. */
export type InParts<T> = Generator<undefined, T>

const partBytes = 64 * 1024
const backslash = 0x5c
const quote = 0x22
const letterX = 0x78
const opening = 0x7b
const closing = 0x7d
const comma = 0x2c

/** All parts at once, for a short text. */
export function whole<T>(parts: InParts<T>): T {
  for (;;) {
    const step = parts.next()
    if (step.done === true) return step.value
  }
}

function* part(bytes: number): InParts<void> {
  work.note(bytes / charsPerUnit)
  yield
}

/** `\x` and hexadecimal digits, or the older form with octal escapes; otherwise undefined. */
export function byteaParts(text: Bytes): InParts<Bytes | undefined> {
  return text[0] === backslash && text[1] === letterX ? hexBytes(text) : escapedBytes(text)
}

/** The value of a digit; -1 for a space, -2 for everything else. */
const hexDigits = new Int8Array(256).fill(-2)
for (const space of ' \t\n\v\f\r') hexDigits[space.charCodeAt(0)] = -1
for (const digit of '0123456789abcdefABCDEF') {
  hexDigits[digit.charCodeAt(0)] = Number.parseInt(digit, 16)
}

function* hexBytes(text: Bytes): InParts<Bytes | undefined> {
  const bytes = new Uint8Array((text.length - 2) >> 1)
  let length = 0
  let high = -1
  for (let from = 2; from < text.length; from += partBytes) {
    const to = Math.min(from + partBytes, text.length)
    for (let at = from; at < to; at++) {
      const digit = hexDigits[text[at] as number] as number
      if (digit === -2) return undefined
      if (digit === -1) continue
      if (high < 0) high = digit
      else {
        bytes[length++] = (high << 4) | digit
        high = -1
      }
    }
    yield* part(to - from)
  }
  return high < 0 ? bytes.subarray(0, length) : undefined
}

/** `a\\b\001`. */
function* escapedBytes(text: Bytes): InParts<Bytes | undefined> {
  if (text.indexOf(backslash) < 0) return text
  const bytes = new Uint8Array(text.length)
  let length = 0
  for (let at = 0; at < text.length; ) {
    const from = at
    const to = Math.min(at + partBytes, text.length)
    while (at < to) {
      const byte = text[at] as number
      if (byte !== backslash) {
        bytes[length++] = byte
        at++
      } else if (text[at + 1] === backslash) {
        bytes[length++] = backslash
        at += 2
      } else {
        const octal = octalAt(text, at + 1)
        if (octal < 0) return undefined
        bytes[length++] = octal
        at += 4
      }
    }
    yield* part(at - from)
  }
  return bytes.subarray(0, length)
}

/** Three octal digits as a byte; otherwise -1. */
function octalAt(text: Bytes, at: number): number {
  let value = 0
  for (let i = 0; i < 3; i++) {
    const digit = (text[at + i] ?? 0) - 0x30
    if (digit < 0 || digit > 7) return -1
    value = value * 8 + digit
  }
  return value <= 0xff ? value : -1
}

/** An item of an array, without quotes and escapes. */
export interface ArrayItem {
  readonly text: Bytes
  /** It had quotes or escapes, so it is not NULL. */
  readonly isLiteral: boolean
}

/**
 * Passes each item of `{a,"b c",NULL}`, one dimension, to `take`. False if the text is no array.
 */
export function* arrayParts(
  given: Bytes,
  take: (item: ArrayItem) => InParts<void>,
): InParts<boolean> {
  const start = yield* skipSpace(given, 0)
  const text = given.subarray(start, yield* trimmedEnd(given, start))
  if (text[0] !== opening) return false
  const last = text.length - 1
  let at = yield* skipSpace(text, 1)
  if (at === last && text[at] === closing) return true
  for (;;) {
    const end = yield* itemEnd(text, at)
    if (end < 0) return false
    yield* take(yield* itemOf(text, at, end))
    at = yield* skipSpace(text, end)
    if (at === last && text[at] === closing) return true
    if (text[at] !== comma) return false
    at = yield* skipSpace(text, at + 1)
  }
}

/** The end of the item at `from`, after its closing quote; -1 if it has none. */
function* itemEnd(text: Bytes, from: number): InParts<number> {
  const isQuoted = text[from] === quote
  let pauseAt = from + partBytes
  for (let at = isQuoted ? from + 1 : from; at < text.length; at++) {
    const byte = text[at]
    if (byte === backslash) at++
    else if (isQuoted && byte === quote) return at + 1
    else if (!isQuoted && (byte === quote || byte === opening)) return -1
    else if (!isQuoted && (byte === comma || byte === closing)) return at > from ? at : -1
    if (at < pauseAt) continue
    pauseAt = at + partBytes
    yield* part(partBytes)
  }
  return -1
}

function* itemOf(text: Bytes, from: number, end: number): InParts<ArrayItem> {
  const isQuoted = text[from] === quote
  const kept = isQuoted
    ? text.subarray(from + 1, end - 1)
    : text.subarray(from, yield* trimmedEnd(text.subarray(0, end), from))
  if (kept.indexOf(backslash) < 0) return { text: kept, isLiteral: isQuoted }
  const bytes = new Uint8Array(kept.length)
  let length = 0
  let pauseAt = partBytes
  for (let at = 0; at < kept.length; at++) {
    if (kept[at] === backslash && at + 1 < kept.length) at++
    bytes[length++] = kept[at] as number
    if (at < pauseAt) continue
    pauseAt = at + partBytes
    yield* part(partBytes)
  }
  return { text: bytes.subarray(0, length), isLiteral: true }
}

function* skipSpace(text: Bytes, from: number): InParts<number> {
  let at = from
  while (isSpace(text[at])) {
    at++
    if ((at - from) % partBytes === 0) yield* part(partBytes)
  }
  return at
}

/** The end of the text without trailing spaces, not before `from`. */
function* trimmedEnd(text: Bytes, from: number): InParts<number> {
  let end = text.length
  while (end > from && isSpace(text[end - 1])) {
    end--
    if ((text.length - end) % partBytes === 0) yield* part(partBytes)
  }
  return end
}

function isSpace(byte: number | undefined): boolean {
  return byte === 0x20 || (byte !== undefined && byte >= 0x09 && byte <= 0x0d)
}
