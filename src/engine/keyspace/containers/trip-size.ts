// Limits what a read fetches in one trip: few keys, until they are known to be small, and members
// up to a number of bytes. A trip is in memory before any check can refuse it, and is copied
// without a pause.

import type { Bytes } from '../../../base/bytes/bytes.js'
import { keysAtOnceMax } from '../../../base/limits/key-value.js'
import { MiB } from '../../../base/units.js'

/** Keys of the next step after one of many bytes: records have up to inlineValueBytesMax. */
const largeKeysAtOnce = 128

/** Bytes of members that are read before the reply size is checked. */
export const membersPageBytes = 262_144
/** Bytes of the records of a trip: the last one may exceed it. */
export const tripBytesMax = 4 * MiB

export const firstTrip = largeKeysAtOnce

/** The size of the trip after one that has read these. */
export function nextTrip(records: readonly (Bytes | undefined)[]): number {
  let bytes = 0
  for (const record of records) bytes += record?.length ?? 0
  return bytes >= tripBytesMax ? largeKeysAtOnce : keysAtOnceMax
}
