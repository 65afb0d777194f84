// Converts JSON text to BSON and back. Both directions work on bytes, which keeps the order of
// fields, the numeric types and every digit; JSON.parse and plain objects would lose them. Formats:
// docs/compatibility.md, "HTTP"; MongoDB Extended JSON 2.

import type { Bytes } from '../../base/bytes/bytes.js'
import type { Document, Value } from '../value.js'
import { JsonReader } from './json-reader.js'
import { type JsonMode, JsonWriter } from './json-writer.js'

// Neither makes callbacks, so one instance each suffices.
const reader = new JsonReader()
const writer = new JsonWriter()

/** A document as JSON text of the given mode. */
export function documentToJson(document: Document, mode: JsonMode): string {
  return writer.begin(mode).document(document, 0).finish()
}

/** One value as JSON text of the given mode; in plain mode undefined becomes null. */
export function valueToJson(v: Value, mode: JsonMode): string {
  return writer.begin(mode).value(v).finish()
}

/** One value between two ASCII texts, in one flat string, for responses. */
export function valueInJson(before: string, v: Value, after: string, mode: JsonMode): string {
  return writer.begin(mode).ascii(before).value(v).ascii(after).finish()
}

/** As valueInJson, as UTF-8. */
export function bytesInJson(before: string, v: Value, after: string, mode: JsonMode): Buffer {
  return writer.begin(mode).ascii(before).value(v).ascii(after).finishBytes()
}

/**
 * A document of JSON text (or its UTF-8) with Extended JSON wrappers of any mode. Whole numbers
 * become int32, int64 or double, the first that holds them; of equal keys the last wins, at the
 * place of the first.
 * Throws BadValue with the position of what is wrong, Overflow on too deep nesting.
 */
export function jsonToDocument(text: string | Bytes): Document {
  return reader.document(text)
}

/** One value of JSON text, converted like a field of jsonToDocument. */
export function jsonToValue(text: string | Bytes): Value {
  return reader.single(text)
}

export type { JsonMode }
