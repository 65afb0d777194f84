// Sorts ids by their keys: a quicksort on six key bytes at a time, read once into numbers; on a tie
// it continues with the next six. Comparing whole keys at each step would cause cache misses in the
// slabs.

import { memtableTailKeysMax } from '../../base/limits/store.js'
import { type Entries, wordBytes } from './memtable-entries.js'

/** Below this many, insertion sort is faster. */
const fewMax = 12

/** Words of the ids being sorted. Shared, since a sort runs synchronously. */
const words = new Float64Array(memtableTailKeysMax)

/** Sorts the first `count` of `ids`, whose keys differ; at most memtableTailKeysMax. */
export function sortIds(entries: Entries, ids: Int32Array, count: number): void {
  if (isSorted(entries, ids, count)) return
  loadWords(entries, ids, 0, count, 0)
  sortRange(entries, ids, 0, count, 0)
}

/** Fast path: loads often write keys in order. */
function isSorted(entries: Entries, ids: Int32Array, count: number): boolean {
  for (let i = 1; i < count; i++) {
    if (entries.compareIds(ids[i - 1] as number, ids[i] as number) > 0) return false
  }
  return true
}

function loadWords(
  entries: Entries,
  ids: Int32Array,
  start: number,
  end: number,
  depth: number,
): void {
  for (let i = start; i < end; i++) words[i] = entries.word(ids[i] as number, depth)
}

/** Sorts `start` to `end`: keys equal up to `depth`, whose next words are loaded. */
function sortRange(
  entries: Entries,
  ids: Int32Array,
  start: number,
  end: number,
  depth: number,
): void {
  let low = start
  let high = end
  let at = depth
  while (high - low > fewMax) {
    const pivot = middleOf(
      words[low] as number,
      words[(low + high) >>> 1] as number,
      words[high - 1] as number,
    )
    // Three-way partition: below, equal to and above the pivot.
    let less = low
    let more = high
    for (let i = low; i < more; ) {
      const word = words[i] as number
      if (word < pivot) swap(ids, less++, i++)
      else if (word > pivot) swap(ids, i, --more)
      else i++
    }
    sortRange(entries, ids, low, less, at)
    sortRange(entries, ids, more, high, at)
    low = less
    high = more
    at += wordBytes
    if (high - low > 1) loadWords(entries, ids, low, high, at)
  }
  insertFew(entries, ids, low, high)
}

function insertFew(entries: Entries, ids: Int32Array, start: number, end: number): void {
  for (let i = start + 1; i < end; i++) {
    const id = ids[i] as number
    const word = words[i] as number
    let at = i
    for (; at > start; at--) {
      const before = words[at - 1] as number
      if (before < word) break
      if (before === word && entries.compareIds(ids[at - 1] as number, id) < 0) break
      ids[at] = ids[at - 1] as number
      words[at] = before
    }
    ids[at] = id
    words[at] = word
  }
}

function middleOf(a: number, b: number, c: number): number {
  if (a < b) return b < c ? b : Math.max(a, c)
  return a < c ? a : Math.max(b, c)
}

function swap(ids: Int32Array, i: number, j: number): void {
  const id = ids[i] as number
  const word = words[i] as number
  ids[i] = ids[j] as number
  words[i] = words[j] as number
  ids[j] = id
  words[j] = word
}
