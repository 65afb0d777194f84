// What sources are to those who pull them, and what all of them do alike: documents that were given
// back come first, and a closed source is drained.

import type { Program, ReadTx } from '../../store/store.js'
import type { Document } from '../../value/value.js'
import type { Counters } from './walk.js'

export interface Source {
  /**
   * Up to `want` documents (1 or more); none only when drained, or where more may come later.
   */
  pull(tx: ReadTx, want: number): Program<Document[]>
  /** Gives back documents of the last pull, for the next one. */
  putBack(documents: readonly Document[]): void
  /** Nothing is left; a pull may be needed to find that out. */
  readonly drained: boolean
  readonly counters: Readonly<Counters>
  /** Bytes of documents that wait here: those given back, and those of sources before it. */
  readonly bytesBuffered: number
  /** Bytes that stages hold to work with, which their workspace counts. */
  readonly bytesWorking: number
  /** Lets go of what is held; the source is drained. */
  close(): void
}

export abstract class HoldingSource implements Source {
  private held: Document[] = []
  private heldBytes = 0
  private closed = false
  abstract readonly counters: Readonly<Counters>
  /** Nothing is left to produce. */
  protected abstract readonly isExhausted: boolean

  /** As pull, without what is held; called only while something may be left. */
  protected abstract produce(tx: ReadTx, want: number): Program<Document[]>

  pull(tx: ReadTx, want: number): Program<Document[]> {
    if (this.held.length > 0) return given(this.takeHeld(want))
    if (this.closed || this.isExhausted) return given([])
    return this.produce(tx, want)
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

export function bytesOfAll(documents: readonly Document[]): number {
  let bytes = 0
  for (const document of documents) bytes += document.length
  return bytes
}

/** A program that has nothing to read. */
function* given(documents: Document[]): Program<Document[]> {
  return documents
}

/** Documents that are there already; `isCounted`: they lie in memory that counts elsewhere. */
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
