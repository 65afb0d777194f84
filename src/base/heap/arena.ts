// Memory for many small byte strings with the same lifetime: the documents of a sort, the keys of
// its groups. Hundreds share one buffer, because one buffer each would burden the garbage
// collector.

import type { Bytes } from '../bytes/bytes.js'

const chunkBytes = 64 * 1_024
/** Larger strings get their own memory. */
const sharedBytesMax = 4 * 1_024
/** Above this length, native code copies faster. */
const loopBytesMax = 64

export class Arena {
  /** The buffer with the last copied string. */
  bytes: Bytes = new Uint8Array(0)
  start = 0
  private used = 0

  /** Copies the bytes from `start` to `end` to `this.bytes`, at `this.start`. */
  put(bytes: Bytes, start: number, end: number): void {
    const length = end - start
    if (length > sharedBytesMax) {
      // The chunk is abandoned: its rest is smaller than one string of this size.
      this.bytes = new Uint8Array(length)
      this.bytes.set(bytes.subarray(start, end))
      this.start = 0
      this.used = length
      return
    }
    if (this.used + length > this.bytes.length) {
      this.bytes = new Uint8Array(chunkBytes)
      this.used = 0
    }
    const at = this.used
    this.start = at
    this.used = at + length
    if (length <= loopBytesMax) {
      for (let i = 0; i < length; i++) this.bytes[at + i] = bytes[start + i] as number
    } else this.bytes.set(bytes.subarray(start, end), at)
  }

  /** As `put`; returns a view of the copy. */
  copy(bytes: Bytes): Bytes {
    this.put(bytes, 0, bytes.length)
    return this.bytes.subarray(this.start, this.start + bytes.length)
  }
}
