// Plain JSON cannot say ObjectId, so a 24-digit hexadecimal string in `_id` position of a filter
// matches the ObjectId and the string. Bodies in EJSON are left as they are.

import { Elements } from '../../value/elements.js'
import {
  bsonType,
  type Document,
  documentOf,
  objectIdValue,
  stringOf,
  Value,
} from '../../value/value.js'
import { DocumentWriter, writeArray } from '../../value/writer.js'

const hexId = /^[0-9a-fA-F]{24}$/
const logical = new Set(['$and', '$or', '$nor'])

/** The filter with every such string widened; the same document where there is none. */
export function widenIds(filter: Document): Document {
  return rewrite(filter, (name, value) => {
    if (name === '_id') return widenCondition(value)
    if (logical.has(name) && value.type === bsonType.array) return mapArray(value, widenFilter)
    return value
  })
}

/** The same for the filters of a pipeline's `$match` stages. */
export function widenPipeline(pipeline: Value): Value {
  return mapArray(pipeline, (stage) =>
    stage.type === bsonType.object ? rewriteValue(stage, widenMatch) : stage,
  )
}

function widenMatch(name: string, value: Value): Value {
  return name === '$match' ? widenFilter(value) : value
}

function widenFilter(value: Value): Value {
  if (value.type !== bsonType.object) return value
  const before = documentOf(value)
  const after = widenIds(before)
  return after === before ? value : new Value(value.type, after, 0, after.length)
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

function rewriteValue(object: Value, map: (name: string, value: Value) => Value): Value {
  const before = documentOf(object)
  const after = rewrite(before, map)
  return after === before ? object : new Value(object.type, after, 0, after.length)
}

/** The document with each field mapped; the same bytes where every field maps to itself. */
function rewrite(document: Document, map: (name: string, value: Value) => Value): Document {
  let writer: DocumentWriter | undefined
  const elements = new Elements(document)
  while (elements.next()) {
    const name = elements.name()
    const before = elements.value()
    const after = map(name, before)
    if (after === before) writer?.element(document, elements.start, elements.valueEnd)
    else {
      writer ??= new DocumentWriter().element(document, 4, elements.start)
      writer.value(name, after)
    }
  }
  return writer === undefined ? document : writer.finish()
}
