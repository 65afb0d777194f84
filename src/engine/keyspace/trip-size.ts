// How many keys a read looks up in one trip: few until it is known that their records are small.
// What a trip has read is in memory before anything can refuse it, and is copied without a pause.

import type { Bytes } from '../../base/bytes.js'
import { keysAtOnceMax, largeKeysAtOnce, largeKeysBytes } from '../../base/limits.js'

export const firstTrip = largeKeysAtOnce

/** Behind a trip that has read these. */
export function nextTrip(records: readonly (Bytes | undefined)[]): number {
  let bytes = 0
  for (const record of records) bytes += record?.length ?? 0
  return bytes > largeKeysBytes ? largeKeysAtOnce : keysAtOnceMax
}
