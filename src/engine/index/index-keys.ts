// Computes the index entries of a document. An entry's key is the encoded fields, an end byte and,
// unless the index is unique, the record key. Its value is the whole record key.
// (docs/design/storage.md, "Key space"; docs/design/transactions.md, rule 8)

import { createHash } from 'node:crypto'
import { type Bytes, mapKey } from '../../base/bytes/bytes.js'
import { fail } from '../../base/errors.js'
import { indexFieldsMax } from '../../base/limits/documents.js'
import { entryFieldsBytesMax } from '../../base/limits/store.js'
import { work } from '../../base/work/work-budget.js'
import { valueUnits } from '../../base/work/work-figures.js'
import { keyClass } from '../../store/layout.js'
import { Elements, findElement } from '../../value/elements.js'
import { encodeKey, KeyWriter } from '../../value/key.js'
import { type FieldPath, type KeyValues, keyValues, parsePath } from '../../value/path.js'
import {
  bsonType,
  type Document,
  minKeyValue,
  nullValue,
  stringValue,
  undefinedValue,
  type Value,
} from '../../value/value.js'
import { type DocumentWriter, writeDocument } from '../../value/writer.js'
import type { IndexDescriptor, Wildcard } from '../types.js'
import { hashOf, refuseArrays } from './hashed-fields.js'
import { leavesOf, requireEntries } from './wildcard-keys.js'

/** End byte of the fields: below every type byte, and below the successor of every inverted one. */
export const entryFieldsEnd = 0x04
/** class u8, index u32. */
export const entryHeadBytes = 5
const hashBytes = 32
/** Prefix kept of overlong fields, before their SHA-256. */
export const entryPrefixBytes = entryFieldsBytesMax - hashBytes

/** Work units of an entry for an array element: 1 µs, plus its bytes. */
const entryMadeUnits = 10

export interface IndexEntries {
  readonly index: IndexDescriptor
  /** Distinct store keys. */
  readonly keys: Bytes[]
  /** For each field of the index: whether an array is on its path. */
  readonly multikey: readonly boolean[]
  /** Whether a key was shortened to a prefix and a hash, or is a symbol's. */
  readonly inexact: boolean
  /** For a wildcard index: the paths of the document with arrays. */
  readonly arrayPaths?: readonly string[] | undefined
}

/** One value for each field of the index. */
type Row = readonly Value[]

interface Rows {
  readonly rows: readonly Row[]
  readonly multikey: readonly boolean[]
  readonly arrayPaths?: readonly string[] | undefined
}

/** The common case without arrays, by number of fields. */
const noArrays: readonly (readonly boolean[])[] = Array.from(
  { length: indexFieldsMax + 1 },
  (_, n) => new Array<boolean>(n).fill(false),
)

const writer = new KeyWriter()

/**
 * The entries of `document`, stored under `recordKey`, in `index`. Throws CannotIndexParallelArrays
 * if two different arrays are on the paths of one index.
 */
export function entriesOf(
  index: IndexDescriptor,
  document: Document,
  recordKey: Bytes,
): IndexEntries {
  if (index.partial !== undefined && !index.partial.matches(document)) return noEntries(index)
  const { rows, multikey, arrayPaths } = heldRows(index, document)
  const [first] = rows
  if (rows.length === 1 && first !== undefined) {
    const inexact = !writeFields(index, first)
    return { index, keys: [finishKey(index, recordKey)], multikey, inexact, arrayPaths }
  }
  const made: Bytes[] = []
  let inexact = false
  for (const row of rows) {
    work.spend(entryMadeUnits)
    if (!writeFields(index, row)) inexact = true
    made.push(finishKey(index, recordKey))
  }
  // Without an array, every row has a different path.
  const keys = multikey.includes(true) ? distinct(made) : made
  return { index, keys, multikey, inexact, arrayPaths }
}

function distinct(keys: readonly Bytes[]): Bytes[] {
  return [...new Map(keys.map((key) => [mapKey(key), key])).values()]
}

/** The result for a document that a partial index omits. */
function noEntries(index: IndexDescriptor): IndexEntries {
  const multikey = noArrays[index.fields.length] ?? []
  return { index, keys: [], multikey, inexact: false }
}

/** The rows without those a sparse index omits; a missing value is `nullValue` itself. */
function heldRows(index: IndexDescriptor, document: Document): Rows {
  if (index.wildcard !== undefined) return wildcardRows(index, index.wildcard, document)
  const all = rowsOf(index, document)
  if (index.sparse !== true) return all
  const rows = all.rows.filter((row) => row.some((value) => value !== nullValue))
  return { rows, multikey: all.multikey }
}

/** Each leaf combined with the other fields; if there is no leaf, only those. */
function wildcardRows(index: IndexDescriptor, wildcard: Wildcard, document: Document): Rows {
  const { at, regular } = wildcard
  const { leaves, arrayPaths } = leavesOf(wildcard, document)
  const pairs: Row[] = leaves.map(({ path, value }) => [stringValue(path), value])
  const hasArray = arrayPaths.length > 0
  if (regular.length === 0) return { rows: pairs, multikey: [hasArray], arrayPaths }
  if (pairs.length === 0) pairs.push([minKeyValue, minKeyValue])
  const { rows, multikey } = rowsOf({ ...index, fields: regular }, document)
  requireEntries(rows.length * pairs.length)
  return {
    rows: rows.flatMap((row) => pairs.map((pair) => row.toSpliced(at, 0, ...pair))),
    multikey: multikey.toSpliced(at, 0, hasArray),
    arrayPaths,
  }
}

/** The prefix of the entry of a document without arrays: its first `count` fields. */
export function leadingKey(index: IndexDescriptor, document: Document, count: number): Bytes {
  writer.reset().u8(keyClass.entry).u32(index.id)
  for (const { path, direction } of index.fields.slice(0, count)) {
    const [value = nullValue] = keyValues(document, parsePath(path)).values
    writer.value(value, direction === -1, index.collation)
  }
  return writer.finish()
}

/**
 * The document's entries with their values, in the order of keyFieldsOf, without the final record
 * key of non-unique indexes.
 */
export function* entryRowsOf(
  index: IndexDescriptor,
  document: Document,
): Generator<{ readonly key: Bytes; readonly values: readonly Value[] }> {
  const fields = index.wildcard?.fields ?? index.fields
  for (const row of heldRows(index, document).rows) {
    writeFields(index, row)
    const key = finishKey(index, noRecord)
    const values = row.map((value, i) =>
      fields[i]?.hashed === true ? hashOf(encodeKey(value, false, index.collation)) : value,
    )
    yield { key, values }
  }
}

const noRecord: Bytes = new Uint8Array(0)

/** The names of the parts of an index's keys; for a wildcard index, as one scan sees them. */
export function keyFieldsOf({ fields, wildcard }: IndexDescriptor): readonly string[] {
  const named = wildcard?.fields ?? fields
  return named.map(({ path }, i) => fields[i]?.path ?? path)
}

/** The values of one of the document's entries, as `{a: 1, b: null}`: for error replies. */
export function entryValues(
  index: IndexDescriptor,
  document: Document,
  recordKey: Bytes,
  key: Bytes,
): Document {
  const { rows } = rowsOf(index, document)
  const row = rows.find((candidate) => {
    writeFields(index, candidate)
    return Buffer.compare(finishKey(index, recordKey), key) === 0
  })
  return writeDocument((out: DocumentWriter) => {
    index.fields.forEach((field, position) => {
      out.value(field.path, row?.[position] ?? nullValue)
    })
  })
}

/** Writes class, index and fields to `writer`; false if the key does not identify the values. */
function writeFields(index: IndexDescriptor, row: Row): boolean {
  writer.reset().u8(keyClass.entry).u32(index.id)
  const { collation, wildcard } = index
  const fields = wildcard?.fields ?? index.fields
  let isExact = true
  for (let i = 0; i < fields.length; i++) {
    const value = row[i] ?? nullValue
    // A symbol has the key of a string.
    if (value.type === bsonType.symbol) isExact = false
    // A path in a key is a name, without a collation.
    const by = i === wildcard?.at ? undefined : collation
    if (fields[i]?.hashed === true) writer.value(hashOf(encodeKey(value, false, by)))
    else writer.value(value, fields[i]?.direction === -1, by)
  }
  if (writer.length <= entryHeadBytes + entryFieldsBytesMax) return isExact
  const whole = writer.finish()
  const hash = createHash('sha256').update(whole.subarray(entryHeadBytes)).digest()
  writer
    .reset()
    .bytes(whole.subarray(0, entryHeadBytes + entryPrefixBytes))
    .bytes(hash)
  return false
}

function finishKey(index: IndexDescriptor, recordKey: Bytes): Bytes {
  writer.u8(entryFieldsEnd)
  if (!index.unique || index.suffixed === true) writer.bytes(recordKey.subarray(entryHeadBytes))
  return writer.finish()
}

function rowsOf(index: IndexDescriptor, document: Document): Rows {
  const { fields } = index
  const parts = fields.map((field) => keyValues(document, parsePath(field.path)))
  const none = noArrays[fields.length]
  if (none !== undefined && !parts.some(isSpread))
    return { rows: [parts.map(onlyValue)], multikey: none }
  const multikey = parts.map(isSpread)
  refuseArrays(fields, multikey)
  const spread = multikey.indexOf(true)
  if (multikey.indexOf(true, spread + 1) >= 0) {
    return expandTogether(
      fields.map((field) => parsePath(field.path)),
      document,
    )
  }
  const rows = (parts[spread]?.values ?? []).map((value) =>
    parts.map((part, i) => (i === spread ? value : onlyValue(part))),
  )
  return { rows, multikey }
}

const isSpread = (part: KeyValues): boolean => part.isArray

const onlyValue = (part: KeyValues): Value => part.values[0] ?? nullValue

// Compound indexes over one array of objects: `{a.b: 1, a.c: 1}` has an entry for each element of
// `a` with its b and c. Two different arrays cannot be combined.

/** The state of a field during the walk of a document: resolved, or at a part of its path. */
type Place =
  | { readonly value: Value }
  | { readonly path: FieldPath; readonly part: number; readonly bytes: Bytes; readonly at: number }

/** A field that met an array: the part to look up in its elements, none for a leaf. */
interface Stop {
  readonly array: Value
  readonly path: FieldPath
  readonly part: number
}

function expandTogether(paths: readonly FieldPath[], document: Document): Rows {
  const rows: Row[] = []
  const multikey = paths.map(() => false)
  expand(
    paths.map((path) => ({ path, part: 0, bytes: document, at: 0 })),
    rows,
    multikey,
  )
  return { rows, multikey }
}

function expand(places: readonly Place[], rows: Row[], multikey: boolean[]): void {
  const reached = places.map((place) => ('value' in place ? place.value : follow(place)))
  const stops = reached.filter((one): one is Stop => 'array' in one)
  const [stop] = stops
  if (stop === undefined) {
    rows.push(reached as Value[])
    return
  }
  for (const other of stops) if (other.array.start !== stop.array.start) throw parallel(stop, other)
  reached.forEach((one, i) => {
    if ('array' in one) multikey[i] = true
  })
  const elements = new Elements(stop.array.bytes, stop.array.start)
  let isEmpty = true
  while (elements.next()) {
    work.spend(reached.length * valueUnits)
    isEmpty = false
    const element = elements.value()
    expand(
      reached.map((one) => ('array' in one ? enter(one, element) : { value: one })),
      rows,
      multikey,
    )
  }
  if (!isEmpty) return
  rows.push(reached.map((one) => ('array' in one ? emptyLeaf(one) : one)))
}

const isLeaf = (stop: Stop): boolean => stop.part >= stop.path.names.length

/** An empty array is indexed as undefined, and a path below it as null. */
function emptyLeaf(stop: Stop): Value {
  return isLeaf(stop) ? undefinedValue : nullValue
}

function enter(stop: Stop, element: Value): Place {
  if (isLeaf(stop)) return { value: element }
  if (element.type !== bsonType.object) return { value: nullValue }
  return { path: stop.path, part: stop.part, bytes: element.bytes, at: element.start }
}

function follow(place: Exclude<Place, { value: Value }>): Value | Stop {
  const { path } = place
  const last = path.names.length - 1
  let { part } = place
  let found = findElement(place.bytes, place.at, path.names[part] as Bytes)
  while (found !== undefined) {
    if (found.type === bsonType.array) {
      const position = part < last ? elementAt(found, path, part + 1) : undefined
      if (position === undefined) return { array: found, path, part: part + 1 }
      found = position
      part++
    } else if (part === last) return found
    else if (found.type === bsonType.object) {
      part++
      found = findElement(found.bytes, found.start, path.names[part] as Bytes)
    } else return nullValue
  }
  return nullValue
}

/** The element that a numeric part denotes; undefined if the part is a field name. */
function elementAt(array: Value, path: FieldPath, part: number): Value | undefined {
  const position = path.positions[part] ?? -1
  if (position < 0) return undefined
  let found: Value | undefined
  let isName = false
  const elements = new Elements(array.bytes, array.start)
  for (let i = 0; elements.next(); i++) {
    if (i === position) found = elements.value()
    if (elements.type !== bsonType.object) continue
    const name = path.names[part] as Bytes
    if (findElement(array.bytes, elements.valueStart, name) !== undefined) isName = true
  }
  if (found === undefined) return isName ? undefined : nullValue
  if (!isName) return found
  const above = path.parts.slice(0, part).join('.')
  throw fail(
    'Location16746',
    [
      'Ambiguous field name found in array (do not use numeric field names in embedded elements',
      `in an array), field: '${path.parts[part]}' for array: ${above}`,
    ].join(' '),
  )
}

function parallel(a: Stop, b: Stop): Error {
  const name = (stop: Stop): string => stop.path.parts[stop.part - 1] ?? ''
  return fail('CannotIndexParallelArrays', `cannot index parallel arrays [${name(b)}] [${name(a)}]`)
}
