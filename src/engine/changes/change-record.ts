// The format of a record of the change log: a kind byte and a BSON document.
// (docs/design/changes.md, "Records")

import { type Bytes, concatBytes, utf8 } from '../../base/bytes/bytes.js'
import { assert, fail } from '../../base/errors.js'
import { changeRange, idKey, keyClass } from '../../store/layout.js'
import type { Tx } from '../../store/store.js'
import { field } from '../../value/elements.js'
import { bigintOf, type Document, documentOf, stringOf, type Value } from '../../value/value.js'
import { type DocumentWriter, writeDocument } from '../../value/writer.js'

/** The counter of the log: its records and their bytes. */
export const changeBytesKey: Bytes = idKey(keyClass.count, 0, Uint8Array.of(0x04))

export type ChangeKind =
  | 'begin'
  | 'insert'
  | 'update'
  | 'replace'
  | 'delete'
  | 'drop'
  | 'rename'
  | 'dropDatabase'
  | 'create'
  | 'createIndexes'
  | 'dropIndexes'
  | 'modify'
  | 'hold'

/** A kind is its place in this list, so new ones go to the end. */
const kinds: readonly ChangeKind[] = [
  ...(['begin', 'insert', 'update', 'replace', 'delete', 'drop', 'rename'] as const),
  ...(['dropDatabase', 'create', 'createIndexes', 'dropIndexes', 'modify', 'hold'] as const),
]

export interface ChangeRecord {
  readonly kind: ChangeKind
  readonly db: string
  /** Empty for a database. */
  readonly name: string
  readonly body: Document
}

/** `fill` writes the fields, first `d` and `c`. */
export function encodeChange(kind: ChangeKind, fill: (writer: DocumentWriter) => void): Bytes {
  const body = writeDocument(fill)
  const record = new Uint8Array(body.length + 1)
  record[0] = kindByteOf(kind)
  record.set(body, 1)
  return record
}

export function kindByteOf(kind: ChangeKind): number {
  return kinds.indexOf(kind)
}

/** Appends a record to the log, and counts it with the bytes of the chunks that it holds. */
export function appendChange(tx: Tx, record: Bytes, heldBytes = 0): void {
  tx.append(record)
  tx.add(changeBytesKey, 1, record.length + heldBytes)
}

/** Database and collection as each record has them behind its kind and length. */
export function placeBytes(db: string, name?: string): Bytes {
  const fields = writeDocument((out) => {
    out.string('d', db)
    if (name !== undefined) out.string('c', name)
  })
  return fields.subarray(lengthBytes, -1)
}

/** Whether the record names that place, without decoding it; a rename also names another. */
export function isAt(record: Bytes, place: Bytes): boolean {
  for (let i = place.length - 1; i >= 0; i--) {
    if (record[placeStart + i] !== place[i]) return false
  }
  return true
}

export function isRename(record: Bytes): boolean {
  return record[0] === renameByte
}

const renameByte = kinds.indexOf('rename')
const lengthBytes = 4
const placeStart = 1 + lengthBytes

/** What observers of the log observe: all of it, a database, or a collection name. */
export function watchKey({
  db,
  name,
}: {
  readonly db?: string | undefined
  readonly name?: string | undefined
}): Bytes {
  if (db === undefined) return changeRange.start
  return concatBytes(changeRange.start, utf8(name === undefined ? db : `${db}\0${name}`))
}

/** The keys of which a record tells. */
export function watchKeysOf(record: Bytes): Bytes[] {
  const { kind, body, db, name } = decodeChange(record)
  const keys = [watchKey({}), watchKey({ db }), watchKey({ db, name })]
  if (kind !== 'rename') return keys
  const to = targetOf(body)
  return [...keys, watchKey({ db: to.db }), watchKey(to)]
}

export function decodeChange(record: Bytes): ChangeRecord {
  const kind = kinds[record[0] ?? kinds.length]
  if (kind === undefined) throw fail('OperationFailed', 'the change log has an unknown record')
  const body = record.subarray(1)
  return { kind, body, db: stringOf(part(body, 'd')), name: stringOf(part(body, 'c')) }
}

export function part(body: Document, name: string): Value {
  const value = field(body, name)
  assert(value !== undefined, `a record of the change log has ${name}`)
  return value
}

/** Wall time of the change, milliseconds; undefined if it is not known. */
export function wallTimeOf(body: Document): number | undefined {
  const value = field(body, 'w')
  return value === undefined ? undefined : Number(bigintOf(value))
}

/** The new name in a rename. */
export function targetOf(body: Document): { readonly db: string; readonly name: string } {
  const target = documentOf(part(body, 't'))
  return { db: stringOf(part(target, 'd')), name: stringOf(part(target, 'c')) }
}
