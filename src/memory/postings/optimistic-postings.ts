// Postings of a prepared batch. Each term is a separate part, because common terms change with
// nearly every memory. A term that changed meanwhile is written again, alone.

import type { Bytes } from '../../base/bytes/bytes.js'
import { fail } from '../../base/errors.js'
import { programPutsMax } from '../../base/limits/engine.js'
import { entryUnits, postingsPerUnit } from '../../base/work/work-figures.js'
import type { Namespace } from '../../engine/types.js'
import type { Program, ReadTx, Tx } from '../../store/store.js'
import { type Prepared, Preparing } from '../../store/transactions/preparing.js'
import type { Reads } from '../../store/transactions/reads.js'
import { compareIds } from './packed-id.js'
import { type Posted, type PostingChanges, PostingsOf } from './postings.js'
import { TermWriting } from './term-writing.js'
import { noTotals, plusMemory, type Totals } from './totals.js'

/** The planned change of one term. */
interface OptimisticTerm {
  readonly prepared: Prepared<void>
  /** Applies the same change to the current state of the term. */
  anew(tx: Tx): Program<void>
}

export interface OptimisticPostings {
  readonly terms: readonly OptimisticTerm[]
  /** The change of the totals. */
  readonly totals: Totals
}

export class PreparingPostings implements PostingChanges {
  private readonly byTerm = new Map<string, PreparingTerm>()
  private totals: Totals = noTotals

  constructor(
    private readonly reading: ReadTx,
    private readonly terms: Namespace,
    private readonly reads: () => Reads,
  ) {}

  *frequenciesOf(terms: Iterable<string>): Program<number[]> {
    const frequencies: number[] = []
    for (const term of terms) frequencies.push((yield* this.of(term)).frequency)
    return frequencies
  }

  *add(memory: Posted): Program<void> {
    yield* this.put(memory)
    this.totals = plusMemory(this.totals, memory, 1)
  }

  *setStatus(memory: Posted, isSuperseded: boolean): Program<void> {
    if (memory.isSuperseded === isSuperseded) return
    const after = { ...memory, isSuperseded }
    yield* this.put(after)
    this.totals = plusMemory(plusMemory(this.totals, memory, -1), after, 1)
  }

  *finish(): Program<OptimisticPostings> {
    const terms: OptimisticTerm[] = []
    for (const term of this.byTerm.values()) {
      // An existing posting is replaced without another read.
      yield* this.reading.pause(entryUnits + term.postings.length / postingsPerUnit)
      terms.push(yield* term.finish())
    }
    return { terms, totals: this.totals }
  }

  private *put(memory: Posted): Program<void> {
    const postings = new PostingsOf(memory)
    for (const [term, count] of memory.terms) {
      const preparing = this.byTerm.get(term) ?? (yield* this.of(term))
      preparing.postings.push(postings.of(count))
    }
  }

  private *of(term: string): Program<PreparingTerm> {
    const known = this.byTerm.get(term)
    if (known !== undefined) return known
    // The writing program puts each once, so more than its bound would be useless.
    if (this.byTerm.size >= programPutsMax) {
      throw fail('TransactionTooLarge', 'the memories have too many terms')
    }
    // Its document is put with every change of its blocks.
    const tx = new Preparing(this.reading, this.reads(), 'headed')
    const writing = yield* TermWriting.begin(tx, this.terms, term)
    const preparing = new PreparingTerm(tx, this.terms, term, writing)
    this.byTerm.set(term, preparing)
    return preparing
  }
}

class PreparingTerm {
  /** To be put; each replaces the posting of the same memory. */
  readonly postings: Bytes[] = []

  constructor(
    private readonly tx: Preparing,
    private readonly terms: Namespace,
    private readonly term: string,
    private readonly writing: TermWriting,
  ) {}

  /** How many memories had the term before. */
  get frequency(): number {
    return this.writing.storedCount
  }

  *finish(): Program<OptimisticTerm> {
    const { tx, terms, term, writing, postings } = this
    postings.sort((a, b) => compareIds(a, 0, b, 0))
    yield* writing.putAll(postings)
    yield* writing.finish()
    return {
      prepared: tx.end(undefined),
      *anew(tx) {
        const now = yield* TermWriting.begin(tx, terms, term)
        yield* now.putAll(postings)
        yield* now.finish()
      },
    }
  }
}
