// Splits a stream of JSON text into documents without parsing them: NDJSON by line, an array by
// element, told apart by the first character. Holds one document at a time, whatever the size.

import { fail } from '../base/errors.js'
import { documentBytesMax } from '../base/limits.js'

/** JSON text of one document may be longer than its BSON: numbers and escapes are spelled out. */
const textBytesMax = documentBytesMax * 3

const openBrace = 0x7b
const closeBrace = 0x7d
const openBracket = 0x5b
const closeBracket = 0x5d
const quote = 0x22
const backslash = 0x5c

/** One document's text, and how many bytes of the stream were read up to its end. */
export interface DocumentText {
  readonly text: string
  readonly bytesRead: number
}

/**
 * Yields the objects of the stream in order. Throws BadValue with the byte where it is not JSON.
 */
export async function* splitDocuments(
  chunks: AsyncIterable<Uint8Array>,
): AsyncGenerator<DocumentText> {
  const splitter = new Splitter()
  for await (const chunk of chunks) yield* splitter.push(chunk)
  splitter.end()
}

class Splitter {
  private pending: Uint8Array[] = []
  private pendingBytes = 0
  private bytesRead = 0
  private depth = 0
  private inString = false
  private escaped = false
  private inArray = false
  private ended = false

  end(): void {
    if (this.depth > 0) throw fail('BadValue', 'the input ends within a document')
    if (this.inArray && !this.ended) throw fail('BadValue', 'the input ends within its array')
  }

  *push(chunk: Uint8Array): Generator<DocumentText> {
    let start = this.depth > 0 ? 0 : -1
    for (let at = 0; at < chunk.length; at++) {
      const byte = chunk[at] ?? 0
      if (this.depth === 0) {
        if (this.between(byte, at)) start = at
        continue
      }
      if (!this.within(byte)) continue
      yield this.take(chunk.subarray(start, at + 1), at + 1)
      start = -1
    }
    if (start >= 0) this.keep(chunk.slice(start))
    this.bytesRead += chunk.length
  }

  /** A byte outside of documents; true where one begins. */
  private between(byte: number, at: number): boolean {
    if (byte === openBrace && !this.ended) {
      this.depth = 1
      return true
    }
    const isSpace = byte === 0x20 || (byte >= 0x09 && byte <= 0x0d)
    const isMark = at + this.bytesRead < 3 && (byte === 0xef || byte === 0xbb || byte === 0xbf)
    if (isSpace || isMark) return false
    if (byte === openBracket && !this.inArray) {
      this.inArray = true
      return false
    }
    if (this.inArray && !this.ended && byte === 0x2c) return false
    if (this.inArray && !this.ended && byte === closeBracket) {
      this.ended = true
      return false
    }
    throw fail('BadValue', `byte ${this.bytesRead + at + 1}: expected a document`)
  }

  /** A byte inside a document; true at its last. */
  private within(byte: number): boolean {
    if (this.inString) {
      if (this.escaped) this.escaped = false
      else if (byte === backslash) this.escaped = true
      else if (byte === quote) this.inString = false
      return false
    }
    if (byte === quote) this.inString = true
    else if (byte === openBrace || byte === openBracket) this.depth++
    else if (byte === closeBrace || byte === closeBracket) this.depth--
    return this.depth === 0
  }

  private take(last: Uint8Array, at: number): DocumentText {
    this.keep(last)
    const text = Buffer.concat(this.pending, this.pendingBytes).toString('utf8')
    this.pending = []
    this.pendingBytes = 0
    return { text, bytesRead: this.bytesRead + at }
  }

  private keep(part: Uint8Array): void {
    this.pending.push(part)
    this.pendingBytes += part.length
    if (this.pendingBytes > textBytesMax) throw fail('BSONObjectTooLarge', 'document too large')
  }
}
