// Lengths as a client may write them: the reference server's strict integers. No plus sign, no
// leading zeros, no spaces, nothing beyond 64 bits.

import type { Bytes } from '../../base/bytes/bytes.js'

/** `-9223372036854775808`. */
const digitsMax = 20
const strict = /^(?:0|-?[1-9][0-9]*)$/

/** The integer from `start` to `end`, rounded beyond 2^53; NaN for what is none. */
export function lengthOf(bytes: Bytes, start: number, end: number): number {
  if (end - start > digitsMax) return Number.NaN
  const text = String.fromCharCode(...bytes.subarray(start, end))
  if (!strict.test(text)) return Number.NaN
  const value = BigInt(text)
  return BigInt.asIntN(64, value) === value ? Number(value) : Number.NaN
}
