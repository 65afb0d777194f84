// What memories are found by: for each of their terms a posting, and the totals that BM25 asks for.
// Programs of the write path keep them in the transaction of the memory itself, so that no index
// has to be rebuilt, ever. Ids grow with time: nearly every posting is added to the newest ones.

import type { Bytes } from '../base/bytes.js'
import type { Namespace } from '../engine/types.js'
import type { Program, Tx } from '../store/store.js'
import { packPosting, withoutPosting, withPosting } from './posting-block.js'
import { type BlockEdit, TermWriting } from './term-writing.js'
import { addTotals } from './totals.js'

/** A memory as its postings tell of it. */
export interface Posted {
  readonly id: string
  /** How often each of its terms occurs. */
  readonly terms: ReadonlyMap<string, number>
  /** Occurrences of all of them. */
  readonly length: number
  readonly isSuperseded: boolean
}

/** Adds memories that have no postings. A term that several of them have is written once. */
export function* addPostings(tx: Tx, terms: Namespace, memories: readonly Posted[]): Program<void> {
  yield* editTerms(tx, terms, memories, withPosting)
  yield* addTotals(tx, terms, memories, 1)
}

/** Removes those of a memory as it was added. */
export function* removePostings(tx: Tx, terms: Namespace, memory: Posted): Program<void> {
  yield* editTerms(tx, terms, [memory], withoutPosting)
  yield* addTotals(tx, terms, [memory], -1)
}

/** Has the postings of a memory tell whether it is superseded. */
export function* setPostingsStatus(
  tx: Tx,
  terms: Namespace,
  memory: Posted,
  isSuperseded: boolean,
): Program<void> {
  if (memory.isSuperseded === isSuperseded) return
  const after = { ...memory, isSuperseded }
  yield* editTerms(tx, terms, [after], withPosting)
  yield* addTotals(tx, terms, [memory], -1)
  yield* addTotals(tx, terms, [after], 1)
}

function* editTerms(
  tx: Tx,
  terms: Namespace,
  memories: readonly Posted[],
  edit: BlockEdit,
): Program<void> {
  for (const [term, postings] of byTerm(memories)) {
    const writing = yield* TermWriting.begin(tx, terms, term)
    for (const posting of postings) yield* writing.edit(edit, posting)
    yield* writing.finish()
  }
}

function byTerm(memories: readonly Posted[]): Map<string, Bytes[]> {
  const postings = new Map<string, Bytes[]>()
  for (const { id, terms, length, isSuperseded } of memories) {
    for (const [term, count] of terms) {
      const posting = packPosting(id, { count, length, isSuperseded })
      const others = postings.get(term)
      if (others === undefined) postings.set(term, [posting])
      else others.push(posting)
    }
  }
  return postings
}
