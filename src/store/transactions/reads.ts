// What a program has read, so that a later check can tell whether it still holds. `NotedReads`
// keeps names only: a store that owns its data tells which keys change. `ReadSet` keeps states, for
// every other store. (docs/design/transactions.md, rules 2 and 18)

import { type Bytes, mapKey } from '../../base/bytes/bytes.js'
import { fail } from '../../base/errors.js'
import { GrowingMap } from '../../base/heap/growing-map.js'
import { optimisticReadsMax } from '../../base/limits/engine.js'
import { keyClass } from '../layout.js'
import { KeyRanges } from '../programs/key-ranges.js'
import type { Entry, KeyRange, ReadTx, Step, Versioned } from '../store.js'

/** Reads from a transaction and notes what it has read. */
export interface Reads {
  get(tx: ReadTx, key: Bytes): Step<Bytes | undefined>
  getVersioned(tx: ReadTx, key: Bytes): Step<Versioned | undefined>
  scan(tx: ReadTx, range: KeyRange, limit: number): Step<Entry[]>
  /** Whether this key, in mapKey form, was read by itself. */
  has(name: string): boolean
}

/**
 * Whether a check looks at this key. A member changes only with the head of its container, and a
 * chunk never changes, so a program that reads one depends on the head.
 */
export function isLookedAt(key: Bytes): boolean {
  return key[0] !== keyClass.member && key[0] !== keyClass.chunk
}

export class NotedReads implements Reads {
  private readonly seen = new GrowingMap<true>()
  private readonly ranges = new KeyRanges()

  get(tx: ReadTx, key: Bytes): Step<Bytes | undefined> {
    this.note(key)
    return tx.get(key)
  }

  getVersioned(tx: ReadTx, key: Bytes): Step<Versioned | undefined> {
    this.note(key)
    return tx.getVersioned(key)
  }

  scan(tx: ReadTx, range: KeyRange, limit: number): Step<Entry[]> {
    if (isLookedAt(range.start)) {
      if (this.ranges.count >= optimisticReadsMax) throw readsTooMuch()
      this.ranges.add(range)
    }
    return tx.scan(range, limit)
  }

  has(name: string): boolean {
    return this.seen.has(name)
  }

  /** Whether any of these keys (in mapKey form) was read. */
  hasAny(keys: ReadonlySet<string>): boolean {
    const { seen, ranges } = this
    if (keys.size < seen.size) {
      for (const key of keys) if (seen.has(key)) return true
    } else if (seen.someKey((key) => keys.has(key))) return true
    if (ranges.count === 0) return false
    for (const key of keys) if (ranges.has(key)) return true
    return false
  }

  private note(key: Bytes): void {
    if (!isLookedAt(key)) return
    if (this.seen.size >= optimisticReadsMax) throw readsTooMuch()
    this.seen.set(mapKey(key), true)
  }
}

export function readsTooMuch(): Error {
  return fail('TransactionTooLarge', 'the operation reads too much at once')
}
