// Findings of the keywords about one value: its type, number, text, and combinations of schemas.
// Texts are those of MongoDB.

import { elementsOf, fieldIn } from '../../value/elements.js'
import { bsonType, type Document, stringOf, type Value } from '../../value/value.js'
import { writeDocument } from '../../value/writer.js'
import {
  type FindingPlace,
  type FindingRow,
  finding,
  ruleOf,
  writeAnnotations,
  writeDetails,
} from './finding.js'
import { type Report, writeTypes } from './report.js'

const numbers = [bsonType.int32, bsonType.int64, bsonType.double, bsonType.decimal128]
const strings = [bsonType.string]

/** `{operatorName, specifiedAs, reason, consideredValue}`; `beside` is quoted with the keyword. */
function plain(
  name: string,
  types: readonly number[],
  reason: string,
  beside?: string,
): FindingRow {
  return {
    name,
    types,
    compile: (place) => {
      const rule = ruleOf(name, place, beside)
      const isMeant = meansTypes(place, types)
      return (value, report) =>
        // The schema's own type excludes the keyword, and has its own finding.
        isMeant
          ? finding(name, (out) => {
              report.specifiedAs(out, rule)
              out.string('reason', reason)
              report.value(out, 'consideredValue', value)
            })
          : undefined
    },
  }
}

const aliases: Readonly<Record<string, readonly number[]>> = {
  number: numbers,
  int: [bsonType.int32],
  long: [bsonType.int64],
  double: [bsonType.double],
  decimal: [bsonType.decimal128],
  string: strings,
  array: [bsonType.array],
  object: [bsonType.object],
}

/** Whether the schema allows any of these types. */
function meansTypes({ spec }: FindingPlace, types: readonly number[]): boolean {
  const stated = fieldIn(spec, 'bsonType') ?? fieldIn(spec, 'type')
  if (stated === undefined) return true
  const names = stated.type === bsonType.array ? elementsOf(stated) : [stated]
  return names.some(
    (name) => aliases[stringOf(name)]?.some((type) => types.includes(type)) === true,
  )
}

/** A combination of schemas for one value: the failed ones, by position. */
function combination(name: string): FindingRow {
  return {
    name,
    compile: (place) => {
      const inner = elementsOf(place.operand).map((spec) => place.inner(spec, true))
      return (value, report) => {
        const matching = inner.flatMap(({ test }, index) => (test(value) ? [index] : []))
        if (name === 'oneOf' && matching.length > 0) return tooMany(matching)
        return finding(name, (out) => {
          out.openArray('schemasNotSatisfied')
          for (const [index, each] of inner.entries()) {
            if (matching.includes(index)) continue
            out.pushOpenDocument().int32('index', index)
            writeAnnotations(out, each.spec)
            writeDetails(out, each, value, report)
            out.close()
          }
          out.close()
        })
      }
    },
  }
}

function tooMany(matching: readonly number[]): Document {
  return finding('oneOf', (out) => {
    out.string('reason', 'more than one subschema matched').openArray('matchingSchemaIndexes')
    for (const index of matching) out.int32(String(out.size), index)
    out.close()
  })
}

const not: FindingRow = {
  name: 'not',
  compile: () => () => finding('not', (out) => out.string('reason', 'child expression matched')),
}

const enumRow: FindingRow = {
  name: 'enum',
  compile: (place) => {
    const rule = ruleOf('enum', place)
    const isNever =
      place.isRoot && !elementsOf(place.operand).some(({ type }) => type === bsonType.object)
    return (value, report) =>
      finding('enum', (out) => {
        report.specifiedAs(out, rule)
        if (isNever) {
          out.string('reason', 'expression always evaluates to false')
          return
        }
        out.string('reason', 'value was not found in enum')
        report.value(out, 'consideredValue', value)
      })
  },
}

/** A document is an object, so a schema that requires another type always fails. */
function type(name: 'type' | 'bsonType'): FindingRow {
  return {
    name,
    compile: (place) => {
      const rule = ruleOf(name, place)
      return (value, report) =>
        place.isRoot ? never(place, report) : mismatch(name, rule, value, report)
    },
  }
}

function mismatch(name: string, rule: Document, value: Value, report: Report): Document {
  return finding(name, (out) => {
    report.specifiedAs(out, rule)
    out.string('reason', 'type did not match')
    report.value(out, 'consideredValue', value)
    writeTypes(out, [value])
  })
}

function never({ spec }: FindingPlace, report: Report): Document {
  return finding('$jsonSchema', (out) => {
    const rule = writeDocument((whole) => whole.value('$jsonSchema', spec))
    report.specifiedAs(out, rule)
    out.string('reason', 'expression always evaluates to false')
  })
}

const lengthReason = 'specified string length was not satisfied'

export const valueRows: readonly FindingRow[] = [
  plain('maximum', numbers, 'comparison failed', 'exclusiveMaximum'),
  plain('minimum', numbers, 'comparison failed', 'exclusiveMinimum'),
  plain('maxLength', strings, lengthReason),
  plain('minLength', strings, lengthReason),
  plain('pattern', strings, 'regular expression did not match'),
  plain('multipleOf', numbers, 'considered value is not a multiple of the specified value'),
  combination('allOf'),
  combination('anyOf'),
  combination('oneOf'),
  not,
  enumRow,
  type('type'),
  type('bsonType'),
]
