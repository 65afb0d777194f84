// Memory for small byte strings. A separate ArrayBuffer costs more than all other work on a small
// document, and burdens the collector; so many share a slab. A slab lives as long as its last
// value. So long-lived or numerous values (memory store entries, descriptors, documents of a sort)
// use `slice`, which copies them into their own memory.

import type { Bytes } from '../bytes/bytes.js'

const slabBytes = 8 * 1_024
/** Larger values get their own memory, so that the rest of a slab is not wasted. */
const sharedBytesMax = 1_024
/** Above this length, native code copies faster, although it needs a view. */
const loopBytesMax = 48

// The ArrayBuffer itself: reading `buffer` of a view costs as much as making a view.
let slab = new ArrayBuffer(slabBytes)
let used = 0

/**
 * `length` zeroed bytes, which only the caller uses and may change. A plain Uint8Array, whose
 * `slice` copies.
 */
export function room(length: number): Bytes {
  if (length > sharedBytesMax) return new Uint8Array(length)
  if (used + length > slabBytes) {
    slab = new ArrayBuffer(slabBytes)
    used = 0
  }
  const start = used
  used += length
  return new Uint8Array(slab, start, length)
}

/** A copy of `bytes` from `start` to `end`, in `room`. */
export function copyOf(bytes: Bytes, start: number, end: number): Bytes {
  const length = end - start
  const copy = room(length)
  if (length <= loopBytesMax) {
    for (let i = 0; i < length; i++) copy[i] = bytes[start + i] as number
    return copy
  }
  copy.set(length === bytes.length ? bytes : bytes.subarray(start, end))
  return copy
}
