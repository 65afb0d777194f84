// `||`: joins texts, joins or extends arrays, and merges documents. In a merge, fields of the right
// document win.

import type { Bytes } from '../../../base/bytes/bytes.js'
import { fieldsOf } from '../../../value/elements.js'
import { bsonType, documentValue, type Value } from '../../../value/value.js'
import { DocumentWriter, writeArray } from '../../../value/writer.js'
import { typeNameOf } from './cast.js'
import { evaluationError, evaluationState } from './evaluation-error.js'
import { filledText, requireRoom } from './functions/function-row.js'
import { elementsSpent, spendOnElements } from './texts/text-cost.js'
import { utf8Form } from './texts/text-form.js'

/** Throws 42883 if neither side is a text, an array or a document. */
export function joined(left: Value, right: Value): Value {
  if (left.type === bsonType.string && right.type === bsonType.string)
    return joinedTexts([left, right].map(utf8Form))
  requireRoom(left.end - left.start + (right.end - right.start))
  const isArray = left.type === bsonType.array || right.type === bsonType.array
  if (isArray) return writeArray([...partsOf(left), ...partsOf(right)])
  if (left.type === bsonType.object && right.type === bsonType.object) return merged(left, right)
  if (left.type === bsonType.string || right.type === bsonType.string) {
    return joinedTexts([left, right].map(utf8Form))
  }
  const message = `operator does not exist: ${typeNameOf(left)} || ${typeNameOf(right)}`
  throw evaluationError(evaluationState.undefinedFunction, message)
}

/** Texts of UTF-8 as one, with a text between each two. Throws 54000 as filledText. */
export function joinedTexts(parts: readonly Bytes[], between?: Bytes): Value {
  const gap = between === undefined ? 0 : between.length
  let size = gap * Math.max(parts.length - 1, 0)
  for (const { length } of parts) size += length
  return filledText(size, (bytes) => {
    let at = 0
    for (const [i, part] of parts.entries()) {
      if (i > 0 && between !== undefined) {
        bytes.set(between, at)
        at += gap
      }
      bytes.set(part, at)
      at += part.length
    }
  })
}

function partsOf(value: Value): Value[] {
  return value.type === bsonType.array ? elementsSpent(value) : [value]
}

function merged(left: Value, right: Value): Value {
  spendOnElements(left)
  spendOnElements(right)
  const fields = new Map([...fieldsOf(left), ...fieldsOf(right)])
  const writer = new DocumentWriter()
  for (const [name, value] of fields) writer.value(name, value)
  return documentValue(writer.finish())
}
