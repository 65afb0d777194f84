// Open blocks of a large sorted set: a pipeline often changes the counts of the same blocks. Each
// is read once, counted in memory, and written once: when other code reads the records, or when the
// program ends.

import type { Bytes } from '../../../base/bytes/bytes.js'
import { Slice } from '../../../base/bytes/slice.js'
import { type Members, numberBytes, numberOfSlice, writeNumber } from '../containers/members.js'

/**
 * Offset of the mark in a block's record, after flags and number: whether another block follows.
 */
const nextMarkAt = 1 + numberBytes
/** Values of the mark; after `nextMark` is the start of the next block. */
export const lastMark = Uint8Array.of(0)
export const nextMark = Uint8Array.of(1)

/** Bytes of a start compared as one number. */
const wordBytes = 6

/** A block's record and its current count. */
export class OpenBlock {
  count: number
  /** The count in its record. */
  private readonly written: number

  constructor(
    /** Its first place, or a prefix of it. */
    readonly start: Bytes,
    readonly key: Bytes,
    readonly record: Bytes,
  ) {
    this.written = numberOfSlice(new Slice(record, 1, nextMarkAt))
    this.count = this.written
  }

  get isChanged(): boolean {
    return this.count !== this.written
  }

  /**
   * Whether the block contains the place at the front of `bytes`, which is not before its start.
   */
  covers(bytes: Bytes, end: number): boolean {
    const { record } = this
    return record[nextMarkAt] !== nextMark[0] || compareTo(record, nextMarkAt + 1, bytes, end) > 0
  }
}

/** Whether a block's record states where the next block begins and is not chunked. */
export function isWhole(record: Bytes): boolean {
  return record[0] === 0 && record.length > nextMarkAt
}

export class OpenBlocks {
  /** Ordered by start, with the first bytes of each in `words`. */
  private readonly blocks: OpenBlock[] = []
  private readonly words: number[] = []

  /**
   * The open block that contains the place at the front of `bytes`; undefined if it is not open.
   */
  find(bytes: Bytes, end: number): OpenBlock | undefined {
    const found = this.blocks[this.firstBehind(bytes, end) - 1]
    return found?.covers(bytes, end) === true ? found : undefined
  }

  /** Adds a block that is not open yet. */
  add(block: OpenBlock): void {
    const at = this.firstBehind(block.start, block.start.length)
    this.blocks.splice(at, 0, block)
    this.words.splice(at, 0, wordOf(block.start, block.start.length))
  }

  /** Writes the changed blocks and closes all. */
  settle(members: Members): void {
    const { blocks } = this
    for (let i = 0; i < blocks.length; i++) {
      const block = blocks[i] as OpenBlock
      // Often as many places were added as removed.
      if (!block.isChanged) continue
      writeNumber(block.record, 1, block.count)
      members.putRaw(block.key, block.record)
    }
    blocks.length = 0
    this.words.length = 0
  }

  /** The number of blocks that start at or before the place at the front of `bytes`. */
  private firstBehind(bytes: Bytes, end: number): number {
    const { blocks, words } = this
    const word = wordOf(bytes, end)
    let low = 0
    let high = blocks.length
    while (low < high) {
      const middle = (low + high) >>> 1
      let difference = (words[middle] as number) - word
      if (difference === 0) {
        difference = compareTo((blocks[middle] as OpenBlock).start, 0, bytes, end)
      }
      if (difference <= 0) low = middle + 1
      else high = middle
    }
    return low
  }
}

/** The first bytes as a number with the same order; missing bytes count as zeros. */
function wordOf(bytes: Bytes, end: number): number {
  let word = 0
  for (let i = 0; i < wordBytes; i++) word = word * 256 + (i < end ? (bytes[i] as number) : 0)
  return word
}

/** Compares the bytes of an array from an offset on with a place. */
function compareTo(array: Bytes, from: number, bytes: Bytes, end: number): number {
  const left = array.length - from
  for (let i = 0; i < left && i < end; i++) {
    const difference = (array[from + i] as number) - (bytes[i] as number)
    if (difference !== 0) return difference
  }
  return left - end
}
