// Backslash escapes of E'' strings: a character by name or number, never part of a UTF-8 sequence.
// (PostgreSQL, "String Constants with C-Style Escapes")

import { sqlError, sqlState } from './sql-error.js'

const named: Readonly<Record<string, string>> = {
  b: '\b',
  f: '\f',
  n: '\n',
  r: '\r',
  t: '\t',
}

const escapeSequence =
  /\\(?:u([\dA-Fa-f]{4})|U([\dA-Fa-f]{8})|x([\dA-Fa-f]{1,2})|([0-7]{1,3})|(.))/gsu

/** `body` with its escapes decoded; `start` is the position of errors in `text`. */
export function readEscapes(body: string, text: string, start: number): string {
  const bad = (message: string) => sqlError(text, start, message, sqlState.badEscape)
  const read = body.replace(escapeSequence, (_, short, long, hex, octal, other) => {
    const digits = short ?? long
    if (digits !== undefined) {
      const point = Number.parseInt(digits, 16)
      if (point === 0 || point > 0x10ffff) throw bad('invalid Unicode escape value')
      return String.fromCodePoint(point)
    }
    if (hex !== undefined) return byteText(Number.parseInt(hex, 16), bad)
    if (octal !== undefined) return byteText(Number.parseInt(octal, 8) & 0xff, bad)
    if (other === 'u' || other === 'U') throw bad('invalid Unicode escape')
    return named[other] ?? other
  })
  if (/\p{Surrogate}/u.test(read)) throw bad('invalid Unicode surrogate pair')
  return read
}

/** Refuses bytes above 127, which would be parts of UTF-8 sequences; clients do not send them. */
function byteText(byte: number, bad: (message: string) => Error): string {
  if (byte === 0 || byte > 0x7f) throw bad('invalid byte sequence for encoding "UTF8"')
  return String.fromCharCode(byte)
}
