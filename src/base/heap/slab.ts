// Memory for small byte strings. An ArrayBuffer of its own costs more than all that is done with a
// small document, and the collector pays for it a second time; here many share one. The price: a
// slab lives as long as the last value in it, so what is kept in numbers or for long (entries of
// the memory store, descriptors, the documents of a sort) is a `slice`, which has its own.

import type { Bytes } from '../bytes/bytes.js'

const slabBytes = 8 * 1_024
/** Larger values get memory of their own: it would be wrong to waste a slab's rest on them. */
const sharedBytesMax = 1_024
/** Copying more than this is quicker in native code, which needs a view. */
const loopBytesMax = 48

// The buffer itself: asking a view for its own costs as much as making one.
let slab = new ArrayBuffer(slabBytes)
let used = 0

/**
 * `length` bytes for the caller only, who may change them and hand them on. A plain
 * Uint8Array, whose `slice` copies. Filled with zeros.
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
