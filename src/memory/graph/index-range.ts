// Reads ranges of a part's indexes and their documents in order, only as far as the caller
// requests: a hub must not cost a full scan.

import { type Bytes, concatBytes } from '../../base/bytes/bytes.js'
import { assert } from '../../base/errors.js'
import { documentOfRecord } from '../../engine/collection/records.js'
import { entryFieldsEnd } from '../../engine/index/index-keys.js'
import type { IndexDescriptor, Namespace } from '../../engine/types.js'
import { keyClass } from '../../store/layout.js'
import type { KeyRange, Program, ReadTx } from '../../store/store.js'
import { KeyWriter } from '../../value/key.js'
import type { Document, Value } from '../../value/value.js'

const writer = new KeyWriter()

/** The entries whose first fields have these values. */
export function rangeOf(ns: Namespace, index: string, ...values: readonly Value[]): KeyRange {
  const start = prefixOf(indexOf(ns, index), values)
  return { start, end: behind(start) }
}

/** The entries whose first field is a text from `from` to before `to`. */
export function rangeBetween(ns: Namespace, index: string, from: Value, to: Value): KeyRange {
  const descriptor = indexOf(ns, index)
  return { start: prefixOf(descriptor, [from]), end: prefixOf(descriptor, [to]) }
}

/** The entry of a unique index for that value: the entry's value is the record's key. */
export function entryOf(ns: Namespace, index: string, value: Value): Bytes {
  return concatBytes(prefixOf(indexOf(ns, index), [value]), Uint8Array.of(entryFieldsEnd))
}

/** The documents of a range at the program's start, at most scanEntriesMax. */
export function* scanDocuments(tx: ReadTx, range: KeyRange, limit: number): Program<Document[]> {
  const documents: Document[] = []
  for (const { record } of yield* tx.scanFetch(range, limit)) {
    if (record !== undefined) documents.push(yield* documentOfRecord(tx, record))
  }
  return documents
}

function indexOf(ns: Namespace, name: string): IndexDescriptor {
  const index = ns.indexes.find((candidate) => candidate.name === name)
  assert(index !== undefined, `${ns.name} has its index ${name}`)
  return index
}

function prefixOf({ id, fields }: IndexDescriptor, values: readonly Value[]): Bytes {
  writer.reset().u8(keyClass.entry).u32(id)
  values.forEach((value, i) => {
    writer.value(value, fields[i]?.direction === -1)
  })
  return writer.finish()
}

/** The first key after all with `prefix`; a prefix of an entry never ends in 0xff alone. */
function behind(prefix: Bytes): Bytes {
  const end = prefix.slice()
  let last = end.length - 1
  while (end[last] === 0xff) last--
  end[last] = (end[last] ?? 0) + 1
  return end.subarray(0, last + 1)
}
