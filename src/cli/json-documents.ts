// Splits a stream of JSON text into documents: NDJSON by line, an array by element; the first
// character tells which. It holds one document at a time, and tracks its line for error messages.

import { isUtf8 } from 'node:buffer'
import { fail, toGatewayError } from '../base/errors.js'
import { documentBytesMax } from '../base/limits/documents.js'
import { jsonToDocument } from '../value/json/json.js'

/** The JSON text of a document may be longer than its BSON, because of numbers and escapes. */
const textBytesMax = documentBytesMax * 3

const openBrace = 0x7b
const closeBrace = 0x7d
const openBracket = 0x5b
const closeBracket = 0x5d
const quote = 0x22
const backslash = 0x5c
const lineFeed = 0x0a

/** One document's text, its first line, and the bytes of the stream up to its end. */
export interface DocumentText {
  readonly text: string
  readonly line: number
  readonly bytesRead: number
}

/**
 * Yields the objects of the stream in order, validated as Sigil parses them. Throws BadValue with
 * the line of invalid input, and BSONObjectTooLarge for one of more than `bytesMax`.
 */
export async function* splitDocuments(
  chunks: AsyncIterable<Uint8Array>,
  bytesMax = textBytesMax,
): AsyncGenerator<DocumentText> {
  const splitter = new Splitter(bytesMax)
  for await (const chunk of chunks) yield* splitter.push(chunk)
  splitter.end()
}

class Splitter {
  private pending: Uint8Array[] = []
  private pendingBytes = 0
  private bytesRead = 0
  /** Of the current byte, and of the start of the current document; from 1. */
  private line = 1
  private firstLine = 1
  private depth = 0
  private inString = false
  private escaped = false
  private inArray = false
  private ended = false

  constructor(private readonly bytesMax: number) {}

  end(): void {
    if (this.depth > 0) throw this.bad('the document has no end', this.firstLine)
    if (this.inArray && !this.ended) throw this.bad('the array has no end')
  }

  *push(chunk: Uint8Array): Generator<DocumentText> {
    let start = this.depth > 0 ? 0 : -1
    for (let at = 0; at < chunk.length; at++) {
      const byte = chunk[at] ?? 0
      if (byte === lineFeed) this.line++
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

  /** A byte outside of documents; true if a document starts. */
  private between(byte: number, at: number): boolean {
    if (byte === openBrace && !this.ended) {
      this.depth = 1
      this.firstLine = this.line
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
    throw this.bad('expected a document, which is a JSON object')
  }

  /** A byte inside a document; true at its last. */
  private within(byte: number): boolean {
    if (this.inString) {
      // A missing quote would otherwise swallow the following lines.
      if (byte === lineFeed) throw this.bad('a string has no end', this.line - 1)
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
    const { firstLine: line } = this
    const bytes = Buffer.concat(this.pending, this.pendingBytes)
    this.pending = []
    this.pendingBytes = 0
    this.requireJson(bytes)
    return { text: bytes.toString('utf8'), line, bytesRead: this.bytesRead + at }
  }

  /** Validates as the server does: the server's error would have no line. */
  private requireJson(bytes: Buffer): void {
    if (!isUtf8(bytes)) throw this.bad('not UTF-8', this.firstLine)
    try {
      jsonToDocument(bytes)
    } catch (thrown) {
      throw this.bad(toGatewayError(thrown).message, this.firstLine)
    }
  }

  private keep(part: Uint8Array): void {
    this.pending.push(part)
    this.pendingBytes += part.length
    if (this.pendingBytes <= this.bytesMax) return
    const what = `the document has more than ${this.bytesMax} bytes, or no end`
    throw fail('BSONObjectTooLarge', `line ${this.firstLine}: ${what}`)
  }

  private bad(what: string, line = this.line): Error {
    return fail('BadValue', `line ${line}: ${what}`)
  }
}
