// JSON text to BSON and back. Both directions go over the bytes alone, so that the order of fields,
// the numeric types and every digit survive what JSON.parse and plain objects would lose.
// Formats: facts/sql-http.md 5; Extended JSON 2.

import { JsonReader } from './json-reader.js'
import { type JsonMode, JsonWriter } from './json-writer.js'
import type { Document, Value } from './value.js'

/** A document as JSON text of the given mode. */
export function documentToJson(document: Document, mode: JsonMode): string {
  return new JsonWriter(mode).document(document, 0).finish()
}

/** One value as JSON text of the given mode; in plain mode undefined becomes null. */
export function valueToJson(v: Value, mode: JsonMode): string {
  return new JsonWriter(mode).value(v).finish()
}

/**
 * A document of JSON text with Extended JSON wrappers of any mode. Whole numbers become int32, int64
 * or double, the first that holds them; of equal keys the last wins, at the place of the first.
 * Throws BadValue with the position of what is wrong, Overflow on too deep nesting.
 */
export function jsonToDocument(text: string): Document {
  return new JsonReader(text).rootDocument()
}

/** One value of JSON text, as a field of jsonToDocument would be. */
export function jsonToValue(text: string): Value {
  return new JsonReader(text).rootValue()
}

export type { JsonMode }
