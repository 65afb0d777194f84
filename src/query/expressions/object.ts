// Object operators: reading and setting single fields whose names may have dots or dollars,
// merging, and conversion between objects and arrays of pairs.

import { utf8 } from '../../base/bytes/bytes.js'
import { work } from '../../base/work/work-budget.js'
import { valueUnits } from '../../base/work/work-figures.js'
import { Elements, elementsOf, findElement, longNames } from '../../value/elements.js'
import { bsonType, int32Value, nullValue, stringOf, type Value } from '../../value/value.js'
import { DocumentWriter } from '../../value/writer.js'
import {
  Constant,
  call,
  compileNamed,
  type Env,
  type Expression,
  isNullish,
  location,
  missing,
  type OperatorRow,
  type Result,
  requireRoom,
  type Scope,
  typeName,
  unary,
  usualRules,
  valueText,
  variadic,
} from './operator.js'

/** Work units to decode a field name and put it into a Map: 0.3 µs. */
const fieldUnits = 3

/** Merges objects: a later field replaces an earlier one in its place. */
function mergeObjects(values: readonly Result[]): Value {
  const fields = new Map<string, Value>()
  for (const value of values) mergeInto(fields, value)
  return objectOf(fields)
}

/** Adds the fields of an object; null and missing add nothing. */
export function mergeInto(fields: Map<string, Value>, value: Result): void {
  if (isNullish(value)) return
  if (value.type !== bsonType.object) {
    throw location(
      40400,
      `$mergeObjects requires object inputs, but input ${valueText(value)} is of type ` +
        typeName(value),
    )
  }
  const elements = new Elements(value.bytes, value.start)
  while (elements.next()) {
    work.spend(fieldUnits)
    fields.set(elements.name(), elements.value())
  }
}

export function objectOf(fields: ReadonlyMap<string, Value>): Value {
  const writer = new DocumentWriter()
  work.spend(fields.size * valueUnits)
  for (const [name, value] of fields) {
    writer.value(name, value)
    requireRoom(writer.length)
  }
  return writer.finishValue()
}

function arrayToObject(array: Result): Value {
  if (isNullish(array)) return nullValue
  if (array.type !== bsonType.array) {
    throw location(40386, `$arrayToObject requires an array input, found: ${typeName(array)}`)
  }
  const fields = new Map<string, Value>()
  let kind: number | undefined
  for (const element of elementsOf(array)) {
    if (element.type !== bsonType.array && element.type !== bsonType.object) {
      throw location(
        40398,
        `Unrecognised input type format for $arrayToObject: ${typeName(element)}`,
      )
    }
    kind ??= element.type
    if (kind !== element.type) {
      const isArray = kind === bsonType.array
      throw location(
        isArray ? 40391 : 40396,
        '$arrayToObject requires a consistent input format. Elements must all be arrays or all ' +
          `be objects. ${isArray ? 'Array' : 'Object'} was detected, now found: ` +
          typeName(element),
      )
    }
    const [name, value] = kind === bsonType.array ? pairOfArray(element) : pairOfObject(element)
    work.spend(fieldUnits * 3 + longNames(name.length))
    fields.set(name, value)
  }
  return objectOf(fields)
}

function pairOfArray(pair: Value): [string, Value] {
  const elements = elementsOf(pair)
  const [key, value] = elements
  if (elements.length !== 2 || key === undefined || value === undefined) {
    throw location(
      40397,
      '$arrayToObject requires an array of size 2 arrays,found array of size: ' +
        String(elements.length),
    )
  }
  if (key.type !== bsonType.string) {
    throw location(
      40395,
      '$arrayToObject requires an array of key-value pairs, where the key must be of type ' +
        `string. Found key type: ${typeName(key)}`,
    )
  }
  return [keyName(key), value]
}

function pairOfObject(pair: Value): [string, Value] {
  let count = 0
  let key: Value | undefined
  let value: Value | undefined
  const elements = new Elements(pair.bytes, pair.start)
  for (; elements.next(); count++) {
    const name = elements.name()
    if (name === 'k') key = elements.value()
    else if (name === 'v') value = elements.value()
  }
  if (count !== 2) {
    throw location(
      40392,
      "$arrayToObject requires an object keys of 'k' and 'v'. Found incorrect number of keys:" +
        String(count),
    )
  }
  if (key === undefined || value === undefined) {
    throw location(
      40393,
      `$arrayToObject requires an object with keys 'k' and 'v'. Missing either or both keys ` +
        `from: ${valueText(pair)}`,
    )
  }
  if (key.type !== bsonType.string) {
    throw location(
      40394,
      "$arrayToObject requires an object with keys 'k' and 'v', where the value of 'k' must " +
        `be of type string. Found type: ${typeName(key)}`,
    )
  }
  return [keyName(key), value]
}

function keyName(key: Value): string {
  const name = stringOf(key)
  if (name.includes('\0')) {
    throw location(4940400, 'Key field cannot contain an embedded null byte')
  }
  return name
}

function objectToArray(value: Result): Value {
  if (isNullish(value)) return nullValue
  if (value.type !== bsonType.object) {
    throw location(40390, `$objectToArray requires a document input, found: ${typeName(value)}`)
  }
  const writer = new DocumentWriter(true)
  const elements = new Elements(value.bytes, value.start)
  while (elements.next()) {
    work.spend(fieldUnits)
    writer.pushOpenDocument()
    writer.string('k', elements.copiedName()).value('v', elements.value()).close()
  }
  return writer.finishValue()
}

class CurrentObject implements Expression {
  evaluate(env: Env): Result {
    return env.root
  }
}

/** `"name"` or `{field, input}`; the default of `input` is the document. */
function compileGetField(operand: Value, scope: Scope): Expression {
  const rules = {
    ...usualRules('$getField', {
      notObject: 3041700,
      unknown: 3041701,
      required: { field: 3041702, input: 3041703 },
    })(operand),
  }
  const isNamed = operand.type === bsonType.object && operand.bytes[operand.start + 5] !== 0x24
  const [field, input] = isNamed
    ? compileNamed(operand, scope, rules, ['field', 'input'])
    : [scope.compile(operand), new CurrentObject()]
  if (field instanceof Constant && field.value?.type !== bsonType.string) {
    throw location(
      5654602,
      `$getField requires 'field' to evaluate to type String, but got ${typeName(field.value)}`,
    )
  }
  return call(getField, [field as Expression, input as Expression])
}

function getField([field, input]: readonly Result[]): Result {
  if (field?.type !== bsonType.string) {
    throw location(
      3041704,
      `$getField requires 'field' to evaluate to type String, but got ${typeName(field)}`,
    )
  }
  if (input === undefined) return undefined
  if (input.isNullish) return nullValue
  if (input.type !== bsonType.object) return undefined
  return findElement(input.bytes, input.start, utf8(stringOf(field)))
}

/** $setField, and $unsetField, which sets the field to missing. */
function setField(name: string, isSet: boolean): OperatorRow {
  const required = isSet
    ? { field: 4161102, input: 4161109, value: 4161103 }
    : { field: 4161102, input: 4161109 }
  const rules = usualRules(name, { notObject: 4161100, unknown: 4161101, required })
  return {
    name,
    readsRoot: false,
    compile: (operand, scope) => {
      const [field, input, value] = compileNamed(operand, scope, rules(operand), [
        'field',
        'input',
        'value',
      ]) as [Expression, Expression, Expression]
      if (!(field instanceof Constant)) {
        throw location(
          4161106,
          `${name} requires 'field' to evaluate to a constant, but got a non-constant argument`,
        )
      }
      if (field.value?.type !== bsonType.string) {
        throw location(
          4161107,
          `${name} requires 'field' to evaluate to type String, but got ${typeName(field.value)}`,
        )
      }
      const target = stringOf(field.value)
      return call(
        ([object, content]) => withField(name, object, target, content),
        [input, isSet ? value : missing],
      )
    },
  }
}

function withField(name: string, object: Result, field: string, content: Result): Value {
  if (isNullish(object)) return nullValue
  if (object.type !== bsonType.object) {
    throw location(4161105, `${name} requires 'input' to evaluate to type Object`)
  }
  const fields = new Map<string, Value>()
  mergeInto(fields, object)
  if (content === undefined) fields.delete(field)
  else fields.set(field, content)
  return objectOf(fields)
}

function bsonSize(value: Result): Value {
  if (isNullish(value)) return nullValue
  if (value.type !== bsonType.object) {
    throw location(31393, `$bsonSize requires a document input, found: ${typeName(value)}`)
  }
  return int32Value(value.end - value.start)
}

function binarySize(value: Result): Value {
  if (isNullish(value)) return nullValue
  if (value.type !== bsonType.binary && value.type !== bsonType.string) {
    throw location(
      51276,
      `$binarySize requires a string or BinData argument, found: ${typeName(value)}`,
    )
  }
  return int32Value(value.end - value.start - 5)
}

export const objectOperators: readonly OperatorRow[] = [
  variadic('$mergeObjects', (values) => mergeObjects(values)),
  unary('$arrayToObject', arrayToObject),
  unary('$objectToArray', objectToArray),
  { name: '$getField', readsRoot: true, compile: compileGetField },
  setField('$setField', true),
  setField('$unsetField', false),
  unary('$bsonSize', bsonSize),
  unary('$binarySize', binarySize),
]
