// What one write program has changed so far: seen by its own reads, applied when it returns, and
// forgotten when it throws. The bounds of a program are held here. (facts: storage 9, rules 1, 4)

import { type Bytes, equalBytes, mapKey } from '../base/bytes.js'
import { assert, fail } from '../base/errors.js'
import { keyBytesMax, programBytesMax, programPutsMax } from '../base/limits.js'
import { addCounts, zeroCount } from './counters.js'
import { holdsData, keyClass } from './layout.js'
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

/** By the text of the key. */
export type Additions = Map<string, Addition>

export interface OwnWrites {
  /** So many stored entries are needed for a full answer, because some of them are removed here. */
  readonly wanted: number
  merge(stored: readonly Entry[]): Entry[]
}

/** Up to so many changes are found by looking at each: most programs make two or three. */
const searchedMax = 8

export class WriteBuffer {
  /** In the order in which the keys were first touched. */
  readonly changes: Change[] = []
  /** Most programs add to few counters, or to none. */
  additions: Additions | undefined
  bytes = 0
  /** Whether it takes data away, and whether it brings any. */
  removes = false
  puts = false
  private readonly nextVersion: () => number
  /** Places in `changes`, once there are many. */
  private places: Map<string, number> | undefined
  /** The same changes by key, once a scan has asked for an order. */
  private ordered: OrderedMap<Change> | undefined

  /** `nextVersion` is asked once a put, so that a key and a version mean one value for ever. */
  constructor(nextVersion: () => number) {
    this.nextVersion = nextVersion
  }

  put(key: Bytes, value: Bytes): void {
    assert(key[0] !== keyClass.count, 'counters are only added to')
    if (holdsData(key)) this.puts = true
    this.change({ key, value, version: this.nextVersion() })
  }

  /** Of a counter: what was added to it so far is forgotten with it. */
  remove(key: Bytes): void {
    if (key[0] === keyClass.count) this.additions?.delete(mapKey(key))
    this.removes = true
    this.change({ key, value: undefined, version: 0 })
  }

  add(key: Bytes, documents: number, bytes: number): void {
    assert(key[0] === keyClass.count, 'counters are keys of their own class')
    this.additions ??= new Map()
    addTo(this.additions, { key, documents, bytes })
  }

  find(key: Bytes): Change | undefined {
    const { changes } = this
    if (changes.length === 0) return undefined
    const place = this.placeOf(key)
    return place === -1 ? undefined : changes[place]
  }

  /** The sum of a counter that stands at `stored` outside this program. */
  count(key: Bytes, stored: () => Count): Count {
    const base = this.find(key) === undefined ? stored() : zeroCount
    return addCounts(base, this.additions?.get(mapKey(key)))
  }

  /** What this program's own writes make of a scan. */
  ownWrites(range: KeyRange, limit: number): OwnWrites {
    const own = this.changes.length === 0 ? [] : this.changesIn(range, limit)
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
      for (const change of this.changes) this.ordered.set(change.key, change)
    }
    return this.ordered
  }

  private change(change: Change): void {
    const { key } = change
    const { changes } = this
    assert(key.length > 0 && key.length <= keyBytesMax, 'a key fits the store')
    assert(key[0] !== keyClass.meta, 'metadata is the store’s own')
    const place = this.placeOf(key)
    const before = changes[place]
    if (before === undefined) this.append(change)
    else changes[place] = change
    this.bytes += sizeOf(change) - (before === undefined ? 0 : sizeOf(before))
    this.ordered?.set(key, change)
    const size = changes.length
    if (size > programPutsMax || (this.bytes > programBytesMax && size > 1)) {
      throw fail('TransactionTooLarge', 'the operation changes too much at once')
    }
  }

  private append(change: Change): void {
    const { changes } = this
    this.places?.set(mapKey(change.key), changes.length)
    changes.push(change)
    if (changes.length > searchedMax && this.places === undefined) {
      this.places = new Map(changes.map(({ key }, place) => [mapKey(key), place]))
    }
  }

  private placeOf(key: Bytes): number {
    const { changes, places } = this
    if (places !== undefined) return places.get(mapKey(key)) ?? -1
    for (let place = changes.length - 1; place >= 0; place--) {
      const found = changes[place] as Change
      if (found.key.length === key.length && equalBytes(found.key, key)) return place
    }
    return -1
  }
}

export function addTo(sums: Additions, addition: Addition): void {
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
