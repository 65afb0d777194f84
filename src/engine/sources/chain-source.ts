// Pushes the documents of one source through pure transforms, in bounded steps with pauses. So
// sorting a million documents is many short pieces of work.

import { pullDocumentsMax, pullWhenShortMax, scanBytesTarget } from '../../base/limits/engine.js'
import { work } from '../../base/work/work-budget.js'
import { entryUnits } from '../../base/work/work-figures.js'
import type { MemoryHolding, Workspace } from '../../query/spill.js'
import { Chain } from '../../query/stages/chain.js'
import type { Transform } from '../../query/stages/stage.js'
import type { Program, ReadTx } from '../../store/store.js'
import type { Document } from '../../value/value.js'
import { detached } from './detaching.js'
import { bytesOfAll, type Source, UpstreamSource } from './holding-source.js'
import type { Counters } from './walk.js'

/** Documents taken or emitted between two pause points. */
const piecesPerPause = 100

export class ChainSource extends UpstreamSource {
  private readonly chain: Chain
  private readonly emitted: Document[] = []
  private emittedBytes = 0
  /** What a sort has not emitted, it counts; what waits here for a reply's room, it does not. */
  private emittedBytesMax = scanBytesTarget
  /** Fed documents are taken out, so they are not kept until the last of them. */
  private input: (Document | undefined)[] = []
  private inputAt = 0
  /** Of the documents that are not fed yet. */
  private inputBytes = 0
  private hasEnded = false
  private isDone = false
  private returned = 0
  private readonly holding: MemoryHolding | undefined

  constructor(
    upstream: Source,
    transforms: readonly Transform[],
    private readonly workspace?: Workspace,
  ) {
    super(upstream)
    this.holding = workspace?.holding?.()
    const output = (document: Document): void => {
      this.emitted.push(document)
      this.emittedBytes += document.length
    }
    this.chain = new Chain(transforms, output, true)
  }

  get counters(): Counters {
    return { ...this.upstream.counters, returned: this.returned }
  }

  /** The transforms count their own memory. */
  override get bytesBuffered(): number {
    return super.bytesBuffered + this.emittedBytes + this.inputBytes
  }

  override get bytesWorking(): number {
    return this.chain.bytesHeld + super.bytesWorking
  }

  protected get isExhausted(): boolean {
    return this.isDone && this.emitted.length === 0
  }

  protected *produce(tx: ReadTx, want: number, bytesMax?: number): Program<Document[]> {
    let asked = want
    let inputMax = bytesMax
    this.emittedBytesMax = bytesMax ?? scanBytesTarget
    while (this.emitted.length === 0 && !this.isDone) {
      yield* tx.pause(this.advance() * entryUnits)
      const { refusal } = this.chain
      if (refusal !== undefined) {
        yield* detached(tx, refusal, this.workspace)
        this.chain.retry()
        continue
      }
      if (this.emitted.length > 0 || this.inputAt < this.input.length || this.isDone) continue
      if (this.hasEnded) continue
      if (this.upstream.drained || this.chain.satisfied) {
        this.hasEnded = true
        this.chain.end()
        continue
      }
      const most = tx.isMemoryShort === true ? pullWhenShortMax : pullDocumentsMax
      const pulled = yield* this.upstream.pull(tx, Math.min(asked, most), inputMax)
      // What made no result is not held.
      inputMax = undefined
      this.input = pulled
      this.inputAt = 0
      // They exist, so they count with or without room; stages refuse what they would keep.
      this.inputBytes = bytesOfAll(pulled)
      this.count()
      if (this.input.length === 0 && this.upstream.awaits === true) {
        if (!this.upstream.drained) break
      }
      asked *= 2
    }
    // Between two pulls the cursor counts what is buffered.
    this.holding?.hold(0)
    const documents = this.emitted.splice(0, want)
    this.emittedBytes -= bytesOfAll(documents)
    this.returned += documents.length
    return documents
  }

  override close(): void {
    super.close()
    this.emitted.length = 0
    this.emittedBytes = 0
    this.input = []
    this.inputAt = 0
    this.inputBytes = 0
    this.isDone = true
    this.holding?.close()
    this.chain.abandon()
  }

  /** Does a bounded piece of work; returns its amount. */
  private advance(): number {
    const before = this.emitted.length
    let pieces = 0
    while (pieces + this.emitted.length - before < piecesPerPause) {
      if (!this.chain.step() && !this.feed()) break
      pieces++
      if (this.chain.refusal !== undefined) break
      if (this.emittedBytes >= this.emittedBytesMax || work.isDue) break
    }
    this.count()
    return pieces + this.emitted.length - before
  }

  /** Feeds one input document into the chain; false if there is none. */
  private feed(): boolean {
    const document = this.input[this.inputAt]
    if (document === undefined) {
      if (this.hasEnded) this.isDone = true
      return false
    }
    this.input[this.inputAt++] = undefined
    this.inputBytes -= document.length
    this.count()
    this.chain.push(document)
    return true
  }

  private count(): void {
    this.holding?.hold(this.inputBytes + this.emittedBytes, true)
  }
}
