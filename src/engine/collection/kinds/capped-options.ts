// Options of a capped collection in `create`: its limits in bytes and documents. listCollections
// echoes the options document, so it holds the adjusted figures.

import { fail } from '../../../base/errors.js'
import {
  cappedBytesMax,
  cappedBytesMin,
  cappedBytesStep,
  cappedDocumentsMax,
} from '../../../base/limits/documents.js'
import { field, fieldsOf } from '../../../value/elements.js'
import { numberOf } from '../../../value/numbers.js'
import {
  boolOf,
  bsonType,
  type Document,
  documentValue,
  numberValue,
} from '../../../value/value.js'
import { type DocumentWriter, writeDocument } from '../../../value/writer.js'

export interface Capped {
  /** BSON bytes of its documents. */
  readonly bytesMax: number
  /** Undefined means unlimited. */
  readonly documentsMax: number | undefined
}

/** The limits in an options document; undefined if the collection is not capped. */
export function cappedOf(options: Document): Capped | undefined {
  const capped = field(options, 'capped')
  if (capped?.type !== bsonType.bool || !boolOf(capped)) return undefined
  const size = field(options, 'size')
  const max = field(options, 'max')
  return {
    bytesMax: size === undefined ? cappedBytesMin : numberOf(size),
    documentsMax: max === undefined ? undefined : numberOf(max),
  }
}

/** The adjusted size for a requested size. Throws 51024, BadValue. */
export function cappedSizeOf(asked: number | bigint, name = 'size'): number {
  const whole = Math.trunc(Number(asked))
  if (!(whole >= 1)) {
    const actual = typeof asked === 'bigint' ? asked : whole
    throw fail('Location51024', `BSON field '${name}' value must be >= 1, actual value '${actual}'`)
  }
  if (whole > cappedBytesMax) throw fail('BadValue', 'size cannot exceed 1 PB')
  return Math.max(cappedBytesMin, Math.ceil(whole / cappedBytesStep) * cappedBytesStep)
}

/** The adjusted number of documents; zero or less means the maximum. */
export function cappedMaxOf(asked: number): number {
  const whole = Math.trunc(asked)
  if (whole > cappedDocumentsMax) {
    throw fail('BadValue', 'max in a capped collection has to be < 2^31 or not set')
  }
  return whole > 0 ? whole : cappedDocumentsMax
}

/** Writes `capped`, `size` and `max` of an options document. */
function writeCapped(writer: DocumentWriter, { bytesMax, documentsMax }: Capped): void {
  writer.bool('capped', true).value('size', numberValue(bytesMax))
  if (documentsMax !== undefined) writer.value('max', numberValue(documentsMax))
}

const cappedNames: ReadonlySet<string> = new Set(['capped', 'size', 'max'])

/** An options document with new limits; its other fields stay. */
export function withCapped(options: Document, capped: Capped): Document {
  return writeDocument((writer) => {
    writeCapped(writer, capped)
    for (const [name, value] of fieldsOf(documentValue(options))) {
      if (!cappedNames.has(name)) writer.value(name, value)
    }
  })
}
