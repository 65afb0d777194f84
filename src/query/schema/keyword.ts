// What the keywords of $jsonSchema share: the form of a row, access to the enclosing schema, and
// parsing of operands with MongoDB's errors.

import { fail, type GatewayError } from '../../base/errors.js'
import { elementsOf } from '../../value/elements.js'
import { integerOf } from '../../value/numbers.js'
import { bsonType, stringOf, type Value } from '../../value/value.js'
import { typeName } from '../expressions/operator.js'

/** Whether a value conforms to a schema or to one of its keywords. */
export type SchemaTest = (value: Value) => boolean

/** The schema that contains a keyword. */
export interface SchemaPlace {
  /** The operand of another keyword, if present. */
  sibling(name: string): Value | undefined
  /** The test of a nested schema. */
  schema(spec: Value, name: string): SchemaTest
}

export interface Keyword {
  readonly name: string
  /** Undefined if the keyword does not restrict values, such as a title. */
  compile(operand: Value, place: SchemaPlace): SchemaTest | undefined
}

export function badSchema(text: string): GatewayError {
  return fail('FailedToParse', text)
}

/** Throws TypeMismatch for an operand of the wrong type. */
export function wrongType(name: string, wanted: string, found: Value): GatewayError {
  const text = `$jsonSchema keyword '${name}' must be ${wanted}, but found ${typeName(found)}`
  return fail('TypeMismatch', text)
}

export function numberOperand(name: string, operand: Value): Value {
  if (!operand.isNumber) throw wrongType(name, 'a number', operand)
  return operand
}

export function countOperand(name: string, operand: Value): number {
  if (!operand.isNumber) throw wrongType(name, 'a number', operand)
  const count = integerOf(operand)
  if (count !== undefined && count >= 0) return count
  throw badSchema(`$jsonSchema keyword '${name}' must be a non-negative whole number`)
}

export function boolOperand(name: string, operand: Value): boolean {
  if (operand.type !== bsonType.bool) throw wrongType(name, 'a boolean', operand)
  return operand.bytes[operand.start] === 1
}

export function objectOperand(name: string, operand: Value): Value {
  if (operand.type !== bsonType.object) throw wrongType(name, 'an object', operand)
  return operand
}

/** The elements of a non-empty array. */
export function listOperand(name: string, operand: Value): Value[] {
  if (operand.type !== bsonType.array) throw wrongType(name, 'an array', operand)
  const elements = elementsOf(operand)
  if (elements.length === 0) {
    throw badSchema(`$jsonSchema keyword '${name}' cannot be an empty array`)
  }
  return elements
}

/** Distinct strings. */
export function namesOperand(name: string, operand: Value): string[] {
  const names = listOperand(name, operand).map((element) => {
    if (element.type !== bsonType.string) {
      throw fail(
        'TypeMismatch',
        `$jsonSchema keyword '${name}' must be an array of strings, but found an element of type:` +
          ` ${typeName(element)}`,
      )
    }
    return stringOf(element)
  })
  if (new Set(names).size === names.length) return names
  throw badSchema(`$jsonSchema keyword '${name}' array cannot contain duplicate values`)
}

export function stringOperand(name: string, operand: Value): string {
  if (operand.type !== bsonType.string) throw wrongType(name, 'a string', operand)
  return stringOf(operand)
}
