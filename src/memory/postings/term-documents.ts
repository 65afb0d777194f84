// The documents of `memory.<graph>.terms`. Each term has a main document with its newest postings
// and its counts, so its document frequency is known before other postings are read. Older postings
// are in blocks, a range of `_id`s with the first memory of each block.

import { type Bytes, keyAfter, utf8 } from '../../base/bytes/bytes.js'
import { assert } from '../../base/errors.js'
import {
  getDocument,
  insertRecord,
  removeRecord,
  replaceRecord,
  textKey,
} from '../../engine/collection/collections.js'
import type { Namespace } from '../../engine/types.js'
import type { KeyRange, Program, ReadTx, Tx } from '../../store/store.js'
import { Elements, field } from '../../value/elements.js'
import { bsonType, type Document, readInt32, stringValue, type Value } from '../../value/value.js'
import { DocumentWriter } from '../../value/writer.js'
import { ulidAt } from './packed-id.js'
import { emptyBlock } from './posting-block.js'

/** Separates a term from its block suffix: no term and no accepted text contains it. */
const separator = '\u001f'
const afterSeparator = '\u0020'
/** Subtype of Sigil's own binaries. */
const packedSubtype = 0x80
/** Length and subtype of a binary value. */
const binaryHeadBytes = 5

export interface Term {
  /** Postings in all blocks. */
  readonly count: number
  /** Postings of superseded memories among them. */
  readonly superseded: number
  readonly newest: Bytes
}

/** Field names of a term document, in UTF-8. */
const names = { count: utf8('n'), superseded: utf8('s'), newest: utf8('p') } as const

const noTerm: Term = { count: 0, superseded: 0, newest: emptyBlock }

/** The key of a term's main document, or of another name. */
export function termKey(terms: Namespace, term: string): Bytes {
  return textKey(terms, term)
}

/** The key of a block, by its first posting. */
export function blockKey(terms: Namespace, term: string, block: Bytes): Bytes {
  return termKey(terms, blockName(term, block))
}

/** The keys of a term's blocks: all, or those that start before a posting. */
export function blocksOf(terms: Namespace, term: string, before: Bytes = emptyBlock): KeyRange {
  const start = termKey(terms, term + separator)
  const isAll = before.length === 0
  const end = isAll ? termKey(terms, term + afterSeparator) : blockKey(terms, term, before)
  return { start, end }
}

/** As blocksOf, for those that start at or before a posting. */
export function blocksUpTo(terms: Namespace, term: string, posting: Bytes): KeyRange {
  const { start, end } = blocksOf(terms, term, posting)
  return { start, end: keyAfter(end) }
}

/** The term of a document, and whether it is the main one; undefined for the totals. */
export function termOfName(
  name: string,
): { readonly term: string; readonly isNewest: boolean } | undefined {
  const at = name.indexOf(separator)
  if (at === 0) return undefined
  return at < 0 ? { term: name, isNewest: true } : { term: name.slice(0, at), isNewest: false }
}

export function readTerm(document: Document | undefined): Term {
  if (document === undefined) return noTerm
  let { count, superseded, newest } = noTerm
  const elements = new Elements(document)
  while (elements.next()) {
    const { valueStart, valueEnd } = elements
    if (elements.nameIs(names.count)) count = readInt32(document, valueStart)
    else if (elements.nameIs(names.superseded)) superseded = readInt32(document, valueStart)
    else if (elements.nameIs(names.newest)) {
      newest = document.subarray(valueStart + binaryHeadBytes, valueEnd)
    }
  }
  return { count, superseded, newest }
}

/** The postings of a document of this collection, in place. */
export function blockIn(document: Document): Bytes {
  const packed = field(document, 'p')
  assert(packed?.type === bsonType.binary, 'a term has postings')
  return packed.bytes.subarray(packed.start + binaryHeadBytes, packed.end)
}

/** A whole number of a document; 0 if missing. */
export function numberIn(document: Document, name: string): number {
  const value = field(document, name)
  return value === undefined ? 0 : readInt32(value.bytes, value.start)
}

export function termDocument(term: string, { count, superseded, newest }: Term): Document {
  const writer = new DocumentWriter().string('_id', term).int32('n', count).int32('s', superseded)
  return writer.binary('p', packedSubtype, newest).finish()
}

/** A block whose `_id` contains its first posting. */
export function blockDocument(term: string, block: Bytes): Document {
  return namedBlock(stringValue(blockName(term, block)), block)
}

/** A stored block with other postings: it keeps its id even if its first posting changes. */
export function withBlock(document: Document, block: Bytes): Document {
  const name = field(document, '_id')
  assert(name !== undefined, 'a stored document has a name')
  return namedBlock(name, block)
}

function namedBlock(name: Value, block: Bytes): Document {
  const writer = new DocumentWriter().value('_id', name)
  return writer.binary('p', packedSubtype, block).finish()
}

function blockName(term: string, block: Bytes): string {
  return `${term}${separator}${ulidAt(block, 0)}`
}

export function documentAt(
  tx: ReadTx,
  terms: Namespace,
  key: Bytes,
): Program<Document | undefined> {
  return getDocument(tx, terms, key)
}

/** Puts, replaces or removes the document under `key`. */
export function* change(
  tx: Tx,
  terms: Namespace,
  key: Bytes,
  before: Document | undefined,
  after: Document | undefined,
): Program<void> {
  if (before === undefined) {
    if (after !== undefined) yield* insertRecord(tx, terms, key, after)
  } else if (after === undefined) yield* removeRecord(tx, terms, key, before)
  else yield* replaceRecord(tx, terms, key, before, after)
}
