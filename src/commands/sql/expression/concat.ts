// `||`: joins texts, joins or extends arrays, and merges documents. In a merge, fields of the right
// document win.

import type { Bytes } from '../../../base/bytes/bytes.js'
import { fieldsOf } from '../../../value/elements.js'
import { bsonType, documentValue, stringValue, type Value } from '../../../value/value.js'
import { DocumentWriter, writeArray } from '../../../value/writer.js'
import { typeNameOf } from './cast.js'
import { evaluationError, evaluationState } from './evaluation-error.js'
import { filledText, requireRoom } from './functions/function-row.js'
import { elementsSpent, spendOnElements } from './texts/text-cost.js'
import { textForm } from './texts/text-form.js'

/** Throws 42883 if neither side is a text, an array or a document. */
export function joined(left: Value, right: Value): Value {
  if (left.type === bsonType.string && right.type === bsonType.string) return texts(left, right)
  requireRoom(left.end - left.start + (right.end - right.start))
  const isArray = left.type === bsonType.array || right.type === bsonType.array
  if (isArray) return writeArray([...partsOf(left), ...partsOf(right)])
  if (left.type === bsonType.object && right.type === bsonType.object) return merged(left, right)
  if (left.type === bsonType.string || right.type === bsonType.string) {
    return stringValue(textForm(left) + textForm(right))
  }
  const message = `operator does not exist: ${typeNameOf(left)} || ${typeNameOf(right)}`
  throw evaluationError(evaluationState.undefinedFunction, message)
}

/** Both are UTF-8 already. */
function texts(left: Value, right: Value): Value {
  const [first, second] = [left, right].map(({ bytes, start, end }) =>
    bytes.subarray(start + 4, end - 1),
  ) as [Bytes, Bytes]
  return filledText(first.length + second.length, (bytes) => {
    bytes.set(first)
    bytes.set(second, first.length)
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
