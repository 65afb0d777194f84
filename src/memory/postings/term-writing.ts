// Changes of one term's postings: the newest are gathered and written once, and give up their
// oldest as a block of its own when they are many. All older postings are of memories before those
// of the newest, so that a place is found by the id alone.

import { type Bytes, concatBytes } from '../../base/bytes/bytes.js'
import { documentOfRecord } from '../../engine/collection/records.js'
import type { Namespace } from '../../engine/types.js'
import type { Program, Tx } from '../../store/store.js'
import type { Document } from '../../value/value.js'
import {
  emptyBlock,
  endsBefore,
  part,
  sizeOf,
  startsBy,
  supersededIn,
  withPosting,
  withPostings,
} from './posting-block.js'
import {
  blockDocument,
  blockIn,
  blockKey,
  blocksUpTo,
  change,
  documentAt,
  readTerm,
  termDocument,
  termKey,
  withBlock,
} from './term-documents.js'

/** Postings of a term's newest block (20 bytes each), and how many of them it gives up then. */
export const newestPostingsMax = 80
const blockPostings = 64
/** An older block is split beyond this. */
export const blockPostingsMax = 128

/** withPosting or withoutPosting. */
export type BlockEdit = (block: Bytes, posting: Bytes) => Bytes

export class TermWriting {
  private readonly tx: Tx
  private readonly terms: Namespace
  private readonly term: string
  /** As it is stored. */
  private readonly before: Document | undefined
  /** Postings that it has without those that are appended; the same as it is stored. */
  private count: number
  readonly storedCount: number
  private superseded: number
  private newest: Bytes
  /** To be put behind the newest, all at once. */
  private appended: Bytes[] = []

  private constructor(tx: Tx, terms: Namespace, term: string, before: Document | undefined) {
    this.tx = tx
    this.terms = terms
    this.term = term
    this.before = before
    const { count, superseded, newest } = readTerm(before)
    this.count = count
    this.storedCount = count
    this.superseded = superseded
    this.newest = newest
  }

  static *begin(tx: Tx, terms: Namespace, term: string): Program<TermWriting> {
    const before = yield* documentAt(tx, terms, termKey(terms, term))
    return new TermWriting(tx, terms, term, before)
  }

  /** Adds a posting behind all others; false where that is not its place. */
  append(posting: Bytes): boolean {
    const { newest, appended } = this
    const last = appended.at(-1) ?? newest
    const isNewest = last.length === 0 ? this.count === 0 : endsBefore(last, posting)
    if (isNewest) appended.push(posting)
    return isNewest
  }

  /** Changes the block in which the posting is, or belongs. */
  *edit(edit: BlockEdit, posting: Bytes): Program<void> {
    this.gather()
    if (this.isOlder(posting)) return yield* this.editOlder(edit, posting)
    this.replaceNewest(edit(this.newest, posting))
  }

  /** As edits with withPosting, of postings in the order of their ids: the newest are one edit. */
  *putAll(postings: readonly Bytes[]): Program<void> {
    for (const [i, posting] of postings.entries()) {
      if (this.append(posting)) continue
      this.gather()
      if (this.isOlder(posting)) yield* this.editOlder(withPosting, posting)
      else return this.replaceNewest(withPostings(this.newest, postings.slice(i)))
    }
  }

  /** After all edits. */
  *finish(): Program<void> {
    this.gather()
    while (sizeOf(this.newest) > newestPostingsMax) yield* this.giveUpOldest()
    const { tx, terms, term, before, count, superseded, newest } = this
    const after = count === 0 ? undefined : termDocument(term, { count, superseded, newest })
    yield* change(tx, terms, termKey(terms, term), before, after)
  }

  /** Whether it is in a block of older ones, or belongs there. */
  private isOlder(posting: Bytes): boolean {
    const hasOlder = sizeOf(this.newest) < this.count
    return hasOlder && !startsBy(this.newest, posting)
  }

  private replaceNewest(after: Bytes): void {
    this.counts(this.newest, after)
    this.newest = after
  }

  private gather(): void {
    const { newest, appended } = this
    if (appended.length === 0) return
    this.appended = []
    this.newest = concatBytes(newest, ...appended)
    this.counts(newest, this.newest)
  }

  private *giveUpOldest(): Program<void> {
    yield* this.addBlock(part(this.newest, 0, blockPostings))
    this.newest = part(this.newest, blockPostings)
  }

  private *editOlder(edit: BlockEdit, posting: Bytes): Program<void> {
    const { tx, terms, term } = this
    const range = { ...blocksUpTo(terms, term, posting), reverse: true }
    const [found] = yield* tx.scanOwn(range, 1)
    const before = found === undefined ? undefined : yield* documentOfRecord(tx, found.value)
    const block = before === undefined ? emptyBlock : blockIn(before)
    const after = edit(block, posting)
    this.counts(block, after)
    // Before all others: a block of its own.
    if (found === undefined || before === undefined) return yield* this.addBlock(after)
    const isTooLarge = sizeOf(after) > blockPostingsMax
    const kept = isTooLarge ? part(after, 0, blockPostings) : after
    const document = kept.length === 0 ? undefined : withBlock(before, kept)
    yield* change(tx, terms, found.key, before, document)
    if (isTooLarge) yield* this.addBlock(part(after, blockPostings))
  }

  private *addBlock(block: Bytes): Program<void> {
    if (block.length === 0) return
    const { tx, terms, term } = this
    const document = blockDocument(term, block)
    yield* change(tx, terms, blockKey(terms, term, block), undefined, document)
  }

  private counts(before: Bytes, after: Bytes): void {
    this.count += sizeOf(after) - sizeOf(before)
    this.superseded += supersededIn(after) - supersededIn(before)
  }
}
