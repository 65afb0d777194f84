// JavaScript objects as BSON and back, for tests, small documents of our own and the extra fields
// of errors. Never on the way of a stored document: a plain object loses types and the order of
// integer-like names.

import { BSON } from 'bson'
import { Elements, field } from './elements.js'
import { type Document, nullValue, Value } from './value.js'
import { DocumentWriter } from './writer.js'

/**
 * A document of `object`. Whole numbers within int32 become int32, other numbers double; bson
 * classes (Long, ObjectId, …), Date, RegExp and bytes as the bson library does; a `Value` is
 * copied as it is; undefined is left out.
 */
export function documentFrom(object: Readonly<Record<string, unknown>>): Document {
  const writer = new DocumentWriter()
  fill(writer, Object.entries(object))
  return writer.finish()
}

/** One value, as a field of documentFrom would be; undefined gives null. */
export function valueFrom(js: unknown): Value {
  return js === undefined ? nullValue : (field(documentFrom({ v: js }), 'v') ?? nullValue)
}

/** A plain object: numbers, strings and dates of JavaScript, bson classes for the rest. */
export function toObject(document: Document): Record<string, unknown> {
  return BSON.deserialize(document, { useBigInt64: false, promoteBuffers: false })
}

/** One value, as toObject gives it. */
export function toJs(v: Value): unknown {
  return toObject(new DocumentWriter().value('v', v).finish()).v
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
