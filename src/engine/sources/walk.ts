// Walks one plan over one collection: reads keys and records in bounded steps, and drops duplicates
// and non-matching documents. Its state is only positions, so writes, pauses and other transactions
// may happen between two reads. (docs/design/transactions.md, rules 1, 6, 10 and 11)

import { type Bytes, compareBytes } from '../../base/bytes/bytes.js'
import { fail } from '../../base/errors.js'
import {
  scanBytesTarget,
  scanBytesWhenShort,
  scanEntriesMax,
  scanFirstEntries,
} from '../../base/limits/engine.js'
import { work } from '../../base/work/work-budget.js'
import type { Filter } from '../../query/filter.js'
import { endsFetch, endsRange } from '../../store/steps.js'
import type { Entry, Program, ReadTx } from '../../store/store.js'
import type { Steps } from '../../value/key-list.js'
import type { Document } from '../../value/value.js'
import { findAgain } from '../collection/catalog/catalog.js'
import { findHead, isCapped, lostPlace, sequenceKey } from '../collection/kinds/capped-order.js'
import { bodyOf, documentOfRecord, isWhole } from '../collection/records.js'
import { entriesOf } from '../index/index-keys.js'
import { isExpired } from '../keyspace/keys/guard.js'
import type { Cover } from '../plan/cover.js'
import {
  type Access,
  isMultikey,
  keysHold,
  needsDeduplication,
  type Plan,
  spansHold,
} from '../plan/plan.js'
import { preparing } from '../plan/points.js'
import type { Guarded, IndexDescriptor, Namespace } from '../types.js'
import { detachedThen } from './detaching.js'
import { KnownFirsts, knownBytesMin } from './known-firsts.js'
import { SpanCursor } from './span-cursor.js'

export interface Counters {
  keysExamined: number
  docsExamined: number
  returned: number
}

/** Receives the results of a walk; record keys only on request. */
export interface Found {
  readonly documents: Document[]
  readonly keys?: Bytes[]
}

export interface FoundPlaces extends Found {
  readonly keys: Bytes[]
}

interface Refused {
  readonly error: unknown
  readonly document: Document
  readonly recordKey: Bytes
}

type PointsAccess = Extract<Access, { kind: 'points' }>
type SpansAccess = Extract<Access, { kind: 'records' | 'entries' }>

/** A record and its key, or an entry with the key of its record and that record. */
interface Hit extends Entry {
  readonly record?: Bytes | undefined
}

/** Smaller steps cost as much because of their overhead. */
const scanFewEntries = 32

export class Walk {
  readonly counters: Counters = { keysExamined: 0, docsExamined: 0, returned: 0 }
  drained = false
  /**
   * If set, a walk whose position was removed ends with CappedPositionLost; otherwise it continues.
   */
  losesPlace = false
  /** Documents already found by another entry or access. */
  repeated = 0
  /** Keys examined when each access began. */
  private readonly begun: number[] = []
  private namespace: Namespace
  private readonly plan: Plan
  private readonly filter: Filter
  private accessAt = -1
  private access: Access = { kind: 'nothing' }
  /** The current descriptor of the index of `access`. */
  private index: IndexDescriptor | undefined
  private position: SpanCursor | undefined
  /** Steps before the first read of `access`. */
  private preparing: Steps<void> | undefined
  private pointAt = 0
  /** Entries of the next step if a filter decides how many are needed. */
  private chunk = scanFirstEntries
  private bytesSeen = 0
  /** Bytes of documents added by the current `read`. */
  private bytesFound = 0
  private bytesMax = scanBytesTarget
  private hasRead = false
  /** Maximum entries of one step. */
  private entriesMax = scanEntriesMax
  private filters: boolean
  /** A document that was too heavy for the filter here. */
  private refused: Refused | undefined
  private deduplicates: boolean
  /** Makes documents from entries while entries suffice. */
  private cover: Cover | undefined
  private knownFirsts: KnownFirsts | undefined

  constructor(namespace: Namespace, plan: Plan, filter: Filter, cover?: Cover) {
    this.cover = cover
    this.namespace = namespace
    this.plan = plan
    this.filter = filter
    this.filters = !plan.isExact
    this.deduplicates = needsDeduplication(plan)
    this.nextAccess()
  }

  /**
   * Adds up to `want` documents (at least 1); fewer if drained or if they are large: behind
   * `bytesMax` it ends. Throws QueryPlanKilled if the collection or an index in use was dropped.
   */
  *read(tx: ReadTx, want: number, found: Found, bytesMax = scanBytesTarget): Program<void> {
    const goal = found.documents.length + want
    this.bytesFound = 0
    this.bytesMax = tx.isMemoryShort === true ? Math.min(bytesMax, scanBytesWhenShort) : bytesMax
    while (!this.drained && !this.hasEnough(found, goal)) yield* this.step(tx, goal, found)
  }

  /** Looks for one document among the first `entriesMax` (about 100), fewer if they are large. */
  *glance(tx: ReadTx, entriesMax: number, found: Found): Program<void> {
    const { counters } = this
    this.entriesMax = entriesMax
    while (!this.drained && found.documents.length === 0) {
      if (counters.docsExamined >= (work.isDue ? 1 : entriesMax)) return
      yield* this.step(tx, 1, found)
    }
  }

  /** Counts the matches among the first `documentsMax` documents (about 100); it keeps none. */
  *sample(tx: ReadTx, documentsMax: number): Program<void> {
    this.entriesMax = documentsMax
    while (!this.drained && this.counters.docsExamined < documentsMax) {
      this.bytesFound = 0
      yield* this.step(tx, documentsMax + 1, { documents: [] })
    }
  }

  /** One step of the current access. */
  private step(tx: ReadTx, goal: number, found: Found): Program<void> {
    if (this.preparing !== undefined) return this.prepare(tx, this.preparing)
    const { access } = this
    switch (access.kind) {
      case 'nothing':
        return this.leaveNothing()
      case 'points':
        return this.readPoints(tx, access, goal, found)
      case 'records':
        return this.readSpan(tx, access, goal, found)
      case 'entries':
        return this.cover === undefined
          ? this.readSpan(tx, access, goal, found)
          : this.readCovered(tx, access.index, this.cover, goal, found)
    }
  }

  private *prepare(tx: ReadTx, steps: Steps<void>): Program<void> {
    for (const _ of steps) if (work.isDue) yield* tx.pause()
    this.preparing = undefined
  }

  private *leaveNothing(): Program<void> {
    this.nextAccess()
  }

  private hasEnough(found: Found, goal: number): boolean {
    return found.documents.length >= goal || this.bytesFound >= this.bytesMax
  }

  private *readPoints(
    tx: ReadTx & Guarded,
    access: PointsAccess,
    goal: number,
    found: Found,
  ): Program<void> {
    const limit = this.stepLimit(goal - found.documents.length)
    const asked = access.keys.slice(this.pointAt, this.pointAt + limit)
    const [first] = asked
    // A single key is the most common query and takes the fast path.
    const isSingle = asked.length === 1 && first !== undefined
    const records = isSingle
      ? [yield* tx.get(first)]
      : yield* tx.getMany(asked, this.bytesMax - this.bytesFound)
    if (this.hasRead) yield* this.stillThere(tx)
    this.hasRead = true
    for (let i = 0; i < records.length && !this.hasEnough(found, goal); i++) {
      if (i > 0 && work.isDue) return yield* tx.pause()
      this.pointAt++
      const key = asked[i] as Bytes
      const record = records[i]
      if (record === undefined) continue
      this.counters.keysExamined++
      const document = isWhole(record) ? bodyOf(record) : yield* documentOfRecord(tx, record)
      if (this.isGone(tx, document)) continue
      this.take(document, key, key, found)
      if (this.refused !== undefined) return yield* this.takeAgain(tx, found)
    }
    if (this.pointAt >= access.keys.length) this.nextAccess()
    this.adapt(goal - found.documents.length)
  }

  private *readSpan(
    tx: ReadTx & Guarded,
    access: SpansAccess,
    goal: number,
    found: Found,
  ): Program<void> {
    if (this.namespace.capped !== undefined && access.kind === 'records') {
      yield* this.findPlace(tx, access.reverse)
    }
    const isIndex = access.kind === 'entries'
    const range = this.position?.range(this.bytesMax - this.bytesFound)
    if (range === undefined) return this.nextAccess()
    const limit = this.stepLimit(goal - found.documents.length)
    const hits: readonly Hit[] = isIndex
      ? yield* tx.scanFetch(range, limit)
      : yield* tx.scan(range, limit)
    yield* this.stillThere(tx)
    this.hasRead = true
    const countsKeys = isIndex || access.bounds !== undefined
    for (let i = 0; i < hits.length; i++) {
      const { key, value, record } = hits[i] as Hit
      if (countsKeys) this.counters.keysExamined++
      const stored = isIndex ? record : value
      if (stored === undefined) continue
      const document = isWhole(stored) ? bodyOf(stored) : yield* documentOfRecord(tx, stored)
      if (!this.isGone(tx, document)) this.take(document, key, isIndex ? value : key, found)
      if (this.refused !== undefined) {
        this.position?.passed(key)
        return yield* this.takeAgain(tx, found)
      }
      const { isDue } = work
      if (i === hits.length - 1 || !(isDue || this.hasEnough(found, goal))) continue
      this.position?.passed(key)
      if (isDue) yield* tx.pause()
      return
    }
    const last = hits.at(-1)
    if ((isIndex ? endsFetch : endsRange)(hits, range, limit)) this.finishSpan()
    else if (last !== undefined) this.position?.passed(last.key)
    this.adapt(goal - found.documents.length)
  }

  /**
   * In a capped collection: starts at the first existing document, after all tombstones. It
   * continues only from an existing document.
   */
  private *findPlace(tx: ReadTx, reverse: boolean): Program<void> {
    const { namespace, position } = this
    if (!isCapped(namespace) || position === undefined) return
    const { place } = position
    if (place === undefined) {
      const head = reverse ? undefined : yield* findHead(tx, namespace.id)
      if (head !== undefined) position.passed(sequenceKey(namespace.id, head.first - 1))
    } else if (this.losesPlace && (yield* tx.get(place)) === undefined) {
      yield* this.stillThere(tx)
      throw lostPlace(place)
    }
  }

  /** Like readSpan, without records while entries suffice. */
  private *readCovered(
    tx: ReadTx,
    index: IndexDescriptor,
    cover: Cover,
    goal: number,
    found: Found,
  ): Program<void> {
    const range = this.position?.range()
    if (range === undefined) return this.nextAccess()
    const limit = this.stepLimit(goal - found.documents.length)
    const entries = yield* tx.scan(range, limit)
    const made = entries.map(({ key, value }) => cover.documentOf(key, value))
    const asked = entries.filter((_, i) => made[i] === undefined)
    const suffices = asked.length * 2 <= entries.length
    const keys = suffices ? asked.map(({ value }) => value) : []
    const records = keys.length === 0 ? [] : yield* tx.getMany(keys, this.bytesMax)
    yield* this.stillThere(tx)
    // The index changed, or its entries rarely suffice: repeat from here with records.
    if (this.filters || !suffices) {
      this.cover = undefined
      return
    }
    this.hasRead = true
    let nextAsked = 0
    for (let i = 0; i < entries.length; i++) {
      const { key, value } = entries[i] as Entry
      let document = made[i]
      // The next step goes on from here.
      if (document === undefined && nextAsked === records.length) return
      this.position?.passed(key)
      this.counters.keysExamined++
      if (document === undefined) {
        const record = records[nextAsked++]
        const whole = record === undefined ? undefined : yield* documentOfRecord(tx, record)
        // A snapshot may end between two reads, so the record may be a different one.
        const hasEntry = whole !== undefined && isOwnKey(index, whole, value, key)
        if (whole === undefined || !hasEntry) continue
        this.counters.docsExamined++
        document = cover.cut(whole)
      }
      this.counters.returned++
      this.bytesFound += document.length
      found.documents.push(document)
      found.keys?.push(value)
    }
    if (entries.length < limit) this.finishSpan()
  }

  /** Whether it is an expired key of a key-value database, which does not exist. */
  private isGone({ now }: Guarded, document: Document): boolean {
    return this.namespace.keyspace === true && now !== undefined && isExpired(document, now)
  }

  /** Adds a document if it is new and matches; `key` is the scanned key. */
  private take(document: Document, key: Bytes, recordKey: Bytes, found: Found): void {
    this.counters.docsExamined++
    this.bytesSeen += document.length
    if (this.deduplicates && !this.isFirst(document, key, recordKey)) {
      this.repeated++
      return
    }
    if (this.filters && !this.matches(document, recordKey)) return
    this.add(document, recordKey, found)
  }

  /** False if the check is too heavy here: then the document is `refused`. */
  private matches(document: Document, recordKey: Bytes): boolean {
    try {
      return this.filter.matches(document)
    } catch (error) {
      this.refused = { error, document, recordKey }
      return false
    }
  }

  /** Waits for the result of the refused document. */
  private *takeAgain(tx: ReadTx, found: Found): Program<void> {
    const { refused } = this
    if (refused === undefined) return
    this.refused = undefined
    const { error, document, recordKey } = refused
    const matches = yield* detachedThen(tx, error, () => this.filter.matches(document))
    if (matches) this.add(document, recordKey, found)
  }

  private add(document: Document, recordKey: Bytes, found: Found): void {
    this.counters.returned++
    this.bytesFound += document.length
    found.documents.push(document)
    found.keys?.push(recordKey)
  }

  /**
   * Whether this hit reports the document: its first entry in bounds, of the first access that
   * contains it. Computed from the document, so no state is needed.
   */
  private isFirst(document: Document, key: Bytes, recordKey: Bytes): boolean {
    if (document.length >= knownBytesMin) this.knownFirsts ??= new KnownFirsts()
    const known = this.knownFirsts?.find(recordKey, document)
    const first = known === undefined ? this.firstKey(document, key, recordKey) : known.first
    if (known === undefined) this.knownFirsts?.keep(recordKey, document, first)
    return first !== undefined && compareBytes(first, key) === 0
  }

  /** Undefined if an earlier access contains it; `key` is the scanned key. */
  private firstKey(document: Document, key: Bytes, recordKey: Bytes): Bytes | undefined {
    for (let i = 0; i < this.accessAt; i++) {
      if (this.holds(this.plan.accesses[i] as Access, document, recordKey)) return undefined
    }
    const { access, index } = this
    if (access.kind !== 'entries' || index === undefined) return key
    if (!isMultikey(index) && !isMultikey(access.index)) return key
    let first: Bytes | undefined
    for (const entry of entriesOf(readOf(access.index, index), document, recordKey).keys) {
      if (!spansHold(access.spans, entry)) continue
      if (first === undefined || compareBytes(entry, first) < 0 !== access.reverse) first = entry
    }
    return first ?? key
  }

  private holds(access: Access, document: Document, recordKey: Bytes): boolean {
    switch (access.kind) {
      case 'nothing':
        return false
      case 'points':
        return keysHold(access.keys, recordKey)
      case 'records':
        return spansHold(access.spans, recordKey)
      case 'entries': {
        const index = readOf(access.index, this.current(access.index))
        return entriesOf(index, document, recordKey).keys.some((key) =>
          spansHold(access.spans, key),
        )
      }
    }
  }

  /** Checks after a read that the collection still exists. Ids are never reused. */
  private *stillThere(tx: ReadTx): Program<void> {
    const before = this.namespace
    const now = yield* findAgain(tx, before)
    if (now === before) return
    if (now === undefined || now.id !== before.id) {
      throw fail('QueryPlanKilled', `collection dropped: ${before.db}.${before.name}`)
    }
    if (now.version === before.version) return
    this.namespace = now
    this.knownFirsts = undefined
    for (const access of this.plan.accesses) {
      if (access.kind !== 'entries') continue
      const index = this.current(access.index)
      if (isMultikey(index)) this.deduplicates = true
      // The bounds may no longer be exact; an extra filter costs little.
      this.filters = true
    }
    if (this.access.kind === 'entries') this.index = this.current(this.access.index)
  }

  private current(index: IndexDescriptor): IndexDescriptor {
    const now = this.namespace.indexes.find((other) => other.id === index.id)
    if (now === undefined) throw fail('QueryPlanKilled', `index '${index.name}' dropped`)
    return now
  }

  private finishSpan(): void {
    this.position?.finishSpan()
    if (this.position?.range() === undefined) this.nextAccess()
  }

  /** Keys examined by each access of the plan. */
  get keysByAccess(): number[] {
    const { begun, counters } = this
    return begun.map((before, i) => (begun[i + 1] ?? counters.keysExamined) - before)
  }

  private nextAccess(): void {
    this.accessAt++
    this.begun.push(this.counters.keysExamined)
    const access = this.plan.accesses[this.accessAt]
    if (access === undefined) {
      this.drained = true
      return
    }
    this.access = access
    this.knownFirsts = undefined
    this.pointAt = 0
    this.preparing = access.kind === 'entries' ? preparing(access.bounds) : undefined
    this.index = access.kind === 'entries' ? this.current(access.index) : undefined
    this.position =
      access.kind === 'records' || access.kind === 'entries'
        ? new SpanCursor(access.spans, access.reverse)
        : undefined
  }

  /** Entries of the next step: the missing number if all count, otherwise growing. */
  private stepLimit(missing: number): number {
    const { docsExamined } = this.counters
    const entries = this.filters || this.deduplicates ? this.likelyFor(missing) : missing
    const fits =
      docsExamined === 0
        ? scanFirstEntries
        : Math.ceil((this.bytesMax * docsExamined) / (this.bytesSeen + 1))
    return Math.min(entries, fits, this.entriesMax)
  }

  /** Entries that likely contain `missing` matches; extra ones are read again. */
  private likelyFor(missing: number): number {
    const { docsExamined, returned } = this.counters
    if (returned === 0) return Math.max(missing, this.chunk)
    const likely = Math.ceil((missing * docsExamined * 1.125) / returned)
    return Math.min(Math.max(likely, missing, scanFewEntries), Math.max(missing, this.chunk))
  }

  private adapt(missing: number): void {
    if (missing > 0) this.chunk = Math.min(this.chunk * 2, scanEntriesMax)
  }
}

/** For a wildcard index, only the part that the plan reads; other entries are not computed. */
function readOf(planned: IndexDescriptor, now: IndexDescriptor): IndexDescriptor {
  return planned.wildcard === undefined ? now : planned
}

function isOwnKey(index: IndexDescriptor, document: Document, record: Bytes, key: Bytes): boolean {
  return entriesOf(index, document, record).keys.some((own) => compareBytes(own, key) === 0)
}
