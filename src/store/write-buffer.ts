// What one write program has changed so far: seen by its own reads, applied when it returns, and
// forgotten when it throws. The bounds of a program are held here. (facts: storage 9, rules 1, 4)

import type { Bytes } from '../base/bytes.js'
import { mapKey } from '../base/bytes.js'
import { assert, fail } from '../base/errors.js'
import { keyBytesMax, programBytesMax, programPutsMax } from '../base/limits.js'
import { addCounts, zeroCount } from './counters.js'
import { keyClass } from './layout.js'
import { compareKeys, OrderedMap } from './ordered-map.js'
import type { Count, Entry, KeyRange } from './store.js'

/** A put; without a value, a removal. */
export interface Change {
  readonly key: Bytes
  readonly value: Bytes | undefined
  readonly version: number
}

/** What is added to one counter. */
export interface Addition {
  readonly key: Bytes
  documents: number
  bytes: number
}

export interface Overlay {
  /** So many stored entries are needed for a full answer, because some of them are removed here. */
  readonly wanted: number
  merge(stored: readonly Entry[]): Entry[]
}

export class WriteBuffer {
  /** In the order in which the keys were first touched. */
  readonly changes = new Map<string, Change>()
  readonly additions = new Map<string, Addition>()
  bytes = 0
  private readonly nextVersion: () => number
  /** The same changes by key, once a scan has asked for an order. */
  private ordered: OrderedMap<Change> | undefined

  /** `nextVersion` is asked once a put, so that a key and a version mean one value for ever. */
  constructor(nextVersion: () => number) {
    this.nextVersion = nextVersion
  }

  put(key: Bytes, value: Bytes): void {
    assert(key[0] !== keyClass.count, 'counters are only added to')
    this.change({ key, value, version: this.nextVersion() })
  }

  /** Of a counter: what was added to it so far is forgotten with it. */
  remove(key: Bytes): void {
    if (key[0] === keyClass.count) this.additions.delete(mapKey(key))
    this.change({ key, value: undefined, version: 0 })
  }

  add(key: Bytes, documents: number, bytes: number): void {
    assert(key[0] === keyClass.count, 'counters are keys of their own class')
    addTo(this.additions, { key, documents, bytes })
  }

  find(key: Bytes): Change | undefined {
    return this.changes.size === 0 ? undefined : this.changes.get(mapKey(key))
  }

  /** The sum of a counter that stands at `stored` outside this program. */
  count(key: Bytes, stored: () => Count): Count {
    const base = this.find(key) === undefined ? stored() : zeroCount
    return addCounts(base, this.additions.get(mapKey(key)))
  }

  /** What this program's own writes make of a scan. */
  overlay(range: KeyRange, limit: number): Overlay {
    const own = this.changes.size === 0 ? [] : this.changesIn(range, limit)
    const removed = own.reduce((sum, change) => sum + (change.value === undefined ? 1 : 0), 0)
    return {
      wanted: limit + removed,
      merge: (stored) => mergeEntries(stored, own, range.reverse === true, limit),
    }
  }

  /** In range order, up to and with the one that completes `limit` puts. */
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

  private inOrder(): OrderedMap<Change> {
    if (this.ordered === undefined) {
      this.ordered = new OrderedMap()
      for (const change of this.changes.values()) this.ordered.set(change.key, change)
    }
    return this.ordered
  }

  private change(change: Change): void {
    const { key } = change
    assert(key.length > 0 && key.length <= keyBytesMax, 'a key fits the store')
    assert(key[0] !== keyClass.meta, 'metadata is the store’s own')
    const name = mapKey(key)
    const before = this.changes.get(name)
    this.bytes += sizeOf(change) - (before === undefined ? 0 : sizeOf(before))
    this.changes.set(name, change)
    this.ordered?.set(key, change)
    const { size } = this.changes
    if (size > programPutsMax || (this.bytes > programBytesMax && size > 1)) {
      throw fail('TransactionTooLarge', 'the operation changes too much at once')
    }
  }
}

export function addTo(sums: Map<string, Addition>, addition: Addition): void {
  const name = mapKey(addition.key)
  const found = sums.get(name)
  if (found === undefined) {
    sums.set(name, { ...addition })
    return
  }
  found.documents += addition.documents
  found.bytes += addition.bytes
}

/** Both in range order; where both have a key, the change holds. */
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
