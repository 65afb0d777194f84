// BSON as JavaScript objects, the opposite of src/value/literal.ts.

import { BSON } from 'bson'
import type { Document, Value } from '../../src/value/value.js'
import { DocumentWriter } from '../../src/value/writer.js'

/** A plain object with JavaScript numbers, strings and dates, and bson classes for other types. */
export function toObject(document: Document): Record<string, unknown> {
  return BSON.deserialize(document, { useBigInt64: false, promoteBuffers: false })
}

/** One value, converted like a field of toObject. */
export function toJs(v: Value): unknown {
  return toObject(new DocumentWriter().value('v', v).finish()).v
}
