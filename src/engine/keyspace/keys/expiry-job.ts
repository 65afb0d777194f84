// Deletes expired keys in small steps, with lower priority than clients. Readers ignore a key from
// the millisecond of its expiry on; this job frees its space and sends the `expired` event.
// (docs/design/transactions.md, rule 14)

import type { Clock } from '../../../base/clock.js'
import { backgroundRecordsMax } from '../../../base/limits/engine.js'
import { expirySweepMs } from '../../../base/limits/key-value.js'
import type { Log } from '../../../base/log.js'
import type { Program, ReadTx, Store, Tx } from '../../../store/store.js'
import { BackgroundLoop } from '../../background/background-loop-job.js'
import { Lease } from '../../background/lease-job.js'
import type { Pace } from '../../background/pace-job.js'
import { findNamespaceById } from '../../collection/catalog/catalog.js'
import { keyspaceIndex } from '../../collection/catalog/homes.js'
import { documentOfRecord } from '../../collection/records.js'
import { Keyspace } from '../keyspace.js'
import type { SpaceTable } from '../spaces.js'
import { nameOfDocument } from '../strings/scalar.js'
import { tidy } from '../tidy.js'
import { type KeyEvent, usualBounds, Work } from '../work.js'
import { type Due, dueOf, dueRange, namespaceOfRecord } from './expiry.js'
import { Key } from './key.js'

interface ExpiryJobParts {
  readonly store: Store
  readonly clock: Clock
  readonly log: Log
  readonly pace: Pace
  readonly spaces: SpaceTable
  /** Whether clients are paused: then their data must not change. */
  readonly isPaused: () => boolean
  readonly notifies: () => boolean
  readonly announce: (events: readonly KeyEvent[]) => void
}

interface Swept {
  readonly expired: number
  readonly events: readonly KeyEvent[]
}

export class ExpiryJob {
  /** Keys deleted since the start. */
  expired = 0
  private readonly loop: BackgroundLoop
  private readonly lease: Lease

  constructor(private readonly parts: ExpiryJobParts) {
    const { store, pace, log } = parts
    this.lease = new Lease(store, 'key expiry')
    this.loop = new BackgroundLoop({
      pace,
      log,
      everyMs: expirySweepMs,
      sleepsFirst: false,
      failure: 'expired keys could not be removed; it will be tried again',
      round: () => this.round(),
    })
  }

  start(): void {
    this.loop.start()
  }

  close(): Promise<void> {
    return this.loop.close()
  }

  /** Runs one step: deletes as many due keys as fit. False if there were none. */
  async round(): Promise<boolean> {
    const { store, clock, isPaused } = this.parts
    if (isPaused()) return false
    const now = clock.now()
    const due = await store.read((tx) => readDue(tx, now))
    if (due.length === 0) return false
    return this.lease.round(() => this.remove(due, now), false)
  }

  private async remove(due: readonly Due[], now: number): Promise<boolean> {
    const { announce } = this.parts
    const swept = await this.lease.runner.write((tx) => this.sweep(tx, due, now))
    this.expired += swept.expired
    if (swept.events.length > 0) announce(swept.events)
    return true
  }

  private *sweep(tx: Tx, due: readonly Due[], now: number): Program<Swept> {
    const { spaces, notifies } = this.parts
    const work = new Work(usualBounds, notifies())
    const opened = new Map<number, Keyspace | undefined>()
    let expired = 0
    for (const entry of due) {
      const id = namespaceOfRecord(entry.record)
      if (!opened.has(id)) opened.set(id, yield* keyspaceOf(tx, id, spaces, now, work))
      if (yield* expire(tx, entry, opened.get(id), now)) expired++
    }
    for (const ks of opened.values()) if (ks !== undefined) yield* tidy(tx, ks)
    return { expired, events: work.events }
  }
}

/** Finds a key-value database by its id; undefined if it no longer exists. */
function* keyspaceOf(
  tx: Tx,
  id: number,
  spaces: SpaceTable,
  now: number,
  work: Work,
): Program<Keyspace | undefined> {
  const ns = yield* findNamespaceById(tx, id)
  const index = ns?.keyspace === true ? keyspaceIndex(ns.name) : undefined
  if (ns === undefined || index === undefined) return undefined
  return new Keyspace(tx, ns, spaces.of(ns.db).place(index), now, work)
}

function* readDue(tx: ReadTx, now: number): Program<Due[]> {
  const entries = yield* tx.scan(dueRange(now), backgroundRecordsMax)
  return entries.map(({ key }) => dueOf(key))
}

/** Deletes a due key; returns whether one was deleted. A stale entry is removed. */
function* expire(tx: Tx, due: Due, ks: Keyspace | undefined, now: number): Program<boolean> {
  const record = yield* tx.get(due.record)
  if (record === undefined || ks === undefined) {
    tx.remove(due.key)
    return false
  }
  const document = yield* documentOfRecord(tx, record)
  const key = new Key(nameOfDocument(document), due.record).load(document, record[0] === 2, now)
  if (key.exists || key.storedExpiresAt !== due.at) {
    if (key.storedExpiresAt !== due.at) tx.remove(due.key)
    return false
  }
  yield* ks.remove(key)
  ks.notify('x', 'expired', key.name)
  return true
}
