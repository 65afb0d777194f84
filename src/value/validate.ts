// Validates every document that comes from outside; afterwards all code reads BSON in place without
// bounds checks. It walks the bytes once without allocation.

import { isUtf8 } from 'node:buffer'
import type { Bytes } from '../base/bytes/bytes.js'
import { fail } from '../base/errors.js'
import { bsonDepthMax } from '../base/limits/documents.js'
import { bsonType, readInt32 } from './value.js'

/** The smallest document: a length and the final 00. */
const documentBytesMin = 5

/**
 * Checks that the whole range is one well-formed document: lengths, terminators, types, booleans,
 * UTF-8 of names, nesting. Throws InvalidBSON, or Overflow if it is nested too deeply. Texts need
 * not be UTF-8: old data is kept as bytes, as on MongoDB.
 */
export function validateDocument(bytes: Bytes, start = 0, end = bytes.length): void {
  if (start < 0 || end > bytes.length || end - start < documentBytesMin) {
    throw invalid('document is too short', start)
  }
  if (readInt32(bytes, start) !== end - start) throw invalid('document length is wrong', start)
  validateElements(bytes, start, end, 1)
}

/**
 * The same check in steps, for a document so large that one check would delay other clients. It
 * keeps the ends of the enclosing documents in place of recursion.
 */
export class DocumentCheck {
  private at: number
  /** Offsets of the final 00 of the enclosing documents, innermost last. */
  private readonly lasts: number[] = []

  /** The range must have the length in the document. Throws like validateDocument. */
  constructor(
    private readonly bytes: Bytes,
    start: number,
    end: number,
  ) {
    this.at = this.enter(start, end)
  }

  /**
   * Continues for about `count` bytes; true when everything is checked. Throws like the
   * constructor.
   */
  step(count: number): boolean {
    const { bytes, lasts } = this
    const stop = this.at + count
    let at = this.at
    let last = lasts.at(-1)
    while (last !== undefined && at < stop) {
      if (at < last) {
        const type = bytes[at] ?? 0
        at = this.payload(type, nameEnd(bytes, at + 1, last), last)
      } else if (at === last) {
        lasts.pop()
        at++
      } else throw passesEnd(at)
      last = lasts.at(-1)
    }
    this.at = at
    return last === undefined
  }

  /** The offset after a payload, or of the first element of a nested document. */
  private payload(type: number, at: number, last: number): number {
    const { bytes } = this
    if (type === bsonType.object || type === bsonType.array) {
      return this.enter(at, innerEnd(bytes, at, last))
    }
    if (type !== bsonType.codeWithScope) {
      return payloadEnd(type, bytes, at, last, this.lasts.length)
    }
    const end = scopedRange(bytes, at, last)
    const scope = textEnd(bytes, at + 4, end - documentBytesMin)
    if (innerEnd(bytes, scope, end) !== end) throw longScope(at)
    return this.enter(scope, end)
  }

  private enter(start: number, end: number): number {
    requireFrame(this.bytes, end - 1, this.lasts.length + 1)
    this.lasts.push(end - 1)
    return start + 4
  }
}

/** Checks the document from `start` to `end`, whose length matches the range. */
function validateElements(bytes: Bytes, start: number, end: number, depth: number): void {
  const last = end - 1
  requireFrame(bytes, last, depth)
  let at = start + 4
  while (at < last) {
    const type = bytes[at] ?? 0
    at = nameEnd(bytes, at + 1, last)
    at = payloadEnd(type, bytes, at, last, depth)
  }
  if (at !== last) throw passesEnd(at)
}

/** Checks the end of a document and its nesting depth. */
function requireFrame(bytes: Bytes, last: number, depth: number): void {
  if (depth > bsonDepthMax) {
    throw fail('Overflow', `document is nested deeper than ${bsonDepthMax} levels`)
  }
  if (bytes[last] !== 0) throw invalid('document does not end with 00', last)
}

function passesEnd(at: number): Error {
  return invalid('an element passes the end of its document', at)
}

/** The offset after the name at `at`. */
function nameEnd(bytes: Bytes, start: number, last: number): number {
  let at = start
  let seen = 0
  let byte = bytes[at] ?? 0
  while (byte !== 0) {
    seen |= byte
    byte = bytes[++at] ?? 0
  }
  if (at >= last) throw invalid('a name has no end', start)
  if (seen > 0x7f) requireUtf8(bytes, start, at)
  return at + 1
}

/** The offset after a terminated text: a pattern or its options. */
function cstringEnd(bytes: Bytes, start: number, last: number): number {
  const end = bytes.indexOf(0, start)
  if (end < 0 || end >= last) throw invalid('a text has no end', start)
  return end + 1
}

/** The offset after the payload at `at`, at most `last`. */
function payloadEnd(type: number, bytes: Bytes, at: number, last: number, depth: number): number {
  switch (type) {
    case bsonType.int32:
      return at + 4
    case bsonType.double:
    case bsonType.date:
    case bsonType.timestamp:
    case bsonType.int64:
      return at + 8
    case bsonType.string:
    case bsonType.code:
    case bsonType.symbol:
      return textEnd(bytes, at, last)
    case bsonType.object:
    case bsonType.array:
      return nestedEnd(bytes, at, last, depth)
    case bsonType.binary:
      return binaryEnd(bytes, at, last)
    case bsonType.objectId:
      return at + 12
    case bsonType.bool:
      if ((bytes[at] ?? 0) > 1) throw invalid('a boolean is neither 0 nor 1', at)
      return at + 1
    case bsonType.undefined:
    case bsonType.null:
    case bsonType.minKey:
    case bsonType.maxKey:
      return at
    case bsonType.regex:
      return cstringEnd(bytes, cstringEnd(bytes, at, last), last)
    case bsonType.dbPointer:
      return textEnd(bytes, at, last) + 12
    case bsonType.codeWithScope:
      return scopedEnd(bytes, at, last, depth)
    case bsonType.decimal128:
      return at + 16
    default:
      throw invalid(`unknown type 0x${type.toString(16).padStart(2, '0')}`, at)
  }
}

function textEnd(bytes: Bytes, at: number, last: number): number {
  const length = readInt32(bytes, at)
  const end = at + 4 + length
  if (length < 1 || end > last) throw invalid('the length of a string is wrong', at)
  if (bytes[end - 1] !== 0) throw invalid('a string does not end with 00', at)
  return end
}

function nestedEnd(bytes: Bytes, at: number, last: number, depth: number): number {
  const end = innerEnd(bytes, at, last)
  validateElements(bytes, at, end, depth + 1)
  return end
}

/** The offset after the document at `at`, by its length. */
function innerEnd(bytes: Bytes, at: number, last: number): number {
  const length = readInt32(bytes, at)
  const end = at + length
  if (length < documentBytesMin || end > last)
    throw invalid('the length of a document is wrong', at)
  return end
}

function binaryEnd(bytes: Bytes, at: number, last: number): number {
  const length = readInt32(bytes, at)
  const end = at + 5 + length
  if (length < 0 || end > last) throw invalid('the length of binary data is wrong', at)
  // Subtype 2, the oldest, repeats its length inside.
  if (bytes[at + 4] === 2 && (length < 4 || readInt32(bytes, at + 5) !== length - 4)) {
    throw invalid('the inner length of binary data is wrong', at)
  }
  return end
}

/** Length, string, document: the parts must fill the whole exactly. */
function scopedEnd(bytes: Bytes, at: number, last: number, depth: number): number {
  const end = scopedRange(bytes, at, last)
  const scope = textEnd(bytes, at + 4, end - documentBytesMin)
  if (nestedEnd(bytes, scope, end, depth) !== end) throw longScope(at)
  return end
}

function scopedRange(bytes: Bytes, at: number, last: number): number {
  const end = at + readInt32(bytes, at)
  if (end > last || end < at + 14) throw invalid('the length of code with scope is wrong', at)
  return end
}

function longScope(at: number): Error {
  return invalid('code with scope is longer than its parts', at)
}

function requireUtf8(bytes: Bytes, start: number, end: number): void {
  if (!isUtf8(bytes.subarray(start, end))) throw invalid('text is not UTF-8', start)
}

function invalid(reason: string, at: number): Error {
  return fail('InvalidBSON', `${reason} (at byte ${at})`)
}
