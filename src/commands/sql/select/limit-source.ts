// LIMIT at the end of a statement: the cursor ends with its last row and then holds no resources.
// The source below is closed at once.

import { HoldingSource, type Source } from '../../../engine/sources/holding-source.js'
import type { Program, ReadTx } from '../../../store/store.js'
import type { Document } from '../../../value/value.js'

export class LimitSource extends HoldingSource {
  constructor(
    private readonly upstream: Source,
    private left: number,
  ) {
    super()
  }

  get counters(): Source['counters'] {
    return this.upstream.counters
  }

  protected get isExhausted(): boolean {
    return this.left === 0 || this.upstream.drained
  }

  protected *produce(tx: ReadTx, want: number): Program<Document[]> {
    const documents = yield* this.upstream.pull(tx, Math.min(want, this.left))
    this.left -= documents.length
    if (this.left === 0) this.upstream.close()
    return documents
  }

  override get bytesBuffered(): number {
    return super.bytesBuffered + this.upstream.bytesBuffered
  }

  override get bytesWorking(): number {
    return this.upstream.bytesWorking
  }

  override close(): void {
    super.close()
    this.upstream.close()
  }
}
