// Sorts the changes of a log segment by key and drops those that a later change of the same key
// replaced. It handles hundreds of thousands at a time, so all data is in typed arrays. The sort is
// MSD-first on words of three key bytes, each level by radix. Its time is bounded by the bytes of
// the keys, with no worst case.

import type { Bytes } from '../../base/bytes/bytes.js'
import { changeHeaderBytes, keyLengthOf } from '../log/change.js'
import { freeMemory } from './typed-memory.js'

/** Key bytes of one word; the low byte holds their count, or a marker that more follow. */
const wordBytes = 3
const moreFollow = wordBytes + 1
/** Up to this many elements, insertion sort beats radix sort. */
const insertionMax = 48
/** Initial number of levels: enough words for most keys. */
const levelsMin = 64

/**
 * Sorts the offsets of changes in `bytes` by key, in place. Of equal keys only the last change
 * stays. Returns how many remain, at the front of `offsets`.
 */
export function newestInKeyOrder(bytes: Bytes, offsets: Uint32Array): number {
  if (offsets.length === 0) return 0
  const order = new KeyOrder(bytes, offsets)
  try {
    order.sort()
    return order.kept
  } finally {
    order.free()
  }
}

class KeyOrder {
  /** Offsets below it hold only one change for each key. */
  kept = 0
  private readonly bytes: Bytes
  private readonly offsets: Uint32Array
  private readonly words: Uint32Array
  private readonly otherOffsets: Uint32Array
  private readonly otherWords: Uint32Array
  private readonly counts = new Uint32Array(4 * 256)
  /** For each level, one word deeper than the previous: the unsorted rest of its run. */
  private at = new Uint32Array(levelsMin)
  private ends = new Uint32Array(levelsMin)

  constructor(bytes: Bytes, offsets: Uint32Array) {
    this.bytes = bytes
    this.offsets = offsets
    this.words = new Uint32Array(offsets.length)
    this.otherOffsets = new Uint32Array(offsets.length)
    this.otherWords = new Uint32Array(offsets.length)
  }

  free(): void {
    freeMemory(this.words, this.otherOffsets, this.otherWords)
  }

  /**
   * Sorts all keys. Runs with a common prefix are sorted iteratively, from left to right. With
   * recursion, V8 discarded and recompiled the code hundreds of thousands of times in each
   * checkpoint, which took most of its time.
   */
  sort(): void {
    const { words, offsets } = this
    let { at, ends } = this
    let level = 0
    at[0] = 0
    ends[0] = offsets.length
    this.order(0, offsets.length, 0)
    while (level >= 0) {
      const start = at[level] as number
      const high = ends[level] as number
      if (start === high) {
        level--
        continue
      }
      const end = this.runEnd(start, high)
      at[level] = end
      if (end === start + 1) this.keep(offsets[start] as number)
      else if (((words[start] as number) & 0xff) !== moreFollow) this.keepNewest(start, end)
      else {
        level++
        if (level === at.length) {
          at = this.at = longer(at)
          ends = this.ends = longer(ends)
        }
        at[level] = start
        ends[level] = end
        this.order(start, end, level * wordBytes)
      }
    }
  }

  /** Sorts keys that are equal up to `depth` by their next word. */
  private order(low: number, high: number, depth: number): void {
    const { words, offsets } = this
    let differ = 0
    for (let i = low; i < high; i++) {
      const word = this.word(offsets[i] as number, depth)
      words[i] = word
      differ |= word ^ (words[low] as number)
    }
    if (differ === 0) return
    if (high - low <= insertionMax) this.insertionSort(low, high)
    else this.radixSort(low, high, differ)
  }

  /** The end of the run of equal words that begins at `start`. */
  private runEnd(start: number, high: number): number {
    const { words } = this
    const word = words[start] as number
    let end = start + 1
    while (end < high && words[end] === word) end++
    return end
  }

  private word(at: number, depth: number): number {
    const { bytes } = this
    const from = at + changeHeaderBytes + depth
    const rest = keyLengthOf(bytes, at) - depth
    if (rest > wordBytes) {
      const high = ((bytes[from] as number) << 24) | ((bytes[from + 1] as number) << 16)
      return (high | ((bytes[from + 2] as number) << 8) | moreFollow) >>> 0
    }
    let word = rest
    for (let i = 0; i < rest; i++) word |= (bytes[from + i] as number) << (24 - 8 * i)
    return word >>> 0
  }

  private keep(offset: number): void {
    this.offsets[this.kept++] = offset
  }

  private keepNewest(start: number, end: number): void {
    let newest = this.offsets[start] as number
    for (let i = start + 1; i < end; i++) {
      const offset = this.offsets[i] as number
      if (offset > newest) newest = offset
    }
    this.keep(newest)
  }

  private insertionSort(low: number, high: number): void {
    const { words, offsets } = this
    for (let i = low + 1; i < high; i++) {
      const word = words[i] as number
      const offset = offsets[i] as number
      let to = i
      for (; to > low && (words[to - 1] as number) > word; to--) {
        words[to] = words[to - 1] as number
        offsets[to] = offsets[to - 1] as number
      }
      words[to] = word
      offsets[to] = offset
    }
  }

  /** Least significant byte first; skips bytes that are equal in all words. */
  private radixSort(low: number, high: number, differ: number): void {
    const { counts, words } = this
    counts.fill(0)
    for (let i = low; i < high; i++) {
      const word = words[i] as number
      for (let byte = 0; byte < 4; byte++) {
        const at = 256 * byte + ((word >>> (8 * byte)) & 0xff)
        counts[at] = (counts[at] as number) + 1
      }
    }
    for (let byte = 0; byte < 4; byte++) {
      if (((differ >>> (8 * byte)) & 0xff) !== 0) this.pass(low, high, byte)
    }
  }

  private pass(low: number, high: number, byte: number): void {
    const { counts, words, offsets, otherWords, otherOffsets } = this
    const base = 256 * byte
    let sum = 0
    for (let i = base; i < base + 256; i++) {
      const count = counts[i] as number
      counts[i] = sum
      sum += count
    }
    for (let i = low; i < high; i++) {
      const word = words[i] as number
      const digit = base + ((word >>> (8 * byte)) & 0xff)
      const to = counts[digit] as number
      counts[digit] = to + 1
      otherWords[to] = word
      otherOffsets[to] = offsets[i] as number
    }
    words.set(otherWords.subarray(0, high - low), low)
    offsets.set(otherOffsets.subarray(0, high - low), low)
  }
}

function longer(levels: Uint32Array<ArrayBuffer>): Uint32Array<ArrayBuffer> {
  const grown = new Uint32Array(2 * levels.length)
  grown.set(levels)
  return grown
}
