// What the findings of $jsonSchema share: the form of a row, access to the enclosing schema, and
// parts of the output.

import { fieldIn, fieldsOf } from '../../value/elements.js'
import { bsonType, type Document, type Value } from '../../value/value.js'
import { type DocumentWriter, writeDocument } from '../../value/writer.js'
import type { SchemaTest } from '../schema/keyword.js'
import type { Report } from './report.js'

export type Findings = (value: Value, report: Report) => readonly Document[]

/** A schema nested in the explained one. */
export interface Inner {
  readonly spec: Value
  readonly test: SchemaTest
  readonly findings: Findings
}

/** The place of a keyword. */
export interface FindingPlace {
  readonly spec: Value
  readonly operand: Value
  /** Whether it is the schema of the document itself, which is not quoted. */
  readonly isRoot: boolean
  /** The nested schema `spec`; `isSame` if it applies to the same value. */
  inner(spec: Value, isSame?: boolean): Inner
}

/** How one keyword explains a value that fails it. */
export interface FindingRow {
  readonly name: string
  /** The types that it applies to; all by default. */
  readonly types?: readonly number[]
  compile(place: FindingPlace): (value: Value, report: Report) => Document | undefined
}

export function finding(name: string, fill: (out: DocumentWriter) => void): Document {
  return writeDocument((out) => {
    out.string('operatorName', name)
    fill(out)
  })
}

/** The keyword as in the schema. */
export function ruleOf(name: string, { spec, operand }: FindingPlace, beside?: string): Document {
  const other = beside === undefined ? undefined : fieldIn(spec, beside)
  return writeDocument((out) => {
    out.value(name, operand)
    if (beside !== undefined && other !== undefined) out.value(beside, other)
  })
}

/** Number of fields of an object, or of elements of an array. */
export function sizeOf(value: Value): number {
  let count = 0
  for (const _ of fieldsOf(value)) count++
  return count
}

/** `title` and `description` of a schema. */
export function writeAnnotations(out: DocumentWriter, spec: Value): void {
  for (const name of ['title', 'description']) {
    const text = fieldIn(spec, name)
    if (text?.type === bsonType.string) out.value(name, text)
  }
}

/** `details: […]` of a nested schema. */
export function writeDetails(
  out: DocumentWriter,
  { findings }: Inner,
  value: Value,
  report: Report,
): void {
  out.openArray('details')
  for (const finding of findings(value, report)) out.pushDocument(finding)
  out.close()
}

/** The schemas of an object's fields, from `properties`. */
export function innerOf(place: FindingPlace): [name: string, inner: Inner][] {
  return [...fieldsOf(place.operand)].map(([name, spec]) => [name, place.inner(spec)])
}
