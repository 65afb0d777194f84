// LIMIT at the end of a statement: the cursor ends with its last row and then holds no resources.
// The source below is closed at once.

import { type Source, UpstreamSource } from '../../../engine/sources/holding-source.js'
import type { Program, ReadTx } from '../../../store/store.js'
import type { Document } from '../../../value/value.js'

export class LimitSource extends UpstreamSource {
  constructor(
    upstream: Source,
    private left: number,
  ) {
    super(upstream)
  }

  get counters(): Source['counters'] {
    return this.upstream.counters
  }

  protected get isExhausted(): boolean {
    return this.left === 0 || this.upstream.drained
  }

  protected *produce(tx: ReadTx, want: number, bytesMax?: number): Program<Document[]> {
    const documents = yield* this.upstream.pull(tx, Math.min(want, this.left), bytesMax)
    this.left -= documents.length
    if (this.left === 0) this.upstream.close()
    return documents
  }
}
