// Ids for the memories of one command: ULIDs of its time, in the order of the memories, so that
// they sort as they came. One draw of randomness serves all, counted up.

import { memoryPrefix } from './packed-id.js'
import { ulid } from './ulid.js'

/** The id at a place of the command, the same whenever it is asked. */
export function batchIds(now: number, random: Uint8Array): (index: number) => string {
  const first = random.slice()
  // Room to count up in.
  first[0] = (first[0] ?? 0) & 0x7f
  return (index) => memoryPrefix + ulid(now, plus(first, index))
}

/** A big-endian number plus a small one. */
function plus(bytes: Uint8Array, added: number): Uint8Array {
  const sum = bytes.slice()
  let carry = added
  for (let i = sum.length - 1; i >= 0 && carry > 0; i--) {
    carry += sum[i] ?? 0
    sum[i] = carry & 0xff
    carry >>>= 8
  }
  return sum
}
