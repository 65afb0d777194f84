// Memory for many small byte strings with the same lifetime: the documents of a sort, the keys of
// its groups. Hundreds share one buffer, because one buffer each would burden the garbage
// collector.

import type { Bytes } from '../bytes/bytes.js'

const usualChunkBytes = 64 * 1_024
/** Of this size the allocator maps memory of its own, and gives it back as soon as it is free. */
const chunkBytesMax = 256 * 1_024
/** Larger strings get their own memory, so that the rest of a chunk is not wasted. */
const sharedBytesMax = chunkBytesMax / 4
/** Memory of a chunk beside its bytes: the objects of JavaScript that stand for it. */
const chunkOverheadBytes = 256
/** Above this length, native code copies faster. */
const loopBytesMax = 64

const nothing: Bytes = new Uint8Array(0)

export class Arena {
  /** The buffer with the last copied string. */
  bytes: Bytes = nothing
  start = 0
  private used = 0
  /** Bytes of all strings so far. */
  private total = 0
  private ofChunks = 0

  /** `firstChunkBytes`: small if there may be few strings; chunks grow with their number. */
  constructor(private readonly firstChunkBytes = usualChunkBytes) {}

  /** Memory of all chunks so far. */
  get bytesHeld(): number {
    return this.ofChunks
  }

  /** Copies the bytes from `start` to `end` to `this.bytes`, at `this.start`. */
  put(bytes: Bytes, start: number, end: number): void {
    const length = end - start
    if (length > sharedBytesMax) {
      this.begin(length)
      this.bytes.set(bytes.subarray(start, end))
      this.start = 0
      this.used = length
      return
    }
    if (this.used + length > this.bytes.length) {
      this.begin(Math.max(length, this.firstChunkBytes, Math.min(this.total, chunkBytesMax)))
      this.used = 0
    }
    this.total += length
    const at = this.used
    this.start = at
    this.used = at + length
    if (length <= loopBytesMax) {
      for (let i = 0; i < length; i++) this.bytes[at + i] = bytes[start + i] as number
    } else this.bytes.set(bytes.subarray(start, end), at)
  }

  private begin(bytes: number): void {
    this.bytes = new Uint8Array(bytes)
    this.ofChunks += bytes + chunkOverheadBytes
  }

  /** Lets go of the buffer: what was copied to it is no longer used. */
  release(): void {
    this.bytes = nothing
    this.used = 0
    this.total = 0
    this.ofChunks = 0
  }

  /** As `put`; returns a view of the copy. */
  copy(bytes: Bytes): Bytes {
    this.put(bytes, 0, bytes.length)
    return this.bytes.subarray(this.start, this.start + bytes.length)
  }
}
