// Deletes expired documents of TTL indexes. Due dates are a range of the index, read a few entries
// at a time. A write program checks each document again before deleting it. One step of each index
// in turn, with lower priority than clients. (MongoDB manual, TTL Indexes;
// docs/design/transactions.md, rule 14)

import { type Bytes, compareBytes, concatBytes, mapKey } from '../../base/bytes/bytes.js'
import { hasKind } from '../../base/errors.js'
import { documentExpirySweepMs } from '../../base/limits/documents.js'
import type { Program, ReadTx, Tx } from '../../store/store.js'
import { bsonType, dateValue } from '../../value/value.js'
import { findNamespace } from '../collection/catalog/catalog.js'
import { timedNames } from '../collection/catalog/catalog-index.js'
import { getDocument, removeDocument } from '../collection/collections.js'
import { entriesOf } from '../index/index-keys.js'
import { bound, bracketOf, Interval } from '../plan/intervals.js'
import type { Listed } from '../plan/listed.js'
import { type Span, spansHold } from '../plan/plan.js'
import { accessOf } from '../plan/plan-access.js'
import type { IndexDescriptor, Namespace } from '../types.js'
import { BackgroundLoop, isShutdown } from './background-loop-job.js'
import type { JobParts } from './garbage-job.js'
import { Lease, LeaseLost } from './lease-job.js'
import { StepSize } from './step-size.js'

/** The progress of one TTL index. */
interface Sweeping {
  readonly ns: Namespace
  readonly index: IndexDescriptor
  readonly size: StepSize
  /** The start of the next step; undefined means the oldest date. */
  from: Bytes | undefined
}

interface Expiring {
  readonly ns: Namespace
  readonly index: IndexDescriptor
  readonly spans: Listed<Span>
}

interface Due {
  readonly keys: readonly Bytes[]
  /** Undefined at the end. */
  readonly next: Bytes | undefined
}

const nothingDue: Due = { keys: [], next: undefined }

interface Removed {
  readonly documents: number
  readonly bytes: number
}

export class DocumentExpiry {
  /** Documents deleted since the start. */
  expired = 0
  /** Completed passes over all TTL indexes since the start. */
  rounds = 0
  /** Whether it runs by itself; clients may disable it temporarily. */
  isEnabled = true
  private readonly loop: BackgroundLoop
  private readonly lease: Lease

  constructor(private readonly parts: JobParts) {
    const { store, pace, log } = parts
    this.lease = new Lease(store, 'document expiry')
    this.loop = new BackgroundLoop({
      pace,
      log,
      everyMs: documentExpirySweepMs,
      sleepsFirst: true,
      failure: 'looking for expired documents failed',
      round: async () => {
        if (this.isEnabled) await this.round()
        return false
      },
    })
  }

  /** Time between two looks, milliseconds; clients may change it until the process ends. */
  get everyMs(): number {
    return this.loop.everyMs
  }

  set everyMs(ms: number) {
    this.loop.everyMs = ms
  }

  start(): void {
    this.loop.start()
  }

  close(): Promise<void> {
    return this.loop.close()
  }

  /** Removes everything due now; resolves with the number of documents. */
  round(): Promise<number> {
    return this.lease.round(() => this.removeAll(), 0)
  }

  private async removeAll(): Promise<number> {
    const { store, pace, log } = this.parts
    const before = this.expired
    const waiting = timed(await store.read(timedNamespaces))
    for (let next = waiting.shift(); next !== undefined; next = waiting.shift()) {
      if (this.loop.isClosed) break
      try {
        if (await this.step(next)) waiting.push(next)
      } catch (error) {
        if (isShutdown(error) || error instanceof LeaseLost) throw error
        const { ns, index } = next
        const which = { err: error, ns: `${ns.db}.${ns.name}`, index: index.name }
        log.warn(which, 'expired documents could not be removed; it will be tried again')
      }
      await pace.rest()
    }
    this.rounds++
    return this.expired - before
  }

  /** Returns false when no document is due. */
  private async step(work: Sweeping): Promise<boolean> {
    const { store, clock } = this.parts
    const { size } = work
    const now = clock.now()
    const { limit } = size
    const { keys, next } = await store.read((tx) => readDue(tx, work, now, limit))
    if (keys.length === 0) return false
    try {
      const { documents, bytes } = await this.lease.runner.write((tx) =>
        removeDue(tx, work, now, keys),
      )
      this.expired += documents
      size.saw(documents, bytes)
    } catch (error) {
      if (!hasKind(error, 'TransactionTooLarge') || !size.halve()) throw error
      return true
    }
    work.from = next
    return next !== undefined
  }
}

function* timedNamespaces(tx: ReadTx): Program<Namespace[]> {
  const found: Namespace[] = []
  for (const { db, name } of yield* timedNames(tx)) {
    const ns = yield* findNamespace(tx, db, name)
    if (ns !== undefined) found.push(ns)
  }
  return found
}

function timed(all: readonly Namespace[]): Sweeping[] {
  return all.flatMap((ns) =>
    ns.indexes
      .filter(({ expireAfterSeconds }) => expireAfterSeconds !== undefined)
      .map((index) => ({ ns, index, size: new StepSize(), from: undefined })),
  )
}

/** The current index and the range of its due dates. */
function* locate(tx: ReadTx, work: Sweeping, now: number): Program<Expiring | undefined> {
  const { db, name, id } = work.ns
  const ns = yield* findNamespace(tx, db, name)
  const index = ns?.indexes.find((candidate) => candidate.id === work.index.id)
  if (ns?.id !== id || index?.expireAfterSeconds === undefined) return undefined
  if (index.state !== 'ready') return undefined
  const dates = bracketOf(bsonType.date)
  if (dates === undefined) return undefined
  const latest = bound(dateValue(now - index.expireAfterSeconds * 1_000), true)
  const intervals = [[new Interval(dates.low, latest)]]
  const { fields, multikey, unique } = index
  const ordered = { index, fields, multikey, unique }
  const { access } = accessOf(ns, { ordered, intervals, used: new Set() }, false)
  return access.kind === 'entries' ? { ns, index, spans: access.spans } : undefined
}

/** Records with a due date. The earliest date of an array decides, so any due element suffices. */
function* readDue(tx: ReadTx, work: Sweeping, now: number, limit: number): Program<Due> {
  const found = yield* locate(tx, work, now)
  // A TTL index has one field, so there is one interval.
  const span = found?.spans.at(0)
  const start = work.from ?? span?.start
  if (span === undefined || start === undefined) return nothingDue
  // expireAfterSeconds may have changed between two steps.
  if (compareBytes(start, span.end) >= 0) return nothingDue
  const entries = yield* tx.scan({ start, end: span.end }, limit)
  const keys = new Map(entries.map(({ value }) => [mapKey(value), value]))
  const last = entries.length < limit ? undefined : entries.at(-1)
  const next = last === undefined ? undefined : concatBytes(last.key, Uint8Array.of(0))
  return { keys: [...keys.values()], next }
}

function* removeDue(tx: Tx, work: Sweeping, now: number, keys: readonly Bytes[]): Program<Removed> {
  const found = yield* locate(tx, work, now)
  let documents = 0
  let bytes = 0
  if (found === undefined) return { documents, bytes }
  const { ns, index, spans } = found
  for (const key of keys) {
    const document = yield* getDocument(tx, ns, key)
    if (document === undefined) continue
    if (!entriesOf(index, document, key).keys.some((entry) => spansHold(spans, entry))) continue
    yield* removeDocument(tx, ns, key, document)
    documents++
    bytes += document.length
  }
  return { documents, bytes }
}
