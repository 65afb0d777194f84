// $lookup: finds, for each document, the matching documents of another collection, through the
// planner. Equal queries of one batch run once.

import { type Bytes, mapKey, utf8 } from '../../base/bytes/bytes.js'
import { fail } from '../../base/errors.js'
import { blockingBytesMax } from '../../base/limits/documents.js'
import { pullDocumentsMax, pullWhenShortMax, scanBytesTarget } from '../../base/limits/engine.js'
import { MiB } from '../../base/units.js'
import { entryUnits } from '../../base/work/work-figures.js'
import type { QueryContext } from '../../query/context.js'
import { compileFilter, type Filter } from '../../query/filter.js'
import type { StagePlan } from '../../query/pipeline.js'
import type { MemoryHolding } from '../../query/spill.js'
import { FieldSetter } from '../../query/stages/setter.js'
import type { LookupPlan, LookupUnwind } from '../../query/stages/stage.js'
import type { Program, ReadTx } from '../../store/store.js'
import { findElement } from '../../value/elements.js'
import { type Document, int64Value, nullValue } from '../../value/value.js'
import { type ReadPlace, readPlaceOf } from '../collection/kinds/views.js'
import type { Guarded } from '../types.js'
import { detachedThen } from './detaching.js'
import { gatheredArray } from './gathering.js'
import type { Source } from './holding-source.js'
import { JoiningSource } from './joining-source.js'

/** Results that one batch of a $lookup caches, bytes. */
const lookupCacheBytesMax = 16 * MiB

const joinedAtOnce = 50

type Open = (place: ReadPlace, filter: Filter, stages: readonly StagePlan[]) => Source

/** The results of one step. */
interface Joined {
  readonly documents: Document[]
  bytes: number
}

/** Results of one batch, by query. */
interface Cache {
  readonly place: ReadPlace
  readonly answers: Map<string, Document[]>
}

export class LookupSource extends JoiningSource {
  /** Whether the pipeline depends on the document: then the filter is not the whole query. */
  private readonly isCorrelated: boolean
  /** Sets the position among the matches, if an unwind requests it. */
  private readonly index: FieldSetter | undefined
  /** Of the matches in the cache, and of those that only the current document needs. */
  private cachedBytes = 0
  private matchedBytes = 0

  constructor(
    upstream: Source,
    private readonly plan: LookupPlan,
    private readonly place: { readonly context: QueryContext; readonly db: string },
    private readonly open: Open,
    private readonly holding?: MemoryHolding,
  ) {
    super(upstream, joinedAtOnce)
    const { bytes, start } = plan.spec
    const indexPath = plan.unwind?.indexPath
    this.index = indexPath === undefined ? undefined : new FieldSetter(indexPath, place.context)
    this.isCorrelated = findElement(bytes, start, utf8('let')) !== undefined
  }

  protected *join(tx: ReadTx & Guarded, documents: readonly Document[]): Program<Document[]> {
    const { db, context } = this.place
    const { from, throughView } = this.plan
    const place = yield* readPlaceOf(tx, db, from, context, throughView)
    const cache: Cache = { place, answers: new Map() }
    this.cachedBytes = 0
    const joined: Joined = { documents: [], bytes: 0 }
    for (const [i, document] of documents.entries()) {
      const matches = yield* this.matchesOf(tx, document, cache, joined)
      if (this.plan.unwind !== undefined) {
        yield* this.unwind(tx, document, matches, this.plan.unwind, joined)
      } else {
        const all = yield* gatheredArray(tx, matches)
        this.add(joined, this.plan.joined(document, all))
      }
      yield* tx.pause(entryUnits)
      if (joined.bytes < scanBytesTarget) continue
      this.giveBack(documents.slice(i + 1))
      break
    }
    this.holding?.close()
    return joined.documents
  }

  override close(): void {
    super.close()
    this.holding?.close()
  }

  private add(joined: Joined, document: Document): void {
    joined.documents.push(document)
    joined.bytes += document.length
    this.hold(joined)
  }

  /** What was joined shares no memory with the matches. */
  private hold({ bytes }: Joined): void {
    this.holding?.hold(bytes + this.cachedBytes + this.matchedBytes)
  }

  /** Produces one document for each match, without building the array of all. */
  private *unwind(
    tx: ReadTx,
    document: Document,
    matches: readonly Document[],
    { keepsEmpty }: LookupUnwind,
    joined: Joined,
  ): Program<void> {
    const { plan, index } = this
    if (matches.length === 0 && keepsEmpty) {
      const whole = plan.joinedEach(document, undefined)
      this.add(joined, index === undefined ? whole : index.set(whole, nullValue))
    }
    for (const [i, match] of matches.entries()) {
      const whole = plan.joinedEach(document, match)
      this.add(joined, index === undefined ? whole : index.set(whole, int64Value(BigInt(i))))
      yield* tx.pause(entryUnits)
    }
  }

  private *matchesOf(
    tx: ReadTx & Guarded,
    document: Document,
    cache: Cache,
    joined: Joined,
  ): Program<Document[]> {
    this.matchedBytes = 0
    const question = yield* asked(tx, () => this.plan.foreignFilter(document))
    const name = this.isCorrelated ? undefined : mapKey(question)
    const known = name === undefined ? undefined : cache.answers.get(name)
    if (known !== undefined) return known
    const answer = yield* this.ask(tx, cache.place, document, question, joined)
    if (name !== undefined) this.keep(cache, name, answer)
    return answer
  }

  private keep({ answers }: Cache, name: string, answer: Document[]): void {
    const bytes = name.length + this.matchedBytes
    if (this.cachedBytes + bytes > lookupCacheBytesMax) return
    answers.set(name, answer)
    this.cachedBytes += bytes
    this.matchedBytes = 0
  }

  private *ask(
    tx: ReadTx,
    place: ReadPlace,
    document: Document,
    question: Bytes,
    joined: Joined,
  ): Program<Document[]> {
    const filter = compileFilter(question, this.place.context)
    const stages = yield* asked(tx, () => this.plan.pipelineFor(document))
    const source = this.open(place, filter, stages)
    try {
      const answer = yield* this.answerOf(tx, source, joined)
      this.count(source)
      return answer
    } finally {
      source.close()
    }
  }

  private *answerOf(tx: ReadTx, source: Source, joined: Joined): Program<Document[]> {
    const answer: Document[] = []
    while (!source.drained) {
      const most = tx.isMemoryShort === true ? pullWhenShortMax : pullDocumentsMax
      for (const match of yield* source.pull(tx, most)) {
        this.matchedBytes += match.length
        answer.push(match)
      }
      this.hold(joined)
      if (this.matchedBytes <= blockingBytesMax) continue
      const what = `documents in ${this.plan.from} matching pipeline's $lookup stage`
      throw fail('Location4568', `Total size of ${what} exceeds ${blockingBytesMax} bytes`)
    }
    return answer
  }
}

/** The query of a document; the expressions of a `let` may be heavy. */
function* asked<T>(tx: ReadTx, act: () => T): Program<T> {
  try {
    return act()
  } catch (error) {
    return yield* detachedThen(tx, error, act)
  }
}
