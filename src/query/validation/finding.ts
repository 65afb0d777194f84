// What the findings of $jsonSchema share: the shape of a row, what it may ask of the schema that it
// stands in, and the pieces that findings are written of.

import { fieldIn, fieldsOf } from '../../value/elements.js'
import { bsonType, type Document, type Value } from '../../value/value.js'
import { type DocumentWriter, writeDocument } from '../../value/writer.js'
import type { SchemaTest } from '../schema/keyword.js'
import type { Report } from './report.js'

export type Findings = (value: Value, report: Report) => readonly Document[]

/** A schema within the one that is explained. */
export interface Inner {
  readonly spec: Value
  readonly test: SchemaTest
  readonly findings: Findings
}

/** Where a keyword stands. */
export interface FindingPlace {
  readonly spec: Value
  readonly operand: Value
  /** The schema of a document itself, which has no value beside it to be quoted. */
  readonly isRoot: boolean
  /** The schema `spec`; `isRoot` where it is of the very same value. */
  inner(spec: Value, isSame?: boolean): Inner
}

/** How one keyword explains a value that it refuses. */
export interface FindingRow {
  readonly name: string
  /** The types of value that it looks at; all where it is missing. */
  readonly types?: readonly number[]
  compile(place: FindingPlace): (value: Value, report: Report) => Document | undefined
}

export function finding(name: string, fill: (out: DocumentWriter) => void): Document {
  return writeDocument((out) => {
    out.string('operatorName', name)
    fill(out)
  })
}

/** The keyword as the schema has it. */
export function ruleOf(name: string, { spec, operand }: FindingPlace, beside?: string): Document {
  const other = beside === undefined ? undefined : fieldIn(spec, beside)
  return writeDocument((out) => {
    out.value(name, operand)
    if (beside !== undefined && other !== undefined) out.value(beside, other)
  })
}

/** Fields of an object, or elements of an array. */
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

/** `details: […]` of a schema within. */
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

/** The schemas of an object's fields, as `properties` has them. */
export function innerOf(place: FindingPlace): [name: string, inner: Inner][] {
  return [...fieldsOf(place.operand)].map(([name, spec]) => [name, place.inner(spec)])
}
