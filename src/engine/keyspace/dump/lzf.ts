// Unpacks LZF, in which the reference server packs longer strings of a dump: runs of bytes as they
// are, and references to what has been unpacked already.

import type { Bytes } from '../../../base/bytes/bytes.js'
import type { Slice } from '../../../base/bytes/slice.js'

/** `length` bytes; undefined where the packed bytes do not make exactly so many. */
export function unpackLzf({ bytes, start, end }: Slice, length: number): Bytes | undefined {
  // A reference makes at most 264 bytes of two: what claims more is none.
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
    // What it refers to may reach into what it makes.
    for (const stop = to + size; to < stop; ) out[to++] = out[from++] as number
  }
  return to === length ? out : undefined
}
