// Counts the first words of entity names. A search for known names in a text checks each word here
// first: a get costs a fraction of a scan, and few words start a name.

import {
  getDocument,
  insertDocument,
  removeDocument,
  replaceDocument,
  textKey,
} from '../../engine/collection/collections.js'
import type { Namespace } from '../../engine/types.js'
import type { Program, ReadTx, Tx } from '../../store/store.js'
import { field } from '../../value/elements.js'
import { numberOf } from '../../value/numbers.js'
import type { Document } from '../../value/value.js'
import { writeDocument } from '../../value/writer.js'
import { wordSpans } from '../write/word-spans.js'
import { unitSeparator } from './edge.js'
import type { Entity } from './node.js'

/** Prefix of heads in the ids of the terms' collection: no term begins like it. */
const prefix = `${unitSeparator}name${unitSeparator}`

/** Scripts from here on mostly have no spaces between words. */
const unspacedFrom = 0x0e00

/** The look-up key of a word: in scripts with uncertain word boundaries, its first character. */
export function headOf(word: string): string {
  return isSpaced(word) ? word : String.fromCodePoint(word.codePointAt(0) ?? 0)
}

/** Whether a word's script has spaces between words. */
export function isSpaced(word: string): boolean {
  return (word.codePointAt(0) ?? 0) < unspacedFrom
}

/** Of a normalised name; a name without words is its own head. */
export function headOfName(name: string): string {
  const [first] = wordSpans(name)
  return first === undefined ? name : headOf(name.slice(first.start, first.end))
}

/** Whether any name has this head. */
export function* isHead(tx: ReadTx, terms: Namespace, head: string): Program<boolean> {
  return (yield* tx.get(keyOf(terms, head))) !== undefined
}

/** The heads of all names of an entity, each with its number of occurrences. */
export function headsOf({ normName, aliases, formerIds }: Entity): Map<string, number> {
  const heads = new Map<string, number>()
  for (const name of [normName, ...aliases, ...formerIds]) {
    const head = headOfName(name)
    heads.set(head, (heads.get(head) ?? 0) + 1)
  }
  return heads
}

/** Counts the heads of an entity that replaces another; undefined if there is none. */
export function* changeHeads(
  tx: Tx,
  terms: Namespace,
  before: Entity | undefined,
  after: Entity | undefined,
): Program<void> {
  const changes = new Map(after === undefined ? [] : headsOf(after))
  for (const [head, count] of before === undefined ? [] : headsOf(before)) {
    changes.set(head, (changes.get(head) ?? 0) - count)
  }
  for (const [head, change] of changes) {
    if (change !== 0) yield* count(tx, terms, head, change)
  }
}

function* count(tx: Tx, terms: Namespace, head: string, change: number): Program<void> {
  const key = keyOf(terms, head)
  const before = yield* getDocument(tx, terms, key)
  const names = (before === undefined ? 0 : namesIn(before)) + change
  const after = writeDocument((writer) => writer.string('_id', prefix + head).int32('n', names))
  if (before === undefined) yield* insertDocument(tx, terms, after)
  else if (names > 0) yield* replaceDocument(tx, terms, key, before, after)
  else yield* removeDocument(tx, terms, key, before)
}

/** The head of a document in the terms' collection; undefined for other documents. */
export function headOfId(id: string): string | undefined {
  return id.startsWith(prefix) ? id.slice(prefix.length) : undefined
}

/** The number of names that a head's document counts. */
export function namesIn(document: Document): number {
  const names = field(document, 'n')
  return names?.isNumber === true ? numberOf(names) : 0
}

function keyOf(terms: Namespace, head: string): Uint8Array {
  return textKey(terms, prefix + head)
}
