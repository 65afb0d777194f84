// Blocks of a large sorted set that a program has open: a pipeline changes the counts of the same
// ones again and again. Each is read once, counted in memory, and written once, when another part
// is to read the records or the program ends.

import type { Bytes } from '../../../base/bytes/bytes.js'
import { Slice } from '../../../base/bytes/slice.js'
import { type Members, numberBytes, numberOfSlice, writeNumber } from '../containers/members.js'

/** Of a block's record, behind its flags and its number: whether another block follows. */
const nextMarkAt = 1 + numberBytes
/** In that place; behind the second one stands where the next block begins. */
export const lastMark = Uint8Array.of(0)
export const nextMark = Uint8Array.of(1)

/** Bytes of a start that are compared as one number. */
const wordBytes = 6

/** A block's record, and what has become of its count. */
export class OpenBlock {
  count: number
  /** What its record says. */
  private readonly written: number

  constructor(
    /** Its first place, or a beginning of it. */
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

  /** Whether the place that `bytes` begins with, which is not before its start, is in it. */
  covers(bytes: Bytes, end: number): boolean {
    const { record } = this
    return record[nextMarkAt] !== nextMark[0] || compareTo(record, nextMarkAt + 1, bytes, end) > 0
  }
}

/** Whether a block's record says where the next one begins, and lies in one piece. */
export function isWhole(record: Bytes): boolean {
  return record[0] === 0 && record.length > nextMarkAt
}

export class OpenBlocks {
  /** In the order of their starts; the first bytes of each beside them. */
  private readonly blocks: OpenBlock[] = []
  private readonly words: number[] = []

  /** The one in which the place is that `bytes` begins with; undefined where that is not open. */
  find(bytes: Bytes, end: number): OpenBlock | undefined {
    const found = this.blocks[this.firstBehind(bytes, end) - 1]
    return found?.covers(bytes, end) === true ? found : undefined
  }

  /** One that is not open yet. */
  add(block: OpenBlock): void {
    const at = this.firstBehind(block.start, block.start.length)
    this.blocks.splice(at, 0, block)
    this.words.splice(at, 0, wordOf(block.start, block.start.length))
  }

  /** Writes those that have changed; none is open then. */
  settle(members: Members): void {
    const { blocks } = this
    for (let i = 0; i < blocks.length; i++) {
      const block = blocks[i] as OpenBlock
      // As many places have come as have gone, often enough.
      if (!block.isChanged) continue
      writeNumber(block.record, 1, block.count)
      members.putRaw(block.key, block.record)
    }
    blocks.length = 0
    this.words.length = 0
  }

  /** So many of them do not begin behind the place that `bytes` begins with. */
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

/** The first bytes as a number, in their order; zeros where there are fewer. */
function wordOf(bytes: Bytes, end: number): number {
  let word = 0
  for (let i = 0; i < wordBytes; i++) word = word * 256 + (i < end ? (bytes[i] as number) : 0)
  return word
}

/** The order of what stands in an array from a place on, and of a place. */
function compareTo(array: Bytes, from: number, bytes: Bytes, end: number): number {
  const left = array.length - from
  for (let i = 0; i < left && i < end; i++) {
    const difference = (array[from + i] as number) - (bytes[i] as number)
    if (difference !== 0) return difference
  }
  return left - end
}
