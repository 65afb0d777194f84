// Maintains index entries: the entries of a document in each index, their changes, duplicates of
// unique keys, and the descriptor bits that new entries need.

import { type Bytes, compareBytes, equalBytes, mapKey } from '../../base/bytes/bytes.js'
import { assert, fail } from '../../base/errors.js'
import { work } from '../../base/work/work-budget.js'
import type { Program, Tx } from '../../store/store.js'
import { field } from '../../value/elements.js'
import { shellText } from '../../value/shell.js'
import { type Document, documentOf, documentValue, type Value } from '../../value/value.js'
import { writeDocument } from '../../value/writer.js'
import { findNamespace, saveNamespace } from '../collection/catalog/catalog.js'
import { addEntries } from '../collection/counters.js'
import type { Access, IndexDescriptor, Namespace } from '../types.js'
import { entriesOf, entryHeadBytes, entryValues, type IndexEntries } from './index-keys.js'
import { joinedArrayPaths, knowsArrayPaths } from './wildcard-paths.js'

/** The `_id` of a stored document. */
export function idOf(document: Document): Value {
  const id = field(document, '_id')
  assert(id !== undefined, 'a document that is stored has an _id')
  return id
}

/** The entries of a document in each index of its collection. */
export function keptEntries(ns: Namespace, document: Document, key: Bytes): IndexEntries[] {
  return ns.indexes.map((index) => entriesOf(index, document, key))
}

/** How the entries of a document change in one index. */
export interface Change {
  readonly index: IndexDescriptor
  readonly added: readonly Bytes[]
  readonly removed: readonly Bytes[]
}

export function changeOf({ index, keys }: IndexEntries, old: readonly Bytes[]): Change {
  const [a] = keys
  const [b] = old
  if (keys.length === 1 && old.length === 1 && a !== undefined && b !== undefined) {
    if (equalBytes(a, b)) return { index, added: [], removed: [] }
    return { index, added: keys, removed: old }
  }
  const oldTexts = new Set(old.map((key) => mapKey(key)))
  const texts = new Set(keys.map((key) => mapKey(key)))
  return {
    index,
    added: keys.filter((key) => !oldTexts.has(mapKey(key))),
    removed: old.filter((key) => !texts.has(mapKey(key))),
  }
}

/** New keys of one document in one index. */
interface Added {
  readonly index: IndexDescriptor
  readonly keys: readonly Bytes[]
}

/**
 * Probes for duplicates in one trip: the record key if the document is new, then the new keys of
 * each unique index, in index order. The first taken key is the error.
 */
export function* refuseDuplicates(
  tx: Tx,
  ns: Namespace,
  document: Document,
  key: Bytes,
  entries: readonly Added[],
  isNew: boolean,
): Program<void> {
  const unique = entries.filter(({ index, keys }) => isDirect(index) && keys.length > 0)
  const probes = unique.flatMap(({ index, keys }) => keys.map((probe) => ({ index, probe })))
  const keys = probes.map(({ probe }) => probe)
  const held = yield* tx.getMany(isNew ? [key, ...keys] : keys)
  if (isNew && held.shift() !== undefined) throw duplicateId(ns, document)
  probes.forEach(({ index, probe }, i) => {
    const holder = held[i]
    if (holder === undefined || equalBytes(holder, key)) return
    throw duplicateKey(ns, index, document, key, probe)
  })
  for (const { index, keys: own } of entries) {
    if (isDirect(index) || !refusesTwins(index)) continue
    for (const probe of own) {
      if (!(yield* hasTwin(tx, probe, key))) continue
      throw duplicateKey(ns, index, document, key, probe)
    }
  }
}

/** Whether a key has a single entry, which leads to its holder. */
function isDirect({ unique, suffixed }: IndexDescriptor): boolean {
  return unique && suffixed !== true
}

/** Whether the index forbids two documents with one key. */
function refusesTwins({ unique, prepared }: IndexDescriptor): boolean {
  return unique || prepared === true
}

/** Whether another document has an entry with the same fields, in an index converted to unique. */
function* hasTwin(tx: Tx, entry: Bytes, record: Bytes): Program<boolean> {
  const start = entry.subarray(0, entry.length - (record.length - entryHeadBytes))
  const end = start.slice()
  end[end.length - 1] = (end.at(-1) ?? 0) + 1
  const held = yield* tx.scanOwn({ start, end }, 2)
  return held.some(({ value }) => !equalBytes(value, record))
}

/** Whether refuseDuplicates must check more than the record key. */
export function hasUniqueKeys(entries: readonly Added[]): boolean {
  return entries.some(({ index, keys }) => refusesTwins(index) && keys.length > 0)
}

/** The error for two documents with one `_id`. */
export function duplicateId(ns: Namespace, document: Document): Error {
  const keyPattern = writeDocument((out) => out.int32('_id', 1))
  const keyValue = writeDocument((out) => out.value('_id', idOf(document)))
  return duplicate(ns, '_id_', keyPattern, keyValue)
}

function duplicateKey(
  ns: Namespace,
  index: IndexDescriptor,
  document: Document,
  key: Bytes,
  entry: Bytes,
): Error {
  const pattern = field(index.spec, 'key')
  assert(pattern !== undefined, 'an index specification has a key')
  const keyPattern = documentOf(pattern).slice()
  return duplicate(ns, index.name, keyPattern, entryValues(index, document, key, entry))
}

function duplicate(ns: Namespace, index: string, keyPattern: Document, keyValue: Document): Error {
  const shown = shellText(documentValue(keyValue))
  const text = `E11000 duplicate key error collection: ${ns.db}.${ns.name} index: ${index}`
  return fail('DuplicateKey', `${text} dup key: ${shown}`, { keyPattern, keyValue })
}

/**
 * Whether descriptors must change: these entries are the first that need a multikey or inexact bit,
 * or those in `put` are a writer's first in an index being built.
 */
export function needsMarks(kept: readonly IndexEntries[], put: readonly Added[] = []): boolean {
  return kept.some(isUnmarked) || put.some(isFirstWrite)
}

/**
 * Sets the marks that needsMarks requires. `ns` may be older than this program's own writes, so the
 * descriptor is read again.
 */
export function* markIndexes(
  tx: Tx,
  ns: Namespace,
  kept: readonly IndexEntries[],
  put: readonly Added[] = [],
): Program<void> {
  const current = yield* findNamespace(tx, ns.db, ns.name)
  assert(current?.id === ns.id, 'a collection does not vanish under a program')
  let isChanged = false
  const indexes = current.indexes.map((index) => {
    const entries = kept.find((candidate) => candidate.index.id === index.id)
    const own = put.find((candidate) => candidate.index.id === index.id)
    const isWritten = own !== undefined && isFirstWrite({ index, keys: own.keys })
    const isMarked = entries === undefined || !isUnmarked({ ...entries, index })
    if (isMarked && !isWritten) return index
    isChanged = true
    const written = isWritten ? { ...index, hasWrites: true as const } : index
    return isMarked ? written : marked(written, entries)
  })
  if (isChanged) saveNamespace(tx, { ...current, indexes })
}

function marked(index: IndexDescriptor, entries: IndexEntries): IndexDescriptor {
  return {
    ...index,
    multikey: index.multikey.map((isArray, i) => isArray || entries.multikey[i] === true),
    inexact: index.inexact || entries.inexact,
    ...arrayPathsOf(index, entries),
  }
}

function isFirstWrite({ index, keys }: Added): boolean {
  return index.state === 'building' && index.hasWrites !== true && keys.length > 0
}

function arrayPathsOf(
  { arrayPaths: known = [] }: IndexDescriptor,
  { arrayPaths: seen }: IndexEntries,
): Pick<IndexDescriptor, 'arrayPaths'> {
  return seen === undefined ? {} : { arrayPaths: joinedArrayPaths(known, seen) }
}

/** Whether the descriptor lacks a mark that these entries need. */
export function isUnmarked({ index, multikey, inexact, arrayPaths }: IndexEntries): boolean {
  if (inexact && !index.inexact) return true
  if (arrayPaths !== undefined && !knowsArrayPaths(index.arrayPaths ?? [], arrayPaths)) return true
  for (let i = 0; i < multikey.length; i++) {
    if (multikey[i] === true && index.multikey[i] !== true) return true
  }
  return false
}

export function putEntries(
  tx: Tx,
  access: Access,
  index: IndexDescriptor,
  keys: readonly Bytes[],
  record: Bytes,
): void {
  let bytes = 0
  for (const key of keys) {
    tx.put(key, record)
    bytes += entryBytes(key, record)
  }
  if (keys.length > 0) addEntries(tx, access, index, keys.length, bytes)
}

/**
 * Removes entries. An index being built may lack those of a document that the build has not
 * reached, and a unique one may hold another document's instead. These are checked first.
 */
export function* removeEntries(
  tx: Tx,
  access: Access,
  index: IndexDescriptor,
  keys: readonly Bytes[],
  record: Bytes,
): Program<void> {
  if (keys.length === 0) return
  let own = keys
  if (index.state === 'building') {
    const held = yield* tx.getMany(keys)
    own = keys.filter((_, i) => {
      const holder = held[i]
      return holder !== undefined && equalBytes(holder, record)
    })
  }
  let bytes = 0
  for (const key of own) {
    tx.remove(key)
    bytes += entryBytes(key, record)
  }
  if (own.length > 0) addEntries(tx, access, index, -own.length, -bytes)
}

/** A document that a build processes, with its record key. */
export interface Indexed {
  readonly document: Document
  readonly key: Bytes
}

/** One entry of such a document. */
interface Wanted {
  readonly entry: Bytes
  readonly of: Indexed
}

/** The entries that documents need in the indexes being built. */
export function wantedEntries(
  indexes: readonly IndexDescriptor[],
  { document, key }: Indexed,
): IndexEntries[] {
  return work.unrefused(() => indexes.map((index) => entriesOf(index, document, key)))
}

/**
 * Adds missing entries of documents in indexes being built. `isFirst`: no other build has put
 * entries, so an index without writer's entries needs no lookup; entries of another build count as
 * a writer's. `wanted` comes from wantedEntries. Throws DuplicateKey; returns the number of entries
 * put.
 */
export function* addMissingEntries(
  tx: Tx,
  ns: Namespace,
  documents: readonly Indexed[],
  wanted: readonly IndexEntries[][],
  isFirst: boolean,
): Program<number> {
  const putOf = (kept: readonly IndexEntries[]) => (isFirst ? [] : kept)
  const marks = wanted.filter((kept) => needsMarks(kept, putOf(kept)))
  let put = 0
  for (const [at, { index }] of (wanted[0] ?? []).entries()) {
    const own = documents.map((of, i) => ({ of, entries: wanted[i]?.[at]?.keys ?? [] }))
    const isAbsent = isFirst && !index.unique && index.hasWrites !== true
    if (isAbsent) {
      for (const { of, entries } of own) {
        putEntries(tx, ns.access, index, entries, of.key)
        put += entries.length
      }
    } else put += yield* putAbsent(tx, ns, index, own)
  }
  for (const kept of marks) yield* markIndexes(tx, ns, kept, putOf(kept))
  return put
}

/** Puts the missing ones in order; neighbours are checked in one trip. */
function* putAbsent(
  tx: Tx,
  ns: Namespace,
  index: IndexDescriptor,
  own: readonly { readonly of: Indexed; readonly entries: readonly Bytes[] }[],
): Program<number> {
  const all: Wanted[] = own.flatMap(({ of, entries }) => entries.map((entry) => ({ entry, of })))
  all.sort((a, b) => compareBytes(a.entry, b.entry))
  const held = yield* tx.getMany(all.map(({ entry }) => entry))
  let [count, bytes] = [0, 0]
  for (const [i, { entry, of }] of all.entries()) {
    const before = index.unique ? all[i - 1] : undefined
    const isTwin = before !== undefined && equalBytes(before.entry, entry)
    const holder = isTwin ? before.of.key : held[i]
    if (holder === undefined) {
      tx.put(entry, of.key)
      count++
      bytes += entryBytes(entry, of.key)
    } else if (index.unique && !equalBytes(holder, of.key)) {
      throw duplicateKey(ns, index, of.document, of.key, entry)
    }
  }
  if (count > 0) addEntries(tx, ns.access, index, count, bytes)
  return count
}

/** Store bytes of an entry, as index sizes count them. */
export function entryBytes(key: Bytes, value: Bytes): number {
  return key.length + value.length
}
