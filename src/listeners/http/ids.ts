// Plain JSON cannot say ObjectId, so a 24-digit hexadecimal string in `_id` position of a filter
// matches the ObjectId and the string. Bodies in EJSON are left as they are.

import { utf8 } from '../../base/bytes.js'
import { Elements } from '../../value/elements.js'
import { bsonType, objectIdValue, stringOf, type Value } from '../../value/value.js'
import { DocumentWriter, writeArray } from '../../value/writer.js'

const hexId = /^[0-9a-fA-F]{24}$/
const idName = utf8('_id')
const matchName = utf8('$match')
const logical = [utf8('$and'), utf8('$or'), utf8('$nor')]

/** The filter with every such string widened; the same value where there is none. */
export function widenIds(filter: Value): Value {
  return rewrite(filter, widenField)
}

/** The same for the filters of a pipeline's `$match` stages. */
export function widenPipeline(pipeline: Value): Value {
  return mapArray(pipeline, (stage) =>
    stage.type === bsonType.object ? rewrite(stage, widenMatch) : stage,
  )
}

function widenField(elements: Elements, value: Value): Value {
  if (elements.nameIs(idName)) return widenCondition(value)
  if (value.type !== bsonType.array) return value
  const isLogical = logical.some((name) => elements.nameIs(name))
  return isLogical ? mapArray(value, widenFilter) : value
}

function widenMatch(elements: Elements, value: Value): Value {
  return elements.nameIs(matchName) ? widenFilter(value) : value
}

function widenFilter(value: Value): Value {
  return value.type === bsonType.object ? widenIds(value) : value
}

/** `"…"`, `{$eq: "…"}`, `{$ne: "…"}`, `{$in: […]}`, `{$nin: […]}`, `{$not: {…}}`. */
function widenCondition(value: Value): Value {
  const both = bothForms(value)
  if (both !== undefined) return condition('$in', both)
  if (value.type !== bsonType.object) return value
  const [widened, changed] = widenOperators(value)
  return changed ? widened : value
}

function widenOperators(value: Value): [Value, boolean] {
  const writer = new DocumentWriter()
  let changed = false
  const elements = new Elements(value.bytes, value.start)
  while (elements.next()) {
    const name = elements.name()
    const operand = elements.value()
    const both = name === '$eq' || name === '$ne' ? bothForms(operand) : undefined
    if (both !== undefined) {
      writer.value(name === '$eq' ? '$in' : '$nin', writeArray(both))
      changed = true
      continue
    }
    let widened = operand
    if (name === '$in' || name === '$nin') widened = widenList(operand)
    if (name === '$not') widened = widenCondition(operand)
    changed ||= widened !== operand
    writer.value(name, widened)
  }
  return [writer.finishValue(), changed]
}

function widenList(list: Value): Value {
  if (list.type !== bsonType.array) return list
  const wide: Value[] = []
  let changed = false
  const elements = new Elements(list.bytes, list.start)
  while (elements.next()) {
    const both = bothForms(elements.value())
    changed ||= both !== undefined
    wide.push(...(both ?? [elements.value()]))
  }
  return changed ? writeArray(wide) : list
}

function bothForms(value: Value): Value[] | undefined {
  if (value.type !== bsonType.string || value.end - value.start !== 29) return undefined
  const text = stringOf(value)
  return hexId.test(text) ? [objectIdValue(Buffer.from(text, 'hex')), value] : undefined
}

function condition(operator: string, values: readonly Value[]): Value {
  return new DocumentWriter().value(operator, writeArray(values)).finishValue()
}

function mapArray(array: Value, map: (value: Value) => Value): Value {
  if (array.type !== bsonType.array) return array
  const values: Value[] = []
  let changed = false
  const elements = new Elements(array.bytes, array.start)
  while (elements.next()) {
    const before = elements.value()
    const after = map(before)
    changed ||= after !== before
    values.push(after)
  }
  return changed ? writeArray(values) : array
}

/** The object with each field mapped; the same value where every field maps to itself. */
function rewrite(object: Value, map: (elements: Elements, value: Value) => Value): Value {
  const { bytes, start } = object
  let writer: DocumentWriter | undefined
  const elements = new Elements(bytes, start)
  while (elements.next()) {
    const before = elements.value()
    const after = map(elements, before)
    if (after === before) writer?.element(bytes, elements.start, elements.valueEnd)
    else {
      writer ??= new DocumentWriter().element(bytes, start + 4, elements.start)
      writer.value(elements.name(), after)
    }
  }
  return writer === undefined ? object : writer.finishValue()
}
