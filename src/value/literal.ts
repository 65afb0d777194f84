// Converts JavaScript objects to BSON, for tests, small documents of Sigil and the extra fields of
// errors. Never used for stored documents: a plain object loses types and the order of integer-like
// names.

import { BSON } from 'bson'
import { Elements, field } from './elements.js'
import { type Document, nullValue, Value } from './value.js'
import { DocumentWriter } from './writer.js'

/**
 * A document of `object`. Integers within int32 become int32, other numbers double. The bson
 * library converts its classes (Long, ObjectId, …), Date, RegExp and bytes. A `Value` is copied;
 * undefined is omitted.
 */
export function documentFrom(object: Readonly<Record<string, unknown>>): Document {
  const writer = new DocumentWriter()
  fill(writer, Object.entries(object))
  return writer.finish()
}

/** One value, converted like a field of documentFrom; undefined gives null. */
export function valueFrom(js: unknown): Value {
  return js === undefined ? nullValue : (field(documentFrom({ v: js }), 'v') ?? nullValue)
}

function fill(writer: DocumentWriter, entries: Iterable<readonly [string, unknown]>): void {
  for (const [name, js] of entries) if (js !== undefined) put(writer, name, js)
}

function put(writer: DocumentWriter, name: string, js: unknown): void {
  if (js instanceof Value) writer.value(name, js)
  else if (Array.isArray(js)) {
    writer.openArray(name)
    js.forEach((item: unknown, i) => {
      put(writer, String(i), item ?? null)
    })
    writer.close()
  } else if (isPlain(js)) {
    writer.openDocument(name)
    fill(writer, Object.entries(js))
    writer.close()
  } else {
    const elements = new Elements(BSON.serialize({ v: js }))
    elements.next()
    writer.value(name, elements.value())
  }
}

function isPlain(js: unknown): js is Record<string, unknown> {
  if (typeof js !== 'object' || js === null) return false
  const prototype: unknown = Object.getPrototypeOf(js)
  return prototype === Object.prototype || prototype === null
}
