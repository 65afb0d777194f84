// The two ends of reading JSON: a cursor over the text, and the buffer that BSON grows in. Objects,
// arrays and wrappers are built on it.

import type { Bytes } from '../base/bytes.js'
import { fail } from '../base/errors.js'
import { type Document, writeInt32 } from './value.js'

/** The buffer that all readers share, and the size up to which it is kept for the next one. */
const keptBytesMax = 64 * 1024
let kept: Bytes | undefined = new Uint8Array(keptBytesMax)

const words = new Int32Array(2)
const wordAsDouble = new Float64Array(words.buffer)

export abstract class JsonScanner {
  protected readonly text: string
  /** Next character. */
  protected at = 0
  protected out: Bytes
  /** End of what has been written. */
  protected end = 0

  constructor(text: string) {
    this.text = text
    this.out = kept ?? new Uint8Array(1024)
    kept = undefined
  }

  /** A document that stands alone, as a copy; what was written of it is taken back. */
  abstract subdocument(): Document

  /** What was written, once the text has come to its end; the scanner must not be used again. */
  protected finish(): Bytes {
    this.space()
    if (this.at < this.text.length) throw this.bad('expected the end')
    const bytes = this.out.slice(0, this.end)
    if (this.out.length <= keptBytesMax) kept = this.out
    return bytes
  }

  /** The text of a string value, behind its opening quote. */
  protected string(): void {
    const start = this.end
    this.reserve(5)
    this.end += 4
    this.characters(false)
    this.reserve(1)
    this.out[this.end++] = 0
    writeInt32(this.out, start, this.end - start - 4)
  }

  /** Characters up to the closing quote as UTF-8; returns a hash of them. */
  protected characters(isName: boolean): number {
    const { text } = this
    let { at, end, out } = this
    let limit = out.length - 4
    let hash = 0
    for (;;) {
      if (end > limit) {
        this.end = end
        this.reserve(5)
        out = this.out
        limit = out.length - 4
      }
      let code = text.charCodeAt(at++)
      if (code === 0x22) break
      if (code === 0x5c) {
        this.at = at
        code = this.escape()
        at = this.at
      } else if (!(code >= 0x20)) {
        throw this.bad(Number.isNaN(code) ? 'a string has no end' : 'control character', at - 1)
      }
      if (code < 0x80) {
        if (code === 0 && isName) throw this.bad('a name must not contain NUL', at - 1)
        out[end++] = code
        hash = (Math.imul(hash, 31) + code) | 0
        continue
      }
      if (code >= 0xd800 && code <= 0xdfff) {
        this.at = at
        code = this.surrogates(code)
        at = this.at
      }
      hash = (Math.imul(hash, 31) + code) | 0
      end = encodeUtf8(code, out, end)
    }
    this.at = at
    this.end = end
    return hash
  }

  /** The code unit of an escape whose backslash has been read. */
  private escape(): number {
    const code = this.text.charCodeAt(this.at++)
    switch (code) {
      case 0x22:
      case 0x5c:
      case 0x2f:
        return code
      case 0x62:
        return 8
      case 0x66:
        return 12
      case 0x6e:
        return 10
      case 0x72:
        return 13
      case 0x74:
        return 9
      case 0x75: {
        const digits = this.text.slice(this.at, this.at + 4)
        if (!/^[0-9a-fA-F]{4}$/.test(digits)) throw this.bad('expected four hex digits')
        this.at += 4
        return Number.parseInt(digits, 16)
      }
      default:
        throw this.bad('unknown escape', this.at - 1)
    }
  }

  /** The code point that starts with this surrogate; U+FFFD when its other half is missing. */
  private surrogates(first: number): number {
    if (first > 0xdbff) return 0xfffd
    const before = this.at
    let second = this.text.charCodeAt(this.at++)
    if (second === 0x5c && this.text.charCodeAt(this.at) === 0x75) second = this.escape()
    if (second >= 0xdc00 && second <= 0xdfff) {
      return 0x10000 + ((first - 0xd800) << 10) + (second - 0xdc00)
    }
    this.at = before
    return 0xfffd
  }

  /** One digit or more. */
  protected digits(): void {
    const start = this.at
    while (this.peek() >= 0x30 && this.peek() <= 0x39) this.at++
    if (this.at === start) throw this.bad('expected a digit')
  }

  int32(n: number): void {
    this.reserve(4)
    writeInt32(this.out, this.end, n)
    this.end += 4
  }

  int64(n: bigint): void {
    const low = Number(BigInt.asIntN(32, n))
    this.int32(low)
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
    this.characters(false)
    const text = Buffer.from(this.out.buffer, start, this.end - start).toString()
    this.end = start
    return text
  }

  /** A whole number from 0 to 2^32 - 1, as digits. */
  uint32Value(): number {
    const start = this.at
    if (this.peek() === 0x2d) throw this.bad('expected a whole number from 0')
    this.digits()
    const n = Number(this.text.slice(start, this.at))
    const isWhole = this.peek() !== 0x2e && this.peek() !== 0x65 && this.peek() !== 0x45
    if (n > 0xffffffff || !isWhole) throw this.bad('expected a number of 32 bits', start)
    return n
  }

  /**
   * An object with exactly the fields named, each once and in any order, behind its brace; `read`
   * is called with the cursor on the value of each.
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

  /** True, and the cursor behind it, if `code` comes next. */
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
    for (;;) {
      const code = this.text.charCodeAt(this.at)
      if (code !== 0x20 && code !== 0x0a && code !== 0x0d && code !== 0x09) return
      this.at++
    }
  }

  /** The character at hand, -1 at the end. */
  peek(): number {
    return this.at < this.text.length ? this.text.charCodeAt(this.at) : -1
  }

  bad(reason: string, at = this.at): Error {
    return fail('BadValue', `invalid JSON at position ${at}: ${reason}`)
  }

  /** Makes room for so many bytes. */
  protected reserve(more: number): void {
    if (this.end + more <= this.out.length) return
    const bigger = new Uint8Array(Math.max(this.out.length * 2, this.end + more))
    bigger.set(this.out.subarray(0, this.end))
    this.out = bigger
  }
}

function encodeUtf8(code: number, out: Bytes, end: number): number {
  let at = end
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
