// How long a blocking command waits: a double of seconds, refused in the reference server's words,
// and in its order: after everything else that the arguments can be refused for.

import { refuse } from '../../../base/reply-error.js'
import type { KeyValueCall } from '../../../bus/keyvalue/call.js'
import { parseFloat64 } from '../../../engine/keyspace/strings/numbers.js'

const int64Limit = 2 ** 63

/** Milliseconds, rounded up so that a little is not for ever; 0 is for ever. */
export function timeoutAt(call: KeyValueCall, index: number): number {
  const seconds = call.args.read(index, parseFloat64)
  if (seconds === undefined || Number.isNaN(seconds)) {
    throw refuse('ERR timeout is not a float or out of range')
  }
  const ms = Math.ceil(seconds * 1000)
  // The reference server's integer runs over there.
  if (ms < 0 || ms >= int64Limit) throw refuse('ERR timeout is negative')
  return ms
}
