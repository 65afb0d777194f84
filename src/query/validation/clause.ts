// A part of a validator that can explain why a document fails it, or why it should not have
// matched. explain.ts uses it; clauses.ts and schema-clause.ts create it.

import type { Document } from '../../value/value.js'
import type { Report } from './report.js'

/** `isInverted`: the document should not have matched. */
export interface Clause {
  matches(document: Document): boolean
  tell(document: Document, isInverted: boolean, report: Report): Document
}
