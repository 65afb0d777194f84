// A part of a byte array without a view, which costs ten times as much as these three fields.
// Arguments and replies of Redis commands are passed as slices.

import { isUtf8 } from 'node:buffer'
import { copyOf } from '../heap/slab.js'
import { type Bytes, compareBytes, mapKey, textOf, utf8 } from './bytes.js'

/** Most slices differ within this many bytes, where a view costs more than comparing them. */
const comparedBytesMax = 64
/** Names are short, and a call costs more than this loop. Longer ones use the native call. */
const loopBytesMax = 256

export class Slice {
  constructor(
    readonly bytes: Bytes,
    readonly start: number,
    readonly end: number,
  ) {}

  /** A whole array. */
  static of(bytes: Bytes): Slice {
    return new Slice(bytes, 0, bytes.length)
  }

  /** UTF-8 of a text. */
  static ofText(text: string): Slice {
    return Slice.of(utf8(text))
  }

  get length(): number {
    return this.end - this.start
  }

  /** A view, which keeps the whole array alive. */
  view(): Bytes {
    return this.bytes.subarray(this.start, this.end)
  }

  /** A copy, to keep longer than the current tick. */
  copy(): Bytes {
    return copyOf(this.bytes, this.start, this.end)
  }

  /** Text; malformed UTF-8 is replaced. */
  text(): string {
    return textOf(this.bytes, this.start, this.end)
  }

  equals(other: Slice): boolean {
    const { bytes, start, end } = this
    if (end - start !== other.end - other.start) return false
    // From the end: names start alike (`user:17`, `user:18`).
    for (let at = end - 1, to = other.end - 1; at >= start; at--, to--) {
      if (bytes[at] !== other.bytes[to]) return false
    }
    return true
  }

  /** Order of the bytes, the key order of a store. */
  compare(other: Slice): number {
    const { bytes, start } = this
    const length = Math.min(this.end - start, other.end - other.start)
    const looped = Math.min(length, comparedBytesMax)
    for (let i = 0; i < looped; i++) {
      const difference = (bytes[start + i] as number) - (other.bytes[other.start + i] as number)
      if (difference !== 0) return difference
    }
    if (length > looped) return compareBytes(this.view(), other.view())
    return this.end - start - (other.end - other.start)
  }

  /** A key for a Map: one character a byte, or a digest. */
  mapKey(): string {
    return mapKey(this.bytes, this.start, this.end)
  }

  /** Whether the bytes are valid UTF-8; a document then shows them as text. */
  isText(): boolean {
    const { bytes, end } = this
    let at = this.start
    const looped = Math.min(end, at + loopBytesMax)
    while (at < looped && (bytes[at] as number) < 0x80) at++
    return at === end || isUtf8(bytes.subarray(at, end))
  }
}

export const emptySlice = new Slice(new Uint8Array(0), 0, 0)
