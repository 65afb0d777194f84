// Durations of commands by collection, for top and the latencyStats of $collStats. Kept in memory
// for recently used collections; a dropped collection starts at zero again.

import type { Resource } from '../engine/types.js'
import type { CommandFacts } from './policy/facts.js'
import {
  type LatencyKind,
  latencyKinds,
  type Meter,
  meters,
  type TopKind,
  topKinds,
} from './policy/meters.js'

/** Collections whose commands are counted for top and $collStats: 1.4 kB each. */
export const namespaceUseMax = 1_000

/** Total time in microseconds, and the number of commands. */
export interface Spent {
  readonly micros: number
  readonly count: number
}

export interface LatencyBucket {
  /** The lower bound of the bucket. */
  readonly micros: number
  readonly count: number
}

/** What counting reads of a command's row. */
type Counted = Pick<CommandFacts, 'metered' | 'ends'>

const bucketsMax = 51

/** Two buckets for each power of two from 2^10 to 2^20, and one for all lower durations. */
export function bucketOf(micros: number): number {
  if (micros < 2) return 0
  const power = micros < 2 ** 31 ? 31 - Math.clz32(micros) : Math.floor(Math.log2(micros))
  if (power > 38) return bucketsMax - 1
  if (power < 10) return power
  if (power > 20) return power + 11
  return 2 * power - 10 + (micros >= 1.5 * 2 ** power ? 1 : 0)
}

export function bucketStart(bucket: number): number {
  if (bucket === 0) return 0
  if (bucket < 10) return 2 ** bucket
  if (bucket > 31) return 2 ** (bucket - 11)
  const power = Math.floor((bucket + 10) / 2)
  return bucket % 2 === 0 ? 2 ** power : 1.5 * 2 ** power
}

class Use {
  /** Total microseconds and counts, by kind. */
  private readonly top = new Float64Array(2 * topKinds.length)
  private readonly latency = new Float64Array(2 * latencyKinds.length)
  private readonly buckets = new Float64Array(bucketsMax * latencyKinds.length)

  add(metered: Meter, micros: number): void {
    const { top, latency } = meters[metered]
    this.into(this.top, top, micros)
    this.into(this.latency, latency, micros)
    const bucket = latency * bucketsMax + bucketOf(micros)
    this.buckets[bucket] = (this.buckets[bucket] ?? 0) + 1
  }

  get total(): Spent {
    const all = topKinds.map((kind) => this.spent(kind))
    const sum = (one: (spent: Spent) => number) =>
      all.reduce((before, spent) => before + one(spent), 0)
    return { micros: sum(({ micros }) => micros), count: sum(({ count }) => count) }
  }

  spent(kind: TopKind): Spent {
    return this.from(this.top, topKinds.indexOf(kind))
  }

  latencyOf(kind: LatencyKind): Spent {
    return this.from(this.latency, latencyKinds.indexOf(kind))
  }

  /** The buckets that are not empty, fastest first. */
  histogram(kind: LatencyKind): LatencyBucket[] {
    const start = latencyKinds.indexOf(kind) * bucketsMax
    const counts = [...this.buckets.subarray(start, start + bucketsMax)]
    return counts.flatMap((count, i) => (count > 0 ? [{ micros: bucketStart(i), count }] : []))
  }

  private into(sums: Float64Array, at: number, micros: number): void {
    sums[2 * at] = (sums[2 * at] ?? 0) + micros
    sums[2 * at + 1] = (sums[2 * at + 1] ?? 0) + 1
  }

  private from(sums: Float64Array, at: number): Spent {
    return { micros: Math.round(sums[2 * at] ?? 0), count: sums[2 * at + 1] ?? 0 }
  }
}

export type NamespaceCounts = Use

/** A collection with its counts. */
class Place {
  readonly use = new Use()
  /** Used since the clock hand last passed it. */
  isRecent = true

  constructor(
    readonly db: string,
    readonly collection: string,
  ) {}
}

export class NamespaceUse {
  /** By database and collection, so that no name is built for each command. */
  private readonly places = new Map<string, Map<string, Place>>()
  /** The ring of the clock algorithm; it also holds places of dropped collections. */
  private readonly ring: Place[] = []
  /** Position of the clock hand. */
  private hand = 0

  /** Counts a command that took `ms`, for its first collection. */
  record({ db, collection }: Resource, row: Counted, ms: number, failed: boolean): void {
    if (!failed && row.ends === 'names') {
      this.forget(db, collection)
      return
    }
    if (collection === undefined) return
    const place = this.places.get(db)?.get(collection) ?? this.add(db, collection)
    place.isRecent = true
    place.use.add(row.metered, ms * 1000)
  }

  /** Undefined if nothing was counted, or the counts were dropped. */
  of(db: string, collection: string): Use | undefined {
    return this.places.get(db)?.get(collection)?.use
  }

  /** All counts, by full name. */
  *entries(): Generator<[string, Use]> {
    for (const [db, inDb] of this.places) {
      for (const [collection, { use }] of inDb) yield [`${db}.${collection}`, use]
    }
  }

  private add(db: string, collection: string): Place {
    const place = new Place(db, collection)
    let inDb = this.places.get(db)
    if (inDb === undefined) {
      inDb = new Map()
      this.places.set(db, inDb)
    }
    inDb.set(collection, place)
    if (this.ring.length < namespaceUseMax) this.ring.push(place)
    else this.ring[this.freePlace()] = place
    return place
  }

  /** Frees the next place that was not used since the last pass; returns its index. */
  private freePlace(): number {
    for (;;) {
      const at = this.hand
      this.hand = (at + 1) % this.ring.length
      const place = this.ring[at]
      if (place?.isRecent === true) place.isRecent = false
      else {
        if (place !== undefined) this.remove(place)
        return at
      }
    }
  }

  private remove(place: Place): void {
    const { db, collection } = place
    const inDb = this.places.get(db)
    if (inDb?.get(collection) !== place) return
    inDb.delete(collection)
    if (inDb.size === 0) this.places.delete(db)
  }

  private forget(db: string, collection: string | undefined): void {
    const inDb = this.places.get(db)
    if (inDb === undefined) return
    for (const place of [...inDb.values()]) {
      if (collection !== undefined && place.collection !== collection) continue
      place.isRecent = false
      this.remove(place)
    }
  }
}
