// Cursors over score contributions in the order of memory ids, so that several can be merged, and
// nothing is kept of memories outside the best.

import { type Bytes, keyAfter } from '../../base/bytes/bytes.js'
import { documentOfRecord } from '../../engine/collection/records.js'
import type { Namespace } from '../../engine/types.js'
import type { Entry, KeyRange, Program, ReadTx } from '../../store/store.js'
import { packedIdBytes } from '../postings/packed-id.js'
import {
  countOf,
  emptyBlock,
  isSuperseded,
  lengthOf,
  postingBytes,
} from '../postings/posting-block.js'
import { blockIn, blocksOf, type Term } from '../postings/term-documents.js'
import type { TermWeight } from './bm25.js'

/** Blocks of postings that one step reads: 40 kB. */
const postingBlocksAtOnce = 32

/** Its memory's packed id is in `block` at `at`, or it is past the last of a block. */
export interface ScoreCursor {
  readonly block: Bytes
  readonly at: number
  /** Its contribution to the memory's score. */
  score(): number
  /** Moves to the next memory of the block. */
  advance(): void
  /** Moves to the next block with a memory, if this one is used up. */
  load(tx: ReadTx): Program<void>
}

export function isAtEnd(cursor: ScoreCursor): boolean {
  return cursor.at >= cursor.block.length
}

/** Over a term's postings: the older blocks, then the newest. */
export class PostingCursor implements ScoreCursor {
  block: Bytes = emptyBlock
  at = 0
  private readonly weight: TermWeight
  private readonly withSuperseded: boolean
  /** Read blocks left to process. */
  private page: Entry[] = []
  /** The unread range. */
  private older: KeyRange | undefined
  private newest: Bytes | undefined

  constructor(terms: Namespace, { name, postings, weight }: WeightedTerm, withSuperseded: boolean) {
    const { newest, count } = postings
    this.weight = weight
    this.withSuperseded = withSuperseded
    this.newest = newest
    const isWhole = newest.length === count * postingBytes
    if (!isWhole) this.older = blocksOf(terms, name, newest)
  }

  score(): number {
    const { block, at } = this
    return this.weight.score(countOf(block, at), lengthOf(block, at))
  }

  advance(): void {
    this.at += postingBytes
    this.skipSuperseded()
  }

  *load(tx: ReadTx): Program<void> {
    while (isAtEnd(this)) {
      const block = yield* this.nextBlock(tx)
      if (block === undefined) return
      this.block = block
      this.at = 0
      this.skipSuperseded()
    }
  }

  private skipSuperseded(): void {
    if (this.withSuperseded) return
    while (this.at < this.block.length && isSuperseded(this.block, this.at)) this.at += postingBytes
  }

  private *nextBlock(tx: ReadTx): Program<Bytes | undefined> {
    if (this.page.length === 0 && this.older !== undefined) yield* this.readPage(tx, this.older)
    const entry = this.page.shift()
    if (entry !== undefined) return blockIn(yield* documentOfRecord(tx, entry.value))
    const { newest } = this
    this.newest = undefined
    return newest
  }

  private *readPage(tx: ReadTx, range: KeyRange): Program<void> {
    this.page = yield* tx.scan(range, postingBlocksAtOnce)
    const last = this.page.at(-1)
    const isLast = this.page.length < postingBlocksAtOnce || last === undefined
    this.older = isLast ? undefined : { start: keyAfter(last.key), end: range.end }
  }
}

/** A term of a question with its weight. */
export interface WeightedTerm {
  readonly name: string
  readonly postings: Term
  readonly weight: TermWeight
}

/** Over memories with equal scores: packed ids, side by side and sorted. */
export class ConstantCursor implements ScoreCursor {
  at = 0

  constructor(
    readonly block: Bytes,
    private readonly boost: number,
  ) {}

  score(): number {
    return this.boost
  }

  advance(): void {
    this.at += packedIdBytes
  }

  *load(): Program<void> {}
}
