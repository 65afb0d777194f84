// A cache of values read from the tables, such as descriptors and hot records. A write removes the
// key, and a key in a memtable is never cached, so the cache equals the tables. Each key has one
// slot and takes it when it is read twice with no other key of that slot between. So scattered
// reads cost almost nothing.

import type { Bytes } from '../../base/bytes/bytes.js'
import { copyOf } from '../../base/heap/slab.js'
import { KiB, MiB } from '../../base/units.js'
import { hashBytes } from '../memtable/memtable-hash.js'
import { compareKeys } from '../memtable/ordered-map.js'

/** Bytes of cached values in all, and of one value. */
const hotValuesBytesMax = 16 * MiB
const hotValueBytesMax = 16 * KiB

interface Kept {
  readonly key: Bytes
  readonly value: Bytes
}

const places = 2 ** 16
/** Overhead of one cached key, bytes: about three objects. */
const overheadBytes = 256

export class HotValues {
  private readonly kept: (Kept | undefined)[] = new Array(places).fill(undefined)
  /** The hash of the last key read, by slot. Most reads check only this. */
  private readonly read = new Int32Array(places)
  private count = 0
  private bytes = 0
  /** The slot where eviction continues when there are too many bytes. */
  private hand = 0

  /** A copy of the value, from here or from `below`. */
  get(
    key: Bytes,
    below: { get(key: Bytes): Bytes | undefined },
    hash = hashBytes(key, 0, key.length),
  ): Bytes | undefined {
    const place = hash & (places - 1)
    if (this.read[place] !== hash) {
      this.read[place] = hash
      return below.get(key)
    }
    const kept = this.kept[place]
    if (kept !== undefined && compareKeys(kept.key, key) === 0) {
      return copyOf(kept.value, 0, kept.value.length)
    }
    const found = below.get(key)
    if (found === undefined || found.length > hotValueBytesMax) return found
    this.drop(place)
    this.keep(place, { key: key.slice(), value: found.slice() })
    return found
  }

  /** The value itself, if cached. */
  find(key: Bytes, hash: number): Bytes | undefined {
    if (this.count === 0) return undefined
    const kept = this.kept[hash & (places - 1)]
    return kept !== undefined && compareKeys(kept.key, key) === 0 ? kept.value : undefined
  }

  /** False if no key with that hash is cached. */
  mayHave(hash: number): boolean {
    return this.count > 0 && this.kept[hash & (places - 1)] !== undefined
  }

  forget(key: Bytes, hash = hashBytes(key, 0, key.length)): void {
    if (this.count === 0) return
    const place = hash & (places - 1)
    const kept = this.kept[place]
    if (kept !== undefined && compareKeys(kept.key, key) === 0) this.drop(place)
  }

  private keep(place: number, kept: Kept): void {
    this.kept[place] = kept
    this.count++
    this.bytes += sizeOf(kept)
    for (; this.bytes > hotValuesBytesMax; this.hand = (this.hand + 1) & (places - 1)) {
      if (this.hand !== place) this.drop(this.hand)
    }
  }

  private drop(place: number): void {
    const kept = this.kept[place]
    if (kept === undefined) return
    this.kept[place] = undefined
    this.count--
    this.bytes -= sizeOf(kept)
  }
}

function sizeOf({ key, value }: Kept): number {
  return key.length + value.length + overheadBytes
}
