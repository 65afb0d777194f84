// The size bound of one explanation. Values and rules are quoted while they fit; if they do not, a
// second, shorter explanation omits them, as in MongoDB.

import { validationErrorBytesMax } from '../../base/limits/documents.js'
import { fieldsOf } from '../../value/elements.js'
import { bsonType, type Document, documentValue, type Value } from '../../value/value.js'
import type { DocumentWriter } from '../../value/writer.js'
import { typeName } from '../expressions/operator.js'

/** Thrown if an explanation exceeds its bound; the caller then writes a shorter one. */
export class ReportTooLarge extends Error {}

export class Report {
  private bytes = 0

  /** `isShort`: neither rules nor values are quoted. */
  constructor(readonly isShort: boolean) {}

  /** Counts bytes of the explanation. */
  charge(bytes: number): void {
    this.bytes += bytes
    if (this.bytes > validationErrorBytesMax) throw new ReportTooLarge()
  }

  /** `specifiedAs: {…}`: the rule as in the validator. */
  specifiedAs(out: DocumentWriter, rule: Document): void {
    if (this.isShort) return
    this.charge(rule.length)
    out.document('specifiedAs', rule)
  }

  /** A tested value of the document. */
  value(out: DocumentWriter, name: string, value: Value): void {
    if (this.isShort) return
    this.charge(value.end - value.start)
    out.value(name, value)
  }

  /** Counts a finished part; even the smallest counts. */
  finished(part: Document): Document {
    this.charge(part.length >>> partShift)
    return part
  }
}

/**
 * Parts are copied into their parents level by level, so each level adds a fraction of their size.
 */
const partShift = 3

/** `consideredType`, or `consideredTypes` for several; nothing without values. */
export function writeTypes(out: DocumentWriter, values: readonly Value[]): void {
  const names = [...new Set(values.map(typeName))].sort()
  writeNames(out, 'consideredType', names)
}

/** `name: 'x'`, or `names: ['x', 'y']`. */
export function writeNames(out: DocumentWriter, name: string, names: readonly string[]): void {
  const [first] = names
  if (first === undefined) return
  if (names.length === 1) {
    out.string(name, first)
    return
  }
  out.openArray(`${name}s`)
  for (const each of names) out.string(String(out.size), each)
  out.close()
}

/** Levels of nesting of a document, including itself. */
export function depthOf(document: Document): number {
  const depthIn = (value: Value): number => {
    let deepest = 0
    for (const [, inner] of fieldsOf(value)) {
      if (inner.type === bsonType.object || inner.type === bsonType.array) {
        deepest = Math.max(deepest, depthIn(inner))
      }
    }
    return deepest + 1
  }
  return depthIn(documentValue(document))
}
