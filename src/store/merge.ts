// Scans over layers: the newest change of a key hides older ones, and a tombstone hides the key. It
// is lazy, so a range full of tombstones costs a bounded step, not the whole range.

import type { Bytes } from '../base/bytes/bytes.js'
import { scanStepMax } from '../base/limits/engine.js'
import { compareKeys } from './memtable/ordered-map.js'
import type { Entry, KeyRange } from './store.js'
import type { Scanned } from './tables/tables.js'

/** A position in a layer, moving through a range in its order. */
export interface Source {
  /** Undefined at the end. */
  readonly key: Bytes | undefined
  /** A copy owned by the caller; undefined for a tombstone. */
  value(): Bytes | undefined
  advance(): void
}

/** `sources` are newest first, and all iterate `range`. */
export function mergeScan(sources: readonly Source[], range: KeyRange, limit: number): Scanned {
  const entries: Entry[] = []
  const { reverse = false, bytesMax = Number.POSITIVE_INFINITY } = range
  let bytes = 0
  for (let work = 0; ; work++) {
    const first = firstOf(sources, reverse)
    const key = first?.key
    if (first === undefined || key === undefined) return { entries }
    if (work === scanStepMax) return { entries, rest: restOf(range, key) }
    const value = first.value()
    if (value !== undefined) {
      entries.push({ key, value })
      bytes += value.length
      if (entries.length === limit || bytes >= bytesMax) return { entries }
    }
    first.advance()
  }
}

/** Of equal keys, takes the newest and skips the older ones. */
function firstOf(sources: readonly Source[], reverse: boolean): Source | undefined {
  let first: Source | undefined
  let least: Bytes | undefined
  for (const source of sources) {
    const { key } = source
    if (key === undefined) continue
    const order = least === undefined ? -1 : compareKeys(key, least)
    if (order === 0) source.advance()
    else if (least === undefined || order < 0 !== reverse) {
      first = source
      least = key
    }
  }
  return first
}

/** The rest of a range from `key` on, inclusive. */
function restOf(range: KeyRange, key: Bytes): KeyRange {
  if (range.reverse !== true) return { ...range, start: key }
  const after = new Uint8Array(key.length + 1)
  after.set(key)
  return { ...range, end: after }
}
