// Compares the index entries that documents require with those that exist, as a count and two sums
// of hashes. If they agree, no entry needs its own lookup. If not, because of damage or concurrent
// writes, the exact check finds the cause.

import type { Bytes } from '../../base/bytes/bytes.js'
import type { Count } from '../../store/store.js'

const firstPrime = 0x01000193
const secondPrime = 0x5bd1e995
const firstSeed = 0x811c9dc5
const secondSeed = 0x9747b28c

/** Sums over a multiset of entries, independent of their order. */
class EntrySums {
  private first = 0
  private second = 0
  count = 0
  bytes = 0

  add(key: Bytes, value: Bytes, bytes: number): void {
    let a = firstSeed
    let b = secondSeed
    for (let i = 0; i < key.length; i++) {
      a = Math.imul(a ^ (key[i] as number), firstPrime)
      b = Math.imul(b ^ (key[i] as number), secondPrime)
      b ^= b >>> 15
    }
    for (let i = 0; i < value.length; i++) {
      a = Math.imul(a ^ (value[i] as number), firstPrime)
      b = Math.imul(b ^ (value[i] as number), secondPrime)
      b ^= b >>> 15
    }
    this.first = (this.first + a) | 0
    this.second = (this.second + b) | 0
    this.count++
    this.bytes += bytes
  }

  equals({ first, second, count }: EntrySums): boolean {
    return this.first === first && this.second === second && this.count === count
  }

  get counted(): Count {
    return { documents: this.count, bytes: this.bytes }
  }
}

/** The sums of one collection, by the ids of its indexes. */
export class NamespaceSums {
  private readonly expected = new Map<number, EntrySums>()
  private readonly held = new Map<number, EntrySums>()
  documents = 0
  bytes = 0

  /** Sums of the entries that documents require in an index. */
  expectedIn(index: number): EntrySums {
    return sumsIn(this.expected, index)
  }

  /** Sums of the entries in an index. */
  heldIn(index: number): EntrySums {
    return sumsIn(this.held, index)
  }

  agree(index: number): boolean {
    return this.expectedIn(index).equals(this.heldIn(index))
  }

  get counted(): Count {
    return { documents: this.documents, bytes: this.bytes }
  }
}

function sumsIn(all: Map<number, EntrySums>, index: number): EntrySums {
  const known = all.get(index)
  if (known !== undefined) return known
  const made = new EntrySums()
  all.set(index, made)
  return made
}
