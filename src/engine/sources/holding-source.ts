// The interface of sources, and their common behaviour: documents put back come first, and a closed
// source is drained.

import type { Program, ReadTx } from '../../store/store.js'
import type { Document } from '../../value/value.js'
import type { Counters } from './walk.js'

export interface Source {
  /**
   * Returns up to `want` documents (at least 1); none only if drained, or if more may come later.
   * A source that reads in steps may end behind `bytesMax`.
   */
  pull(tx: ReadTx, want: number, bytesMax?: number): Program<Document[]>
  /** Puts back documents of the last pull, for the next one. */
  putBack(documents: readonly Document[]): void
  /** Set if it may give documents after a pull without any. */
  readonly awaits?: boolean
  /** For a change stream: the token behind a batch that ends with these documents. */
  resumeToken?(batch: readonly Document[]): Document
  /** Whether nothing is left; only a pull may reveal it. */
  readonly drained: boolean
  readonly counters: Readonly<Counters>
  /** Bytes of buffered documents: those put back, and those of upstream sources. */
  readonly bytesBuffered: number
  /** Working memory of stages, which their workspace counts. */
  readonly bytesWorking: number
  /** Releases all held data; the source is then drained. */
  close(): void
}

export abstract class HoldingSource implements Source {
  private held: Document[] = []
  private heldBytes = 0
  private closed = false
  abstract readonly counters: Readonly<Counters>
  /** Whether nothing is left to produce. */
  protected abstract readonly isExhausted: boolean

  /** Like pull, without documents put back; called only while something may be left. */
  protected abstract produce(tx: ReadTx, want: number, bytesMax?: number): Program<Document[]>

  pull(tx: ReadTx, want: number, bytesMax?: number): Program<Document[]> {
    if (this.held.length > 0) return given(this.takeHeld(want))
    if (this.closed || this.isExhausted) return given([])
    return this.produce(tx, want, bytesMax)
  }

  putBack(documents: readonly Document[]): void {
    if (this.closed) return
    this.held = [...documents, ...this.held]
    this.heldBytes += bytesOfAll(documents)
  }

  get bytesBuffered(): number {
    return this.heldBytes
  }

  get drained(): boolean {
    return this.held.length === 0 && (this.closed || this.isExhausted)
  }

  close(): void {
    this.closed = true
    this.held = []
    this.heldBytes = 0
  }

  get bytesWorking(): number {
    return 0
  }

  private takeHeld(want: number): Document[] {
    const documents = this.held.splice(0, want)
    this.heldBytes -= bytesOfAll(documents)
    return documents
  }
}

/** A source over another one, which it closes. */
export abstract class UpstreamSource extends HoldingSource {
  constructor(protected readonly upstream: Source) {
    super()
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

export function bytesOfAll(documents: readonly Document[]): number {
  let bytes = 0
  for (const document of documents) bytes += document.length
  return bytes
}

/** A program that has nothing to read. */
function* given(documents: Document[]): Program<Document[]> {
  return documents
}

/** A source of given documents; `isCounted`: their memory is counted elsewhere. */
export class DocumentsSource extends HoldingSource {
  readonly counters: Counters = { keysExamined: 0, docsExamined: 0, returned: 0 }
  protected readonly isExhausted = true

  constructor(
    documents: readonly Document[],
    private readonly isCounted = false,
  ) {
    super()
    this.counters.returned = documents.length
    this.putBack(documents)
  }

  override get bytesBuffered(): number {
    return this.isCounted ? 0 : super.bytesBuffered
  }

  protected *produce(): Program<Document[]> {
    return []
  }
}
