// How many keys, or members of a container, a read looks up in one trip: few until it is known that
// they are small.
// What a trip has read is in memory before anything can refuse it, and is copied without a pause.

import type { Bytes } from '../../../base/bytes/bytes.js'
import { keysAtOnceMax, largeKeysAtOnce } from '../../../base/limits.js'
import { MiB } from '../../../base/units.js'
import type { Member } from './members.js'

/** Bytes of the members of a container that are read before they are counted for their reply. */
const membersPageBytes = 262_144
const largeKeysBytes = 4 * MiB

export const firstTrip = largeKeysAtOnce

/** Behind a trip that has read these. */
export function nextTrip(records: readonly (Bytes | undefined)[]): number {
  let bytes = 0
  for (const record of records) bytes += record?.length ?? 0
  return bytes > largeKeysBytes ? largeKeysAtOnce : keysAtOnceMax
}

export const firstPage = 1

/** Of members, behind a page of these: at most `most`, and of about `membersPageBytes`. */
export function nextPage(page: readonly Member[], most: number): number {
  let bytes = 1
  for (const { member, payload } of page) bytes += member.length + payload.length
  const fits = Math.floor((membersPageBytes * page.length) / bytes)
  return Math.min(Math.max(fits, 1), most)
}
