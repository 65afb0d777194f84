// Errors in a statement's text: their position as PostgreSQL counts (code points, from 1), and the
// SQLSTATE that clients branch on. (docs/http.md, "Errors")

import { fail, type GatewayError } from '../../base/errors.js'

/** SQLSTATE codes of errors in the text alone. */
export const sqlState = {
  syntaxError: '42601',
  featureNotSupported: '0A000',
  tooComplex: '54001',
  numberOutOfRange: '22003',
  badEscape: '22025',
  nameTooLong: '42622',
  wrongParameters: '08P01',
  notInState: '55000',
} as const

export type SqlState = (typeof sqlState)[keyof typeof sqlState]

/** BadValue with `sqlState`, `position`, `line` and `column`; `offset` in UTF-16 units. */
export function sqlError(
  text: string,
  offset: number,
  message: string,
  state: SqlState = sqlState.syntaxError,
  hint?: string,
): GatewayError {
  return fail('BadValue', message, {
    sqlState: state,
    ...placeOf(text, offset),
    ...(hint === undefined ? {} : { hint }),
  })
}

/** 1-based, in code points. */
function placeOf(text: string, offset: number): { position: number; line: number; column: number } {
  let position = 1
  let line = 1
  let column = 1
  for (let i = 0; i < offset && i < text.length; ) {
    const point = text.codePointAt(i) as number
    i += point > 0xffff ? 2 : 1
    position++
    column++
    if (point === 0x0a) {
      line++
      column = 1
    }
  }
  return { position, line, column }
}
