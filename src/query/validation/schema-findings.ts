// What a value has failed of a schema: a finding for each keyword, nested ones within it. Keywords
// are asked in the reference server's order; those that look at another type than the value has say
// nothing.

import { fieldIn } from '../../value/elements.js'
import type { Document, Value } from '../../value/value.js'
import { compileAt, compileKeyword } from '../schema/json-schema.js'
import { containerRows } from './container-findings.js'
import type { FindingRow, Findings, Inner } from './finding.js'
import type { Report } from './report.js'
import { valueRows } from './value-findings.js'

/** The reference server's order. */
const order = [
  ...['maximum', 'minimum', 'maxLength', 'minLength', 'pattern', 'multipleOf'],
  ...['minItems', 'maxItems', 'uniqueItems', 'items', 'additionalItems'],
  ...['properties', 'additionalProperties', 'patternProperties', 'required'],
  ...['minProperties', 'maxProperties', 'dependencies'],
  ...['allOf', 'anyOf', 'oneOf', 'not', 'enum', 'type', 'bsonType'],
]

const rows = new Map<string, FindingRow>(
  [...valueRows, ...containerRows].map((row) => [row.name, row]),
)

/** What explains a value that a schema refuses; the schema has been compiled before. */
export function compileFindings(spec: Value, isRoot: boolean): Findings {
  let explainers: ((value: Value, report: Report) => Document | undefined)[] | undefined
  return (value, report) => {
    // Made for the first failure: most validators never have one.
    explainers ??= order.flatMap((name) => explainer(name, spec, isRoot) ?? [])
    return explainers.flatMap((explain) => explain(value, report) ?? [])
  }
}

function explainer(name: string, spec: Value, isRoot: boolean) {
  const row = rows.get(name)
  const operand = fieldIn(spec, name)
  if (row === undefined || operand === undefined) return undefined
  const inner = (of: Value, isSame = false): Inner => {
    const isInnerRoot = isRoot && isSame
    return { spec: of, test: compileAt(of, 0), findings: compileFindings(of, isInnerRoot) }
  }
  const test = compileKeyword(name, spec)
  if (test === undefined) return undefined
  const explain = row.compile({ spec, operand, isRoot, inner })
  const { types } = row
  return (value: Value, report: Report): Document | undefined => {
    if (types !== undefined && !types.includes(value.type)) return undefined
    if (test(value)) return undefined
    const finding = explain(value, report)
    return finding === undefined ? undefined : report.finished(finding)
  }
}
