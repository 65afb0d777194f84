// $graphLookup: for each document, a breadth-first search through another collection. A round
// queries all its values at once, through the planner. A document is found once, in the first round
// that reaches it.

import { blockingBytesMax } from '../../base/limits/documents.js'
import { pullDocumentsMax } from '../../base/limits/engine.js'
import type { QueryContext } from '../../query/context.js'
import { location } from '../../query/expressions/operator.js'
import { compileFilter, type Filter } from '../../query/filter.js'
import type { MemoryHolding } from '../../query/spill.js'
import type { GraphLookupPlan } from '../../query/stages/stage.js'
import type { Program, ReadTx } from '../../store/store.js'
import { field } from '../../value/elements.js'
import { equalityKey } from '../../value/key.js'
import { type Document, documentValue, type Value } from '../../value/value.js'
import { type ReadPlace, readPlaceOf } from '../collection/kinds/views.js'
import type { Guarded } from '../types.js'
import { detachedThen } from './detaching.js'
import type { Source } from './holding-source.js'
import { JoiningSource } from './joining-source.js'

/** Values in one query; each is an interval of an index. */
const valuesAtOnce = 1_000

interface Place {
  readonly context: QueryContext
  readonly db: string
}

type Open = (place: ReadPlace, filter: Filter) => Source

/** The state of one search. */
interface Search {
  readonly found: Map<string, Document>
  readonly asked: Set<string>
  bytes: number
}

export class GraphLookupSource extends JoiningSource {
  constructor(
    upstream: Source,
    private readonly plan: GraphLookupPlan,
    private readonly place: Place,
    private readonly open: Open,
    private readonly holding?: MemoryHolding,
  ) {
    super(upstream, 1)
  }

  protected *join(tx: ReadTx & Guarded, documents: readonly Document[]): Program<Document[]> {
    const joined: Document[] = []
    for (const document of documents) {
      joined.push(this.plan.joined(document, yield* this.search(tx, document)))
    }
    return joined
  }

  private *search(tx: ReadTx & Guarded, document: Document): Program<Document[]> {
    const { plan, place } = this
    const { db, context } = place
    const from = yield* readPlaceOf(tx, db, plan.from, context, plan.throughView)
    const search: Search = { found: new Map(), asked: new Set(), bytes: 0 }
    let start: readonly Value[]
    try {
      start = plan.startOf(document)
    } catch (error) {
      start = yield* detachedThen(tx, error, () => plan.startOf(document))
    }
    let frontier = this.unasked(search, start)
    for (let depth = 0; frontier.length > 0 && depth <= plan.maxDepth; depth++) {
      const next: Value[] = []
      for (let at = 0; at < frontier.length; at += valuesAtOnce) {
        const values = frontier.slice(at, at + valuesAtOnce)
        for (const found of yield* this.round(tx, from, values, search, depth)) {
          next.push(...plan.leadsTo(found))
        }
      }
      frontier = this.unasked(search, next)
    }
    this.holding?.close()
    return [...search.found.values()]
  }

  override close(): void {
    super.close()
    this.holding?.close()
  }

  private hold(search: Search, bytes: number): void {
    search.bytes += bytes
    this.holding?.hold(search.bytes)
    if (search.bytes <= blockingBytesMax) return
    throw location(40099, '$graphLookup reached maximum memory consumption')
  }

  /** The values that no round has queried yet. */
  private unasked(search: Search, values: readonly Value[]): Value[] {
    return values.filter((value) => {
      const key = equalityKey(value)
      if (search.asked.has(key)) return false
      search.asked.add(key)
      this.hold(search, key.length)
      return true
    })
  }

  /** The documents that a round finds for the first time. */
  private *round(
    tx: ReadTx & Guarded,
    from: ReadPlace,
    values: readonly Value[],
    search: Search,
    depth: number,
  ): Program<Document[]> {
    const { plan, place } = this
    const source = this.open(from, compileFilter(plan.filterOf(values), place.context))
    const fresh: Document[] = []
    while (!source.drained) {
      for (const found of yield* source.pull(tx, pullDocumentsMax)) {
        const id = equalityKey(field(found, '_id') ?? documentValue(found))
        if (search.found.has(id)) continue
        fresh.push(found)
        search.found.set(id, plan.withDepth(found, depth))
        this.hold(search, found.length)
      }
    }
    this.count(source)
    return fresh
  }
}
