// The changes of one write program: visible to its own reads, applied when it returns, and
// discarded when it throws. The limits of a program are enforced here.
// (docs/design/transactions.md, rules 1 and 4)

import { type Bytes, mapKey } from '../../base/bytes/bytes.js'
import { assert, fail } from '../../base/errors.js'
import {
  largeBytesMax,
  largePutsMax,
  programBytesMax,
  programPutsMax,
} from '../../base/limits/engine.js'
import { keyBytesMax } from '../../base/limits/store.js'
import { holdsData, keyClass } from '../layout.js'
import { hashBytes } from '../memtable/memtable-hash.js'
import { compareKeys, OrderedMap } from '../memtable/ordered-map.js'
import type { Count, Entry, KeyRange } from '../store.js'
import { addCounts, zeroCount } from './counters.js'

/** A put; without a value, a removal. */
export interface Change {
  readonly key: Bytes
  readonly value: Bytes | undefined
  readonly version: number
  /** Hash of the key (memtable-hash.ts). */
  readonly hash: number
}

/** The sum of additions to one counter. */
interface Addition {
  readonly key: Bytes
  documents: number
  bytes: number
}

/** Keyed by the mapKey of the counter. */
export type Additions = Map<string, Addition>

/** Limits of a buffer. */
export interface BufferBounds {
  readonly puts: number
  readonly bytes: number
}

const programBounds: BufferBounds = { puts: programPutsMax, bytes: programBytesMax }
/** Limits for prepared changes that are applied in several turns. */
export const largeBounds: BufferBounds = { puts: largePutsMax, bytes: largeBytesMax }

interface OwnWrites {
  /** Stored entries needed for a full result, since this program removes some of them. */
  readonly wanted: number
  merge(stored: readonly Entry[]): Entry[]
}

/** A program adds to a counter or two of a collection, of each of its indexes and of its owner. */
const recentMax = 8
/** Up to this many changes are searched linearly: most programs make two or three. */
const searchedMax = 8
/** Size of the first table: enough for a pipeline of sixteen changes. */
const placesMin = 256
/**
 * Above this count, changes are in parts by hash that double one by one: doubling all takes 50 ms.
 */
const togetherMax = 32_768
const partBits = 6

export class WriteBuffer {
  /** In the order in which the keys were first touched. */
  readonly changes: Change[] = []
  /** Most programs add to few counters, or to none. */
  additions: Additions | undefined
  /** Records for the change log, in their order; undefined for none. */
  appended: Bytes[] | undefined
  /** Events to hand over after the commit. */
  announced: object[] | undefined
  bytes = 0
  /** Number of in-place writes, in addition to `changes`. */
  inPlace = 0
  /** Whether the program removes data, and whether it adds data. */
  removes = false
  puts = false
  private readonly nextVersion: () => number
  private readonly bounds: BufferBounds
  /** Hash table, once there are many changes: an index into `changes` plus one; 0 if empty. */
  private places: Int32Array | undefined
  /**
   * Replaces `places` once there are very many changes; `partSizes` counts the changes of each
   * part.
   */
  private parts: Int32Array[] | undefined
  private readonly partSizes: number[] = []
  /** Counters added to, the first few: a counter's key is nearly always the same array. */
  private recent: Addition[] | undefined
  /** The first `orderedCount` changes by key: as many as existed when a scan needed an order. */
  private ordered: OrderedMap<Change> | undefined
  private orderedCount = 0

  /**
   * `nextVersion` is called once for each put, so a key and a version always identify one value.
   */
  constructor(nextVersion: () => number, bounds = programBounds) {
    this.nextVersion = nextVersion
    this.bounds = bounds
  }

  /** Whether it holds more than a write program may. */
  get isLarge(): boolean {
    return this.changes.length > programPutsMax || this.bytes > programBytesMax
  }

  get isEmpty(): boolean {
    if (this.changes.length > 0 || this.inPlace > 0) return false
    return this.additions === undefined && this.appended === undefined
  }

  /**
   * Whether further changes may be written in place. Their share of the limits is never returned.
   */
  get hasInPlaceRoom(): boolean {
    return 2 * this.inPlace < programPutsMax && 2 * this.bytes < programBytesMax
  }

  /** A version for an in-place put. */
  nextInPlace(): number {
    this.puts = true
    return this.nextVersion()
  }

  /** Like noteInPlace, for a removal. */
  noteInPlaceRemoval(bytes: number): void {
    this.removes = true
    this.noteInPlace(bytes)
  }

  /** Counts an in-place change towards the limits. */
  noteInPlace(bytes: number): void {
    this.inPlace++
    this.bytes += bytes
    this.requireBounded()
  }

  /** Pass the hash if it is already known, here and below. */
  put(key: Bytes, value: Bytes, hash = hashBytes(key, 0, key.length)): void {
    assert(key[0] !== keyClass.count, 'counters are only added to')
    if (holdsData(key)) this.puts = true
    this.change({ key, value, version: this.nextVersion(), hash })
  }

  /** Removing a counter also discards its additions so far. */
  remove(key: Bytes, hash = hashBytes(key, 0, key.length)): void {
    if (key[0] === keyClass.count) {
      this.additions?.delete(mapKey(key))
      this.recent = undefined
    }
    this.removes = true
    this.change({ key, value: undefined, version: 0, hash })
  }

  add(key: Bytes, documents: number, bytes: number): void {
    assert(key[0] === keyClass.count, 'counters are keys of their own class')
    const { recent } = this
    if (recent !== undefined) {
      for (const sum of recent) {
        if (sum.key !== key) continue
        sum.documents += documents
        sum.bytes += bytes
        return
      }
    }
    this.additions ??= new Map()
    const sum = addTo(this.additions, { key, documents, bytes })
    if (recent === undefined) this.recent = [sum]
    else if (recent.length < recentMax) recent.push(sum)
  }

  /**
   * Not counted towards the limits: a record describes a change that is counted, and is hardly
   * larger than it.
   */
  append(value: Bytes): void {
    this.appended ??= []
    this.appended.push(value)
  }

  announce(event: object): void {
    this.announced ??= []
    this.announced.push(event)
  }

  /** The additions to a counter so far. */
  added(key: Bytes): Count {
    return this.additions?.get(mapKey(key)) ?? zeroCount
  }

  find(key: Bytes, hash = hashBytes(key, 0, key.length)): Change | undefined {
    const { changes } = this
    if (changes.length === 0) return undefined
    const place = this.placeOf(key, 0, key.length, hash)
    return place === -1 ? undefined : changes[place]
  }

  /**
   * Makes the changes of `other` again, each put with its version or, where it is given, with the
   * next of `nextVersion`. `other` is not used any more.
   */
  take(other: WriteBuffer, nextVersion?: () => number): void {
    if (this.changes.length > 0) {
      for (const change of other.changes) this.change(withVersion(change, nextVersion))
    } else {
      for (const change of other.changes) this.changes.push(withVersion(change, nextVersion))
      this.places = other.places
      this.parts = other.parts
      for (const size of other.partSizes) this.partSizes.push(size)
      this.bytes += other.bytes
      this.requireBounded()
    }
    this.removes ||= other.removes
    this.puts ||= other.puts
  }

  /** Like find, for the key at `start` of `bytes`. */
  findAt(bytes: Bytes, start: number, length: number, hash: number): Change | undefined {
    const { changes } = this
    return changes.length === 0 ? undefined : changes[this.placeOf(bytes, start, length, hash)]
  }

  /** The value of a counter whose value outside this program is `stored`. */
  count(key: Bytes, stored: () => Count): Count {
    const base = this.find(key) === undefined ? stored() : zeroCount
    return addCounts(base, this.additions?.get(mapKey(key)))
  }

  /** How this program's own writes change a scan. */
  ownWrites(range: KeyRange, limit: number): OwnWrites {
    const own = this.changes.length === 0 ? [] : this.changesIn(range, limit)
    const removed = own.reduce((sum, change) => sum + (change.value === undefined ? 1 : 0), 0)
    return {
      wanted: limit + removed,
      merge: (stored) => mergeEntries(stored, own, range.reverse === true, limit),
    }
  }

  /** Changes in range order, up to and including the one that completes `limit` puts. */
  private changesIn(range: KeyRange, limit: number): Change[] {
    const found: Change[] = []
    let puts = 0
    this.inOrder().scan(range, (_key, change) => {
      found.push(change)
      if (change.value !== undefined) puts++
      return puts < limit
    })
    return found
  }

  /** Whether a key in the range has been put or removed. */
  hasChangedIn(range: KeyRange): boolean {
    if (this.changes.length === 0) return false
    let hasChanged = false
    this.inOrder().scan(range, () => {
      hasChanged = true
      return false
    })
    return hasChanged
  }

  private inOrder(): OrderedMap<Change> {
    this.ordered ??= new OrderedMap()
    for (; this.orderedCount < this.changes.length; this.orderedCount++) {
      const change = this.changes[this.orderedCount] as Change
      this.ordered.set(change.key, change)
    }
    return this.ordered
  }

  private change(change: Change): void {
    const { key, hash } = change
    const { changes } = this
    assert(key.length > 0 && key.length <= keyBytesMax, 'a key fits the store')
    assert(key[0] !== keyClass.meta, 'metadata is the store’s own')
    const place = this.placeOf(key, 0, key.length, hash)
    const before = changes[place]
    if (before === undefined) this.push(change)
    else changes[place] = change
    this.bytes += sizeOf(change) - (before === undefined ? 0 : sizeOf(before))
    if (before !== undefined && place < this.orderedCount) this.ordered?.set(key, change)
    this.requireBounded()
  }

  private requireBounded(): void {
    const { bounds } = this
    const size = this.changes.length + this.inPlace
    if (size > bounds.puts || (this.bytes > bounds.bytes && size > 1)) {
      throw fail('TransactionTooLarge', 'the operation changes too much at once')
    }
  }

  private push(change: Change): void {
    const { changes, places, parts } = this
    const { length } = changes
    changes.push(change)
    if (length < searchedMax) return
    if (parts !== undefined) {
      this.placeInPart(parts, change.hash, length)
      return
    }
    if (length >= togetherMax) {
      this.part()
      return
    }
    if (places === undefined || 2 * length >= places.length) this.placeAll()
    else place(places, change.hash, length)
  }

  private placeAll(): void {
    const { changes } = this
    const places = new Int32Array(Math.max(placesMin, 4 * placesOf(changes.length)))
    for (let at = 0; at < changes.length; at++) place(places, (changes[at] as Change).hash, at)
    this.places = places
  }

  /** Replaces the table by parts. */
  private part(): void {
    const { changes } = this
    const parts: Int32Array[] = []
    const size = (4 * togetherMax) >> partBits
    for (let i = 0; i < 1 << partBits; i++) {
      parts.push(new Int32Array(size))
      this.partSizes.push(0)
    }
    for (let at = 0; at < changes.length; at++) {
      this.placeInPart(parts, (changes[at] as Change).hash, at)
    }
    this.parts = parts
  }

  private placeInPart(parts: Int32Array[], hash: number, at: number): void {
    const { changes, partSizes } = this
    const index = partOf(hash)
    let table = parts[index] as Int32Array
    const size = (partSizes[index] as number) + 1
    partSizes[index] = size
    if (2 * size > table.length) {
      const larger = new Int32Array(2 * table.length)
      for (const other of table) {
        if (other !== 0) place(larger, (changes[other - 1] as Change).hash, other - 1)
      }
      table = larger
      parts[index] = larger
    }
    place(table, hash, at)
  }

  private placeOf(bytes: Bytes, start: number, length: number, hash: number): number {
    const { changes, places } = this
    if (places === undefined) {
      for (let at = changes.length - 1; at >= 0; at--) {
        const found = changes[at] as Change
        if (found.hash === hash && isSame(found.key, bytes, start, length)) return at
      }
      return -1
    }
    const table = this.parts === undefined ? places : (this.parts[partOf(hash)] as Int32Array)
    const mask = table.length - 1
    for (let slot = hash & mask; ; slot = (slot + 1) & mask) {
      const at = (table[slot] as number) - 1
      if (at === -1) return -1
      const found = changes[at] as Change
      if (found.hash === hash && isSame(found.key, bytes, start, length)) return at
    }
  }
}

function withVersion(change: Change, nextVersion: (() => number) | undefined): Change {
  if (nextVersion === undefined || change.value === undefined) return change
  const { key, value, hash } = change
  return { key, value, version: nextVersion(), hash }
}

/** Uses the upper bits; the lower ones select the place within the part. */
function partOf(hash: number): number {
  return hash >>> (32 - partBits)
}

/** A power of two that is not below `count`. */
function placesOf(count: number): number {
  return 2 ** Math.ceil(Math.log2(count))
}

function place(places: Int32Array, hash: number, at: number): void {
  const mask = places.length - 1
  let slot = hash & mask
  while (places[slot] !== 0) slot = (slot + 1) & mask
  places[slot] = at + 1
}

/** Keys are short, and keys with equal hashes are nearly always equal. */
function isSame(key: Bytes, bytes: Bytes, start: number, length: number): boolean {
  if (length !== key.length) return false
  for (let i = 0; i < length; i++) if (key[i] !== bytes[start + i]) return false
  return true
}

/** Returns the sum. */
export function addTo(sums: Additions, addition: Addition): Addition {
  const name = mapKey(addition.key)
  const found = sums.get(name)
  if (found === undefined) {
    const sum = { ...addition }
    sums.set(name, sum)
    return sum
  }
  found.documents += addition.documents
  found.bytes += addition.bytes
  return found
}

/** Both are in range order; for a key in both, the change wins. */
function mergeEntries(
  stored: readonly Entry[],
  own: readonly Change[],
  reverse: boolean,
  limit: number,
): Entry[] {
  const merged: Entry[] = []
  let s = 0
  let o = 0
  while (merged.length < limit) {
    const entry = stored[s]
    const change = own[o]
    if (change === undefined) {
      if (entry === undefined) break
      merged.push(entry)
      s++
      continue
    }
    const order = entry === undefined ? 1 : compareKeys(entry.key, change.key) * (reverse ? -1 : 1)
    if (order < 0 && entry !== undefined) {
      merged.push(entry)
      s++
      continue
    }
    if (order === 0) s++
    if (change.value !== undefined) {
      merged.push({ key: change.key.slice(), value: change.value.slice() })
    }
    o++
  }
  return merged
}

function sizeOf(change: Change): number {
  return change.key.length + (change.value?.length ?? 0)
}
