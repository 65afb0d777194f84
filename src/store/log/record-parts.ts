// The record of a group that spans several turns. Its changes are written as they are made, and its
// header last. Until then a reader of the log finds no record, as after a torn write.

import type { Bytes } from '../../base/bytes/bytes.js'
import { crc32c } from '../../base/bytes/crc32c.js'
import type { Memtable } from '../memtable/memtable.js'
import type { SegmentLog } from './log.js'
import { recordHeaderBytes } from './log-record.js'

export class RecordParts {
  /** Bytes of the changes written so far, and their checksum. */
  private bytes = 0
  private checksum = 0

  constructor(
    private readonly log: SegmentLog,
    private readonly memtable: Memtable,
  ) {}

  /** Writes at most `most` bytes of the changes; returns whether more are left. */
  write(most: number): boolean {
    const pieces: Bytes[] = []
    let length = 0
    let hasMore = false
    for (const piece of this.unwritten()) {
      hasMore = length + piece.length > most
      const some = hasMore ? piece.subarray(0, most - length) : piece
      if (some.length > 0) pieces.push(some)
      length += some.length
      if (hasMore) break
    }
    if (length === 0) return false
    this.log.writePart(pieces, this.bytes)
    for (const piece of pieces) this.checksum = crc32c(piece, 0, piece.length, this.checksum)
    this.bytes += length
    return hasMore
  }

  /** Writes the rest and the header that completes the record; returns its group. */
  end(changes: number): number {
    this.write(Number.POSITIVE_INFINITY)
    return this.log.endParts(this.bytes, this.checksum, changes)
  }

  undo(): void {
    if (this.bytes > 0) this.log.undoParts()
  }

  private unwritten(): Bytes[] {
    let before = recordHeaderBytes + this.bytes
    const rest: Bytes[] = []
    for (const piece of this.memtable.pieces()) {
      if (before < piece.length) rest.push(before === 0 ? piece : piece.subarray(before))
      before = Math.max(before - piece.length, 0)
    }
    return rest
  }
}
