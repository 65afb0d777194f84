// Memory for many small byte strings that are kept together and let go together: the documents of a
// sort, the keys of its groups. One buffer for hundreds of them instead of one each, which is what
// the collector would be busy with.

import type { Bytes } from '../bytes/bytes.js'

const chunkBytes = 64 * 1_024
/** Larger strings get memory of their own. */
const sharedBytesMax = 4 * 1_024
/** Copying more than this is quicker in native code. */
const loopBytesMax = 64

export class Arena {
  /** Where the last string lies. */
  bytes: Bytes = new Uint8Array(0)
  start = 0
  private used = 0

  /** Copies what lies from `start` to `end` to `this.bytes`, at `this.start`. */
  put(bytes: Bytes, start: number, end: number): void {
    const length = end - start
    if (length > sharedBytesMax) {
      // The chunk is given up: what is left of it is less than a string of this size.
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

  /** The same as a view of the copy. */
  copy(bytes: Bytes): Bytes {
    this.put(bytes, 0, bytes.length)
    return this.bytes.subarray(this.start, this.start + bytes.length)
  }
}
