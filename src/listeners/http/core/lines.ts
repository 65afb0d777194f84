// Splits a byte stream into lines at 0x0A, which no other UTF-8 character contains. A line that is
// too long is counted and reported, never held.

import type { Bytes } from '../../../base/bytes/bytes.js'

/** `bytes` undefined: the line was longer than allowed. */
export interface Line {
  readonly number: number
  readonly bytes: Bytes | undefined
}

export class LineSplitter {
  private readonly parts: Uint8Array[] = []
  private length = 0
  private number = 0

  constructor(private readonly bytesMax: number) {}

  /** Bytes of an incomplete line. */
  get heldBytes(): number {
    return this.length > this.bytesMax ? 0 : this.length
  }

  /** The lines that end in the chunk. */
  *take(chunk: Uint8Array): Generator<Line> {
    let start = 0
    for (;;) {
      const end = chunk.indexOf(0x0a, start)
      if (end < 0) break
      yield this.ended(chunk.subarray(start, end))
      start = end + 1
    }
    this.add(chunk.subarray(start))
  }

  /** The last line, if it has not ended. */
  *rest(): Generator<Line> {
    if (this.length > 0) yield this.ended(new Uint8Array(0))
  }

  private ended(last: Uint8Array): Line {
    this.number++
    const isWhole = this.parts.length === 0 && this.length === 0
    this.add(last)
    const isTooLong = this.length > this.bytesMax
    const bytes = isWhole ? last : Buffer.concat(this.parts)
    this.parts.length = 0
    this.length = 0
    return { number: this.number, bytes: isTooLong ? undefined : bytes }
  }

  private add(part: Uint8Array): void {
    this.length += part.length
    if (this.length > this.bytesMax) this.parts.length = 0
    else if (part.length > 0) this.parts.push(part)
  }
}
