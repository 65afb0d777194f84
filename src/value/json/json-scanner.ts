// The base of the JSON reader: a cursor over the UTF-8 text, and the growing BSON buffer. Objects,
// arrays and wrappers build on it.

import { isUtf8 } from 'node:buffer'
import type { Bytes } from '../../base/bytes/bytes.js'
import { fail } from '../../base/errors.js'
import { copyOf } from '../../base/heap/slab.js'
import { jsonDigitsMax } from '../../base/limits/documents.js'
import { type Document, writeInt32 } from '../value.js'

/** Larger buffers are released between texts. */
const keptBytesMax = 64 * 1024

export const tooManyDigits = `a number has more than ${jsonDigitsMax} digits`

/** 1 for a byte that a string contains unescaped. */
const isPlain = new Uint8Array(256).fill(1)
isPlain.fill(0, 0, 0x20)
isPlain[0x22] = 0
isPlain[0x5c] = 0

/** The character for a letter after a backslash; 0 for u and invalid letters. */
const escapes = new Uint8Array(256)
for (const [letter, code] of ['""', '\\\\', '//', 'b\b', 'f\f', 'n\n', 'r\r', 't\t']) {
  escapes[letter?.charCodeAt(0) ?? 0] = code?.charCodeAt(0) ?? 0
}

const loneSurrogate = /\p{Surrogate}/u

const words = new Int32Array(2)
const wordAsDouble = new Float64Array(words.buffer)

export abstract class JsonScanner {
  private readonly keptSource = Buffer.allocUnsafeSlow(keptBytesMax)
  /** The text, followed by at least one 00, so that reading ahead needs no bound. */
  protected source: Buffer = this.keptSource
  private sourceEnd = 0
  /** Next byte of the text. */
  protected at = 0
  protected out: Bytes = new Uint8Array(keptBytesMax)
  /** End of what has been written. */
  protected end = 0

  /** Charges the cost of `count` elements. */
  abstract piece(count: number): void

  /** Reads a separate document as a copy, and removes it from the output. */
  abstract subdocument(): Document

  /** Starts a new text and discards the state of an earlier one. */
  protected begin(text: string | Bytes): void {
    const isString = typeof text === 'string'
    const bytesMax = (isString ? text.length * 3 : text.length) + 1
    const fits = bytesMax <= keptBytesMax
    const size = fits || !isString ? bytesMax : Buffer.byteLength(text) + 1
    this.source = fits ? this.keptSource : Buffer.allocUnsafeSlow(size)
    this.at = 0
    this.end = 0
    if (isString) {
      if (loneSurrogate.test(text)) throw fail('BadValue', 'invalid JSON: half of a surrogate pair')
      this.sourceEnd = this.source.write(text)
    } else {
      if (!isUtf8(text)) throw fail('BadValue', 'invalid JSON: not UTF-8')
      this.source.set(text)
      this.sourceEnd = text.length
    }
    this.source[this.sourceEnd] = 0
    this.reserve(0)
  }

  /** Returns a copy of the output; the text must be at its end. */
  protected finish(): Bytes {
    this.space()
    if (this.at < this.sourceEnd) throw this.bad('expected the end')
    const bytes = copyOf(this.out, 0, this.end)
    this.source = this.keptSource
    if (this.out.length > keptBytesMax) this.out = new Uint8Array(keptBytesMax)
    return bytes
  }

  /** Reads the text of a string value after its opening quote. */
  protected string(): void {
    const start = this.end
    this.reserve(5)
    this.end += 4
    this.characters()
    this.out[this.end++] = 0
    writeInt32(this.out, start, this.end - start - 4)
  }

  /** Copies characters up to the closing quote; `reserve` has ensured the space. */
  protected characters(): void {
    const { source, out } = this
    let { at, end } = this
    for (;;) {
      const byte = source[at++] ?? 0
      if (isPlain[byte] === 1) out[end++] = byte
      else if (byte === 0x22) break
      else {
        this.at = at
        this.end = end
        if (byte !== 0x5c) throw this.badCharacter()
        this.escape()
        at = this.at
        end = this.end
      }
    }
    this.at = at
    this.end = end
  }

  private badCharacter(): Error {
    const isEnd = this.at > this.sourceEnd
    return this.bad(isEnd ? 'a string has no end' : 'control character', this.at - 1)
  }

  /** Reads the character after a backslash. */
  private escape(): void {
    this.piece(1)
    const letter = this.source[this.at++] ?? 0
    const code = escapes[letter] ?? 0
    if (code !== 0) this.out[this.end++] = code
    else if (letter !== 0x75) throw this.bad('unknown escape', this.at - 1)
    else this.codePoint(this.hexDigits())
  }

  /** Reads the character of an escape, or of two surrogate escapes; half of a pair is invalid. */
  private codePoint(first: number): void {
    let code = first
    if (first >= 0xd800 && first <= 0xdfff) {
      const start = this.at - 6
      const second = first < 0xdc00 ? this.secondEscape() : 0
      // UTF-8 cannot encode half of a pair. Drivers that write U+FFFD instead would change the
      // data.
      if (second < 0xdc00 || second > 0xdfff) throw this.bad('half of a surrogate pair', start)
      code = 0x10000 + (first - 0xd800) * 0x400 + (second - 0xdc00)
    }
    this.end = encodeUtf8(code, this.out, this.end)
  }

  /** The directly following escape, or 0. */
  private secondEscape(): number {
    if (this.source[this.at] !== 0x5c || this.source[this.at + 1] !== 0x75) return 0
    this.at += 2
    return this.hexDigits()
  }

  private hexDigits(): number {
    const digits = this.sourceText(this.at, Math.min(this.at + 4, this.sourceEnd))
    if (!/^[0-9a-fA-F]{4}$/.test(digits)) throw this.bad('expected four hex digits')
    this.at += 4
    return Number.parseInt(digits, 16)
  }

  /** One digit or more. */
  protected digits(): void {
    const start = this.at
    const most = start + jsonDigitsMax
    while (this.peek() >= 0x30 && this.peek() <= 0x39) {
      if (this.at === most) throw this.bad(tooManyDigits, start)
      this.at++
    }
    if (this.at === start) throw this.bad('expected a digit')
  }

  int32(n: number): void {
    this.reserve(4)
    writeInt32(this.out, this.end, n)
    this.end += 4
  }

  int64(n: bigint): void {
    this.int32(Number(BigInt.asIntN(32, n)))
    this.int32(Number(BigInt.asIntN(32, n >> 32n)))
  }

  float(n: number): void {
    wordAsDouble[0] = n
    this.int32(words[0] ?? 0)
    this.int32(words[1] ?? 0)
  }

  bytes(bytes: Bytes): void {
    this.reserve(bytes.length)
    this.out.set(bytes, this.end)
    this.end += bytes.length
  }

  /** A string, as text. */
  textValue(): string {
    this.expect(0x22, 'expected a string')
    const start = this.end
    this.reserve(0)
    this.characters()
    const text = Buffer.from(this.out.buffer, start, this.end - start).toString()
    this.end = start
    return text
  }

  /** An integer from 0 to 2^32 - 1, as digits. */
  uint32Value(): number {
    const start = this.at
    this.digits()
    const n = Number(this.sourceText(start, this.at))
    const isWhole = this.peek() !== 0x2e && this.peek() !== 0x65 && this.peek() !== 0x45
    if (n > 0xffffffff || !isWhole) throw this.bad('expected a number of 32 bits', start)
    return n
  }

  /**
   * An object with exactly these fields, each once and in any order, after its brace. Calls `read`
   * with the cursor on the value of each.
   */
  exactFields(names: readonly string[], read: (name: string) => void): void {
    const left = new Set(names)
    while (left.size > 0) {
      this.space()
      const start = this.at
      const name = this.textValue()
      if (!left.delete(name)) throw this.bad(`unexpected field ${JSON.stringify(name)}`, start)
      this.space()
      this.expect(0x3a, "expected ':'")
      this.space()
      read(name)
      this.space()
      if (left.size > 0) this.expect(0x2c, `expected field ${[...left][0]}`)
    }
    this.expect(0x7d, "expected '}'")
  }

  /** If `code` comes next, skips it and returns true. */
  accept(code: number): boolean {
    this.space()
    if (this.peek() !== code) return false
    this.at++
    this.space()
    return true
  }

  expect(code: number, reason: string): void {
    if (this.peek() !== code) throw this.bad(reason)
    this.at++
  }

  space(): void {
    const { source } = this
    let { at } = this
    let code = source[at] ?? 0
    while (code <= 0x20 && (code === 0x20 || code === 0x0a || code === 0x0d || code === 0x09)) {
      code = source[++at] ?? 0
    }
    this.at = at
  }

  /** The next byte, 0 at the end. */
  peek(): number {
    return this.source[this.at] ?? 0
  }

  /** Part of the text that is known to be ASCII. */
  protected sourceText(start: number, end: number): string {
    return this.source.toString('latin1', start, end)
  }

  /** The error to throw; positions are bytes of UTF-8. */
  bad(reason: string, at = this.at): Error {
    const what = at >= this.sourceEnd ? `${reason}, but the text ends` : reason
    return fail('BadValue', `invalid JSON at position ${Math.min(at, this.sourceEnd)}: ${what}`)
  }

  /** Reserves `more` bytes in addition to what the rest of the text may need. */
  protected reserve(more: number): void {
    const needed = this.end + more + this.sourceEnd - this.at + 8
    if (needed <= this.out.length) return
    const bigger = new Uint8Array(Math.max(this.out.length * 2, needed))
    bigger.set(this.out.subarray(0, this.end))
    this.out = bigger
  }
}

function encodeUtf8(code: number, out: Bytes, end: number): number {
  let at = end
  if (code < 0x80) {
    out[at++] = code
    return at
  }
  if (code < 0x800) out[at++] = 0xc0 | (code >> 6)
  else {
    if (code < 0x10000) out[at++] = 0xe0 | (code >> 12)
    else {
      out[at++] = 0xf0 | (code >> 18)
      out[at++] = 0x80 | ((code >> 12) & 0x3f)
    }
    out[at++] = 0x80 | ((code >> 6) & 0x3f)
  }
  out[at++] = 0x80 | (code & 0x3f)
  return at
}
