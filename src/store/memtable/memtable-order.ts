// Keeps the keys of a memtable in order, lazily. New ids wait in a tail and are sorted into runs
// when the order is needed or the tail is full. A run is a sorted array of ids with six bytes of
// each key beside them, so a search rarely reads a key itself.

import type { Bytes } from '../../base/bytes/bytes.js'
import { memtableTailKeysMax } from '../../base/limits/store.js'
import { type Entries, KeyRef, wordOf } from './memtable-entries.js'
import { sortIds } from './memtable-sort.js'

/** Keys of one sorted run. */
const runMax = 512

interface Run {
  readonly ids: Int32Array
  readonly words: Float64Array
  size: number
  /** Length of the prefix common to all keys of the run; the words begin after it. */
  depth: number
}

/**
 * A place in the order is (index of a run) * placesPerRun + (index in the run). The end is in the
 * run after the last one.
 */
const placesPerRun = 2 ** Math.ceil(Math.log2(runMax + 1))

const runBytes = runMax * 12
/** Maximum fill of the runs that a full run is divided into. */
const filledMax = Math.floor(runMax * 0.875)
/** A run with fewer keys is joined with its neighbour, if the result is not nearly full. */
const sparseMax = runMax / 8
const joinedMax = runMax / 2
/** Capacity of a new tail; it grows to memtableTailKeysMax. */
const tailMin = 64
/** Words are recomputed when this many of their bytes are equal in all keys of a run. */
const staleBytes = 3
/** Above this many elements, moving is faster in native code. */
const loopMax = 48

/** Space to merge a full run and a whole tail; used by one merge at a time. */
const scratch: Run = {
  ids: new Int32Array(runMax + memtableTailKeysMax),
  words: new Float64Array(runMax + memtableTailKeysMax),
  size: 0,
  depth: 0,
}

export class Order {
  private readonly entries: Entries
  private readonly runs: Run[] = []
  private tail = new Int32Array(tailMin)
  private waiting = 0
  /** Ids of the tail that were removed before it was sorted. */
  private readonly removed = new Set<number>()
  private readonly key = new KeyRef()

  constructor(entries: Entries) {
    this.entries = entries
  }

  get bytes(): number {
    return this.runs.length * runBytes + this.tail.byteLength
  }

  add(id: number): void {
    if (this.waiting === memtableTailKeysMax) this.settle()
    if (this.waiting === this.tail.length) {
      const grown = new Int32Array(2 * this.waiting)
      grown.set(this.tail)
      this.tail = grown
    }
    this.tail[this.waiting++] = id
  }

  /** Also frees the id, now or when the tail is sorted. Until then its key stays readable. */
  remove(id: number): void {
    if (this.waiting > 0 && this.tail[this.waiting - 1] === id) {
      this.waiting--
      this.entries.free(id)
      return
    }
    const { key } = this
    this.entries.point(key, id)
    const index = this.runOf(key, 0)
    const run = this.runs[index]
    const at = run === undefined ? 0 : this.rank(run, run.size, key)
    if (run === undefined || at === run.size || run.ids[at] !== id) {
      this.removed.add(id)
      return
    }
    run.ids.copyWithin(at, at + 1, run.size)
    run.words.copyWithin(at, at + 1, run.size)
    run.size--
    this.entries.free(id)
    if (run.size < sparseMax) this.join(index)
  }

  /** The place of the first key >= `bytes`. */
  lowerBound(bytes: Bytes): number {
    this.settle()
    const { key } = this
    key.bytes = bytes
    key.start = 0
    key.length = bytes.length
    const index = this.runOf(key, 0)
    const run = this.runs[index]
    if (run === undefined) return 0
    const prefix = this.entries.comparePrefix(run.ids[0] as number, key, run.depth)
    if (prefix > 0) return index * placesPerRun
    const at = prefix < 0 ? run.size : this.rank(run, run.size, key)
    return at === run.size ? (index + 1) * placesPerRun : index * placesPerRun + at
  }

  idAt(place: number): number {
    const run = this.runs[Math.floor(place / placesPerRun)] as Run
    return run.ids[place % placesPerRun] as number
  }

  placeAfter(place: number): number {
    const index = Math.floor(place / placesPerRun)
    const last = (this.runs[index] as Run).size - 1
    return place % placesPerRun < last ? place + 1 : (index + 1) * placesPerRun
  }

  /** The previous place; `place` is not the first. */
  placeBefore(place: number): number {
    if (place % placesPerRun > 0) return place - 1
    const index = Math.floor(place / placesPerRun) - 1
    return index * placesPerRun + (this.runs[index] as Run).size - 1
  }

  /** Sorts the tail into the runs. */
  settle(): void {
    if (this.waiting === 0) return
    const count = this.removed.size > 0 ? this.withoutRemoved() : this.waiting
    this.waiting = 0
    const { tail, entries, key } = this
    sortIds(entries, tail, count)
    let index = 0
    for (let from = 0; from < count; ) {
      entries.point(key, tail[from] as number)
      index = this.runOf(key, index)
      const to = this.endOfRun(index, from, count)
      index += this.merge(index, from, to) - 1
      from = to
    }
  }

  private withoutRemoved(): number {
    let count = 0
    for (let i = 0; i < this.waiting; i++) {
      const id = this.tail[i] as number
      if (this.removed.has(id)) this.entries.free(id)
      else this.tail[count++] = id
    }
    this.removed.clear()
    return count
  }

  /** The last run from `from` on whose first key is not above `key`, or `from`. */
  private runOf(key: KeyRef, from: number): number {
    const { runs } = this
    let low = from
    let step = 1
    // Galloping search, since the next run is often near.
    while (low + step < runs.length && this.begins(low + step, key) <= 0) {
      low += step
      step *= 2
    }
    let high = Math.min(low + step, runs.length)
    while (low + 1 < high) {
      const middle = (low + high) >>> 1
      if (this.begins(middle, key) <= 0) low = middle
      else high = middle
    }
    return low
  }

  private begins(index: number, key: KeyRef): number {
    return this.entries.compare((this.runs[index] as Run).ids[0] as number, key)
  }

  /** The end of the ids of the sorted tail, from `from` on, that belong to a run. */
  private endOfRun(index: number, from: number, count: number): number {
    const next = this.runs[index + 1]?.ids[0]
    if (next === undefined) return count
    this.entries.point(this.key, next)
    let to = from + 1
    while (to < count && this.entries.compare(this.tail[to] as number, this.key) < 0) to++
    return to
  }

  /** Merges ids of the tail into a run; returns how many runs replace it. */
  private merge(index: number, from: number, to: number): number {
    const run = this.runs[index]
    if (run !== undefined && run.size + to - from <= runMax) {
      this.insert(run, from, to)
      return 1
    }
    scratch.size = 0
    const last = run?.ids[run.size - 1]
    if (run === undefined || last === undefined) {
      this.insert(scratch, from, to)
      return this.divide(index, 0, filledMax)
    }
    if (this.entries.compareIds(last, this.tail[from] as number) < 0) {
      // All keys follow the run, as in an ordered load: the full run stays unchanged.
      this.insert(scratch, from, to)
      return 1 + this.divide(index + 1, 0, runMax)
    }
    copyRun(run, 0, run.size, scratch)
    this.insert(scratch, from, to)
    return this.divide(index, 1, filledMax)
  }

  /** Inserts ids of the sorted tail into a run with room, from the back, so each id moves once. */
  private insert(run: Run, from: number, to: number): void {
    const { entries, tail, key } = this
    this.spread(run, tail[from] as number, tail[to - 1] as number)
    let high = run.size
    for (let i = to - 1; i >= from; i--) {
      const id = tail[i] as number
      entries.point(key, id)
      const at = this.rank(run, high, key)
      const shift = i - from + 1
      moveUp(run, at, high, shift)
      run.ids[at + shift - 1] = id
      run.words[at + shift - 1] = wordOf(key.bytes, key.start, key.length, run.depth)
      high = at
    }
    run.size += to - from
  }

  /** Adapts the words of a run to keys from `lowest` to `highest`. */
  private spread(run: Run, lowest: number, highest: number): void {
    const { entries } = this
    if (run.size === 0) {
      run.depth = entries.commonPrefix(lowest, highest)
      return
    }
    const first = run.ids[0] as number
    const depth = Math.min(
      entries.commonPrefix(first, lowest),
      entries.commonPrefix(first, highest),
    )
    if (depth < run.depth) this.loadWords(run, depth)
  }

  private loadWords(run: Run, depth: number): void {
    run.depth = depth
    for (let i = 0; i < run.size; i++) run.words[i] = this.entries.word(run.ids[i] as number, depth)
  }

  /** The number of the first `high` keys of a run below `key`, which shares their prefix. */
  private rank(run: Run, high: number, key: KeyRef): number {
    const { ids, words } = run
    const word = wordOf(key.bytes, key.start, key.length, run.depth)
    let low = 0
    let end = high
    while (low < end) {
      const middle = (low + end) >>> 1
      let difference = (words[middle] as number) - word
      if (difference === 0) difference = this.entries.compare(ids[middle] as number, key)
      if (difference < 0) low = middle + 1
      else end = middle
    }
    return low
  }

  /** Splits the scratch run into runs that replace `replaced` ones at `index`. */
  private divide(index: number, replaced: number, most: number): number {
    const count = Math.ceil(scratch.size / most)
    const made: Run[] = []
    for (let i = 0; i < count; i++) {
      const start = Math.floor((scratch.size * i) / count)
      const end = Math.floor((scratch.size * (i + 1)) / count)
      const run = (i < replaced ? this.runs[index] : undefined) ?? emptyRun()
      copyRun(scratch, start, end, run)
      const depth = this.entries.commonPrefix(run.ids[0] as number, run.ids[run.size - 1] as number)
      if (depth - run.depth >= staleBytes) this.loadWords(run, depth)
      made.push(run)
    }
    this.runs.splice(index, replaced, ...made)
    return count
  }

  /** Joins a sparse run with a neighbour. */
  private join(index: number): void {
    const { runs } = this
    if (runs[index]?.size === 0) {
      runs.splice(index, 1)
      return
    }
    const at = Math.max(0, index - 1)
    const left = runs[at]
    const right = runs[at + 1]
    if (left === undefined || right === undefined || left.size + right.size > joinedMax) return
    left.ids.set(right.ids.subarray(0, right.size), left.size)
    left.size += right.size
    const last = left.ids[left.size - 1] as number
    this.loadWords(left, this.entries.commonPrefix(left.ids[0] as number, last))
    runs.splice(at + 1, 1)
  }
}

function emptyRun(): Run {
  return { ids: new Int32Array(runMax), words: new Float64Array(runMax), size: 0, depth: 0 }
}

function copyRun(source: Run, start: number, end: number, target: Run): void {
  target.ids.set(source.ids.subarray(start, end))
  target.words.set(source.words.subarray(start, end))
  target.size = end - start
  target.depth = source.depth
}

/** Moves the elements from `start` to `end` by `shift` places. */
function moveUp({ ids, words }: Run, start: number, end: number, shift: number): void {
  if (end - start > loopMax) {
    ids.copyWithin(start + shift, start, end)
    words.copyWithin(start + shift, start, end)
    return
  }
  for (let i = end - 1; i >= start; i--) {
    ids[i + shift] = ids[i] as number
    words[i + shift] = words[i] as number
  }
}
