// Base class of joins: a source that combines each document with the results of a search in another
// collection, and the counters of both.

import type { Program, ReadTx } from '../../store/store.js'
import type { Document } from '../../value/value.js'
import type { Guarded } from '../types.js'
import { type Source, UpstreamSource } from './holding-source.js'
import type { Counters } from './walk.js'

export abstract class JoiningSource extends UpstreamSource {
  /** Counters of the searches. */
  private readonly inner: Counters = { keysExamined: 0, docsExamined: 0, returned: 0 }
  private returned = 0

  constructor(
    upstream: Source,
    /** Documents joined at a time; each may produce many others. */
    private readonly atOnce: number,
  ) {
    super(upstream)
  }

  get counters(): Counters {
    const { keysExamined, docsExamined } = this.upstream.counters
    return {
      keysExamined: keysExamined + this.inner.keysExamined,
      docsExamined: docsExamined + this.inner.docsExamined,
      returned: this.returned,
    }
  }

  protected get isExhausted(): boolean {
    return this.upstream.drained
  }

  protected *produce(tx: ReadTx & Guarded, want: number): Program<Document[]> {
    for (;;) {
      const documents = yield* this.upstream.pull(tx, Math.min(want, this.atOnce))
      if (documents.length === 0) return []
      const joined = yield* this.join(tx, documents)
      this.returned += joined.length
      if (joined.length > want) this.putBack(joined.slice(want))
      if (joined.length > 0) return joined.slice(0, want)
    }
  }

  /** Returns the documents with the results of each, in order; a join may unwind them. */
  protected abstract join(tx: ReadTx & Guarded, documents: readonly Document[]): Program<Document[]>

  /** Puts back documents that this join has not processed. */
  protected giveBack(documents: readonly Document[]): void {
    if (documents.length > 0) this.upstream.putBack(documents)
  }

  /** Adds the counters of a finished search. */
  protected count({ counters }: Source): void {
    this.inner.keysExamined += counters.keysExamined
    this.inner.docsExamined += counters.docsExamined
  }
}
