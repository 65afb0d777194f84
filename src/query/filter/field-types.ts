// The operand of $type: codes, names, `number`, or an array of these. The result is a set of BSON
// types.

import { fail } from '../../base/errors.js'
import { elementsOf } from '../../value/elements.js'
import { integerOf } from '../../value/numbers.js'
import { shellText } from '../../value/shell.js'
import { bsonType, stringOf, Value } from '../../value/value.js'
import { typeName } from '../expressions/operator.js'

const none = new Uint8Array(0)
const codes = new Set<number>(Object.values(bsonType))
const names = new Map<string, number>(
  Object.values(bsonType).map((code) => [typeName(new Value(code, none, 0, 0)), code]),
)
const numbers = [bsonType.double, bsonType.int32, bsonType.int64, bsonType.decimal128]

/** The BSON types that $type accepts. */
export function fieldTypes(operand: Value): ReadonlySet<number> {
  const types = new Set<number>()
  const given = operand.type === bsonType.array ? elementsOf(operand) : [operand]
  if (given.length === 0) throw fail('FailedToParse', '$type must match at least one type')
  for (const value of given) for (const type of typesOf(value)) types.add(type)
  return types
}

function typesOf(value: Value): readonly number[] {
  if (value.type === bsonType.string) {
    const name = stringOf(value)
    if (name === 'number') return numbers
    const code = names.get(name)
    if (code === undefined) throw fail('BadValue', `Unknown type name alias: ${name}`)
    return [code]
  }
  if (!value.isNumber) {
    throw fail('TypeMismatch', 'type must be represented as a number or a string')
  }
  const code = integerOf(value)
  if (code === -1) return [bsonType.minKey]
  if (code === undefined || code === bsonType.minKey || !codes.has(code)) {
    throw fail('BadValue', `Invalid numerical type code: ${shellText(value)}`)
  }
  return [code]
}
