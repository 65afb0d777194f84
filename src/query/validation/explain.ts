// The `errInfo` of a document that fails its collection's validator: MongoDB's explanation, or a
// shorter one if that would be too large.

import { GatewayError } from '../../base/errors.js'
import { validationErrorBytesMax, validationErrorDepthMax } from '../../base/limits/documents.js'
import { field } from '../../value/elements.js'
import type { Document } from '../../value/value.js'
import { writeDocument } from '../../value/writer.js'
import type { Clause } from './clause.js'
import { depthOf, Report, ReportTooLarge } from './report.js'

/** `{failingDocumentId, details: {operatorName, …}}`. */
export function explainFailure(clause: Clause, document: Document): Document {
  for (const isShort of [false, true]) {
    try {
      const whole = explained(clause, document, isShort)
      if (depthOf(whole) > validationErrorDepthMax) return tooDeep
      if (whole.length <= validationErrorBytesMax) return whole
    } catch (thrown) {
      if (thrown instanceof ReportTooLarge) continue
      if (thrown instanceof GatewayError) return unexplained(document, thrown)
      throw thrown
    }
  }
  return withId(document, (out) => out.string('note', 'detailed error was too large'))
}

function explained(clause: Clause, document: Document, isShort: boolean): Document {
  const details = clause.tell(document, false, new Report(isShort))
  return withId(document, (out) => {
    if (isShort) out.bool('truncated', true)
    out.document('details', details)
  })
}

function unexplained(document: Document, { code, codeName, message }: GatewayError): Document {
  return withId(document, (out) => {
    out.string('note', 'failed to generate document validation error').openDocument('details')
    out.int32('code', code).string('codeName', codeName).string('errmsg', message).close()
  })
}

type Fill = Parameters<typeof writeDocument>[0]

function withId(document: Document, fill: Fill): Document {
  const id = field(document, '_id')
  return writeDocument((out) => {
    if (id !== undefined) out.value('failingDocumentId', id)
    fill(out)
  })
}

const tooDeep: Document = writeDocument((out) => {
  out.string('reason', 'generated error was too deeply nested').bool('truncated', true)
})
