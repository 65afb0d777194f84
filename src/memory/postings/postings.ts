// The search index of memories: a posting for each of their terms, and the totals for BM25. Write
// programs keep it in the memory's own transaction, so the index never needs a rebuild. A program
// reads each term once and writes it once at its end, for all its memories.

import type { Bytes } from '../../base/bytes/bytes.js'
import type { Namespace } from '../../engine/types.js'
import type { Program, Tx } from '../../store/store.js'
import { packPosting, withoutPosting, withPosting } from './posting-block.js'
import { type BlockEdit, TermWriting } from './term-writing.js'
import { addTotals, noTotals, plusMemory, type Totals } from './totals.js'

/** A memory as its postings describe it. */
export interface Posted {
  readonly id: string
  /** Count of each of its terms. */
  readonly terms: ReadonlyMap<string, number>
  /** Sum of these counts. */
  readonly length: number
  readonly isSuperseded: boolean
}

/** Changes of postings when memories are written. */
export interface PostingChanges {
  /** How many memories had each term before this program, in the order of the terms. */
  frequenciesOf(terms: Iterable<string>): Program<number[]>
  /** Adds a memory without postings. */
  add(memory: Posted): Program<void>
  /** Sets in a memory's postings whether it is superseded. */
  setStatus(memory: Posted, isSuperseded: boolean): Program<void>
}

/** The changes of one program; nothing is written before `finish`. */
export class PostingWriter implements PostingChanges {
  private readonly writings = new Map<string, TermWriting>()
  /** The change of the totals. */
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

/** All changes of postings, for a program with one change. */
export function* writePostings(
  tx: Tx,
  terms: Namespace,
  change: (postings: PostingWriter) => Program<void>,
): Program<void> {
  const postings = new PostingWriter(tx, terms)
  yield* change(postings)
  yield* postings.finish()
}

/** The postings of one memory; terms with the same count share one. */
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
