// What changes and definitions do wrong that has a place in the statement's text: told as the
// parser tells its own, so that a client can show where.

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
