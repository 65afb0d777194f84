// Findings of the keywords about the content of an object or an array: which property or item
// fails, and why.

import { elementsOf, fieldIn, fieldsOf } from '../../value/elements.js'
import { hashKey } from '../../value/key.js'
import { bsonType, type Document, stringOf, type Value } from '../../value/value.js'
import type { DocumentWriter } from '../../value/writer.js'
import { compileRegex } from '../regex.js'
import {
  type FindingPlace,
  type FindingRow,
  finding,
  type Inner,
  innerOf,
  ruleOf,
  sizeOf,
  writeAnnotations,
  writeDetails,
} from './finding.js'
import type { Report } from './report.js'

const objects = [bsonType.object]
const arrays = [bsonType.array]

const properties: FindingRow = {
  name: 'properties',
  types: objects,
  compile: (place) => {
    const inner = innerOf(place)
    return (value, report) =>
      finding('properties', (out) => {
        out.openArray('propertiesNotSatisfied')
        for (const [name, each] of inner) {
          const found = fieldIn(value, name)
          if (found === undefined || each.test(found)) continue
          out.pushOpenDocument().string('propertyName', name)
          writeAnnotations(out, each.spec)
          writeDetails(out, each, found, report)
          out.close()
        }
        out.close()
      })
  },
}

/** Names that neither `properties` nor `patternProperties` covers. */
function additionalOf({ spec }: FindingPlace): (name: string) => boolean {
  const names = new Set(namesIn(fieldIn(spec, 'properties')))
  const patterns = namesIn(fieldIn(spec, 'patternProperties')).map((each) => compileRegex(each, ''))
  return (name) => !names.has(name) && !patterns.some((regex) => regex.test(name))
}

function namesIn(object: Value | undefined): string[] {
  return object?.type === bsonType.object ? [...fieldsOf(object)].map(([name]) => name) : []
}

const additionalProperties: FindingRow = {
  name: 'additionalProperties',
  types: objects,
  compile: (place) => {
    const isAdditional = additionalOf(place)
    const rule = ruleOf('additionalProperties', place)
    const inner = place.operand.type === bsonType.object ? place.inner(place.operand) : undefined
    return (value, report) => {
      const additional = [...fieldsOf(value)].filter(([name]) => isAdditional(name))
      if (inner !== undefined) return failingProperty(inner, additional, report)
      return finding('additionalProperties', (out) => {
        report.specifiedAs(out, rule)
        out.openArray('additionalProperties')
        for (const [name] of additional) out.string(String(out.size), name)
        out.close()
      })
    }
  },
}

function failingProperty(
  inner: Inner,
  additional: readonly (readonly [string, Value])[],
  report: Report,
): Document | undefined {
  const failing = additional.find(([, value]) => !inner.test(value))
  if (failing === undefined) return undefined
  const [name, value] = failing
  return finding('additionalProperties', (out) => {
    writeAnnotations(out, inner.spec)
    out.string('reason', 'at least one additional property did not match the subschema')
    out.string('failingProperty', name)
    writeDetails(out, inner, value, report)
  })
}

const patternProperties: FindingRow = {
  name: 'patternProperties',
  types: objects,
  compile: (place) => {
    const rules = innerOf(place).map(([pattern, inner]) => {
      return { pattern, inner, regex: compileRegex(pattern, '') }
    })
    return (value, report) =>
      finding('patternProperties', (out) => {
        out.openArray('details')
        for (const { pattern, inner, regex } of rules) {
          const fields = [...fieldsOf(value)]
          const failing = fields.find(([name, each]) => regex.test(name) && !inner.test(each))
          if (failing === undefined) continue
          out.pushOpenDocument().string('propertyName', failing[0])
          writeAnnotations(out, inner.spec)
          out.string('regexMatched', pattern)
          writeDetails(out, inner, failing[1], report)
          out.close()
        }
        out.close()
      })
  },
}

const required: FindingRow = {
  name: 'required',
  types: objects,
  compile: (place) => {
    const rule = ruleOf('required', place)
    const names = elementsOf(place.operand).map(stringOf).sort()
    return (value, report) =>
      finding('required', (out) => {
        report.specifiedAs(out, rule)
        writeMissing(out, names, value)
      })
  },
}

function writeMissing(out: DocumentWriter, names: readonly string[], value: Value): void {
  out.openArray('missingProperties')
  for (const name of names) {
    if (fieldIn(value, name) === undefined) out.string(String(out.size), name)
  }
  out.close()
}

/** Bounds of the number of properties. */
function propertyCount(name: string): FindingRow {
  return {
    name,
    types: objects,
    compile: (place) => {
      const rule = ruleOf(name, place)
      return (value, report) =>
        finding(name, (out) => {
          report.specifiedAs(out, rule)
          out.string('reason', 'specified number of properties was not satisfied')
          out.int32('numberOfProperties', sizeOf(value))
        })
    },
  }
}

const dependencies: FindingRow = {
  name: 'dependencies',
  types: objects,
  compile: (place) => {
    const rules = [...fieldsOf(place.operand)].map(([name, rule]) =>
      rule.type === bsonType.object
        ? { name, inner: place.inner(rule, true), names: [] }
        : { name, inner: undefined, names: elementsOf(rule).map(stringOf) },
    )
    return (value, report) =>
      finding('dependencies', (out) => {
        out.openArray('failingDependencies')
        for (const { name, inner, names } of rules) {
          if (fieldIn(value, name) === undefined) continue
          if (inner === undefined) {
            if (names.every((other) => fieldIn(value, other) !== undefined)) continue
            out.pushOpenDocument().string('conditionalProperty', name)
            writeMissing(out, names, value)
            out.close()
          } else if (!inner.test(value)) {
            out.pushOpenDocument().string('conditionalProperty', name)
            writeDetails(out, inner, value, report)
            out.close()
          }
        }
        out.close()
      })
  },
}

const itemReason = 'At least one item did not match the sub-schema'
const additionalReason = 'At least one additional item did not match the sub-schema'

const items: FindingRow = {
  name: 'items',
  types: arrays,
  compile: (place) => {
    const { operand } = place
    if (operand.type === bsonType.object) {
      const inner = place.inner(operand)
      return (value, report) => failingItem('items', inner, value, 0, itemReason, report)
    }
    const each = elementsOf(operand).map((spec) => place.inner(spec))
    return (value, report) =>
      finding('items', (out) => {
        out.openArray('details')
        for (const [index, item] of elementsOf(value).entries()) {
          const inner = each[index]
          if (inner === undefined || inner.test(item)) continue
          out.pushOpenDocument().int32('itemIndex', index)
          writeDetails(out, inner, item, report)
          out.close()
        }
        out.close()
      })
  },
}

const additionalItems: FindingRow = {
  name: 'additionalItems',
  types: arrays,
  compile: (place) => {
    const { operand, spec } = place
    const first = fieldIn(spec, 'items')
    const from = first?.type === bsonType.array ? elementsOf(first).length : 0
    if (operand.type === bsonType.object) {
      const inner = place.inner(operand)
      return (value, report) =>
        failingItem('additionalItems', inner, value, from, additionalReason, report)
    }
    const rule = ruleOf('additionalItems', place)
    return (value, report) =>
      finding('additionalItems', (out) => {
        report.specifiedAs(out, rule)
        out.string('reason', 'found additional items').openArray('additionalItems')
        for (const item of elementsOf(value).slice(from)) {
          report.charge(item.end - item.start)
          out.push(item)
        }
        out.close()
      })
  },
}

/** The first item from `from` on that fails a schema. */
function failingItem(
  name: string,
  inner: Inner,
  array: Value,
  from: number,
  reason: string,
  report: Report,
): Document | undefined {
  const all = elementsOf(array)
  const index = all.findIndex((item, at) => at >= from && !inner.test(item))
  const item = all[index]
  if (item === undefined) return undefined
  return finding(name, (out) => {
    writeAnnotations(out, inner.spec)
    out.string('reason', reason).int32('itemIndex', index)
    writeDetails(out, inner, item, report)
  })
}

/** Bounds of the number of items. */
function itemCount(name: string): FindingRow {
  return {
    name,
    types: arrays,
    compile: (place) => {
      const rule = ruleOf(name, place)
      return (value, report) =>
        finding(name, (out) => {
          report.specifiedAs(out, rule)
          out.string('reason', 'array did not match specified length')
          report.value(out, 'consideredValue', value)
          out.int32('numberOfItems', sizeOf(value))
        })
    },
  }
}

const uniqueItems: FindingRow = {
  name: 'uniqueItems',
  types: arrays,
  compile: (place) => {
    const rule = ruleOf('uniqueItems', place)
    return (value, report) =>
      finding('uniqueItems', (out) => {
        report.specifiedAs(out, rule)
        out.string('reason', 'found a duplicate item')
        report.value(out, 'consideredValue', value)
        const duplicate = firstDuplicate(elementsOf(value))
        if (duplicate !== undefined) report.value(out, 'duplicatedValue', duplicate)
      })
  },
}

function firstDuplicate(all: readonly Value[]): Value | undefined {
  const seen = new Set<string | number>()
  return all.find((item) => {
    const key = hashKey(item)
    if (seen.has(key)) return true
    seen.add(key)
    return false
  })
}

export const containerRows: readonly FindingRow[] = [
  itemCount('minItems'),
  itemCount('maxItems'),
  uniqueItems,
  items,
  additionalItems,
  properties,
  additionalProperties,
  patternProperties,
  required,
  propertyCount('minProperties'),
  propertyCount('maxProperties'),
  dependencies,
]
