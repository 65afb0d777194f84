// Many keys of values in one buffer: sorted, distinct, found by bisection. An operand of 16 MB has
// more than a million values, whose keys take a twentieth of the memory that objects would. They
// are encoded, sorted and compared in place, and the work may pause at each step.

import type { Bytes } from '../base/bytes/bytes.js'
import { work } from '../base/work/work-budget.js'
import { bytesPerUnit, charsPerUnit } from '../base/work/work-figures.js'
import { KeyWriter } from './key.js'
import type { Value } from './value.js'

/** Work that may pause at each `yield`. */
export type Steps<T> = Generator<void, T, void>

/** Work units to encode a key, to compare two, to copy one, and to find one. */
const encodeUnits = 2
const compareUnits = 0.6
const copyUnits = 0.6
const findUnits = 4
const findStepUnits = 0.5
/** Work units of a native call for the rest of a long key, beside its bytes. */
const farUnits = 1.5
/** Keys between two pauses. */
const keysAtOnce = 256
const startBytes = 4_096
const startKeys = 256

const scratch = new KeyWriter()

/** Keys one after the other, and where each ends. */
interface Packed {
  readonly bytes: Bytes
  readonly ends: Uint32Array
}

function startOf({ ends }: Packed, index: number): number {
  return index === 0 ? 0 : (ends[index - 1] as number)
}

/** Up to this many bytes, a loop compares or copies faster than a native call. */
const nearBytes = 64

/** As compareBytes, of the bytes from `start` to `end` and of others. */
function compareRange(
  bytes: Bytes,
  start: number,
  end: number,
  other: Bytes,
  from: number,
  to: number,
): number {
  const [length, otherLength] = [end - start, to - from]
  const least = Math.min(length, otherLength)
  const near = Math.min(least, nearBytes)
  for (let i = 0; i < near; i++) {
    const difference = (bytes[start + i] as number) - (other[from + i] as number)
    if (difference !== 0) return difference
  }
  if (least === near) return length - otherLength
  return Buffer.compare(bytes.subarray(start + near, end), other.subarray(from + near, to))
}

/** As compareBytes, of a key and of bytes from `from` to `to`. */
function compareWith(keys: Packed, index: number, other: Bytes, from: number, to: number): number {
  const start = startOf(keys, index)
  const end = keys.ends[index] as number
  if (end - start > nearBytes) work.note(farUnits + (end - start) / bytesPerUnit)
  return compareRange(keys.bytes, start, end, other, from, to)
}

/** Copies a key from `start` to `end` of others. */
function copyKey(into: Bytes, at: number, from: Bytes, start: number, end: number): void {
  if (end - start <= nearBytes) {
    for (let i = start; i < end; i++) into[at + i - start] = from[i] as number
    return
  }
  work.note(farUnits + (end - start) / bytesPerUnit)
  into.set(from.subarray(start, end), at)
}

function compareAt(keys: Packed, left: number, right: number): number {
  return compareWith(keys, left, keys.bytes, startOf(keys, right), keys.ends[right] as number)
}

/** Keys as they are added, in any order. */
export class KeyCollector implements Packed {
  bytes = new Uint8Array(startBytes)
  ends = new Uint32Array(startKeys)
  private places = new Uint32Array(startKeys)
  private count = 0

  /** `place` is where the value stands in its document. */
  add(value: Value, place: number): void {
    const key = scratch.reset().value(value).view()
    work.note(encodeUnits)
    const { count } = this
    const start = startOf(this, count)
    this.reserve(start + key.length)
    copyKey(this.bytes, start, key, 0, key.length)
    this.ends[count] = start + key.length
    this.places[count] = place
    this.count++
  }

  /** The keys sorted, each once. */
  *list(): Steps<KeyList> {
    const order = yield* sorted(this, this.count)
    const bytes = new Uint8Array(startOf(this, this.count))
    const ends = new Uint32Array(this.count)
    const places = new Uint32Array(this.count)
    let [count, at, longest] = [0, 0, 0]
    for (let i = 0; i < order.length; i++) {
      if (i % keysAtOnce === 0) yield work.note(keysAtOnce * copyUnits)
      const index = order[i] as number
      if (i > 0 && compareAt(this, order[i - 1] as number, index) === 0) continue
      const end = this.ends[index] as number
      const start = startOf(this, index)
      copyKey(bytes, at, this.bytes, start, end)
      at += end - start
      longest = Math.max(longest, end - start)
      ends[count] = at
      places[count++] = this.places[index] as number
    }
    return new KeyList({ bytes, ends }, places, count, longest)
  }

  private reserve(bytes: number): void {
    if (bytes > this.bytes.length) {
      const longer = new Uint8Array(Math.max(bytes, this.bytes.length * 2))
      longer.set(this.bytes)
      this.bytes = longer
    }
    if (this.count < this.ends.length) return
    this.ends = doubled(this.ends)
    this.places = doubled(this.places)
  }
}

function doubled(numbers: Uint32Array): Uint32Array<ArrayBuffer> {
  const longer = new Uint32Array(numbers.length * 2)
  longer.set(numbers)
  return longer
}

/** Sorted and distinct keys. */
export class KeyList {
  /** Bytes with which all keys begin. */
  private readonly alike: number
  /** A search takes longer than its steps say: each reads other memory. */
  private readonly findUnits: number

  constructor(
    private readonly keys: Packed,
    private readonly places: Uint32Array,
    readonly length: number,
    /** Bytes of the longest key. */
    readonly longest: number,
  ) {
    this.findUnits = findUnits + findStepUnits * Math.log2(length + 1)
    this.alike = length === 0 ? 0 : this.shared(0, this.keyAt(length - 1), 0)
  }

  /** The key at a position, in place. */
  keyAt(index: number): Bytes {
    const { bytes, ends } = this.keys
    return bytes.subarray(startOf(this.keys, index), ends[index])
  }

  /** Where the value of a key stands in its document. */
  placeAt(index: number): number {
    return this.places[index] as number
  }

  has(value: Value): boolean {
    return this.positionOf(value) !== undefined
  }

  /** The position of a value's key. */
  positionOf(value: Value): number | undefined {
    work.spend(this.findUnits)
    const found = this.search(scratch.reset().value(value).view())
    return found < 0 ? undefined : found
  }

  /** The position of the first key that is not below `key`. */
  firstFrom(key: Bytes): number {
    const found = this.search(key)
    return found < 0 ? -1 - found : found
  }

  /** The position of a key; of one that is missing, minus 1 less the position it would have. */
  private search(key: Bytes): number {
    const { alike } = this
    let [low, high] = [0, this.length]
    if (alike > 0) {
      const order = compareRange(this.keys.bytes, 0, alike, key, 0, Math.min(alike, key.length))
      if (order !== 0) return -1 - (order < 0 ? high : 0)
    }
    // Bytes that the keys on both sides share with it: those between share them too.
    let [lowShared, highShared] = [alike, alike]
    while (low < high) {
      const middle = (low + high) >>> 1
      const from = Math.min(lowShared, highShared)
      const shared = this.shared(middle, key, from)
      if (shared - from > charsPerUnit) work.spend((shared - from) / charsPerUnit)
      const at = startOf(this.keys, middle) + shared
      const isWhole = at === this.keys.ends[middle]
      const isBegun = shared === key.length
      if (isBegun && isWhole) return middle
      const isBelow = isWhole || (this.keys.bytes[at] as number) < (key[shared] as number)
      if (isBelow && !isBegun) {
        low = middle + 1
        lowShared = shared
      } else {
        high = middle
        highShared = shared
      }
    }
    return -1 - low
  }

  /** How many bytes of a key are those of the other; the first `from` are known to be. */
  private shared(index: number, key: Bytes, from: number): number {
    const { bytes, ends } = this.keys
    const start = startOf(this.keys, index)
    const most = Math.min((ends[index] as number) - start, key.length)
    let at = from
    while (at < most && bytes[start + at] === key[at]) at++
    return at
  }
}

/** The positions of keys in ascending order, by merges of what is ascending already. */
function* sorted(keys: Packed, count: number): Steps<Uint32Array> {
  let order = new Uint32Array(count)
  let other = new Uint32Array(count)
  /** Where each ascending run ends. */
  let runs: number[] = []
  for (let i = 0; i < count; i++) {
    if (i % keysAtOnce === 0) yield work.note(keysAtOnce * compareUnits)
    order[i] = i
    if (i > 0 && compareAt(keys, i - 1, i) > 0) runs.push(i)
  }
  runs.push(count)
  while (runs.length > 1) {
    const merged: number[] = []
    for (let i = 0; i < runs.length; i += 2) {
      const from = i === 0 ? 0 : (runs[i - 1] as number)
      const end = runs[i + 1] ?? (runs[i] as number)
      yield* merge(keys, order, other, from, runs[i] as number, end)
      merged.push(end)
    }
    runs = merged
    const last = order
    order = other
    other = last
  }
  return order
}

/** Merges the runs from `from` to `middle` and from `middle` to `end` into another array. */
function* merge(
  keys: Packed,
  order: Uint32Array,
  into: Uint32Array,
  from: number,
  middle: number,
  end: number,
): Steps<void> {
  let left = from
  let right = middle
  for (let at = from; at < end; at++) {
    if ((at & (keysAtOnce - 1)) === 0) yield work.note(keysAtOnce * compareUnits)
    const takesLeft =
      right >= end ||
      (left < middle && compareAt(keys, order[left] as number, order[right] as number) <= 0)
    into[at] = order[takesLeft ? left++ : right++] as number
  }
}
