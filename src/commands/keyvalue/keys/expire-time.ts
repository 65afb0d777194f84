// Expiry times in commands: seconds or milliseconds, from now or since 1970. The bounds are those
// of 64 bits, as in Redis.

import { invalidExpire } from '../../../base/reply-error.js'
import type { KeyValueCall } from '../../../bus/keyvalue/call.js'

export interface ExpireUnit {
  /** Milliseconds in one unit. */
  readonly ms: 1 | 1000
  /** Whether the time counts from 1970; else from now. */
  readonly isAbsolute: boolean
}

export const unitOf = {
  ex: { ms: 1000, isAbsolute: false },
  px: { ms: 1, isAbsolute: false },
  exat: { ms: 1000, isAbsolute: true },
  pxat: { ms: 1, isAbsolute: true },
} as const satisfies Record<string, ExpireUnit>

const int64Min = -(2n ** 63n)
const int64Max = 2n ** 63n - 1n
/** The largest double below 2^63, because times are doubles here. */
const latest = 2 ** 63 - 1_024

/**
 * The argument as milliseconds since 1970. Throws "invalid expire time" beyond 64 bits and, with
 * `isPositive`, for values up to zero.
 */
export function expireTime(
  call: KeyValueCall,
  index: number,
  { ms, isAbsolute }: ExpireUnit,
  isPositive: boolean,
): number {
  const value = call.int64(index)
  const scaled = value * BigInt(ms)
  const time = isAbsolute ? scaled : scaled + BigInt(call.now)
  if (isPositive && value <= 0n) throw invalidExpire(call.name)
  if (time > int64Max || scaled > int64Max || scaled < int64Min) throw invalidExpire(call.name)
  return Math.min(Number(time), latest)
}
