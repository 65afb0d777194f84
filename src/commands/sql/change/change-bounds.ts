// The bounds of a change: it is one write program, which cannot pause and has a maximum size. A
// larger change is refused before it writes anything. (docs/design/transactions.md, rules 1 and 2)

import { fail, type GatewayError } from '../../../base/errors.js'
import { documentDepthMax, modifyRunsMax } from '../../../base/limits/documents.js'
import { programPutsMax } from '../../../base/limits/engine.js'
import { checkSize } from '../../../engine/collection/shape.js'
import { depthOf, tooDeep } from '../../../query/update/apply.js'
import { type Document, documentValue } from '../../../value/value.js'

const hint = 'Change fewer rows at once: by a narrower WHERE, or by LIMIT and a repetition.'

export function tooLarge(): GatewayError {
  const most = `at most ${programPutsMax} documents and index entries`
  const text = `the statement changes too much at once: ${most}`
  return fail('TransactionTooLarge', text, { sqlState: '54000', hint })
}

export function takesTooLong(): GatewayError {
  const text = 'the statement computes too much at once'
  return fail('TransactionTooLarge', text, { sqlState: '54000', hint })
}

/** Throws WriteConflict if a statement has restarted too often. */
export function timesOut(run: number): void {
  if (run + 1 < modifyRunsMax) return
  throw fail('WriteConflict', 'the rows kept changing while the statement was being prepared')
}

/** Throws if a document is too large or too deeply nested to be stored. */
export function requireShape(document: Document): void {
  checkSize(document)
  if (depthOf(documentValue(document)) > documentDepthMax) throw tooDeep()
}
