// Changes one term's postings. The newest are gathered and written once; when they are many, the
// oldest of them become a separate block. Older blocks have only older memories, so the id alone
// finds the block.

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

/** Postings in a term's main document (20 bytes each), and how many move to a block then. */
export const newestPostingsMax = 80
const blockPostings = 64
/** An older block is split above this. */
export const blockPostingsMax = 128

/** withPosting or withoutPosting. */
export type BlockEdit = (block: Bytes, posting: Bytes) => Bytes

export class TermWriting {
  private readonly tx: Tx
  private readonly terms: Namespace
  private readonly term: string
  /** As stored. */
  private readonly before: Document | undefined
  /** Stored postings, without the appended ones. */
  private count: number
  readonly storedCount: number
  private superseded: number
  private newest: Bytes
  /** To be added after the newest, all at once. */
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

  /** Adds a posting after all others; false if it does not belong there. */
  append(posting: Bytes): boolean {
    const { newest, appended } = this
    const last = appended.at(-1) ?? newest
    const isNewest = last.length === 0 ? this.count === 0 : endsBefore(last, posting)
    if (isNewest) appended.push(posting)
    return isNewest
  }

  /** Changes the block of the posting. */
  *edit(edit: BlockEdit, posting: Bytes): Program<void> {
    this.gather()
    if (this.isOlder(posting)) return yield* this.editOlder(edit, posting)
    this.replaceNewest(edit(this.newest, posting))
  }

  /** As edit with withPosting, for postings sorted by id: the newest are one edit. */
  *putAll(postings: readonly Bytes[]): Program<void> {
    for (const [i, posting] of postings.entries()) {
      if (this.append(posting)) continue
      this.gather()
      if (this.isOlder(posting)) yield* this.editOlder(withPosting, posting)
      else return this.replaceNewest(withPostings(this.newest, postings.slice(i)))
    }
  }

  /** Call it after all edits. */
  *finish(): Program<void> {
    this.gather()
    while (sizeOf(this.newest) > newestPostingsMax) yield* this.giveUpOldest()
    const { tx, terms, term, before, count, superseded, newest } = this
    const after = count === 0 ? undefined : termDocument(term, { count, superseded, newest })
    yield* change(tx, terms, termKey(terms, term), before, after)
  }

  /** Whether it belongs to an older block. */
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
    // It sorts before all others: it gets a new block.
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
