// What memories are found by: for each of their terms a posting, and the totals that BM25 asks for.
// Programs of the write path keep them in the transaction of the memory itself, so that no index
// has to be rebuilt, ever. A term is read once a program and written once, at its end, however many
// of the program's memories have it.

import type { Bytes } from '../../base/bytes/bytes.js'
import type { Namespace } from '../../engine/types.js'
import type { Program, Tx } from '../../store/store.js'
import { packPosting, withoutPosting, withPosting } from './posting-block.js'
import { type BlockEdit, TermWriting } from './term-writing.js'
import { addTotals, noTotals, plusMemory, type Totals } from './totals.js'

/** A memory as its postings tell of it. */
export interface Posted {
  readonly id: string
  /** How often each of its terms occurs. */
  readonly terms: ReadonlyMap<string, number>
  /** Occurrences of all of them. */
  readonly length: number
  readonly isSuperseded: boolean
}

/** What writing memories does to postings. */
export interface PostingChanges {
  /** In how many memories a term was before this program, in the order of the terms. */
  frequenciesOf(terms: Iterable<string>): Program<number[]>
  /** A memory that has no postings. */
  add(memory: Posted): Program<void>
  /** Has the postings of a memory tell whether it is superseded. */
  setStatus(memory: Posted, isSuperseded: boolean): Program<void>
}

/** The changes of one program, of which nothing is written before `finish`. */
export class PostingWriter implements PostingChanges {
  private readonly writings = new Map<string, TermWriting>()
  /** By how much the totals change. */
  private totals: Totals = noTotals

  constructor(
    private readonly tx: Tx,
    private readonly terms: Namespace,
  ) {}

  *frequenciesOf(terms: Iterable<string>): Program<number[]> {
    const frequencies: number[] = []
    for (const term of terms) {
      const writing = this.writings.get(term) ?? (yield* this.begin(term))
      frequencies.push(writing.storedCount)
    }
    return frequencies
  }

  /** Ids grow with time: nearly every posting is the newest. */
  *add(memory: Posted): Program<void> {
    const postings = new PostingsOf(memory)
    for (const [term, count] of memory.terms) {
      const writing = this.writings.get(term) ?? (yield* this.begin(term))
      const posting = postings.of(count)
      if (!writing.append(posting)) yield* writing.edit(withPosting, posting)
    }
    this.totals = plusMemory(this.totals, memory, 1)
  }

  /** A memory as it was added. */
  *remove(memory: Posted): Program<void> {
    yield* this.edit(memory, withoutPosting)
    this.totals = plusMemory(this.totals, memory, -1)
  }

  *setStatus(memory: Posted, isSuperseded: boolean): Program<void> {
    if (memory.isSuperseded === isSuperseded) return
    const after = { ...memory, isSuperseded }
    yield* this.edit(after, withPosting)
    this.totals = plusMemory(plusMemory(this.totals, memory, -1), after, 1)
  }

  *finish(): Program<void> {
    if (this.totals === noTotals) return
    for (const writing of this.writings.values()) yield* writing.finish()
    yield* addTotals(this.tx, this.terms, this.totals)
  }

  private *edit(memory: Posted, edit: BlockEdit): Program<void> {
    const postings = new PostingsOf(memory)
    for (const [term, count] of memory.terms) {
      const writing = this.writings.get(term) ?? (yield* this.begin(term))
      yield* writing.edit(edit, postings.of(count))
    }
  }

  private *begin(term: string): Program<TermWriting> {
    const writing = yield* TermWriting.begin(this.tx, this.terms, term)
    this.writings.set(term, writing)
    return writing
  }
}

/** All that a program does to postings, where it does one thing. */
export function* writePostings(
  tx: Tx,
  terms: Namespace,
  change: (postings: PostingWriter) => Program<void>,
): Program<void> {
  const postings = new PostingWriter(tx, terms)
  yield* change(postings)
  yield* postings.finish()
}

/** The postings of one memory; those of terms that it has equally often are the same. */
export class PostingsOf {
  private readonly byCount = new Map<number, Bytes>()

  constructor(private readonly memory: Posted) {}

  of(count: number): Bytes {
    const known = this.byCount.get(count)
    if (known !== undefined) return known
    const { id, length, isSuperseded } = this.memory
    const posting = packPosting(id, { count, length, isSuperseded })
    this.byCount.set(count, posting)
    return posting
  }
}
