// Parses lengths from a client with the strict integers of Redis: no plus sign, no leading zeros,
// no spaces, at most 64 bits.

import type { Bytes } from '../../base/bytes/bytes.js'

/** `-9223372036854775808`. */
const digitsMax = 20
const strict = /^(?:0|-?[1-9][0-9]*)$/

/** The integer from `start` to `end`, rounded above 2^53; NaN if it is none. */
export function lengthOf(bytes: Bytes, start: number, end: number): number {
  if (end - start > digitsMax) return Number.NaN
  const text = String.fromCharCode(...bytes.subarray(start, end))
  if (!strict.test(text)) return Number.NaN
  const value = BigInt(text)
  return BigInt.asIntN(64, value) === value ? Number(value) : Number.NaN
}
