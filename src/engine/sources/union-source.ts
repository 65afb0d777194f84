// $unionWith: the documents of one source, then those of another pipeline, which is opened only
// when needed.

import { pullDocumentsMax } from '../../base/limits/engine.js'
import type { Program, ReadTx } from '../../store/store.js'
import type { Document } from '../../value/value.js'
import type { Guarded } from '../types.js'
import { type Source, UpstreamSource } from './holding-source.js'
import type { Counters } from './walk.js'

export class UnionSource extends UpstreamSource {
  private other: Source | undefined

  constructor(
    upstream: Source,
    private readonly open: (tx: ReadTx & Guarded) => Program<Source>,
  ) {
    super(upstream)
  }

  get counters(): Counters {
    const first = this.upstream.counters
    const second = this.other?.counters
    return {
      keysExamined: first.keysExamined + (second?.keysExamined ?? 0),
      docsExamined: first.docsExamined + (second?.docsExamined ?? 0),
      returned: first.returned + (second?.returned ?? 0),
    }
  }

  protected get isExhausted(): boolean {
    return this.upstream.drained && this.other?.drained === true
  }

  protected *produce(tx: ReadTx & Guarded, want: number): Program<Document[]> {
    const asked = Math.min(want, pullDocumentsMax)
    if (!this.upstream.drained) {
      const documents = yield* this.upstream.pull(tx, asked)
      if (documents.length > 0) return documents
    }
    this.other ??= yield* this.open(tx)
    return yield* this.other.pull(tx, asked)
  }

  override get bytesBuffered(): number {
    return super.bytesBuffered + (this.other?.bytesBuffered ?? 0)
  }

  override get bytesWorking(): number {
    return super.bytesWorking + (this.other?.bytesWorking ?? 0)
  }

  override close(): void {
    super.close()
    this.other?.close()
  }
}
