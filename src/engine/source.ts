// Sources: streams of documents that commands pull batch by batch. A source holds a plan, positions
// and bounded buffers, so it survives between transactions and under concurrent writes; each pull
// keeps to the store's work budget, because every loop reads or breathes. (facts: storage 9)

import { pullDocumentsMax, scanEntriesMax } from '../base/limits.js'
import type { Filter } from '../query/filter.js'
import type { Projection } from '../query/projection.js'
import type { Sort } from '../query/sort.js'
import type { Program, ReadTx } from '../store/store.js'
import type { Document, Value } from '../value/value.js'
import { countOf } from './catalog.js'
import type { IndexUse } from './index-use.js'
import { isMultikey, type Plan } from './plan.js'
import { planQuery } from './planner.js'
import { countEntries } from './sources/count-entries.js'
import { Sorter } from './sources/sorter.js'
import { type Counters, type Found, Walk } from './sources/walk.js'
import type { Namespace } from './types.js'

export interface Source {
  /** Up to `want` documents (1 or more); none only when drained. */
  pull(tx: ReadTx, want: number): Program<Document[]>
  /** Gives back documents of the last pull, for the next one. */
  putBack(documents: readonly Document[]): void
  /** Nothing is left; a pull may be needed to find that out. */
  readonly drained: boolean
  readonly counters: Readonly<Counters>
  /** Lets go of what is held; the source is drained. */
  close(): void
}

export interface FindQuery {
  readonly filter: Filter
  readonly sort?: Sort | undefined
  readonly skip?: number | undefined
  /** 0 or undefined: no limit. */
  readonly limit?: number | undefined
  readonly projection?: Projection | undefined
  /** Index name, key pattern or `{$natural: ±1}`; an unknown one is BadValue. */
  readonly hint?: Value | undefined
  /** Counts for $indexStats. */
  readonly use?: IndexUse | undefined
}

/** The find of a query; a missing collection is an empty one. Throws BadValue for a bad hint. */
export function openFind(ns: Namespace | undefined, query: FindQuery): Source {
  if (ns === undefined) return documentsSource([])
  return new FindSource(ns, query, planQuery(ns, query))
}

/** A source of documents that are there already. */
export function documentsSource(documents: readonly Document[]): Source {
  return new DocumentsSource(documents)
}

/** What all sources do alike: documents given back come first. */
export abstract class HoldingSource implements Source {
  private held: Document[] = []
  private closed = false
  abstract readonly counters: Readonly<Counters>
  /** Nothing is left to produce. */
  protected abstract readonly isExhausted: boolean

  /** As pull, without what is held. */
  protected abstract produce(tx: ReadTx, want: number): Program<Document[]>

  *pull(tx: ReadTx, want: number): Program<Document[]> {
    if (this.held.length > 0) return this.held.splice(0, want)
    if (this.closed || this.isExhausted) return []
    return yield* this.produce(tx, want)
  }

  putBack(documents: readonly Document[]): void {
    if (!this.closed) this.held = [...documents, ...this.held]
  }

  get drained(): boolean {
    return this.held.length === 0 && (this.closed || this.isExhausted)
  }

  close(): void {
    this.closed = true
    this.held = []
  }
}

class DocumentsSource extends HoldingSource {
  readonly counters: Counters = { keysExamined: 0, docsExamined: 0, returned: 0 }
  protected readonly isExhausted = true

  constructor(documents: readonly Document[]) {
    super()
    this.counters.returned = documents.length
    this.putBack(documents)
  }

  // biome-ignore lint/correctness/useYield: a program that reads nothing is still a program
  protected *produce(): Program<Document[]> {
    return []
  }
}

export class FindSource extends HoldingSource {
  readonly plan: Plan
  readonly walk: Walk
  private readonly projection: Projection | undefined
  private readonly sorter: Sorter | undefined
  private skipLeft: number
  private limitLeft: number
  private returned = 0

  constructor(ns: Namespace, query: FindQuery, plan: Plan) {
    super()
    this.plan = plan
    this.walk = new Walk(ns, plan, query.filter)
    this.projection = query.projection
    this.skipLeft = query.skip ?? 0
    this.limitLeft = query.limit || Number.POSITIVE_INFINITY
    query.use?.note(plan)
    if (query.sort === undefined || plan.isSorted) return
    const keep = Number.isFinite(this.limitLeft) ? this.limitLeft + this.skipLeft : 0
    this.sorter = new Sorter(query.sort, keep)
  }

  get counters(): Counters {
    const { keysExamined, docsExamined } = this.walk.counters
    return { keysExamined, docsExamined, returned: this.returned }
  }

  protected get isExhausted(): boolean {
    if (this.limitLeft <= 0) return true
    return this.sorter === undefined
      ? this.walk.drained
      : this.sorter.isSealed && this.sorter.isEmpty
  }

  protected *produce(tx: ReadTx, want: number): Program<Document[]> {
    if (this.sorter !== undefined && !this.sorter.isSealed) yield* this.fill(tx, this.sorter)
    while (this.skipLeft > 0 && !this.isExhausted) {
      const skipped = yield* this.next(tx, Math.min(this.skipLeft, scanEntriesMax))
      this.skipLeft -= skipped.length
    }
    if (this.isExhausted) return []
    const documents = yield* this.next(tx, Math.min(want, this.limitLeft))
    this.limitLeft -= documents.length
    this.returned += documents.length
    const { projection } = this
    if (projection === undefined) return documents
    return documents.map((document) => projection.apply(document))
  }

  private *next(tx: ReadTx, want: number): Program<Document[]> {
    if (this.sorter !== undefined) {
      const taken = this.sorter.take(Math.min(want, pullDocumentsMax))
      yield* tx.breathe(taken.length)
      return taken
    }
    const found: Found = { documents: [] }
    yield* this.walk.read(tx, want, found)
    return found.documents
  }

  private *fill(tx: ReadTx, sorter: Sorter): Program<void> {
    while (!this.walk.drained) {
      const found: Found = { documents: [] }
      yield* this.walk.read(tx, pullDocumentsMax, found)
      for (const document of found.documents) sorter.add(document)
      yield* tx.breathe(found.documents.length)
    }
    sorter.seal()
  }
}

export type CountQuery = Pick<FindQuery, 'filter' | 'hint' | 'skip' | 'limit' | 'use'>

/**
 * How many documents match, after skip and up to limit: from the counter for an empty filter, from
 * index entries alone where the bounds are exact, else by looking at documents.
 */
export function* countDocuments(
  tx: ReadTx,
  ns: Namespace | undefined,
  query: CountQuery,
): Program<number> {
  if (ns === undefined) return 0
  const skip = query.skip ?? 0
  const limit = query.limit || Number.POSITIVE_INFINITY
  const plan = planQuery(ns, query)
  query.use?.note(plan)
  const enough = skip + limit
  const count = yield* countPlan(tx, ns, query, plan, enough)
  return Math.min(Math.max(count - skip, 0), limit)
}

function* countPlan(
  tx: ReadTx,
  ns: Namespace,
  query: CountQuery,
  plan: Plan,
  enough: number,
): Program<number> {
  if (query.filter.tree.op === 'always') return (yield* countOf(tx, ns)).documents
  const [access] = plan.accesses
  if (countsEntries(plan) && access?.kind === 'entries') {
    const counted = yield* countEntries(tx, ns, access, enough)
    if (counted !== undefined) return counted
  }
  const walk = new Walk(ns, plan, query.filter)
  let count = 0
  while (!walk.drained && count < enough) {
    const found: Found = { documents: [] }
    yield* walk.read(tx, Math.min(pullDocumentsMax, enough - count), found)
    count += found.documents.length
  }
  return count
}

/** Whether each entry in bounds stands for one document that matches. */
export function countsEntries(plan: Plan): boolean {
  const [access] = plan.accesses
  return (
    plan.isExact &&
    plan.accesses.length === 1 &&
    access?.kind === 'entries' &&
    !isMultikey(access.index)
  )
}
