// A scan of a range that has a bound in bytes, merged with changes. What the store returns may end
// before the range does, and own removals may leave less than the bound of it: then more is read,
// since a scan that ends below its bounds has reached the end of its range.

import { type Bytes, concatBytes } from '../../base/bytes/bytes.js'
import { scanEntriesMax } from '../../base/limits/engine.js'
import { endsRange } from '../steps.js'
import type { Entry, KeyRange } from '../store.js'
import type { WriteBuffer } from './write-buffer.js'

/** What to read of the store. */
export interface OwnPage {
  readonly range: KeyRange
  readonly limit: number
}

export class OwnPages {
  readonly entries: Entry[] = []
  private bytes = 0
  private isOver = false

  constructor(
    private readonly buffer: WriteBuffer,
    /** What is left of the range. */
    private range: KeyRange,
    private readonly limit: number,
    private readonly bytesMax: number,
  ) {}

  /** Undefined if the scan is complete. */
  next(): OwnPage | undefined {
    const { buffer, range, bytes, bytesMax, left } = this
    if (this.isOver || left === 0 || bytes >= bytesMax) return undefined
    const limit = Math.min(buffer.ownWrites(range, left).wanted, scanEntriesMax)
    return { range: { ...range, bytesMax: bytesMax - bytes }, limit }
  }

  /** Merges what was read with the changes up to its end. */
  take(asked: OwnPage, stored: readonly Entry[]): void {
    const { range, left } = this
    const last = stored.at(-1)
    this.isOver = last === undefined || endsRange(stored, asked.range, asked.limit)
    const [read, rest] = last === undefined || this.isOver ? [range, range] : split(range, last.key)
    for (const entry of this.buffer.ownWrites(read, left).merge(stored)) {
      this.entries.push(entry)
      this.bytes += entry.value.length
    }
    this.range = rest
  }

  private get left(): number {
    return this.limit - this.entries.length
  }
}

/** The range up to a key, in its order, and the range behind it. */
function split(range: KeyRange, key: Bytes): [KeyRange, KeyRange] {
  const behind = concatBytes(key, Uint8Array.of(0))
  if (range.reverse === true)
    return [
      { ...range, start: key },
      { ...range, end: key },
    ]
  return [
    { ...range, end: behind },
    { ...range, start: behind },
  ]
}
