// Unpacks LZF, which Redis uses for longer strings of a dump: literal runs, and references to bytes
// already unpacked.

import type { Bytes } from '../../../base/bytes/bytes.js'
import type { Slice } from '../../../base/bytes/slice.js'

/** Returns `length` bytes; undefined if the packed bytes do not produce exactly that many. */
export function unpackLzf({ bytes, start, end }: Slice, length: number): Bytes | undefined {
  // A reference produces at most 264 bytes from two, so a larger claim is invalid.
  if (length > (end - start) * 264) return undefined
  const out = new Uint8Array(length)
  let at = start
  let to = 0
  while (at < end) {
    const control = bytes[at++] as number
    if (control < 32) {
      const run = control + 1
      if (at + run > end || to + run > length) return undefined
      out.set(bytes.subarray(at, at + run), to)
      at += run
      to += run
      continue
    }
    let size = control >>> 5
    if (size === 7) size += bytes[at++] ?? 0
    size += 2
    if (at >= end) return undefined
    let from = to - (((control & 0x1f) << 8) | (bytes[at++] as number)) - 1
    if (from < 0 || to + size > length) return undefined
    // The referenced bytes may overlap the produced ones.
    for (const stop = to + size; to < stop; ) out[to++] = out[from++] as number
  }
  return to === length ? out : undefined
}
