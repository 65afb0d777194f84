// How a value failed a schema: a finding for each keyword, with nested findings. Keywords are
// checked in MongoDB's order; those for other types are skipped.

import { fieldIn } from '../../value/elements.js'
import type { Document, Value } from '../../value/value.js'
import { compileAt, compileKeyword } from '../schema/json-schema.js'
import { containerRows } from './container-findings.js'
import type { FindingRow, Findings, Inner } from './finding.js'
import type { Report } from './report.js'
import { valueRows } from './value-findings.js'

/** MongoDB's order. */
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

/** Explains a value that fails a schema; the schema already compiled without errors. */
export function compileFindings(spec: Value, isRoot: boolean): Findings {
  let explainers: ((value: Value, report: Report) => Document | undefined)[] | undefined
  return (value, report) => {
    // Built for the first failure, because most validators never have one.
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
