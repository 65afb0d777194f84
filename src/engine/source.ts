// Sources: streams of documents that commands pull batch by batch. A source holds a plan, positions
// and bounded buffers, so it survives between transactions and under concurrent writes; each pull
// keeps to the store's work budget, because every loop reads or breathes. (facts: storage 9)

import { pullDocumentsMax, scanEntriesMax } from '../base/limits.js'
import type { Filter } from '../query/filter.js'
import type { Projection } from '../query/projection.js'
import type { Sort } from '../query/sort.js'
import { sortPlan } from '../query/stages/sort.js'
import type { Program, ReadTx } from '../store/store.js'
import { type Document, nullValue, type Value } from '../value/value.js'
import { countOf } from './catalog.js'
import type { IndexUse } from './index-use.js'
import { liveCount } from './keyspace/count.js'
import { isMultikey, type Plan } from './plan.js'
import { planQuery } from './planner.js'
import { ChainSource } from './sources/chain-source.js'
import { countEntries } from './sources/count-entries.js'
import { DocumentsSource, HoldingSource, type Source } from './sources/holding-source.js'
import { type Counters, type Found, Walk } from './sources/walk.js'
import type { Guarded, Namespace } from './types.js'

export type { Source }

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

/** A walk with skip, limit and projection; its order is the plan's or a sort's before them. */
export class FindSource extends HoldingSource {
  readonly plan: Plan
  readonly walk: Walk
  private readonly projection: Projection | undefined
  private readonly sorted: ChainSource | undefined
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
    query.use?.note(ns, plan)
    const { sort } = query
    if (sort === undefined || plan.isSorted) return
    const keep = this.limitLeft + this.skipLeft
    const { create } = sortPlan(nullValue, sort, Number.isSafeInteger(keep) ? keep : undefined)
    this.sorted = new ChainSource(new WalkSource(this.walk), [create()])
  }

  get counters(): Counters {
    const { keysExamined, docsExamined } = this.walk.counters
    return { keysExamined, docsExamined, returned: this.returned }
  }

  protected get isExhausted(): boolean {
    return this.limitLeft <= 0 || (this.sorted ?? this.walk).drained
  }

  protected *produce(tx: ReadTx, want: number): Program<Document[]> {
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

  private next(tx: ReadTx, want: number): Program<Document[]> {
    return this.sorted === undefined ? this.nextFound(tx, want) : this.sorted.pull(tx, want)
  }

  private *nextFound(tx: ReadTx, want: number): Program<Document[]> {
    const found: Found = { documents: [] }
    yield* this.walk.read(tx, want, found)
    return found.documents
  }
}

/** What a walk finds, as input of a sort. */
class WalkSource extends HoldingSource {
  private readonly walk: Walk

  constructor(walk: Walk) {
    super()
    this.walk = walk
  }

  get counters(): Counters {
    return this.walk.counters
  }

  protected get isExhausted(): boolean {
    return this.walk.drained
  }

  protected *produce(tx: ReadTx): Program<Document[]> {
    const found: Found = { documents: [] }
    // All of it is needed before the first comes out.
    yield* this.walk.read(tx, pullDocumentsMax, found)
    return found.documents
  }
}

export type CountQuery = Pick<FindQuery, 'filter' | 'hint' | 'skip' | 'limit' | 'use'>

/**
 * How many documents match, after skip and up to limit: from the counter for an empty filter, from
 * index entries alone where the bounds are exact, else by looking at documents. `counters` is told
 * what that took.
 */
export function* countDocuments(
  tx: ReadTx,
  ns: Namespace | undefined,
  query: CountQuery,
  counters?: Counters,
): Program<number> {
  if (ns === undefined) return 0
  const skip = query.skip ?? 0
  const limit = query.limit || Number.POSITIVE_INFINITY
  const plan = planQuery(ns, query)
  query.use?.note(ns, plan)
  const enough = skip + limit
  const count = yield* countPlan(tx, ns, query, plan, enough, counters)
  return Math.min(Math.max(count - skip, 0), limit)
}

function* countPlan(
  tx: ReadTx & Guarded,
  ns: Namespace,
  query: CountQuery,
  plan: Plan,
  enough: number,
  counters: Counters | undefined,
): Program<number> {
  const isKeyspace = ns.keyspace === true
  if (query.filter.tree.op === 'always') {
    if (isKeyspace && tx.now !== undefined) return yield* liveCount(tx, ns, tx.now)
    return (yield* countOf(tx, ns)).documents
  }
  const [access] = plan.accesses
  if (!isKeyspace && countsEntries(plan) && access?.kind === 'entries') {
    const counted = yield* countEntries(tx, ns, access, enough)
    if (counted !== undefined) {
      if (counters !== undefined) counters.keysExamined = counted
      return counted
    }
  }
  const walk = new Walk(ns, plan, query.filter)
  let count = 0
  while (!walk.drained && count < enough) {
    const found: Found = { documents: [] }
    yield* walk.read(tx, Math.min(pullDocumentsMax, enough - count), found)
    count += found.documents.length
  }
  if (counters !== undefined) Object.assign(counters, walk.counters)
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
