// Plain JSON has no ObjectId. So a 24-digit hexadecimal string in `_id` position of a filter
// matches the ObjectId and the string. Bodies in EJSON are unchanged.

import { utf8 } from '../../../base/bytes/bytes.js'
import { work } from '../../../base/work/work-budget.js'
import { requestUnits, valueUnits } from '../../../base/work/work-figures.js'
import { Elements, idName } from '../../../value/elements.js'
import { bsonType, objectIdValue, type Value } from '../../../value/value.js'
import { DocumentWriter, writeArray } from '../../../value/writer.js'

/** A shorter filter cannot have too many elements. */
const shortBytes = 64 * 1024

/** Offset of the 24 digits in a string value of this length. */
const idStart = 4
const idEnd = idStart + 24
/** Cost of making an ObjectId and adding it beside its string. */
const idUnits = 3

const noDigit = 255
const hexDigits = new Uint8Array(256).fill(noDigit)
for (const [i, digit] of [...'0123456789abcdef'].entries()) {
  hexDigits[digit.charCodeAt(0)] = i
  hexDigits[digit.toUpperCase().charCodeAt(0)] = i
}

const matchName = utf8('$match')
const logical = [utf8('$and'), utf8('$or'), utf8('$nor')]

/** The filter with each such string widened; the same value if there is none. */
export function widenIds(filter: Value): Value {
  if (filter.end - filter.start < shortBytes) return rewrite(filter, widenField)
  return work.within(requestUnits, () => rewrite(filter, widenField))
}

/** As widenIds, for the `$match` stages of a pipeline. */
export function widenPipeline(pipeline: Value): Value {
  return work.within(requestUnits, () => mapArray(pipeline, widenStage))
}

function widenStage(stage: Value): Value {
  return stage.type === bsonType.object ? rewrite(stage, widenMatch) : stage
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
  return value.type === bsonType.object ? rewrite(value, widenField) : value
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
  const wide = new DocumentWriter(true)
  let changed = false
  const elements = new Elements(list.bytes, list.start)
  while (elements.next()) {
    work.spend(valueUnits)
    const value = elements.value()
    const id = objectIdOf(value)
    changed ||= id !== undefined
    if (id !== undefined) wide.push(id)
    wide.push(value)
  }
  return changed ? wide.finishValue() : list
}

function bothForms(value: Value): Value[] | undefined {
  const id = objectIdOf(value)
  return id === undefined ? undefined : [id, value]
}

/** The ObjectId of a string of 24 hexadecimal digits. */
function objectIdOf({ type, bytes, start, end }: Value): Value | undefined {
  if (type !== bsonType.string || end - start !== idEnd + 1) return undefined
  const id = new Uint8Array((idEnd - idStart) / 2)
  for (let i = 0; i < id.length; i++) {
    const at = start + idStart + 2 * i
    const high = hexDigits[bytes[at] ?? 0] ?? noDigit
    const low = hexDigits[bytes[at + 1] ?? 0] ?? noDigit
    if (high === noDigit || low === noDigit) return undefined
    id[i] = high * 16 + low
  }
  work.spend(idUnits)
  return objectIdValue(id)
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
    work.spend(valueUnits)
    const before = elements.value()
    const after = map(before)
    changed ||= after !== before
    values.push(after)
  }
  return changed ? writeArray(values) : array
}

/** The object with each field mapped; the same value if no field changes. */
function rewrite(object: Value, map: (elements: Elements, value: Value) => Value): Value {
  const { bytes, start } = object
  let writer: DocumentWriter | undefined
  const elements = new Elements(bytes, start)
  while (elements.next()) {
    work.spend(valueUnits)
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
