// Errors of changes and definitions that have a position in the statement's text. They have the
// form of the parser's errors, so that a client can mark the position.

import { type CodeName, fail, type GatewayError } from '../../../base/errors.js'
import { sqlError } from '../../../protocol/sql/sql-error.js'

/** With `sqlState`, `position`, `line` and `column`; `offset` in UTF-16 units. */
export function changeError(
  kind: CodeName,
  sqlState: string,
  message: string,
  place: { readonly text: string; readonly offset: number },
): GatewayError {
  const { extra } = sqlError(place.text, place.offset, message)
  return fail(kind, message, { ...extra, sqlState })
}
