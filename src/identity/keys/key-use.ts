// Counts how much each wallet's key is used, by day and endpoint, on every protocol. Counts are
// written each second, so a kill loses at most one second. Each key and day has one row, ordered by
// day, so old rows are one range. (docs/operations.md, "How much keys are used")

import { type Bytes, concatBytes, prefixEnd } from '../../base/bytes/bytes.js'
import type { Clock } from '../../base/clock.js'
import { dayMs, scanEntriesMax } from '../../base/limits/engine.js'
import { keyUseDaysMax } from '../../base/limits/identity.js'
import type { Log } from '../../base/log.js'
import { entryUnits } from '../../base/work/work-figures.js'
import { keyClass } from '../../store/layout.js'
import type { Program, ReadTx, Store, Tx } from '../../store/store.js'
import { fieldsOf } from '../../value/elements.js'
import { numberOf } from '../../value/numbers.js'
import { type Document, documentValue } from '../../value/value.js'
import { writeDocument } from '../../value/writer.js'
import { addressOfBytes, bytesOfAddress } from '../address.js'
import { type Identity, identityKey, type KeyIdentity } from '../identity.js'

/** Interval between writes: a kill loses at most this much. */
const keyUseFlushMs = 1_000
/** Keys that are counted in memory at once, and listed in an overview. */
const keyUsePendingMax = 100_000
/** Rows of use that one program writes. */
const keyUseRowsAtOnce = 200

const kind = 0x40
const dayAt = 2
const addressAt = dayAt + 4
const hashAt = addressAt + 20

interface KeyUseParts {
  readonly store: Store
  readonly clock: Clock
  readonly log: Log
}

/** Requests of one key on one day, by endpoint. */
interface DayUse {
  /** Days since 1970, UTC. */
  readonly day: number
  readonly key: UsedKey
  readonly counts: Map<string, number>
}

type UsedKey = Pick<KeyIdentity, 'address' | 'hash'>

export class KeyUse {
  /** Counts not written yet, by identity. */
  private pending = new Map<string, DayUse>()
  /** Counts of past days. */
  private closed: DayUse[] = []
  private timer: NodeJS.Timeout | undefined
  private flushing: Promise<void> | undefined
  private sweptDay = 0

  constructor(private readonly parts: KeyUseParts) {}

  start(): void {
    this.timer = setInterval(() => {
      if (this.pending.size > 0) void this.flush().catch((error) => this.failed(error))
    }, keyUseFlushMs).unref()
  }

  /** Counts one request of a key. `endpoint` comes from a table, never from a client. */
  count(identity: Identity, endpoint: string): void {
    if (identity.kind !== 'key') return
    const name = identityKey(identity)
    const day = dayOf(this.parts.clock.now())
    let use = this.pending.get(name)
    if (use === undefined || use.day !== day) {
      if (use !== undefined) this.closed.push(use)
      else if (this.pending.size >= keyUsePendingMax) return
      use = { day, key: identity, counts: new Map() }
      this.pending.set(name, use)
    }
    use.counts.set(endpoint, (use.counts.get(endpoint) ?? 0) + 1)
  }

  /** Resolves when the counts so far are written. Rejects if the store refuses. */
  async flush(): Promise<void> {
    while (this.flushing !== undefined) await this.flushing
    this.flushing = this.write()
    try {
      await this.flushing
    } finally {
      this.flushing = undefined
    }
  }

  async close(): Promise<void> {
    clearInterval(this.timer)
    await this.flush().catch((error) => this.failed(error))
  }

  private async write(): Promise<void> {
    const uses = [...this.closed, ...this.pending.values()]
    this.pending = new Map()
    this.closed = []
    try {
      while (uses.length > 0) {
        const some = uses.slice(0, keyUseRowsAtOnce)
        await this.parts.store.write((tx) => addUses(tx, some))
        uses.splice(0, some.length)
      }
      await this.sweep()
    } finally {
      for (const use of uses) this.putBack(use)
    }
  }

  /** Adds counts that could not be written to the pending ones. */
  private putBack(use: DayUse): void {
    const name = identityKey({ ...nobody, ...use.key })
    const now = this.pending.get(name)
    if (now === undefined) this.pending.set(name, use)
    else if (now.day !== use.day) this.closed.push(use)
    else for (const [endpoint, n] of use.counts) now.counts.set(endpoint, n + at(now, endpoint))
    if (this.closed.length > keyUsePendingMax) this.closed.shift()
  }

  /** Removes old rows, once a day. */
  private async sweep(): Promise<void> {
    const { store, clock } = this.parts
    const today = dayOf(clock.now())
    if (today === this.sweptDay) return
    const end = dayKey(today - keyUseDaysMax + 1)
    for (let removed = scanEntriesMax; removed === scanEntriesMax; ) {
      removed = await store.write(function* (tx) {
        const old = yield* tx.scan({ start: dayKey(0), end }, scanEntriesMax)
        for (const { key } of old) tx.remove(key)
        return old.length
      })
    }
    this.sweptDay = today
  }

  private failed(error: unknown): void {
    const text = 'how much keys are used was not written; tried again'
    this.parts.log.warn({ error: String(error) }, text)
  }
}

/** Days since 1970 of a time in milliseconds, UTC. */
export function dayOf(ms: number): number {
  return Math.floor(ms / dayMs)
}

/** Requests by endpoint on each of the `days` up to `today`, oldest first. */
export function* useOfKey(
  tx: ReadTx,
  key: UsedKey,
  today: number,
  days: number,
): Program<Map<string, number>[]> {
  const keys = Array.from({ length: days }, (_, i) => rowKey(today - days + 1 + i, key))
  const rows = yield* tx.getMany(keys)
  return rows.map((row) => (row === undefined ? new Map() : decode(row)))
}

/**
 * Requests of the keys that were used on the `days` up to `today`: of one wallet, or of all; at
 * most `keyUsePendingMax` keys.
 */
export function* useOfKeys(
  tx: ReadTx,
  address: string | undefined,
  today: number,
  days: number,
): Program<{ total: number; byKey: Map<string, UsedKey & { count: number }> }> {
  const byKey = new Map<string, UsedKey & { count: number }>()
  let total = 0
  for (let day = today - days + 1; day <= today; day++) {
    const tail = address === undefined ? new Uint8Array(0) : bytesOfAddress(address)
    let start: Bytes = concatBytes(dayKey(day), tail)
    const end = prefixEnd(start)
    for (;;) {
      const entries = yield* tx.scan({ start, end }, scanEntriesMax)
      for (const { key, value } of entries) {
        let count = 0
        for (const n of decode(value).values()) count += n
        total += count
        add(byKey, keyIn(key), count)
      }
      const last = entries.at(-1)
      if (last === undefined || entries.length < scanEntriesMax) break
      yield* tx.pause(entries.length * entryUnits)
      start = concatBytes(last.key, Uint8Array.of(0))
    }
  }
  return { total, byKey }
}

function add(byKey: Map<string, UsedKey & { count: number }>, key: UsedKey, count: number): void {
  const name = `${key.address}:${key.hash}`
  const known = byKey.get(name)
  if (known !== undefined) known.count += count
  else if (byKey.size < keyUsePendingMax) byKey.set(name, { ...key, count })
}

function* addUses(tx: Tx, uses: readonly DayUse[]): Program<void> {
  for (const { day, key, counts } of uses) {
    const at = rowKey(day, key)
    const stored = yield* tx.get(at)
    const sums = stored === undefined ? new Map<string, number>() : decode(stored)
    for (const [endpoint, n] of counts) sums.set(endpoint, (sums.get(endpoint) ?? 0) + n)
    tx.put(at, encode(sums))
  }
}

function at({ counts }: DayUse, endpoint: string): number {
  return counts.get(endpoint) ?? 0
}

const nobody = { kind: 'key', source: 'issued', index: 0, permissions: [], rateLimit: 0 } as const

function dayKey(day: number): Bytes {
  const key = new Uint8Array(addressAt)
  key[0] = keyClass.identity
  key[1] = kind
  new DataView(key.buffer).setUint32(dayAt, Math.max(0, day))
  return key
}

function rowKey(day: number, { address, hash }: UsedKey): Bytes {
  return concatBytes(dayKey(day), bytesOfAddress(address), Buffer.from(hash, 'hex'))
}

function keyIn(key: Bytes): UsedKey {
  const address = addressOfBytes(key.subarray(addressAt, hashAt))
  return { address, hash: Buffer.from(key.subarray(hashAt)).toString('hex') }
}

function encode(counts: ReadonlyMap<string, number>): Document {
  return writeDocument((writer) => {
    for (const [endpoint, n] of counts) writer.int64(endpoint, n)
  })
}

function decode(row: Document): Map<string, number> {
  const counts = new Map<string, number>()
  for (const [endpoint, n] of fieldsOf(documentValue(row))) counts.set(endpoint, numberOf(n))
  return counts
}
