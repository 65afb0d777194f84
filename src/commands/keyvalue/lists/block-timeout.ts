// The timeout of a blocking command: seconds as a double. Redis' errors apply, and Redis checks the
// timeout after all other arguments.

import { refuse } from '../../../base/reply-error.js'
import type { KeyValueCall } from '../../../bus/keyvalue/call.js'
import { parseFloat64 } from '../../../engine/keyspace/strings/numbers.js'

const int64Limit = 2 ** 63

/** Milliseconds, rounded up because 0 means for ever. */
export function timeoutAt(call: KeyValueCall, index: number): number {
  const seconds = call.args.read(index, parseFloat64)
  if (seconds === undefined || Number.isNaN(seconds)) {
    throw refuse('ERR timeout is not a float or out of range')
  }
  const ms = Math.ceil(seconds * 1000)
  // At this value the integer of Redis overflows.
  if (ms < 0 || ms >= int64Limit) throw refuse('ERR timeout is negative')
  return ms
}
