// $facet: pushes each document into every pipeline at once. Leading pure stages of a pipeline
// process it immediately; later stages that read other data run over their results.

import { fail } from '../../base/errors.js'
import { blockingBytesMax, commandBytesMax } from '../../base/limits/documents.js'
import { pullDocumentsMax, pullWhenShortMax } from '../../base/limits/engine.js'
import { entryUnits } from '../../base/work/work-figures.js'
import { location } from '../../query/expressions/operator.js'
import { isPure, type StagePlan } from '../../query/pipeline.js'
import type { MemoryHolding, Workspace } from '../../query/spill.js'
import { Chain } from '../../query/stages/chain.js'
import type { FacetPlan } from '../../query/stages/stage.js'
import type { Program, ReadTx } from '../../store/store.js'
import type { Document } from '../../value/value.js'
import { DocumentWriter } from '../../value/writer.js'
import { detached } from './detaching.js'
import { elementHeadBytes, pushEach } from './gathering.js'
import { HoldingSource, type Source } from './holding-source.js'
import { counted } from './query-memory.js'
import type { Counters } from './walk.js'

interface Facet {
  readonly name: string
  readonly chain: Chain
  /** Results of the chain. */
  results: Document[]
  /** The stages after it. */
  readonly rest: readonly StagePlan[]
}

/** Runs stages over given documents. */
type Continue = (documents: readonly Document[], stages: readonly StagePlan[]) => Source

export class FacetSource extends HoldingSource {
  private readonly upstream: Source
  /** Its document goes to the client, and may be as large as any. */
  private readonly isLast: boolean
  private readonly facets: readonly Facet[]
  private readonly goOn: Continue
  private readonly workspace: Workspace | undefined
  private readonly holding: MemoryHolding | undefined
  private resultBytes = 0
  /** Bytes of those that stand in the document. */
  private givenBytes = 0
  private isDone = false
  private returned = 0

  constructor(
    upstream: Source,
    { plan, isLast }: { readonly plan: FacetPlan; readonly isLast: boolean },
    workspace: Workspace | undefined,
    goOn: Continue,
  ) {
    super()
    this.isLast = isLast
    this.workspace = workspace
    this.holding = workspace?.holding?.()
    this.upstream = upstream
    this.goOn = goOn
    this.facets = plan.facets.map(({ name, stages }) => this.facet(name, stages))
  }

  get counters(): Counters {
    return { ...this.upstream.counters, returned: this.returned }
  }

  protected get isExhausted(): boolean {
    return this.isDone
  }

  protected *produce(tx: ReadTx): Program<Document[]> {
    while (!this.upstream.drained && this.facets.some(({ chain }) => !chain.satisfied)) {
      const most = tx.isMemoryShort === true ? pullWhenShortMax : pullDocumentsMax
      const documents = yield* this.upstream.pull(tx, most)
      for (const document of documents) yield* this.push(tx, document)
    }
    this.upstream.close()
    for (const facet of this.facets) yield* this.finish(tx, facet)
    const document = yield* this.gathered(tx)
    // The chains know these lists too, and live until the source is closed.
    for (const { results } of this.facets) results.length = 0
    this.isDone = true
    this.holding?.close()
    this.returned = 1
    return [document]
  }

  override close(): void {
    super.close()
    for (const facet of this.facets) {
      facet.chain.abandon()
      facet.results = []
    }
    this.holding?.close()
    this.upstream.close()
  }

  private facet(name: string, stages: readonly StagePlan[]): Facet {
    const firstReader = stages.findIndex((stage) => !isPure(stage))
    const end = firstReader < 0 ? stages.length : firstReader
    const rest = stages.slice(end)
    const results: Document[] = []
    const transforms = stages
      .slice(0, end)
      .filter(isPure)
      .map((plan) => counted(plan.create(this.workspace), this.workspace))
    const output = (document: Document): void => {
      this.count(document, rest.length === 0)
      results.push(document)
    }
    const chain = new Chain(transforms, output, true)
    return { name, chain, results, rest }
  }

  private *push(tx: ReadTx, document: Document): Program<void> {
    for (const { chain } of this.facets) {
      if (chain.satisfied) continue
      chain.push(document)
      yield* this.drive(tx, chain)
    }
    yield* tx.pause(this.facets.length * entryUnits)
  }

  private *finish(tx: ReadTx, facet: Facet): Program<void> {
    facet.chain.end()
    yield* this.drive(tx, facet.chain)
    if (facet.rest.length === 0) return
    const source = this.goOn(facet.results, facet.rest)
    const results: Document[] = []
    try {
      while (!source.drained) {
        for (const document of yield* source.pull(tx, pullDocumentsMax)) {
          this.count(document, true)
          results.push(document)
        }
      }
    } finally {
      source.close()
    }
    facet.results.length = 0
    facet.results = results
  }

  /** In turns: the results lie apart. */
  private *gathered(tx: ReadTx): Program<Document> {
    const elements = this.facets.reduce((sum, { results }) => sum + results.length, 0)
    // Its size is known: a larger buffer each time would cost more than the turn has.
    const writer = new DocumentWriter(false, this.givenBytes + elements * elementHeadBytes)
    for (const { name, results } of this.facets) {
      writer.openArray(name)
      yield* pushEach(tx, writer, results)
      writer.close()
    }
    return writer.finish()
  }

  /** Runs the chain; heavy documents go to a thread. */
  private *drive(tx: ReadTx, chain: Chain): Program<void> {
    for (;;) {
      while (chain.step()) yield* tx.pause(entryUnits)
      const { refusal } = chain
      if (refusal === undefined) return
      yield* detached(tx, refusal, this.workspace)
      chain.retry()
    }
  }

  private count(document: Document, isGiven: boolean): void {
    this.resultBytes += document.length
    this.holding?.hold(this.resultBytes)
    if (isGiven) this.give(document.length)
    if (this.resultBytes <= blockingBytesMax) return
    throw location(
      4031700,
      `document constructed by $facet is ${this.resultBytes} bytes, which exceeds the limit of ` +
        `${blockingBytesMax} bytes`,
    )
  }
  /** Refused as soon as it is known, so that what cannot be sent is not gathered. */
  private give(bytes: number): void {
    this.givenBytes += bytes
    if (!this.isLast || this.givenBytes <= commandBytesMax) return
    throw fail(
      'BSONObjectTooLarge',
      `BSONObj size: ${this.givenBytes} is invalid. ` +
        `Size must be between 0 and ${commandBytesMax}(16MB)`,
    )
  }
}
