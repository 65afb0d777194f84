// Deletes the data of drops and replaced large values in small steps, with lower priority than
// clients. The list of garbage is in the store, so a restart continues where the last run ended.
// (docs/design/transactions.md, rules 13 and 14)

import { type Bytes, concatBytes, mapKey } from '../../base/bytes/bytes.js'
import type { Clock } from '../../base/clock.js'
import { scanEntriesMax, sweepDocumentsMax } from '../../base/limits/engine.js'
import { snapshotMsMax } from '../../base/limits/store.js'
import type { Log } from '../../base/log.js'
import { keyClass } from '../../store/layout.js'
import type { KeyRange, Program, ReadTx, Store, Tx } from '../../store/store.js'
import { besideKey, countKey } from '../collection/counters.js'
import { documentOfRecord } from '../collection/records.js'
import { chunkedOfMember } from '../keyspace/containers/members.js'
import { keyChanged } from '../keyspace/keys/guard.js'
import { sweepLeftovers } from '../keyspace/lists/list-leftovers.js'
import type { MembersId } from '../types.js'
import { isShutdown } from './background-loop-job.js'
import { discardValue, type Garbage, garbageOf, garbageRange, rangesOf } from './garbage.js'
import { Lease } from './lease-job.js'
import { adoptStaged, takeOver } from './leftovers-job.js'
import type { Nap, Pace } from './pace-job.js'
import { StepSize } from './step-size.js'
import { handOver, readWaste, removeGarbage } from './waste.js'

/** Time between checks while there is no garbage. */
const garbagePollMs = 1_000
/** Time between two looks at what gateways have left that are gone. */
const takeOverEveryMs = 10_000
/** Time that chunks of a replaced value stay readable: longer than any read keeps one state. */
export const chunkGraceMs = 2 * snapshotMsMax

export interface JobParts {
  readonly store: Store
  readonly clock: Clock
  readonly log: Log
  readonly pace: Pace
}

export class GarbageJob {
  private readonly parts: JobParts
  private readonly lease: Lease
  /** When what other gateways have left was last taken over, monotonic. */
  private tookOverMs = Number.NEGATIVE_INFINITY
  /** When this job first saw each replaced value; its chunks may be read for a while. */
  private readonly seenMs = new Map<string, number>()
  private nap: Nap | undefined
  private loop: Promise<void> | undefined
  private closed = false

  constructor(parts: JobParts) {
    this.parts = parts
    this.lease = new Lease(parts.store, 'garbage')
  }

  /**
   * Runs before any client. Values that a crash left staged become garbage, and so does every
   * replaced value, since no reader can use it. Then it starts the loop without awaiting it. Other
   * gateways have values staged, and readers: then both take their time.
   */
  async start(): Promise<void> {
    const { store } = this.parts
    if (store.gateways === undefined) {
      while ((await store.write(adoptStaged)) === sweepDocumentsMax) await this.parts.pace.rest()
      for (const { key } of await store.read(listed)) this.seenMs.set(mapKey(key), -chunkGraceMs)
    }
    this.loop = this.run()
  }

  /** Starts the next check now, because something was dropped. */
  wake(): void {
    this.nap?.wake()
  }

  async close(): Promise<void> {
    this.closed = true
    this.wake()
    await this.loop
  }

  /** Processes the list once and deletes what may go. Returns false if there was nothing to do. */
  round(): Promise<boolean> {
    return this.lease.round(() => this.work(), false)
  }

  private async work(): Promise<boolean> {
    await this.takeOver()
    const list = await this.parts.store.read(listed)
    const due = list.filter((garbage) => this.isDue(garbage))
    for (const garbage of due) {
      if (this.closed) return false
      if (garbage.what === 'trimmed') await this.emptyTrimmed(garbage.key, garbage.members)
      else await this.empty(garbage)
    }
    return due.length > 0
  }

  private async takeOver(): Promise<void> {
    const { clock, store } = this.parts
    if (store.gateways === undefined || clock.elapsed() - this.tookOverMs < takeOverEveryMs) return
    this.tookOverMs = clock.elapsed()
    await takeOver(this.lease.runner, store.gateways)
  }

  private async run(): Promise<void> {
    while (!this.closed) {
      let worked = false
      try {
        worked = await this.round()
      } catch (error) {
        if (isShutdown(error)) return
        this.parts.log.warn({ err: error }, 'background deletion failed; it will be tried again')
      }
      if (worked || this.closed) continue
      this.nap = this.parts.pace.sleep(garbagePollMs)
      await this.nap.over
    }
  }

  private isDue(garbage: Garbage): boolean {
    if (garbage.what !== 'value') return true
    const name = mapKey(garbage.key)
    const now = this.parts.clock.elapsed()
    const since = this.seenMs.get(name)
    if (since === undefined) this.seenMs.set(name, now)
    return since !== undefined && now - since >= chunkGraceMs
  }

  private async empty(garbage: Garbage): Promise<void> {
    const { pace } = this.parts
    const { runner } = this.lease
    const size = new StepSize()
    for (const range of rangesOf(garbage)) {
      let { start } = range
      for (;;) {
        if (this.closed) return
        const from = start
        const { limit } = size
        const step = await runner.write((tx) =>
          deleteSome(tx, { start: from, end: range.end }, limit, garbage),
        )
        if (step.count < limit || step.last === undefined) break
        // Tables may keep tombstones for a while: a scan from the start would pass them again.
        start = concatBytes(step.last, Uint8Array.of(0))
        size.saw(step.count, step.bytes)
        await pace.rest()
      }
    }
    await runner.write((tx) => forget(tx, garbage))
    this.seenMs.delete(mapKey(garbage.key))
  }

  /**
   * The record states at each step what is left, since the list may take some of it back meanwhile.
   */
  private async emptyTrimmed(key: Bytes, members: MembersId): Promise<void> {
    const { pace } = this.parts
    const { runner } = this.lease
    const size = new StepSize()
    while (!this.closed) {
      const { limit } = size
      const step = await runner.write((tx) => sweepLeftovers(tx, members, key, limit))
      if (step.count < limit) return
      size.saw(step.count, step.bytes)
      await pace.rest()
    }
  }
}

function* listed(tx: ReadTx): Program<Garbage[]> {
  const entries = yield* tx.scan(garbageRange, scanEntriesMax)
  return entries.map(({ key }) => garbageOf(key))
}

interface Step {
  readonly count: number
  readonly bytes: number
  readonly last: Bytes | undefined
}

function* deleteSome(tx: Tx, range: KeyRange, limit: number, garbage: Garbage): Program<Step> {
  const { what } = garbage
  const { owner } = readWaste(yield* tx.get(garbage.key))
  let handed = 0
  const entries = yield* tx.scan(range, limit)
  let bytes = 0
  for (const { key, value } of entries) {
    tx.remove(key)
    if (what === 'keyspace') handed += yield* discardKey(tx, key, value, owner)
    else if (what === 'members') handed += discardChunks(tx, value, owner)
    bytes += key.length + value.length
  }
  yield* handOver(tx, garbage.key, handed)
  return { count: entries.length, bytes, last: entries.at(-1)?.key }
}

/**
 * Discards what a key has besides its document: its expiry and its members. Returns their bytes.
 */
function* discardKey(tx: Tx, key: Bytes, value: Bytes, owner?: string): Program<number> {
  if (key[0] !== keyClass.record) return 0
  return keyChanged(tx, undefined, key, yield* documentOfRecord(tx, value), undefined, owner)
}

function discardChunks(tx: Tx, value: Bytes, owner?: string): number {
  const chunked = chunkedOfMember(value)
  if (chunked === undefined) return 0
  discardValue(tx, chunked.value, { owner, bytes: chunked.length })
  return chunked.length
}

function* forget(tx: Tx, garbage: Garbage): Program<void> {
  yield* removeGarbage(tx, garbage.key)
  if ('namespace' in garbage) {
    tx.remove(countKey(garbage.namespace))
    tx.remove(besideKey(garbage.namespace))
  }
  if (garbage.what === 'index') tx.remove(countKey(garbage.index))
}
