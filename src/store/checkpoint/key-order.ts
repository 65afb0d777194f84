// Brings the changes of a log segment into key order and drops what a later change of the same key
// replaced. Hundreds of thousands at a time, so everything is in typed arrays: a most significant
// digit first sort whose digits are words of three key bytes, each level sorted by radix. No worst
// case: time is bounded by the bytes of the keys.

import type { Bytes } from '../../base/bytes/bytes.js'
import { changeHeaderBytes, keyLengthOf } from '../log/change.js'
import { freeMemory } from './typed-memory.js'

/** Key bytes of one word; the byte below them says how many there are, or that more follow. */
const wordBytes = 3
const moreFollow = wordBytes + 1
/** Up to so many an insertion sort beats the counting. */
const insertionMax = 48
/** Levels of words that most keys have. */
const levelsMin = 64

/**
 * Sorts the offsets of changes in `bytes` by their keys, in place; of equal keys the change that
 * lies last stays. Answers how many are left, at the front of `offsets`.
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
  /** Of those before it only one a key is left. */
  kept = 0
  private readonly bytes: Bytes
  private readonly offsets: Uint32Array
  private readonly words: Uint32Array
  private readonly otherOffsets: Uint32Array
  private readonly otherWords: Uint32Array
  private readonly counts = new Uint32Array(4 * 256)
  /** Of each level, a word deeper than the one before: what of its run is left. */
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
   * Of all keys. Runs that begin alike are sorted as they are met, from left to right, and no call
   * is nested in another of its own: optimized code of a recursion was thrown away and made again
   * hundreds of thousands of times a checkpoint, which was most of its time.
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

  /** Of keys that are the same up to `depth`: by their next word. */
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

  /** Where the words from `start` on are no longer the same. */
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

  /** Least significant byte first; bytes that are the same everywhere are skipped. */
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
