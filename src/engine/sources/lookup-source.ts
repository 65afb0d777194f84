// $lookup: for each document, the documents of another collection that it asks for, found by the
// planner like any query. Equal questions of one batch are asked once.

import { type Bytes, mapKey, utf8 } from '../../base/bytes.js'
import { fail } from '../../base/errors.js'
import { blockingBytesMax, lookupCacheBytesMax, pullDocumentsMax } from '../../base/limits.js'
import type { QueryContext } from '../../query/context.js'
import { compileFilter, type Filter } from '../../query/filter.js'
import type { StagePlan } from '../../query/pipeline.js'
import type { LookupPlan } from '../../query/stages/stage.js'
import type { Program, ReadTx } from '../../store/store.js'
import { findElement } from '../../value/elements.js'
import type { Document } from '../../value/value.js'
import { findNamespace } from '../catalog.js'
import type { Guarded, Namespace } from '../types.js'
import type { Source } from './holding-source.js'
import { JoiningSource } from './joining-source.js'

const joinedAtOnce = 50

type Open = (ns: Namespace | undefined, filter: Filter, stages: readonly StagePlan[]) => Source

/** Answers of one batch, by question. */
interface Cache {
  readonly answers: Map<string, Document[]>
  bytes: number
}

export class LookupSource extends JoiningSource {
  /** The pipeline looks at the document: then the filter is not the whole question. */
  private readonly isCorrelated: boolean

  constructor(
    upstream: Source,
    private readonly plan: LookupPlan,
    private readonly place: { readonly context: QueryContext; readonly db: string },
    private readonly open: Open,
  ) {
    super(upstream, joinedAtOnce)
    const { bytes, start } = plan.spec
    this.isCorrelated = findElement(bytes, start, utf8('let')) !== undefined
  }

  protected *join(tx: ReadTx & Guarded, documents: readonly Document[]): Program<Document[]> {
    const cache: Cache = { answers: new Map(), bytes: 0 }
    const joined: Document[] = []
    for (const document of documents) {
      const matches = yield* this.matchesOf(tx, document, cache)
      joined.push(this.plan.joined(document, matches))
      yield* tx.breathe(matches.length)
    }
    return joined
  }

  private *matchesOf(tx: ReadTx & Guarded, document: Document, cache: Cache): Program<Document[]> {
    const question = this.plan.foreignFilter(document)
    const name = this.isCorrelated ? undefined : mapKey(question)
    const known = name === undefined ? undefined : cache.answers.get(name)
    if (known !== undefined) return known
    const answer = yield* this.ask(tx, document, question)
    if (name !== undefined) keep(cache, name, answer)
    return answer
  }

  private *ask(tx: ReadTx & Guarded, document: Document, question: Bytes): Program<Document[]> {
    const { db, context } = this.place
    const ns = yield* findNamespace(tx, db, this.plan.from)
    const source = this.open(ns, compileFilter(question, context), this.plan.pipelineFor(document))
    const answer: Document[] = []
    let bytes = 0
    while (!source.drained) {
      for (const match of yield* source.pull(tx, pullDocumentsMax)) {
        bytes += match.length
        answer.push(match)
      }
      if (bytes <= blockingBytesMax) continue
      const what = `documents in ${this.plan.from} matching pipeline's $lookup stage`
      throw fail('Location4568', `Total size of ${what} exceeds ${blockingBytesMax} bytes`)
    }
    this.count(source)
    return answer
  }
}

function keep(cache: Cache, name: string, answer: Document[]): void {
  cache.bytes += name.length
  for (const document of answer) cache.bytes += document.length
  if (cache.bytes <= lookupCacheBytesMax) cache.answers.set(name, answer)
}
