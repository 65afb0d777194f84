// Sources: streams of documents that commands pull in batches. A source holds a plan, positions and
// bounded buffers, so it survives between transactions and under concurrent writes. Each pull keeps
// to the work budget, because every loop reads or pauses. (docs/design/transactions.md, rules 1 and
// 10)

import { pullDocumentsMax, scanEntriesMax } from '../../base/limits/engine.js'
import { work } from '../../base/work/work-budget.js'
import type { Filter } from '../../query/filter.js'
import type { Projection } from '../../query/projection.js'
import type { Sort } from '../../query/sort.js'
import type { SpillFigures, Workspace } from '../../query/spill.js'
import { sortPlan } from '../../query/stages/sort.js'
import type { Program, ReadTx } from '../../store/store.js'
import { type Document, nullValue, type Value } from '../../value/value.js'
import { countOf } from '../collection/counters.js'
import type { UseCounter } from '../index/index-use.js'
import { liveCount } from '../keyspace/keys/count.js'
import { type Cover, coverOf } from '../plan/cover.js'
import { type AskedRange, isMultikey, type Plan } from '../plan/plan.js'
import { choosePlan } from '../plan/plan-choice.js'
import { planDistinct } from '../plan/plan-distinct.js'
import { leavesOut } from '../plan/plan-membership.js'
import { planQuery } from '../plan/planner.js'
import { ReturnedKeys } from '../plan/returned-keys.js'
import type { Guarded, Namespace } from '../types.js'
import { ChainSource } from './chain-source.js'
import { countEntries } from './count-entries.js'
import { detachedThen } from './detaching.js'
import { DistinctSource } from './distinct-source.js'
import { DocumentsSource, HoldingSource, type Source } from './holding-source.js'
import { counted } from './query-memory.js'
import { type Counters, type Found, Walk } from './walk.js'

export interface FindQuery {
  readonly filter: Filter
  readonly sort?: Sort | undefined
  readonly skip?: number | undefined
  /** 0 or undefined means no limit. */
  readonly limit?: number | undefined
  readonly projection?: Projection | undefined
  /** Needed top-level fields, if there is no projection: an index may cover them. */
  readonly needs?: ReadonlySet<string> | undefined
  /** Index name, key pattern or `{$natural: ±1}`; an unknown one is BadValue. */
  readonly hint?: Value | undefined
  /** min and max: keys of the hinted index. */
  readonly range?: AskedRange | undefined
  /** Return the index keys by which documents were found, not the documents. */
  readonly returnsKey?: boolean | undefined
  /** Counts for $indexStats. */
  readonly use?: UseCounter | undefined
  /** Workspace for a sort that exceeds memory. */
  readonly workspace?: Workspace | undefined
}

/** The find of a query; a missing collection is an empty one. Throws BadValue for a bad hint. */
export function openFind(ns: Namespace | undefined, query: FindQuery): Source {
  if (ns === undefined) return documentsSource([])
  return new FindSource(ns, query, planQuery(ns, query))
}

/** A source of given documents; see DocumentsSource. */
export function documentsSource(documents: readonly Document[], isCounted = false): Source {
  return new DocumentsSource(documents, isCounted)
}

/** A walk with skip, limit and projection, ordered by the plan or by a sort before them. */
export class FindSource extends HoldingSource {
  private plan: Plan
  walk: Walk
  private readonly query: FindQuery
  private readonly ns: Namespace
  private readonly projection: Projection | undefined
  private sorted: ChainSource | undefined
  private cover: Cover | undefined
  /** Whether the plan was compared with its rivals. */
  private isChosen: boolean
  private sorting: { readonly figures?: SpillFigures | undefined } | undefined
  private skipLeft: number
  private limitLeft: number
  private returned = 0

  /** `plan` comes from the planner or from choosePlan. */
  constructor(ns: Namespace, query: FindQuery, plan: Plan, isChosen = false) {
    super()
    this.ns = ns
    this.query = query
    this.isChosen = isChosen || plan.rejected.length === 0
    this.plan = plan
    this.projection = query.projection
    this.cover = this.coverOf(plan)
    this.walk = this.walkOf(plan)
    this.skipLeft = query.skip ?? 0
    this.limitLeft = query.limit || Number.POSITIVE_INFINITY
    this.sorted = this.sortOf(plan)
    if (this.isChosen) query.use?.note(ns, plan)
  }

  private walkOf(plan: Plan): Walk {
    const walk = new Walk(this.ns, plan, this.query.filter, this.cover)
    walk.losesPlace = true
    return walk
  }

  private sortOf(plan: Plan): ChainSource | undefined {
    const { sort, workspace } = this.query
    if (sort === undefined || plan.isSorted) return undefined
    const keep = this.limitLeft + this.skipLeft
    const { create } = sortPlan(nullValue, sort, Number.isSafeInteger(keep) ? keep : undefined)
    const transform = counted(create(workspace), workspace)
    this.sorting = transform
    return new ChainSource(new WalkSource(this.walk), [transform], workspace)
  }

  override get bytesBuffered(): number {
    return super.bytesBuffered + (this.sorted?.bytesBuffered ?? 0)
  }

  override get bytesWorking(): number {
    return this.sorted?.bytesWorking ?? 0
  }

  override close(): void {
    super.close()
    this.sorted?.close()
  }

  /** Spill figures of a blocking sort. */
  spilled(): SpillFigures | undefined {
    return this.sorting?.figures
  }

  /** Chooses the plan, before the first read. */
  private *choose(tx: ReadTx): Program<void> {
    const { ns, query } = this
    const plan = yield* choosePlan(tx, ns, query, this.plan, query.use?.choices)
    this.isChosen = true
    query.use?.note(ns, plan)
    if (plan === this.plan) return
    this.plan = plan
    this.cover = this.coverOf(plan)
    this.walk = this.walkOf(plan)
    this.sorted = this.sortOf(plan)
  }

  private coverOf(plan: Plan): Cover | undefined {
    const { sort, projection, needs, returnsKey } = this.query
    if ((sort !== undefined && !plan.isSorted) || returnsKey === true) return undefined
    return coverOf(this.ns, plan, projection === undefined ? needs : projection.wholeFields)
  }

  /** Whether the index covers the projection. */
  get isCovered(): boolean {
    return this.cover !== undefined
  }

  get counters(): Counters {
    const { keysExamined, docsExamined } = this.walk.counters
    return { keysExamined, docsExamined, returned: this.returned }
  }

  protected get isExhausted(): boolean {
    return this.limitLeft <= 0 || (this.sorted ?? this.walk).drained
  }

  protected *produce(tx: ReadTx, want: number, bytesMax?: number): Program<Document[]> {
    if (!this.isChosen) yield* this.choose(tx)
    while (this.skipLeft > 0 && !this.isExhausted) {
      const skipped = yield* this.next(tx, Math.min(this.skipLeft, scanEntriesMax))
      this.skipLeft -= skipped.length
    }
    if (this.isExhausted) return []
    const documents = yield* this.next(tx, Math.min(want, this.limitLeft), bytesMax)
    this.limitLeft -= documents.length
    this.returned += documents.length
    const { projection, cover } = this
    if (this.query.returnsKey === true) {
      const keys = new ReturnedKeys(this.ns, this.plan)
      return documents.map((document) => keys.keyOf(document))
    }
    // A pipeline that needs few fields accepts whole documents.
    if (projection === undefined) return documents
    if (cover !== undefined) return documents.map((document) => cover.cut(document))
    return yield* projected(tx, documents, projection)
  }

  private next(tx: ReadTx, want: number, bytesMax?: number): Program<Document[]> {
    return this.sorted === undefined
      ? this.nextFound(tx, want, bytesMax)
      : this.sorted.pull(tx, want, bytesMax)
  }

  private *nextFound(tx: ReadTx, want: number, bytesMax?: number): Program<Document[]> {
    const found: Found = { documents: [] }
    yield* this.walk.read(tx, want, found, bytesMax)
    return found.documents
  }
}

/** The results of a walk, as input of a sort. */
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
    // A sort needs all input before its first result.
    yield* this.walk.read(tx, pullDocumentsMax, found)
    return found.documents
  }
}

export type CountQuery = Pick<FindQuery, 'filter' | 'hint' | 'skip' | 'limit' | 'use'>

/**
 * Counts matching documents, after skip and up to limit. An empty filter uses the counter, exact
 * bounds use index entries; otherwise it reads documents. It updates `counters`.
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
  const plan = yield* choosePlan(tx, ns, query, planQuery(ns, query), query.use?.choices)
  // The collection's counter answers without a scan.
  if (plan.accesses[0]?.kind !== 'records' || !countsAll(query, plan)) query.use?.note(ns, plan)
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
  if (countsAll(query, plan) && tx.notesReads !== true) {
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

/** Whether the collection's counter suffices: a hint may name an index that omits documents. */
export function countsAll({ filter }: CountQuery, plan: Plan): boolean {
  if (filter.tree.op !== 'always') return false
  return plan.accesses.every((access) => access.kind !== 'entries' || !leavesOut(access.index))
}

/** Whether each entry in bounds represents one matching document. */
export function countsEntries(plan: Plan): boolean {
  const [access] = plan.accesses
  return (
    plan.isExact &&
    plan.accesses.length === 1 &&
    access?.kind === 'entries' &&
    !isMultikey(access.index)
  )
}

/**
 * Matching documents that together have every value under `path`: by jumps over an index if one
 * serves, otherwise all. Their order is undefined.
 */
export function openDistinct(ns: Namespace | undefined, query: FindQuery, path: string): Source {
  const plan = ns === undefined ? undefined : planDistinct(ns, query, path)
  if (ns === undefined || plan === undefined) return openFind(ns, query)
  query.use?.note(ns, plan.plan)
  return new DistinctSource(ns, plan, (now) => openFind(now, query))
}

/** Pauses between documents whose projections take long. */
function* projected(
  tx: ReadTx,
  documents: readonly Document[],
  projection: Projection,
): Program<Document[]> {
  const found: Document[] = []
  for (const document of documents) {
    let shown: Document
    try {
      shown = projection.apply(document)
    } catch (error) {
      shown = yield* detachedThen(tx, error, () => projection.apply(document))
    }
    found.push(shown)
    if (work.isDue) yield* tx.pause()
  }
  return found
}
