// Distinct values of an index without duplicates: of entries equal up to the requested field, it
// reads the first and jumps over the rest. If values rarely repeat, it reads like a scan.

import { type Bytes, compareBytes, concatBytes, prefixEnd } from '../../base/bytes/bytes.js'
import { fail } from '../../base/errors.js'
import { scanBytesTarget, scanBytesWhenShort, scanFirstEntries } from '../../base/limits/engine.js'
import { endsFetch } from '../../store/steps.js'
import type { Program, ReadTx } from '../../store/store.js'
import { keyValues, parsePath } from '../../value/path.js'
import type { Document } from '../../value/value.js'
import { findAgain } from '../collection/catalog/catalog.js'
import { documentOfRecord } from '../collection/records.js'
import { leadingKey } from '../index/index-keys.js'
import { isMultikey } from '../plan/plan.js'
import type { DistinctPlan } from '../plan/plan-distinct.js'
import type { Namespace } from '../types.js'
import { HoldingSource, type Source } from './holding-source.js'
import type { Counters } from './walk.js'

/** Entries after which a distinct that met few duplicates changes from jumps to a scan. */
const distinctTrialEntries = 1_000

/** Makes the source that reads everything, if the index can no longer be used. */
type Fallback = (ns: Namespace) => Source

/** Documents that together have every value: one or a few for each value. */
export class DistinctSource extends HoldingSource {
  private readonly own: Counters = { keysExamined: 0, docsExamined: 0, returned: 0 }
  private spanAt = 0
  private start: Bytes | undefined
  /** Prefix of the entries to skip. */
  private prefix: Bytes | undefined
  /** Entries of the next step: more while they differ, fewer while they repeat. */
  private chunk = 1
  /** Entries that reads returned after their first, and how many of them had a new value. */
  private seconds = 0
  private freshSeconds = 0
  private rest: Source | undefined
  /** Of the current pull. */
  private bytesLeft = 0

  constructor(
    private readonly ns: Namespace,
    private readonly plan: DistinctPlan,
    private readonly fallback: Fallback,
  ) {
    super()
  }

  get counters(): Readonly<Counters> {
    const { own, rest } = this
    if (rest === undefined) return own
    const { keysExamined, docsExamined, returned } = rest.counters
    return {
      keysExamined: own.keysExamined + keysExamined,
      docsExamined: own.docsExamined + docsExamined,
      returned: own.returned + returned,
    }
  }

  override get bytesBuffered(): number {
    return super.bytesBuffered + (this.rest?.bytesBuffered ?? 0)
  }

  override get bytesWorking(): number {
    return this.rest?.bytesWorking ?? 0
  }

  protected get isExhausted(): boolean {
    if (this.rest !== undefined) return this.rest.drained
    return this.spanAt >= this.plan.access.spans.length
  }

  protected *produce(
    tx: ReadTx,
    want: number,
    bytesMax = tx.isMemoryShort === true ? scanBytesWhenShort : scanBytesTarget,
  ): Program<Document[]> {
    const found: Document[] = []
    this.bytesLeft = bytesMax
    while (found.length < want && this.bytesLeft > 0 && !this.isExhausted) {
      if (this.rest !== undefined) break
      yield* this.step(tx, found)
    }
    this.own.returned += found.length
    if (found.length > 0 || this.rest === undefined) return found
    return yield* this.rest.pull(tx, want, bytesMax)
  }

  private *step(tx: ReadTx, found: Document[]): Program<void> {
    const { access } = this.plan
    const span = access.spans.at(this.spanAt)
    if (span === undefined) return
    const limit = this.chunk
    const range = { start: this.start ?? span.start, end: span.end, bytesMax: this.bytesLeft }
    const entries = yield* tx.scanFetch(range, limit)
    if (!(yield* this.isStillGood(tx))) return
    let added = 0
    for (const [i, { key, record }] of entries.entries()) {
      this.own.keysExamined++
      if (i > 0) this.seconds++
      if (record === undefined || this.isRepeated(key)) continue
      if (i > 0) this.freshSeconds++
      const document = yield* documentOfRecord(tx, record)
      this.own.docsExamined++
      this.prefix = this.prefixOf(document)
      found.push(document)
      this.bytesLeft -= document.length
      added++
    }
    const last = entries.at(-1)
    if (last === undefined || endsFetch(entries, range, limit)) {
      this.spanAt++
      this.start = undefined
      return
    }
    this.start = this.isRepeated(last.key)
      ? prefixEnd(this.prefix ?? last.key)
      : concatBytes(last.key, Uint8Array.of(0))
    if (compareBytes(this.start, span.end) >= 0) {
      this.spanAt++
      this.start = undefined
    }
    // Jumps that skip almost nothing cost more than they save. The first entry of a read is always
    // new, so only the others count.
    const { seconds, freshSeconds } = this
    const isVain = seconds >= distinctTrialEntries && freshSeconds * 2 > seconds
    if (isVain) this.rest = this.fallback(this.ns)
    this.chunk = added * 2 > limit ? Math.min(limit * 2, scanFirstEntries) : Math.ceil(limit / 2)
  }

  /** None for null, since a document without the field may be the first of those. */
  private prefixOf(document: Document): Bytes | undefined {
    const { access, fields } = this.plan
    const path = parsePath(access.index.fields[fields - 1]?.path ?? '')
    const [value] = keyValues(document, path).values
    return value === undefined || value.isNullish
      ? undefined
      : leadingKey(access.index, document, fields)
  }

  private isRepeated(key: Bytes): boolean {
    const { prefix } = this
    if (prefix === undefined || key.length < prefix.length) return false
    return compareBytes(key.subarray(0, prefix.length), prefix) === 0
  }

  /** False if the index was dropped or has arrays now; then everything is read, with duplicates. */
  private *isStillGood(tx: ReadTx): Program<boolean> {
    const { db, name, id, version } = this.ns
    const now = yield* findAgain(tx, this.ns)
    if (now?.id !== id) throw fail('QueryPlanKilled', `collection dropped: ${db}.${name}`)
    if (now.version === version) return true
    const index = now.indexes.find((other) => other.id === this.plan.access.index.id)
    if (index !== undefined && !isMultikey(index) && !index.inexact) return true
    this.rest = this.fallback(now)
    return false
  }
}
